//! What promises and resolvers show of the chain that they are part of.

use crate::actor::{AddressRef, Dependent};
use crate::services::{Asked, RequestProgress};

/// What a sink shows to the detector of unreachable actors.
#[derive(Default)]
pub(crate) struct Shown<'s> {
    /// The actor that continues.
    pub(crate) target: Option<&'s AddressRef>,
    /// The right to give the next promise of the chain its value.
    pub(crate) answer: Option<&'s dyn PromiseLink>,
    /// The exclusive wait that ends with this value.
    pub(crate) wait: Option<Dependent>,
    /// The join that needs this value.
    pub(crate) join: Option<&'s dyn JoinLink>,
    pub(crate) awaits: Awaits<'s>,
}

/// What becomes of a value: whether it is awaited.
#[derive(Default)]
pub(crate) enum Awaits<'s> {
    /// A continuation takes it, or a promise of a turn that has not ended.
    #[default]
    Taken,
    /// A future takes it before this time, in nanoseconds of the system's clock.
    Until(u64),
    /// It is dropped.
    Nothing,
    /// It is the value of the next promise.
    Passed(&'s dyn PromiseLink),
    /// It is, or contributes to, the value of the next promise if that has none yet.
    Raced(&'s dyn RaceLink),
}

/// What a look at a race found.
pub(crate) enum Raced {
    /// `body` has been called.
    Open,
    /// The next promise has its value.
    Decided,
    /// Another thread settles it, or this walk has come by before: a promise that outlives its turn
    /// can be a part of its own chain.
    Busy,
}

/// A place where several values, or a value and an alarm, race to the next promise.
pub(crate) trait RaceLink: Sync {
    /// Calls `body` with the resolver of the next promise, if that has no value yet.
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced;

    /// The time of the alarm; see [`Oracle::limit_ns`](crate::oracle::Oracle::limit_ns).
    fn until_ns(&self) -> u64 {
        u64::MAX
    }
}

/// A join of promises that needs each value which is still missing.
pub(crate) trait JoinLink {
    /// The same for all links of a join, and no other join has it at that time.
    fn id(&self) -> *const ();

    /// Calls `body` with the resolver of the join's own promise, if it is not decided. Waits for
    /// the lock of the join, so the caller does not have it (see `dependents.rs`).
    fn with_answer(&self, body: &mut dyn FnMut(&dyn PromiseLink));
}

/// A change of the request that has a resolver.
#[derive(Clone, Copy)]
pub(crate) enum RequestChange {
    /// It is deferred, or its turn has begun.
    Progress(RequestProgress),
    /// Another actor has to answer this request.
    PassedOn(Asked),
}

/// A resolver of any type, as a link of a chain of promises.
pub(crate) trait PromiseLink {
    /// The owner of its promise, if the value is not on its way.
    fn owner(&self) -> Option<&AddressRef>;

    /// What the sink of its promise shows, once that is final.
    fn shown_by_sink(&self) -> Option<Shown<'_>>;

    /// Writes a change of its request into the record. Through relays that many times at most: each
    /// is a call.
    fn request_changes(&self, _: RequestChange, _relays_max: usize) {}

    /// What becomes of its value.
    fn awaits(&self) -> Awaits<'_>;
}
