//! [`Suspects`]: who may have become unreachable, and when that is looked into. Plain data: it has no lock and no clock.
//!
//! P1 Whoever was there when the timer rang is looked at without another wait, unless looks turn
//! out to be in vain. P2 While anybody is here and nobody looks, a timer is set. P3 A pause depends
//! on how many actors were looked at in vain, and not on how long the thread that did so was kept
//! from it. P4 Whoever is held back is let go when a look begins, or ends, that leaves no crowd;
//! and when the system ends. As long as there is a crowd, a look is going on, or called for.

use super::graph::Who;
use super::look::{Findings, Reach};
use crate::cell::Runnable;
use std::collections::VecDeque;

/// An actor that has lost an address, and not its last.
pub(crate) type Suspect = Who;

/// When twice as many wait, all but the last so many are looked at without delay: those have had
/// time to become idle.
const MANY: usize = if cfg!(test) { 2 } else { 1_024 };

/// While so many wait, a worker stays at it for longer.
const BUSY: usize = MANY + MANY / 4;

/// So many are looked at, however little came of the last looks: what the list may grow to.
const TOO_MANY: usize = 64 * MANY;

/// While so many wait, whoever makes more does so only when those have been looked at (P4).
const CROWDED: usize = 2 * MANY;

const _: () = assert!(
    CROWDED >= 2 * MANY,
    "a crowd does not wait for the timer (P4)"
);

/// At most so many new ones in one look, and as many that are looked at again.
const AT_ONCE: usize = 4 * MANY;

/// Looks of which nothing comes take no more than this part of one worker's time.
const SHARE: u64 = 100;

/// A look is reckoned to take no longer than this for each actor. A worker that was kept from its
/// processor was not at it (P3).
const ACTOR_NS_MAX: u64 = 2_000;

#[derive(Default)]
pub(super) struct Suspects {
    /// Not looked at since, the oldest first.
    fresh: VecDeque<Suspect>,
    /// Looked at while some of those about them ran (U5), or of too many.
    again: VecDeque<Suspect>,
    /// So many of the oldest of each are to be looked at now.
    due: Due,
    /// When there are so many to be looked at again, nobody waits for the timer.
    again_max: usize,
    call: Call,
    timer: Timer,
    /// What looks in vain have cost is paid for by then.
    pause_until_ns: u64,
    /// They have made suspects, which crowd, and would make more.
    held_back: Vec<Runnable>,
    hours: Hours,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Due {
    fresh: usize,
    again: usize,
}

/// Whether anybody looks.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Call {
    /// When the timer rings, or there are many.
    #[default]
    Later,
    /// A worker will, or does: at new ones.
    Now,
    /// Also at those that are to be looked at again.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Timer {
    #[default]
    None,
    /// One that was set for another time is not heard.
    At(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Hours {
    #[default]
    Open,
    /// The system ends, and everybody with it.
    Over,
}

/// What the caller is to do.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    Nothing,
    /// To have a worker look.
    Look,
    /// To tell at this time that it has come.
    RingAt(u64),
}

/// How long a worker stays at it between two rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zeal {
    OnePiece,
    Slice,
}

/// Whether whoever makes suspects is to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Crowd {
    None,
    /// There are many, and looks are worth it.
    Waiting,
}

impl Suspects {
    /// These are suspects.
    pub(super) fn take_in(
        &mut self,
        suspects: impl IntoIterator<Item = Suspect>,
        now_ns: u64,
        idle_after_ns: u64,
    ) -> Then {
        if self.hours == Hours::Over {
            return Then::Nothing;
        }
        self.fresh.extend(suspects);
        self.then(now_ns, idle_after_ns)
    }

    /// The timer that was set for `at_ns` rings: all are due.
    pub(super) fn ring(&mut self, at_ns: u64) -> Then {
        if self.timer != Timer::At(at_ns) {
            return Then::Nothing;
        }
        self.timer = Timer::None;
        if self.hours == Hours::Over || self.is_empty() {
            return Then::Nothing;
        }
        self.due = Due {
            fresh: self.fresh.len(),
            again: self.again.len(),
        };
        self.call = Call::All;
        Then::Look
    }

    /// Whom to look at now, and how far, if anybody is to.
    pub(super) fn begin(&mut self) -> Option<(Vec<Suspect>, Reach)> {
        if self.call == Call::Later {
            return None;
        }
        let fresh = self.due.fresh.min(AT_ONCE);
        let again = self.due.again.min(AT_ONCE);
        self.due.fresh -= fresh;
        self.due.again -= again;
        let reach = match again {
            0 => Reach::Near,
            _ => Reach::Far,
        };
        let again = self.again.drain(..again);
        Some((again.chain(self.fresh.drain(..fresh)).collect(), reach))
    }

