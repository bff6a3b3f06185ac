//! Time limits on promises.

use super::relay::Relay;
use super::shown::PromiseLink;
use super::slot::Continue;
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AskError, Next, Shared, Timer, Worker};
use crate::services::{Alarm, ns};
use crate::sync::{Arc, Mutex, lock};
use std::time::Duration;

impl<T: Send + 'static> Promise<T> {
    /// Stops waiting after `limit`: the promise is then broken with [`AskError::TimedOut`], and a
    /// value that arrives later is dropped. The message itself is not recalled.
    ///
    /// # Panics
    ///
    /// Outside any turn, where no promise belongs.
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

/// The first of value and alarm resolves the promise.
struct InTime<T: Send + 'static> {
    race: Arc<Mutex<Option<Resolver<T>>>>,
    timer: Timer,
}

impl<T: Send + 'static> InTime<T> {
    fn new(system: &Arc<Shared>, limit: Duration, resolver: Resolver<T>) -> InTime<T> {
        let race = Arc::new(Mutex::new(Some(resolver)));
        let alarm = race.clone();
        let fire = move || {
            let resolver = lock(&alarm).take();
            if let Some(resolver) = resolver {
                resolver.fail(AskError::TimedOut { after: limit });
            }
        };
        let timer = system.set_timer(ns(limit), Alarm::Limit(Box::new(fire)));
        InTime { race, timer }
    }
}

impl<T: Send + 'static> Continue<T> for InTime<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.timer.cancel();
        let resolver = lock(&self.race).take();
        resolver.map_or(Next::Nothing, |resolver| resolver.settled_by(value))
    }
}

impl<T: Send + 'static> Relay<T> for InTime<T> {
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next {
        self.fill(value)
    }

    fn is_wanted(&self) -> bool {
        lock(&self.race).as_ref().is_some_and(Resolver::is_wanted)
    }

    /// The alarm has it too.
    fn link(&self) -> Option<&dyn PromiseLink> {
        None
    }
}
