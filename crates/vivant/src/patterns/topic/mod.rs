//! Topics: publish and subscribe (T10). A slow subscriber misses values and is notified; the
//! protocol is in `README.md`.
//!
//! - [`Topic`]: the type that users hold; [`subscription`]: the handle of a subscription.
//! - [`subscribers`]: the subscriptions of a topic.
//! - [`subscriber`]: how a value becomes a message; [`published`]: that message.
//! - [`intake`]: a subscription's bound, and the values that it has missed; [`missed_values`],
//!   [`lagged`].
//! - [`saved`], [`subscription_name`], [`named_intake`]: a topic in an image.

mod intake;
#[cfg(test)]
mod interleaved;
mod lagged;
mod missed_values;
mod named_intake;
mod published;
mod saved;
mod subscriber;
mod subscribers;
mod subscription;
mod subscription_name;

pub use lagged::Lagged;
pub use saved::{MaybePublished, NotPublished};
pub use subscription::Subscription;

use super::named_registries::{NamedRegistry, Namespace};
use super::table_identity::TableIdentity;
use crate::actor::{SharedTable, drop_foreign};
use crate::api::{Continuation, Then};
use crate::failures::catch;
use crate::services::Membership;
use crate::sync::Arc;
use std::any::{self, Any};
use std::fmt;
use std::sync::Weak;
use subscribers::TopicSubscribers;
use subscription::Held;

/// Limit of values in flight, unless [`Topic::subscribe_bounded`] sets another.
const CAPACITY_DEFAULT: usize = 1024;

/// Sends each published value to every subscriber: a message each.
///
/// A handle: clone it, keep it in states, send it. When the last handle is dropped, its
/// subscriptions end. [`System::topic`](crate::System::topic) finds one by name.
///
/// A snapshot has a topic with its subscriptions if the topic has a name, or if the snapshot has a
/// handle of it: in a saved state, in a message on its way, or in the arguments of a subscription
/// that it has. A handle that only threads have is outside. The arguments of a start that runs
/// again, of an actor of which only the start is saved, can have handles of topics with a name
/// only: others make the snapshot an error.
///
/// ```
/// use vivant::prelude::*;
/// use vivant::{Lagged, Subscription, Topic};
///
/// #[derive(Actor)] struct Board { last: u64, missed: u64, prices: Option<Subscription> }
/// #[behaviours] impl Board {
///     #[start] fn new(t: &Turn<Self>, prices: Topic<u64>) -> Self {
///         let prices = prices.subscribe(t.me().price());
///         Board { last: 0, missed: 0, prices: Some(prices) }
///     }
///     #[then] fn price(&mut self, price: Result<u64, Lagged>) {
///         match price {
///             Ok(price) => self.last = price,
///             Err(lagged) => self.missed += lagged.missed,
///         }
///     }
///     fn last(&mut self) -> u64 { self.last }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let system = System::new();
/// let prices = Topic::new();
/// let board = Board::spawn(&system, prices.clone());
/// board.last().ask_blocking()?;                       // it has subscribed
/// prices.publish(41);
/// prices.publish(42);
/// assert_eq!(board.last().ask_blocking()?, 42);
/// # Ok(()) }
/// ```
pub struct Topic<T: 'static>(Arc<TopicSubscribers<T>>);

