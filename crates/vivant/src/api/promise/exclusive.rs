//! Exclusive waits: the actor takes no message until a promise has settled (see
//! `wait_for/README.md`).

use super::receiver::Receiver;
use super::resolver::RELAYS_MAX;
use super::saved::{PromiseName, PromiseUnsaved, ShapedBytes, SinkSaver};
use super::shown::Shown;
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, PromiseState, Resolver};
use crate::actor::{
    AddressRef, AskError, Dependent, ExclusiveWait, Header, Next, WaitChange, WaitNumber,
    WaitOutcome, WaitPurpose, Worker,
};
use crate::api::InlineActor;
use crate::api::start::{ByState, StartCall};
use crate::interned::Place;
use crate::saving::saved_struct;
use crate::wait_for::WaitForGraph;

impl<T: Send + 'static> Promise<T> {
    /// Defers all messages of this actor until the promise has settled: the classic call, which
    /// blocks the actor and no thread. The deferred messages wait in their order, as those with a
    /// false guard do. Continuations of requests that this actor has already made still run, and
    /// so do links, stops and time limits.
    ///
    /// Two actors that wait for each other so would wait for ever. The request that closes such a
    /// cycle fails at once, with [`AskError::WaitCycle`].
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)] struct Stock { pieces: u64 }
    /// #[behaviours] impl Stock {
    ///     fn pieces(&mut self) -> u64 { self.pieces }
    /// }
    ///
    /// #[derive(Actor)] struct Shop { stock: Address<Stock>, sold: u64 }
    /// #[behaviours] impl Shop {
    ///     /// No other order is processed between the look and the sale.
    ///     fn order(&mut self, t: &Turn<Self>) -> Promise<bool> {
    ///         t.ask(self.stock.pieces()).exclusive().then(t.me().counted())
    ///     }
    ///     #[then] fn counted(&mut self, pieces: Result<u64, AskError>) -> bool {
    ///         let is_left = pieces.is_ok_and(|pieces| pieces > self.sold);
    ///         self.sold += u64::from(is_left);
    ///         is_left
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let stock = system.spawn(Stock { pieces: 1 });
    /// let shop = system.spawn(Shop { stock, sold: 0 });
    /// let orders = [shop.order().ask(), shop.order().ask()];
    /// let sold = orders.map(|order| system.block_on(order));
    /// assert_eq!(sold, [Ok(true), Ok(false)]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside any turn, where no promise belongs.
    #[track_caller]
    #[must_use = "the promise that it returns takes its place: continue it with `.then(…)`, or return it"]
    pub fn exclusive(self) -> Promise<T> {
        if let PromiseState::Ready(_) = self.kind {
            return self;
        }
        let owner = Worker::with_current(Worker::me_if_any)
            .flatten()
            .expect("a promise lives within the turn that made it");
        let (promise, resolver) = Promise::open(owner.clone());
        self.wait(&owner, WaitPurpose::Reply, resolver, Place::caller());
        promise
    }

    /// The actor of this turn has started, or ends, when the promise has settled.
    pub(crate) fn wait_for(self, owner: &AddressRef, purpose: WaitPurpose, place: Place) {
        if let PromiseState::Ready(Ok(_)) = self.kind {
            return;
        }
        self.wait(owner, purpose, Resolver::discarding(), place);
    }

    fn wait(self, owner: &AddressRef, purpose: WaitPurpose, resolver: Resolver<T>, place: Place) {
        let wait = OpenWait::begin(owner, purpose, place);
        self.sink_into(owner, WaitSink { wait, resolver });
    }
}

impl<A: InlineActor> Promise<A> {
    /// The actor of this turn has started when the promise has brought its state.
    pub(crate) fn wait_for_state(self, owner: &AddressRef, place: Place) {
        let wait = OpenWait::begin(owner, WaitPurpose::Start, place);
        self.sink_into(owner, StateSink { wait, place });
    }
}

/// The wait of an actor, at the promise for which it waits.
pub(super) struct OpenWait {
    pub(super) wait: ExclusiveWait,
    /// The number of the actor's system: a promise may be settled by an actor of another one.
    system: u64,
    /// The id of the actor.
    actor: u64,
}

