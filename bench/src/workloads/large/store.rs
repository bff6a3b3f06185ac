//! A store in an actor, and a client that sends one request after another.

use super::completions::Completions;
use super::operations::{Operation, Requests};
use crate::prelude::*;
use vivant::codec::Saved;
use vivant::prelude::*;
use vivant::{SystemBuilder, Target};

/// An actor that has a store.
pub(super) trait Store: Actor + Target<Handle: Send + Sync> {
    /// Names what snapshots have of it, if they have anything.
    fn list(builder: SystemBuilder) -> SystemBuilder {
        builder
    }
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

/// The functions of a [`Store`] that send its messages of the same names.
macro_rules! messages {
    () => {
        fn load(store: &Address<Self>) -> Result<(), Failure> {
            Ok(store.load().ask_blocking()?)
        }

        fn chunk(store: &Address<Self>, from: u64, until: u64) -> Result<u64, Failure> {
            Ok(store.chunk(from, until).ask_blocking()?)
        }

        fn request(t: &Turn<Client<Self>>, store: &Address<Self>, operation: Operation) {
            t.send(store.request(operation, t.me()));
        }

        fn end(store: &Address<Self>) -> Result<(Latencies, u64), Failure> {
            Ok(store.end().ask_blocking()?)
        }
    };
}
pub(super) use messages;

/// What a store and a client have to do.
#[derive(Clone, Copy, Debug, Saved)]
pub(super) struct Plan {
    pub(super) requests: Requests,
    pub(super) entries: u64,
    pub(super) operations: u64,
    /// Operations of a step.
    pub(super) a_step: u64,
}

vivant::heap::leaf!([] Plan);

impl Plan {
    /// Of single requests all completions but the first fifth count, of chunks all.
    pub(super) fn completions(self) -> Completions {
        match self.requests {
            Requests::Chunks => Completions::all(),
            Requests::Single => Completions::after(self.operations / 5),
        }
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