impl<T: Clone + Send + 'static> Topic<T> {
    /// A topic without subscribers.
    pub fn new() -> Topic<T> {
        Topic(TopicSubscribers::new(TableIdentity::unnamed()))
    }

    /// Continues with `then` for every value that is published from now on, until the subscription
    /// is dropped, its actor ends or the topic is gone. Up to 1,024 values may be in flight; see
    /// [`Topic::subscribe_bounded`].
    ///
    /// The subscription begins with this call. A `#[start]` function runs in the actor's first
    /// turn, which may come after `spawn` has returned. Values that are published before are not
    /// received, and no [`Lagged`] counts them. To miss none of the values published after `spawn`,
    /// subscribe the new actor from outside, `topic.subscribe(board.price())`, before the first
    /// [`Topic::publish`]: its messages wait for the start.
    ///
    /// Publishers clone the arguments of `then` on their threads, several at a time: so these are
    /// `Sync`. If such a clone publishes to the same topic, this subscription misses the value.
    ///
    /// Like every continuation it keeps its actor alive.
    pub fn subscribe<K>(&self, then: Then<'_, K>) -> Subscription
    where
        K: Continuation<Hole = Result<T, Lagged>>,
        K::Rest: Clone + Sync,
    {
        self.subscribe_bounded(CAPACITY_DEFAULT, then)
    }

    /// Like [`Topic::subscribe`], with another bound on the values published and not yet processed.
    /// Values beyond it are missed, and one [`Lagged`] in their place reports their number.
    ///
    /// # Panics
    ///
    /// If `capacity` is zero.
    pub fn subscribe_bounded<K>(&self, capacity: usize, then: Then<'_, K>) -> Subscription
    where
        K: Continuation<Hole = Result<T, Lagged>>,
        K::Rest: Clone + Sync,
    {
        assert!(
            capacity > 0,
            "a subscription that may have no value in flight would miss them all"
        );
        let topic: Weak<dyn Membership> = Arc::<TopicSubscribers<T>>::downgrade(&self.0);
        // If the actor has ended, it receives nothing.
        let number = self.0.add(then.into_owned(), capacity);
        Subscription(number.map(|number| Held {
            topic,
            number,
            identity: self.0.identity().clone(),
        }))
    }

    /// Sends `value` to every subscriber, in the order in which they subscribed. Never waits, and
    /// never throttles its sender: a slow subscriber misses values, and is notified of their
    /// number.
    ///
    /// Each subscriber gets the values of one publisher in the order of publishing, and in order
    /// with the other messages from that publisher.
    ///
    /// Costs a lock of the topic, and for each subscriber a clone of the value and of the
    /// continuation's arguments, three short locks and a message. A panic in such a clone is
    /// reported, and ends that subscription.
    pub fn publish(&self, value: T) {
        let table = self.0.seen();
        for (number, listed) in &*table {
            let subscriber = &listed.subscriber;
            // The arguments of a continuation are its subscriber's, not the publisher's.
            if let Err(caught) = catch(|| subscriber.send_value(&value)) {
                let actor = subscriber.actor();
                let panic = actor.panic("its subscription to a topic", caught);
                actor.system.reports.panicked(&panic);
                self.0.leave(*number);
            }
        }
        // It may be the last reference to a subscription that was dropped meanwhile.
        drop_foreign("the drop of a subscription", table);
    }

    /// Number of subscriptions.
    pub fn subscribers(&self) -> usize {
        self.0.count()
    }
}

impl<T: Clone + Send + 'static> NamedRegistry for Topic<T> {
    const NAMESPACE: Namespace = Namespace::Topic;

    /// Any type may be the value of a topic, so it has no stable name: for an error only, never
    /// compared or kept.
    fn of_type() -> &'static str {
        any::type_name::<T>()
    }

    fn make(identity: TableIdentity) -> Arc<dyn SharedTable> {
        TopicSubscribers::<T>::new(identity)
    }

    fn of(registered: Arc<dyn Any + Send + Sync>) -> Option<Self> {
        registered.downcast().ok().map(Topic)
    }
}

impl<T: 'static> Clone for Topic<T> {
    fn clone(&self) -> Self {
        Topic(self.0.clone())
    }
}

impl<T: Clone + Send + 'static> Default for Topic<T> {
    fn default() -> Self {
        Topic::new()
    }
}

impl<T: 'static> fmt::Debug for Topic<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subscribers = self.0.count();
        write!(f, "Topic({subscribers} subscribers)")
    }
}

vivant_heap::leaf!([T: Send + 'static] Topic<T>);