impl OpenWait {
    fn begin(owner: &AddressRef, purpose: WaitPurpose, place: Place) -> OpenWait {
        let opened = OpenWait::open(owner, purpose, place);
        Worker::of(&owner.system, |worker| {
            worker.request_wait(WaitChange::Begin(opened.wait));
        });
        opened
    }

    /// A wait that the graph has, and the actor not yet.
    pub(super) fn open(owner: &AddressRef, purpose: WaitPurpose, place: Place) -> OpenWait {
        let opened = OpenWait::of_earlier(owner, purpose, place);
        WaitForGraph::of(&owner.system).begin(owner.cell(), &opened.wait);
        opened
    }

    /// A wait of an earlier incarnation of the actor (E4). The promise is still open.
    pub(super) fn of_earlier(owner: &AddressRef, purpose: WaitPurpose, place: Place) -> OpenWait {
        OpenWait {
            wait: ExclusiveWait {
                number: WaitNumber(owner.system.next_wait()),
                purpose,
                place,
            },
            system: owner.system.number,
            actor: owner.id,
        }
    }

    fn dependent(&self) -> Dependent {
        Dependent {
            system: self.system,
            actor: self.actor,
            wait: self.wait.number,
        }
    }

    /// The promise has settled, in a run of its owner. If the owner has ended, it settles
    /// elsewhere, and nothing waits.
    fn over(self, outcome: WaitOutcome) {
        Worker::with_current(|worker| {
            let current = |current: &Header| (current.system.number, current.id);
            if worker.current.with(current) == Some((self.system, self.actor)) {
                worker.request_wait(WaitChange::Over(self.wait.number, outcome));
            }
        });
    }
}

pub(super) struct WaitSink<T: Send + 'static> {
    pub(super) wait: OpenWait,
    pub(super) resolver: Resolver<T>,
}

impl<T: Send + 'static> Continue<T> for WaitSink<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.wait.over(match &value {
            Ok(_) => WaitOutcome::Settled,
            Err(error) => WaitOutcome::Failed(error.clone()),
        });
        self.resolver.settled_by(value)
    }
}

impl<T: Send + 'static> SinkLink for WaitSink<T> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            answer: Some(&self.resolver),
            wait: Some(self.wait.dependent()),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let purpose = self.wait.wait.purpose;
        SinkKind::Wait { purpose }.to(self.resolver.receiver())
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        let content = WaitContent {
            place: self.wait.wait.place,
            has_ended: saver.has_ended(self.wait.wait.number),
            to: self.resolver.promise_name(RELAYS_MAX),
        };
        saver.content(&content).map(Some)
    }
}

/// A wait in a file.
pub(super) struct WaitContent {
    pub(super) place: Place,
    /// The incarnation that waited is over.
    pub(super) has_ended: bool,
    /// What gets the value.
    pub(super) to: PromiseName,
}

saved_struct!(WaitContent as "vivant::Wait" {
    0 place: Place,
    1 has_ended: bool,
    2 to: PromiseName,
});

struct StateSink {
    wait: OpenWait,
    place: Place,
}

impl<A: InlineActor> Continue<A> for StateSink {
    fn fill(self, value: Result<A, AskError>) -> Next {
        self.wait.over(match value {
            Ok(state) => {
                let start = StartCall::<ByState<A>>::new((state,));
                WaitOutcome::State(start.envelope(self.place))
            }
            Err(error) => WaitOutcome::Failed(error),
        });
        Next::Nothing
    }
}

impl SinkLink for StateSink {
    fn shown(&self) -> Shown<'_> {
        Shown {
            wait: Some(self.wait.dependent()),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::StartState.to(Receiver::Nothing)
    }

    fn save(&self, saver: &mut SinkSaver<'_>) -> Result<Option<ShapedBytes>, PromiseUnsaved> {
        match saver.has_ended(self.wait.wait.number) {
            // The state of an earlier incarnation is not wanted.
            true => Ok(None),
            false => Err(PromiseUnsaved::Sink(self.data().kind.name())),
        }
    }
}
