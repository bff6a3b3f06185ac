//! The place in a Savina program at which a snapshot is requested, once in each run: that of
//! SavinaSnap, the programs of the paper on snapshots of actor systems (MPLR 2019).
//!
//! A program that has its point right after the first messages calls [`snapshot_point`]. A program
//! that has it half-way counts its steps by [`Halves`]. A point is counted, and told to
//! [`snapshots`](crate::snapshots) while that listens.

use crate::snapshots::Event;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use vivant::{Saved, Spawner};

/// Of this process.
static REACHED: AtomicU64 = AtomicU64::new(0);

/// What takes snapshots in this process, if anything does.
static LISTENER: Mutex<Option<Sender<Event>>> = Mutex::new(None);

/// The program is at its snapshot point: `from` is the turn that has reached it, or the system, for
/// a program that reaches it outside of its actors.
#[cold]
pub(in super::super) fn snapshot_point(_from: &impl Spawner) {
    // Relaxed: a number, and nothing that it guards.
    REACHED.fetch_add(1, Ordering::Relaxed);
    let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(listener) = &*listener {
        // An error: it listens no more.
        let _told = listener.send(Event::Point);
    }
}

/// From here on `listener` is told of each point, and no other one.
pub(crate) fn listen(listener: Option<Sender<Event>>) {
    *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = listener;
}

/// The number of snapshot points that runs in this process have reached.
pub fn snapshot_points() -> u64 {
    REACHED.load(Ordering::Relaxed)
}

/// Counts steps down, with the snapshot point in their middle.
///
/// The counter of the first half ends at the point, so a step compares with zero, as it would
/// without a point.
#[derive(Saved, Debug)]
pub(in super::super) struct Halves {
    left: u64,
    second: Option<NonZeroU64>,
}

impl Halves {
    /// Of an odd number of steps the second half has one more.
    pub(in super::super) fn of(steps: u64) -> Halves {
        Halves {
            left: steps / 2,
            second: NonZeroU64::new(steps - steps / 2),
        }
    }

    /// Takes a step, if one is left. The one after the first half reaches the snapshot point.
    #[inline]
    pub(in super::super) fn step(&mut self, from: &impl Spawner) -> bool {
        let is_left = self.remain(from);
        self.left -= u64::from(is_left);
        is_left
    }

    /// Whether a step is left. Reaches the snapshot point when the first half is over.
    #[inline]
    pub(in super::super) fn remain(&mut self, from: &impl Spawner) -> bool {
        self.left > 0 || self.begin_second(from)
    }

    #[cold]
    fn begin_second(&mut self, from: &impl Spawner) -> bool {
        let Some(steps) = self.second.take() else {
            return false;
        };
        snapshot_point(from);
        self.left = steps.get();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::System;

    #[test]
    fn all_steps_are_taken() {
        let system = System::builder().workers(1).build();
        for steps in [1, 2, 5, 10] {
            let mut halves = Halves::of(steps);
            let first = (0..steps / 2).all(|_| halves.step(&system));
            assert!(first && halves.second.is_some(), "{steps}");
            assert!(halves.step(&system) && halves.second.is_none(), "{steps}");
            let rest = (0..).take_while(|_| halves.step(&system)).count() as u64;
            assert_eq!(rest, steps - steps / 2 - 1, "{steps}");
            assert!(!halves.remain(&system));
        }
    }
}
