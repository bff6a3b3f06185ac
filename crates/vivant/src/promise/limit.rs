//! Time limits on promises.

use super::resolver::Resolver;
use super::{Kind, Promise};
use crate::error::AskError;
use crate::sync::Arc;
use crate::timer::{Alarm, Timer, ns};
use std::time::Duration;

impl<T: Send + 'static> Promise<T> {
    /// Gives up waiting after `limit`: the promise is then broken with [`AskError::TimedOut`], and a value that comes
    /// later is dropped. The message itself is not recalled.
    pub fn within(self, limit: Duration) -> Promise<T> {
        let owner = match &self.kind {
            Kind::Ready(_) => return self,
            Kind::Slot { owner, .. } | Kind::Delegated { owner, .. } => owner.clone(),
        };
        let (promise, in_time) = Promise::open(owner.clone());
        let Kind::Slot { slot, .. } = &promise.kind else {
            return promise;
        };
        // The alarm resolves the same slot: the first value counts (`Sink::Done`). The resolver is made when it rings,
        // for one that is dropped with a cancelled alarm would break the promise.
        let (late_owner, late_slot) = (owner.clone(), Arc::clone(slot));
        let system = owner.system.clone();
        let ring = Box::new(move || {
            Resolver::of_slot(late_owner, late_slot).fail(AskError::TimedOut { after: limit })
        });
        let timer = system.set_timer(ns(limit), Alarm::Limit(ring));
        self.guarded(&owner, in_time, Cancels(timer));
        promise
    }
}

/// Takes the alarm back when the wait is over, whatever ended it.
struct Cancels(Timer);

impl Drop for Cancels {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
