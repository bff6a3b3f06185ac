//! Time limits on promises.

use super::slot::Continue;
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AskError, Next, Timer, Worker};
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
        if let PromiseState::Ready(_) = self.kind {
            return self;
        }
        let owner = Worker::with_current(Worker::me_if_any)
            .flatten()
            .expect("a promise lives within the turn that made it");
        let (promise, resolver) = Promise::open(owner.clone());
        let race = Arc::new(Mutex::new(Some(resolver)));
        let alarm = race.clone();
        let fire = move || {
            let resolver = lock(&alarm).take();
            if let Some(resolver) = resolver {
                resolver.fail(AskError::TimedOut { after: limit });
            }
        };
        let timer = owner
            .system
            .set_timer(ns(limit), Alarm::Limit(Box::new(fire)));
        self.sink_into(&owner, InTime { race, timer });
        promise
    }
}

/// The first of value and alarm resolves the promise.
struct InTime<T: Send + 'static> {
    race: Arc<Mutex<Option<Resolver<T>>>>,
    timer: Timer,
}

impl<T: Send + 'static> Continue<T> for InTime<T> {
    fn fill(self, value: Result<T, AskError>) -> Next {
        self.timer.cancel();
        let resolver = lock(&self.race).take();
        resolver.map_or(Next::Nothing, |resolver| resolver.settled_by(value))
    }
}
