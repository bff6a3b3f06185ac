//! Actors that subscribe to dead letters.

use super::behaviour::{Continuation, Message};
use super::call::Then;
use super::promise::Resolver;
use crate::actor::{Observation, Source, Table, To, bury, observed, post};
use crate::failures::{Cause, DeadLetter, DeadLetterCount};
use crate::services::Receiver;
use crate::services::{DeadLetterSubscriber, DeadLetters};
use crate::sync::Arc;

impl DeadLetters {
    /// The counts, in the order of behaviour and place.
    pub fn counts(&self) -> Vec<DeadLetterCount> {
        observed(
            Observation::DeadLetters,
            Source::Table(Table::DeadLetters),
            self.lines(),
        )
    }

    /// Total number of dead letters.
    pub fn total(&self) -> u64 {
        observed(
            Observation::DeadLetters,
            Source::Table(Table::DeadLetters),
            self.sum_of_letters(),
        )
    }

    /// Continues with `then` for every dead letter from now on, until its actor ends. Letters to
    /// that actor itself are counted but not passed on. Threads that lose messages clone the
    /// arguments of `then`, several at a time: so these are `Sync`.
    pub fn subscribe<K>(&self, then: Then<'_, K>)
    where
        K: Continuation<Hole = DeadLetter>,
        K::Rest: Clone + Sync,
    {
        let subscriber = Subscription(then.into_owned());
        // Outside the lock of the subscribers: it holds an address.
        drop(self.pass_to(Arc::new(subscriber)));
    }
}

struct Subscription<K: Continuation>(Then<'static, K>);

impl<K> DeadLetterSubscriber for Subscription<K>
where
    K: Continuation<Hole = DeadLetter>,
    K::Rest: Clone + Sync,
{
    fn notify(&self, receiver: Receiver, letter: &DeadLetter) -> bool {
        let then = self.0.again();
        if then.target().ended().is_some() {
            return false;
        }
        let target = then.target();
        if (target.system.number, target.id) != receiver {
            let delivery = then.fill(
                letter.clone(),
                Resolver::<<K as Message>::Reply>::discarding(),
            );
            // Not `deliver`: a subscriber that ends just now must not make another dead letter of
            // this one.
            return match post(To::Owned(delivery.to), delivery.envelope) {
                Ok(()) => true,
                Err(ended) if ended.cause == Cause::Ended => false,
                // A loss like any other; it is counted, and not passed on.
                Err(full) => {
                    bury(full).follow();
                    true
                }
            };
        }
        true
    }
}
