//! Rounds: the order in which a worker looks at its sources (T6). The actor just woken goes first,
//! but not for ever.
//!
//! F1 A round has at most [`ROUND_MAX`] runs and ends when the coarse clock moves. Between two
//! rounds whatever lies in the slot goes to the end of the queue, and one actor is taken from the
//! queues, if any waits there. F2 Every second time that is the oldest of a lane of the common
//! queue, else of the own queue; of either lane in turn.
//!
//! So who is at place p of a lane runs after at most 4(p + 1) rounds, unless it is moved to another
//! worker's queue, where it begins anew: thieves take the oldest, and give back to the end.

use super::run_queue::{RunQueue, Waiting};
use super::woken::{Pointed, Slot};

/// How many runs a round has at most: a chain of turns on warm caches is cheaper than any other
/// order, and so many hops take a few microseconds.
pub(crate) const ROUND_MAX: u32 = 61;

/// Where a worker looks first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// The slot; then the own queue, then the common one.
    Woken,
    /// A new round: the own queue, then the common one.
    Own,
    /// A new round: the common queue, then the own one.
    Common,
}

/// The present round.
pub(crate) struct Round {
    left: u32,
    /// How many runs the round before had.
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

    /// Where to look now. Another answer than `Woken` begins a round.
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

    /// How many runs the round had that ended when this one began.
    pub(crate) fn ran(&self) -> u32 {
        self.ran
    }
}

/// Where a worker finds actors without robbing others.
pub(super) struct Sources<'s, T: Pointed> {
    pub(super) woken: &'s Slot<T>,
    pub(super) own: &'s RunQueue<T>,
    pub(super) common: &'s RunQueue<T>,
}

impl<T: Pointed + Waiting> Sources<'_, T> {
    /// The next actor.
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

    /// The slot's actor must wait like any other.
    pub(super) fn put_back(&self) {
        if let Some(woken) = self.woken.take() {
            self.own.push(woken);
        }
    }
}

#[cfg(test)]
#[path = "round_tests.rs"]
mod tests;
