//! [`TopicSubscribers`]: the subscriptions of a topic, and the line of a cut (L10).

use super::super::table_identity::TableIdentity;
use super::lagged::Lagged;
use super::subscriber::{Subscribed, Subscriber, SubscriptionPlace};
use super::subscription_name::SubscriptionName;
use crate::actor::{
    Changed, Entry, EntryStamp, Lasts, Observation, Shared, SharedTable, Source, Table,
    drop_foreign, observed,
};
use crate::api::{Continuation, Then};
use crate::services::{ExitAction, Membership};
use crate::sync::{Arc, Mutex, MutexGuard, lock};
use std::any::Any;
use std::collections::BTreeMap;

/// What a topic is in the system that has it.
pub(super) struct TopicSubscribers<T: 'static> {
    identity: TableIdentity,
    list: Mutex<SubscriberList<T>>,
}

/// Copied only by a change during a publication.
pub(super) type SubscriberTable<T> = Arc<BTreeMap<u64, Listed<T>>>;

struct SubscriberList<T: 'static> {
    /// In the order of subscribing (R5).
    table: SubscriberTable<T>,
    /// The last change of `table`.
    changed: Changed,
}

/// A subscription.
pub(super) struct Listed<T: 'static> {
    pub(super) subscriber: Arc<dyn Subscribed<T>>,
    lasts: Lasts,
    stamp: EntryStamp,
}

impl<T: 'static> Clone for Listed<T> {
    fn clone(&self) -> Self {
        Listed {
            subscriber: self.subscriber.clone(),
            ..*self
        }
    }
}

/// A subscription of a restored system.
pub(super) struct RestoredPlace {
    pub(super) number: u64,
    pub(super) lasts: Lasts,
}

impl<T: 'static> TopicSubscribers<T> {
    pub(super) fn new(identity: TableIdentity) -> Arc<TopicSubscribers<T>> {
        let list = Mutex::new(SubscriberList {
            table: SubscriberTable::default(),
            changed: Changed::Never,
        });
        Arc::new(TopicSubscribers { identity, list })
    }

    pub(super) fn identity(&self) -> &TableIdentity {
        &self.identity
    }

    /// The subscriptions, as the running turn sees them.
    pub(super) fn seen(&self) -> SubscriberTable<T> {
        let list = lock(&self.list);
        observed(
            Observation::Subscribers,
            Source::Entry(&*list),
            list.table.clone(),
        )
    }

    /// Their number.
    pub(super) fn count(&self) -> usize {
        let list = lock(&self.list);
        let count = list.table.len();
        observed(Observation::Subscribers, Source::Entry(&*list), count)
    }
}

impl<T: Clone + Send + 'static> TopicSubscribers<T> {
    /// Adds the last subscription. Returns its number; `None`: the actor has ended.
    pub(super) fn add<K>(self: &Arc<Self>, then: Then<'static, K>, capacity: usize) -> Option<u64>
    where
        K: Continuation<Hole = Result<T, Lagged>>,
        K::Rest: Clone + Sync,
    {
        let mut list = lock(&self.list);
        let number = self.identity.take_subscription();
        let inserted = self.insert(&mut list, (number, Lasts::AsHandle), then, capacity);
        // Outside the lock: a continuation has an address, and the user's arguments.
        drop(list);
        inserted.ok()
    }

    /// Adds a subscription of a restored system, or says why it cannot be there.
    pub(super) fn restore<K>(
        self: &Arc<Self>,
        place: RestoredPlace,
        then: Then<'static, K>,
        capacity: usize,
    ) -> Result<(), &'static str>
    where
        K: Continuation<Hole = Result<T, Lagged>>,
        K::Rest: Clone + Sync,
    {
        let RestoredPlace { number, lasts } = place;
        let mut list = lock(&self.list);
        if list.table.contains_key(&number) {
            return Err("it has two subscriptions of one number");
        }
        if number >= self.identity.next_subscription() {
            return Err("its subscriptions have numbers that the system has not given");
        }
        let inserted = self.insert(&mut list, (number, lasts), then, capacity);
        drop(list);
        inserted.map(drop).map_err(|_| "a subscriber has ended")
    }

    /// Returns the continuation if its actor has ended.
    fn insert<K>(
        self: &Arc<Self>,
        list: &mut MutexGuard<'_, SubscriberList<T>>,
        (number, lasts): (u64, Lasts),
        then: Then<'static, K>,
        capacity: usize,
    ) -> Result<u64, Then<'static, K>>
    where
        K: Continuation<Hole = Result<T, Lagged>>,
        K::Rest: Clone + Sync,
    {
        let actor = then.target().cell();
        actor.system.change_table(|code| {
            // Under the lock: the exit hook needs it to unsubscribe the actor, so it finds what is
            // written here.
            let left = ExitAction::Leave(Arc::<Self>::downgrade(self), number);
            let registered = actor.system.when_ended(&actor, left);
            let registered = observed(Observation::Subscribe, Source::Actor(&actor), registered);
            let Some(exit_hook) = registered else {
                return Err(then);
            };
            let topic = self.identity.clone();
            let name = SubscriptionName { topic, number };
            let subscriber = Subscriber::new(then, capacity, name, exit_hook);
            let listed = Listed {
                subscriber: Arc::new(subscriber),
                lasts,
                stamp: EntryStamp::made_by(code),
            };
            Arc::make_mut(&mut list.table).insert(number, listed);
            list.changed = list.changed.by(actor.system.number, code);
            Ok(number)
        })
    }
}

