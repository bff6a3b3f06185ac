//! Topics: publish and subscribe (T10). A slow subscriber misses values and is notified; the
//! protocol is in `README.md`.
//!
//! - [`Topic`], [`Subscription`]: the types that users hold.
//! - [`subscriber`]: how a value becomes a message.
//! - [`intake`]: a subscription's bound, and the values that it has missed.

mod intake;
#[cfg(test)]
mod interleaved;
mod subscriber;

use crate::actor::{Entry, Observation, Source, Table, drop_foreign, observed};
use crate::api::{Continuation, Then};
use crate::failures::catch;
use crate::saving::saved_struct;
use crate::services::{ExitAction, Membership};
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Weak;
use subscriber::Subscribed;
use subscriber::Subscriber;

/// Limit of values in flight, unless [`Topic::subscribe_bounded`] sets another.
const CAPACITY_DEFAULT: usize = 1024;

/// Sends each published value to every subscriber: a message each.
///
/// A handle: clone it, keep it in states, send it. When the last handle is dropped, its
/// subscriptions end.
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

/// Number of published values that a subscriber missed, because its subscription's limit of values
/// in flight was reached.
///
/// It comes once for each gap, in order, and the subscription continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lagged {
    /// Number of values. Never zero.
    pub missed: u64,
}

/// Copied only by a change during a publication.
type SubscriberTable<T> = Arc<BTreeMap<u64, Arc<dyn Subscribed<T>>>>;

struct TopicSubscribers<T: 'static> {
    list: Mutex<SubscriberList<T>>,
}

struct SubscriberList<T: 'static> {
    next_number: u64,
    /// In the order of subscribing (R5).
    table: SubscriberTable<T>,
}

impl<T: Clone + Send + 'static> Topic<T> {
    /// A topic without subscribers.
    pub fn new() -> Topic<T> {
        let list = Mutex::new(SubscriberList {
            next_number: 0,
            table: SubscriberTable::default(),
        });
        Topic(Arc::new(TopicSubscribers { list }))
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
        let then = then.into_owned();
        let actor = then.target().cell();
        let weak: Weak<dyn Membership> = Arc::<TopicSubscribers<T>>::downgrade(&self.0);
        let mut list = lock(&self.0.list);
        let number = list.next_number;
        list.next_number += 1;
        // Under the lock: the exit hook needs it to unsubscribe the actor, so it finds what is
        // written here.
        let left = ExitAction::Leave(weak.clone(), number);
        let registered = actor.system.when_ended(&actor, left);
        let registered = observed(Observation::Subscribe, Source::Actor(&actor), registered);
        let Some(exit_hook) = registered else {
            drop(list);
            // The actor has ended: it receives nothing.
            return Subscription(None);
        };
        let subscriber = Subscriber::new(then, capacity, exit_hook);
        Arc::make_mut(&mut list.table).insert(number, Arc::new(subscriber));
        drop(list);
        Subscription(Some((weak, number)))
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
        for (number, subscriber) in &*table {
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

    /// Whether only this handle is left, and there are no subscribers.
    pub(crate) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && lock(&self.0.list).table.is_empty()
    }

    /// Number of subscriptions.
    pub fn subscribers(&self) -> usize {
        self.0.count()
    }
}

impl<T: 'static> TopicSubscribers<T> {
    /// The subscriptions, as the running turn sees them.
    fn seen(&self) -> SubscriberTable<T> {
        let list = lock(&self.list);
        observed(
            Observation::Subscribers,
            Source::Entry(&*list),
            list.table.clone(),
        )
    }

    /// Their number.
    fn count(&self) -> usize {
        let list = lock(&self.list);
        let count = list.table.len();
        observed(Observation::Subscribers, Source::Entry(&*list), count)
    }
}

impl<T: 'static> Entry for SubscriberList<T> {
    fn table(&self) -> Table {
        Table::Topic
    }
}

impl<T: 'static> Membership for TopicSubscribers<T> {
    fn leave(&self, number: u64) {
        let gone = {
            let mut list = lock(&self.list);
            if !list.table.contains_key(&number) {
                return;
            }
            Arc::make_mut(&mut list.table).remove(&number)
        };
        // Outside the lock: it holds an address, and the user's arguments.
        if let Some(subscriber) = gone {
            let system = subscriber.actor().system.clone();
            system.exit_hooks.remove(subscriber.exit_hook());
            drop_foreign("the drop of a subscription", subscriber);
        }
    }
}

impl<T: 'static> Drop for TopicSubscribers<T> {
    fn drop(&mut self) {
        let table = std::mem::take(&mut lock(&self.list).table);
        for subscriber in table.values() {
            let actor = subscriber.actor();
            actor.system.exit_hooks.remove(subscriber.exit_hook());
        }
        // A subscription may hold the last handle of the next topic.
        drop_foreign("the drop of a subscription", table);
    }
}

/// A subscription to a [`Topic`]. It ends when this is dropped, so a subscriber keeps it in its
/// state.
///
/// Values that were published before are still delivered.
#[must_use = "dropping it unsubscribes; `.forever()` subscribes until the actor ends or the topic is gone"]
pub struct Subscription(Option<(Weak<dyn Membership>, u64)>);

impl Subscription {
    /// Ends the subscription.
    pub fn cancel(self) {}

    /// Makes it last until its actor ends or the topic is gone. Not for a start function, which may
    /// run again and would subscribe a second time.
    pub fn forever(mut self) {
        self.0 = None;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some((topic, number)) = self.0.take()
            && let Some(topic) = topic.upgrade()
        {
            topic.leave(number);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((_, number)) => write!(f, "Subscription({number})"),
            None => f.write_str("Subscription(ended)"),
        }
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

impl fmt::Display for Lagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} published values were missed", self.missed)
    }
}

impl Error for Lagged {}

saved_struct!(Lagged as "vivant::Lagged" { 0 missed: u64 });

vivant_heap::leaf!([T: Send + 'static] Topic<T>);
vivant_heap::leaf!([] Subscription);
