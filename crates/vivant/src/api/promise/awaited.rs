//! Whether a value is awaited, and until when: the walk up a chain of promises, from a resolver to
//! what takes its value.

use super::Resolver;
use super::shown::{Awaits, PromiseLink, RaceLink, Raced};
use crate::actor::{Answer, Answered, Observation, Source, Table, Worker, observed};
use std::time::Duration;

/// Limit of races within races that are followed: a walk through a race is a call. A value that
/// lies further up counts as awaited.
pub(super) const RACES_MAX: usize = 32;

/// Limit of the links that are followed from one race to the next. A chain is as long as the user's
/// recursion, and each turn of it may look. A value that lies further up counts as awaited.
const LINKS_MAX: usize = 256;

/// Whether a value is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Awaited {
    No,
    /// Until this time (see [`Oracle::limit_ns`](crate::oracle::Oracle::limit_ns)); `u64::MAX`
    /// without a limit.
    Until(u64),
}

impl<T: Send + 'static> Resolver<T> {
    /// Returns false if no value is wanted, so that a costly one can be skipped: the message was
    /// sent without asking, or what would take the value is gone. That is a future that was
    /// dropped, or has its time limit behind it; a promise that was dropped, or settled by its time
    /// limit; a join (`t.any(…)`) that is decided; an actor that has ended.
    ///
    /// It follows the chain of answers: of a request that was made to answer another one, the
    /// asker of that other one counts, if the promise was returned or the request was delegated. A
    /// continuation counts as an asker: it runs with the value, and may have effects. It does not
    /// if it is a behaviour `#[if_awaited]`: then its own asker counts.
    ///
    /// Until the turn that asked has ended, its promise counts as wanted. Costs some loads for
    /// each link of the chain, and a lock for each time limit and each join.
    pub fn is_wanted(&self) -> bool {
        self.awaited() != Awaited::No
    }

    /// The time after which no value is wanted any more, on the clock of
    /// [`Turn::now`](crate::Turn::now); the earliest limit of the chain that
    /// [`is_wanted`](Resolver::is_wanted) follows. `None` if there is no limit, or if the turn that
    /// sets one has not ended.
    ///
    /// Requests that are made for the answer are limited by
    /// [`Promise::until`](crate::Promise::until).
    pub fn deadline(&self) -> Option<Duration> {
        self.awaited().deadline()
    }

    /// Returns true if the message was asked, and no answer is awaited any more.
    pub(crate) fn is_given_up(&self) -> bool {
        !self.is_discarding() && !self.is_wanted()
    }

    fn awaited(&self) -> Awaited {
        seen(self)
    }
}

/// What the running turn sees of the chain that begins at `first`.
pub(super) fn seen(first: &dyn PromiseLink) -> Awaited {
    let awaited = walk(first, RACES_MAX);
    observed(
        Observation::Awaited,
        Source::Table(Table::Promises),
        awaited,
    )
}

impl Answer for Awaited {
    fn data(&self) -> Answered {
        match self {
            Awaited::No => Answered::Nothing,
            Awaited::Until(limit_ns) => Answered::Count(*limit_ns),
        }
    }
}

impl Awaited {
    pub(super) fn deadline(self) -> Option<Duration> {
        match self {
            Awaited::No | Awaited::Until(u64::MAX) => None,
            Awaited::Until(limit_ns) => {
                let here = |worker: &Worker| worker.system.oracle.on_this_clock(limit_ns);
                let ns = Worker::with_current(here).unwrap_or(limit_ns);
                Some(Duration::from_nanos(ns))
            }
        }
    }

    fn before(self, limit_ns: u64) -> Awaited {
        match self {
            Awaited::No => Awaited::No,
            Awaited::Until(ns) => Awaited::Until(ns.min(limit_ns)),
        }
    }
}

pub(super) fn walk(first: &dyn PromiseLink, races_max: usize) -> Awaited {
    let mut next = first;
    for _ in 0..LINKS_MAX {
        match next.awaits() {
            Awaits::Taken => return Awaited::Until(u64::MAX),
            Awaits::Until(ns) => return Awaited::Until(ns),
            Awaits::Nothing => return Awaited::No,
            Awaits::Passed(link) => next = link,
            Awaits::Raced(race) => return through(race, races_max),
        }
    }
    Awaited::Until(u64::MAX)
}

fn through(race: &dyn RaceLink, races_max: usize) -> Awaited {
    let Some(fewer) = races_max.checked_sub(1) else {
        return Awaited::Until(u64::MAX);
    };
    let mut awaited = Awaited::No;
    match race.with_next(&mut |next| awaited = walk(next, fewer)) {
        Raced::Open => {}
        Raced::Decided => return Awaited::No,
        Raced::Busy => awaited = Awaited::Until(u64::MAX),
    }
    awaited.before(race.until_ns())
}
