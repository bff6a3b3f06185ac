//! A store in an actor, and a client that sends one request after another.

use super::operations::{Operation, Requests};
use crate::prelude::*;
use std::time::Instant;
use vivant::Target;
use vivant::prelude::*;

/// An actor that has a store.
pub(super) trait Store: Actor + Target<Handle: Send + Sync> {
    /// Spawns a store for the given number of operations.
    fn spawn(system: &System, plan: Plan) -> Address<Self>;
    /// Inserts the initial entries.
    fn load(store: &Address<Self>) -> Result<(), Failure>;
    /// Does the operations of these numbers, and gives the sum of what they found.
    fn chunk(store: &Address<Self>, from: u64, until: u64) -> Result<u64, Failure>;
    /// Does one.
    fn request(t: &Turn<Client<Self>>, store: &Address<Self>, operation: Operation);
    /// The times between completions, and the sum of all values in the store.
    fn end(store: &Address<Self>) -> Result<(Latencies, u64), Failure>;
}

/// What a store and a client have to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) requests: Requests,
    pub(super) entries: u64,
    pub(super) operations: u64,
    /// Operations of a step.
    pub(super) a_step: u64,
}

vivant::heap::leaf!([] Plan);

/// When a store completed what.
pub(super) struct Completions {
    latencies: Latencies,
    last: Option<Instant>,
    /// Completions that do not count.
    dropped: u64,
}

impl Completions {
    /// Of single requests all but the first fifth count, of chunks all.
    pub(super) fn new(plan: Plan) -> Completions {
        Completions {
            latencies: Latencies::new(),
            last: None,
            dropped: match plan.requests {
                Requests::Chunks => 0,
                Requests::Single => plan.operations / 5,
            },
        }
    }

    /// From here the first one is timed.
    pub(super) fn begin(&mut self) {
        self.last = Some(Instant::now());
    }

    pub(super) fn one(&mut self) {
        let now = Instant::now();
        match self.last.replace(now) {
            Some(last) if self.dropped == 0 => self.latencies.record(now - last),
            _ => self.dropped = self.dropped.saturating_sub(1),
        }
    }

    pub(super) fn end(&mut self) -> Latencies {
        std::mem::replace(&mut self.latencies, Latencies::new())
    }
}

/// Requests in flight.
const WINDOW: u64 = 64;

/// Asks single things.
#[derive(Actor)]
pub(super) struct Client<S: Store> {
    store: Address<S>,
    plan: Plan,
    sent: u64,
    answered: u64,
    sum: u64,
    done: Option<Resolver<u64>>,
}

impl<S: Store> Client<S> {
    pub(super) fn new(store: Address<S>, plan: Plan) -> Client<S> {
        Client {
            store,
            plan,
            sent: 0,
            answered: 0,
            sum: 0,
            done: None,
        }
    }
}

#[behaviours]
impl<S: Store> Client<S> {
    /// Answers with the sum of all that was found.
    pub(super) fn begin(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        (0..WINDOW).for_each(|_| self.send(t));
        promise
    }

    pub(super) fn answered(&mut self, t: &Turn<Self>, found: u64) {
        self.sum += found;
        self.answered += 1;
        if self.answered == self.plan.operations
            && let Some(done) = self.done.take()
        {
            done.resolve(self.sum);
        }
        self.send(t);
    }

    #[local]
    fn send(&mut self, t: &Turn<Self>) {
        let Plan {
            requests,
            entries,
            operations,
            ..
        } = self.plan;
        if self.sent < operations {
            self.sent += 1;
            S::request(t, &self.store, requests.operation(self.sent, entries));
        }
    }
}
