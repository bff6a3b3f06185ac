//! Time limits on promises.

use super::receiver::Receiver;
use super::relay::Relay;
use super::resolver::RELAYS_MAX;
use super::shown::{Awaits, PromiseLink, RaceLink, Raced, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AskError, Next, Shared, Timer, Worker};
use crate::services::{Action, Alarm, Expires, ns};
use crate::sync::{Arc, Mutex, lock, try_lock};
use std::time::Duration;

impl<T: Send + 'static> Promise<T> {
    /// Stops waiting after `limit`: the promise is then broken with [`AskError::TimedOut`], and a
    /// value that arrives later is dropped. The message itself is not recalled, unless its
    /// behaviour is `#[if_awaited]`; a behaviour sees the limit by
    /// [`Asker::deadline`](crate::Asker::deadline).
    ///
    /// # Panics
    ///
    /// Outside any turn, where no promise belongs.
    #[must_use = "the promise that it returns takes its place: continue it with `.then(…)`, or return it"]
    pub fn within(self, limit: Duration) -> Promise<T> {
        let owner = Worker::with_current(Worker::me_if_any)
            .flatten()
            .expect("a promise lives within the turn that made it");
        let system = owner.system.clone();
        match self.kind {
            PromiseState::Ready(_) => self,
            // The limit goes with the message: the reply still goes straight to the asker.
            PromiseState::Delegated(send) => {
                Promise::new(PromiseState::Delegated(Box::new(move |resolver| {
                    if resolver.is_discarding() {
                        // Nothing waits: the message was sent, not asked.
                        return send(resolver);
                    }
                    send(Resolver::of_relay(InTime::new(&system, limit, resolver)));
                })))
            }
            kind => {
                let (promise, resolver) = Promise::open(owner.clone());
                let sink = InTime::new(&system, limit, resolver);
                Promise::new(kind).sink_into(&owner, sink);
                promise
            }
        }
    }
}

impl<T: Send + 'static> Promise<T> {
    /// Stops waiting at this time on the clock of [`Turn::now`](crate::Turn::now), as
    /// [`within`](Promise::within) does after a duration; never, if it is `None`. So a request that
    /// is made to answer another one gets the time that is left of the first:
    /// `t.ask(…).until(asker.deadline())`.
    ///
    /// # Panics
    ///
    /// As [`within`](Promise::within).
    #[must_use = "the promise that it returns takes its place: continue it with `.then(…)`, or return it"]
    pub fn until(self, deadline: Option<Duration>) -> Promise<T> {
        let Some(deadline) = deadline else {
            return self;
        };
        let now = Worker::with_current(|worker| worker.system.oracle.now_ns());
        let now = Duration::from_nanos(now.unwrap_or(0));
        self.within(deadline.saturating_sub(now))
    }
}

/// The first of value and alarm resolves the promise.
struct InTime<T: Send + 'static> {
    race: Arc<Mutex<Option<Resolver<T>>>>,
    timer: Timer,
    until_ns: u64,
}

impl<T: Send + 'static> InTime<T> {
    fn new(system: &Arc<Shared>, limit: Duration, resolver: Resolver<T>) -> InTime<T> {
        let race = Arc::new(Mutex::new(Some(resolver)));
        let action = Action::Expire(race.clone(), limit);
        let until_ns = system.oracle.limit_ns(ns(limit));
        let timer = system.set_timer(ns(limit), Alarm::Limit(action));
        InTime {
            race,
            timer,
            until_ns,
        }
    }
}

impl<T: Send + 'static> Expires for Mutex<Option<Resolver<T>>> {
    fn expire(&self, after: Duration) {
        let resolver = lock(self).take();
        if let Some(resolver) = resolver {
            resolver.fail(AskError::TimedOut { after });
        }
    }
}

impl<T: Send + 'static> Continue<T> for InTime<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.timer.forget();
        let resolver = lock(&self.race).take();
        resolver.map_or(Next::Nothing, |resolver| resolver.settled_by(value))
    }
}

impl<T: Send + 'static> InTime<T> {
    /// What gets a value in time.
    fn receiver_in_time(&self, relays_max: usize) -> Receiver {
        match &*lock(&self.race) {
            Some(resolver) => resolver.receiver_through(relays_max),
            None => Receiver::Nothing,
        }
    }
}

impl<T: Send + 'static> SinkLink for InTime<T> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            awaits: Awaits::Raced(self),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        let until_ns = self.until_ns;
        SinkKind::Limit { until_ns }.to(self.receiver_in_time(RELAYS_MAX))
    }
}

impl<T: Send + 'static> RaceLink for InTime<T> {
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) -> Raced {
        let Some(race) = try_lock(&self.race) else {
            return Raced::Busy;
        };
        let Some(resolver) = &*race else {
            return Raced::Decided;
        };
        body(resolver);
        Raced::Open
    }

    fn until_ns(&self) -> u64 {
        self.until_ns
    }
}

impl<T: Send + 'static> Relay<T> for InTime<T> {
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next {
        self.fill(value)
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Raced(self)
    }

    /// The alarm has it too.
    fn link(&self) -> Option<&dyn PromiseLink> {
        None
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        Receiver::InTime(self.until_ns, Box::new(self.receiver_in_time(relays_max)))
    }

    /// A request that is being settled needs no record any more.
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) {
        RaceLink::with_next(self, body);
    }
}