impl<T: 'static> TopicSubscribers<T> {
    /// L10: records a subscription that was taken out or changed, or that the coordinator found.
    /// Not under the lock. A subscriber of another system than that of the name is in no image.
    fn record(&self, number: u64, listed: &Listed<T>) {
        let system = &listed.subscriber.actor().system;
        if let Some(topic) = self.identity.in_system(system) {
            listed.subscriber.record(SubscriptionPlace {
                topic: &topic,
                number,
                lasts: listed.lasts,
            });
        }
    }

    /// Calls `change` with the subscription of this number, before which that is recorded if it is
    /// older than this code. What is taken out is returned.
    fn change(&self, number: u64, change: Change) -> Option<Listed<T>> {
        let mut list = lock(&self.list);
        let before = list.table.get(&number)?.clone();
        let system = before.subscriber.actor().system.clone();
        let is_recorded = system.change_table(|code| {
            let is_recorded = before.stamp.is_recorded_by(code, &system.passes);
            if is_recorded {
                // The cut is not complete before the record, which runs code of users.
                system.passes.record_begins();
            }
            let table = Arc::make_mut(&mut list.table);
            match change {
                Change::Remove => {
                    table.remove(&number);
                    list.changed = list.changed.by(system.number, code);
                }
                Change::Lasts(lasts) => {
                    let stamp = EntryStamp::made_by(code);
                    table.entry(number).and_modify(|listed| {
                        listed.lasts = lasts;
                        listed.stamp = stamp;
                    });
                }
            }
            is_recorded
        });
        drop(list);
        if is_recorded {
            self.record(number, &before);
            system.passes.record_ends();
        }
        Some(before)
    }
}

/// What is done with a subscription.
#[derive(Clone, Copy)]
enum Change {
    Remove,
    Lasts(Lasts),
}

impl<T: 'static> SharedTable for TopicSubscribers<T> {
    fn is_empty(&self) -> bool {
        lock(&self.list).table.is_empty()
    }

    fn record_older(&self, system: &Arc<Shared>) {
        let mut older = Vec::new();
        {
            let mut list = lock(&self.list);
            for (number, listed) in Arc::make_mut(&mut list.table) {
                let is_here = Arc::ptr_eq(&listed.subscriber.actor().system, system);
                if is_here && listed.stamp.is_recorded_at_end(&system.passes) {
                    older.push((*number, listed.clone()));
                }
            }
        }
        for (number, listed) in older {
            self.record(number, &listed);
            drop_foreign("the drop of a subscription", listed);
        }
    }

    fn next_subscription(&self) -> u64 {
        self.identity.next_subscription()
    }

    fn subscription(&self, number: u64) -> Option<Arc<dyn Any + Send + Sync>> {
        let list = lock(&self.list);
        let listed = list.table.get(&number)?;
        Some(listed.subscriber.intake().clone())
    }
}

impl<T: 'static> Entry for SubscriberList<T> {
    fn table(&self) -> Table {
        Table::Topic
    }

    fn changed(&self) -> Changed {
        self.changed
    }
}

impl<T: 'static> Membership for TopicSubscribers<T> {
    fn leave(&self, number: u64) {
        // Outside the lock: it holds an address, and the user's arguments.
        if let Some(gone) = self.change(number, Change::Remove) {
            let system = gone.subscriber.actor().system.clone();
            system.exit_hooks.remove(gone.subscriber.exit_hook());
            drop_foreign("the drop of a subscription", gone);
        }
    }

    fn lasts_forever(&self, number: u64) {
        let before = self.change(number, Change::Lasts(Lasts::Forever));
        drop_foreign("the drop of a subscription", before);
    }

    fn is_in_images(&self) -> bool {
        true
    }
}

impl<T: 'static> Drop for TopicSubscribers<T> {
    fn drop(&mut self) {
        let table = std::mem::take(&mut lock(&self.list).table);
        for listed in table.values() {
            let actor = listed.subscriber.actor();
            actor
                .system
                .exit_hooks
                .remove(listed.subscriber.exit_hook());
        }
        // A subscription may hold the last handle of the next topic.
        drop_foreign("the drop of a subscription", table);
    }
}