    /// A look has ended.
    pub(super) fn end(&mut self, findings: Findings, now_ns: u64, idle_after_ns: u64) -> Then {
        if self.hours == Hours::Over {
            return Then::Nothing;
        }
        let left = findings.left.len();
        findings
            .left
            .into_iter()
            .rev()
            .for_each(|suspect| self.fresh.push_front(suspect));
        self.again.extend(findings.again);
        if findings.ended < findings.looked_at / 4 {
            let pause_ns = pause_ns(findings.took_ns, findings.looked_at);
            self.pause_until_ns = self.pause_until_ns.max(now_ns + pause_ns);
            self.due = Due::default();
        } else {
            self.due.fresh += left;
        }
        if self.call == Call::All && self.due.again == 0 {
            // Before nobody waits for the timer there are to be as many new ones.
            self.again_max = 2 * self.again.len();
        }
        self.call = Call::Later;
        self.then(now_ns, idle_after_ns)
    }

    /// The system ends: those that were held back.
    pub(super) fn close(&mut self) -> Vec<Runnable> {
        let hours = Hours::Over;
        let none = Suspects {
            hours,
            ..Suspects::default()
        };
        std::mem::replace(self, none).held_back
    }

    pub(super) fn is_closed(&self) -> bool {
        self.hours == Hours::Over
    }

    pub(super) fn zeal(&self) -> Zeal {
        match self.fresh.len() {
            BUSY.. => Zeal::Slice,
            _ => Zeal::OnePiece,
        }
    }

    pub(super) fn crowd(&self, now_ns: u64) -> Crowd {
        match self.fresh.len() {
            CROWDED.. if now_ns >= self.pause_until_ns => Crowd::Waiting,
            _ => Crowd::None,
        }
    }

    /// Keeps an actor that has made suspects from its next run while they crowd. It is given back
    /// if they do not.
    pub(super) fn hold_back(&mut self, actor: Runnable, now_ns: u64) -> Option<Runnable> {
        match self.crowd(now_ns) {
            Crowd::Waiting => {
                self.held_back.push(actor);
                None
            }
            Crowd::None => Some(actor),
        }
    }

    /// Those that were held back, if nobody is to be any more. After `begin` and `end`, which alone
    /// bring that about.
    pub(super) fn let_go(&mut self, now_ns: u64) -> Vec<Runnable> {
        match self.crowd(now_ns) {
            Crowd::Waiting => Vec::new(),
            Crowd::None => std::mem::take(&mut self.held_back),
        }
    }

    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.again.is_empty()
    }

    /// Whether there are so many that nobody waits for the timer.
    fn are_many(&self) -> bool {
        self.fresh.len() >= 2 * MANY || self.have_doubled()
    }

    fn have_doubled(&self) -> bool {
        self.again.len() >= self.again_max.max(MANY)
    }

    fn then(&mut self, now_ns: u64, idle_after_ns: u64) -> Then {
        if self.call != Call::Later {
            return Then::Nothing;
        }
        let pauses = now_ns < self.pause_until_ns;
        if self.are_many() && !pauses || self.fresh.len() >= TOO_MANY {
            self.due.fresh = self.due.fresh.max(self.fresh.len().saturating_sub(MANY));
        }
        if self.have_doubled() && !pauses {
            self.due.again = self.again.len();
        }
        if self.due != Due::default() {
            self.call = match self.due.again {
                0 => Call::Now,
                _ => Call::All,
            };
            return Then::Look;
        }
        if self.is_empty() {
            return Then::Nothing;
        }
        let at_ns = match self.are_many() {
            true => self.pause_until_ns,
            false => self.pause_until_ns.max(now_ns + idle_after_ns),
        };
        match self.timer {
            Timer::At(set_ns) if set_ns <= at_ns => Then::Nothing,
            _ => {
                self.timer = Timer::At(at_ns);
                Then::RingAt(at_ns)
            }
        }
    }
}

/// For how long nobody looks, after a look in vain.
fn pause_ns(took_ns: u64, looked_at: usize) -> u64 {
    SHARE * took_ns.min(ACTOR_NS_MAX * looked_at as u64)
}

#[cfg(test)]
#[path = "suspects_tests.rs"]
mod tests;
