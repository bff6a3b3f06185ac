//! Rounds: the order in which a worker checks its sources of actors (T6). The actor woken last goes
//! first, but only for a round.
//!
//! F1 A round has at most [`ROUND_MAX`] runs and ends when the coarse clock advances. Between two
//! rounds the actor in the LIFO slot goes to the end of the queue, and one actor is taken from the
//! queues, if any waits there. F2 Every second time that actor is the oldest of a list of the
//! common queue, otherwise of the own queue; the two lists alternate.
//!
//! So an actor at place p of a list runs after at most 4(p + 1) rounds, unless it is moved to
//! another worker's queue, where the bound begins anew: steals take the oldest, and append at the
//! end when they give back.

use crate::queues::{LifoSlot, Pointed};
use crate::queues::{QueueEntry, RunQueue};

/// Limit of the runs of a round: a chain of turns on warm caches is cheaper than any other order,
/// and this many runs take a few microseconds.
pub(crate) const ROUND_MAX: u32 = 61;

/// The source that a worker checks first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// The LIFO slot; then the own queue, then the common one.
    Woken,
    /// A new round: the own queue, then the common one.
    Own,
    /// A new round: the common queue, then the own one.
    Common,
}

/// The current round.
pub(crate) struct Round {
    left: u32,
    /// Number of runs of the previous round.
    ran: u32,
    began_ms: u64,
    last: First,
}

impl Round {
    pub(crate) fn new() -> Round {
        Round {
            left: 0,
            ran: 0,
            began_ms: 0,
            last: First::Own,
        }
    }

    /// Returns the source to check now. Any value but `Woken` begins a round.
    #[inline]
    pub(crate) fn next(&mut self, now_ms: u64) -> First {
        if self.left > 0 && now_ms == self.began_ms {
            self.left -= 1;
            return First::Woken;
        }
        self.begin(now_ms)
    }

    fn begin(&mut self, now_ms: u64) -> First {
        self.ran = ROUND_MAX - self.left;
        self.left = ROUND_MAX - 1;
        self.began_ms = now_ms;
        self.last = match self.last {
            First::Own => First::Common,
            _ => First::Own,
        };
        self.last
    }

    /// Returns the number of runs of the round that ended when this one began.
    pub(crate) fn ran(&self) -> u32 {
        self.ran
    }
}

/// The sources of a worker other than stealing.
pub(super) struct Sources<'s, T: Pointed> {
    pub(super) woken: &'s LifoSlot<T>,
    pub(super) own: &'s RunQueue<T>,
    pub(super) common: &'s RunQueue<T>,
}

impl<T: Pointed + QueueEntry> Sources<'_, T> {
    /// Returns the next actor.
    #[inline]
    pub(super) fn next(&self, first: First) -> Option<T> {
        match first {
            First::Woken => self
                .woken
                .take()
                .or_else(|| self.own.pop())
                .or_else(|| self.common.pop_oldest()),
            First::Own => {
                self.put_back();
                self.own.pop_oldest().or_else(|| self.common.pop_oldest())
            }
            First::Common => {
                self.put_back();
                self.common.pop_oldest().or_else(|| self.own.pop_oldest())
            }
        }
    }

    /// Moves the actor of the LIFO slot to the end of the queue.
    pub(super) fn put_back(&self) {
        if let Some(woken) = self.woken.take() {
            self.own.push(woken);
        }
    }
}

#[cfg(test)]
#[path = "round_tests.rs"]
mod tests;
