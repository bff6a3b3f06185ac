//! Pauses: times when its heap kept an actor from running a turn. By kind, and by clock.

use crate::oracle::Oracle;
use crate::sync::{AtomicU64, Ordering};
use std::ops::{Index, IndexMut};
use std::time::Duration;
use vivant_heap::PauseKind;

/// The clock that measures pauses:
/// [`SystemBuilder::pause_clock`](crate::SystemBuilder::pause_clock). In a simulation both stand
/// still.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum PauseClock {
    /// Wall-clock time: how long a message to the actor waits, including everything else that the
    /// machine did meanwhile.
    #[default]
    Wall,
    /// CPU time of the worker: the heap's own cost, on a machine with other load. Time that the
    /// worker slept or was preempted is left out. Two more system calls for each pause, of some 200
    /// ns each. Only on Linux; elsewhere it is wall-clock time.
    ThreadCpu,
}

impl PauseClock {
    /// Nanoseconds; only differences are meaningful.
    pub(crate) fn read(self, oracle: &Oracle, now_ns: u64) -> u64 {
        match self {
            PauseClock::Wall => now_ns,
            PauseClock::ThreadCpu => oracle.thread_cpu_ns(),
        }
    }
}

/// Something of each kind of pauses.
///
/// ```
/// use vivant::PauseKind;
/// use vivant::prelude::*;
///
/// # let simulation = vivant::simulation::Simulation::new(1);
/// # let system = simulation.system();
/// let pauses = system.inspect().pauses;
/// assert_eq!(pauses[PauseKind::Minor].count, 0);
/// for (kind, these) in pauses.iter() {
///     println!("{kind}: {} pauses, the longest {:?}", these.count, these.longest);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByPauseKind<T>([T; PauseKind::COUNT]);

impl<T> ByPauseKind<T> {
    pub(crate) fn each(of: impl FnMut(PauseKind) -> T) -> ByPauseKind<T> {
        ByPauseKind(PauseKind::ALL.map(of))
    }

    /// All values with their kinds, in the order of [`PauseKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (PauseKind, &T)> {
        PauseKind::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<PauseKind> for ByPauseKind<T> {
    type Output = T;
    fn index(&self, kind: PauseKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<PauseKind> for ByPauseKind<T> {
    fn index_mut(&mut self, kind: PauseKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

/// Pauses of one kind. In a simulation they take no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Pauses {
    /// Number of pauses.
    pub count: u64,
    /// Sum of their durations.
    pub total: Duration,
    /// The longest pause.
    pub longest: Duration,
}

impl Pauses {
    /// The sum of both; the longest is the maximum.
    #[must_use]
    pub fn and(self, those: Pauses) -> Pauses {
        Pauses {
            count: self.count + those.count,
            total: self.total + those.total,
            longest: self.longest.max(those.longest),
        }
    }
}

impl ByPauseKind<Pauses> {
    /// The sum of all kinds.
    #[must_use]
    pub fn all(&self) -> Pauses {
        self.0.into_iter().fold(Pauses::default(), Pauses::and)
    }

    /// The sum of both, kind by kind.
    #[must_use]
    pub fn and(&self, those: &ByPauseKind<Pauses>) -> ByPauseKind<Pauses> {
        ByPauseKind::each(|kind| self[kind].and(those[kind]))
    }
}

/// The pauses of one kind of one actor, published by its holder. Relaxed throughout: the numbers
/// are independent of each other.
#[derive(Debug, Default)]
pub(crate) struct PauseCounts {
    count: AtomicU64,
    total_ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl PauseCounts {
    /// Only the actor's holder calls this.
    pub(crate) fn one_more(&self, ns: u64) {
        let add = |counter: &AtomicU64, more| {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&self.count, 1);
        add(&self.total_ns, ns);
        let longest = self.longest_ns.load(Ordering::Relaxed).max(ns);
        self.longest_ns.store(longest, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Pauses {
        Pauses {
            count: self.count.load(Ordering::Relaxed),
            total: Duration::from_nanos(self.total_ns.load(Ordering::Relaxed)),
            longest: Duration::from_nanos(self.longest_ns.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_all_kinds_has_the_longest_pause() {
        let counts = ByPauseKind::<PauseCounts>::default();
        counts[PauseKind::Minor].one_more(10);
        counts[PauseKind::Minor].one_more(30);
        counts[PauseKind::ReturnNursery].one_more(20);
        let pauses = ByPauseKind::each(|kind| counts[kind].read());
        assert_eq!(pauses[PauseKind::Minor].count, 2);
        assert_eq!(pauses[PauseKind::Major], Pauses::default());
        let all = pauses.and(&pauses).all();
        assert_eq!(
            (all.count, all.total, all.longest),
            (6, Duration::from_nanos(120), Duration::from_nanos(30))
        );
    }
}
