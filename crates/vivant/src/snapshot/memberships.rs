//! Groups, topics and synchronizers in an image: the members, the subscriptions and the states that
//! they had at the line.

use super::ended::EndedRecord;
use super::handles::{FoundTables, Handles};
use super::message_record::{MessageData, MessageRecord};
use super::noted::Noted;
use super::synchronizers::{RecordedSynchronizer, SynchronizerRecord};
use super::unsaved::Unsaved;
use crate::actor::{Lasts, References, SharedTable, TableName, WaitsAs};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::saving::{saved_enum, saved_struct};
use crate::sync::Arc;
use std::collections::BTreeMap;
use vivant_codec::Shape;

/// A group of the system that has members.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GroupRecord {
    pub(super) name: TableName,
    /// Stable name of the members' type, or of the interface.
    pub(super) joined_as: String,
    /// The numbers of the members, in the order in which they joined.
    pub(super) members: Vec<u64>,
}

/// A topic of the system that has subscriptions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TopicRecord {
    pub(super) name: TableName,
    /// In the order of their numbers, which is that of subscribing.
    pub(super) subscriptions: Vec<SubscriptionRecord>,
}

/// A subscription. Its values on their way, and those that it has missed, are in the mailbox.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SubscriptionRecord {
    /// By which handles and messages name it.
    pub(super) number: u64,
    /// The bound on its values in flight.
    pub(super) capacity: u64,
    pub(super) lasts: Lasts,
    /// The continuation: a message without its first argument.
    pub(super) then: MessageRecord,
}

/// The entries of groups and topics, and the synchronizers, that a cut has recorded, in any order.
#[derive(Default)]
pub(super) struct Memberships {
    /// The stable name of the type, and the members by their numbers in the group.
    groups: BTreeMap<TableName, (String, BTreeMap<u64, u64>)>,
    topics: BTreeMap<TableName, Vec<RecordedSubscription>>,
    synchronizers: Vec<RecordedSynchronizer>,
    /// The numbers of the next subscription, and of the next group or topic without a name.
    next: NextNumbers,
    /// To what states, starts, messages and values lead.
    roots: Handles,
    found: FoundTables,
}

/// A subscription. The image may not contain it: only threads outside have its topic.
pub(super) struct RecordedSubscription {
    pub(super) number: u64,
    pub(super) actor: u64,
    pub(super) capacity: u64,
    pub(super) lasts: Lasts,
    /// Its continuation, or why that cannot be saved.
    pub(super) then: Result<RecordedContinuation, Unsaved>,
    pub(super) noted: Noted,
}

/// A continuation with its arguments.
pub(super) struct RecordedContinuation {
    pub(super) behaviour: &'static str,
    pub(super) made: Place,
    pub(super) shape: &'static Shape,
    pub(super) bytes: Vec<u8>,
}

/// The groups, topics and synchronizers that an image contains.
pub(super) struct InImage {
    pub(super) groups: Vec<GroupRecord>,
    pub(super) topics: Vec<TopicRecord>,
    pub(super) next: NextNumbers,
    /// In the order of their numbers.
    pub(super) synchronizers: Vec<SynchronizerRecord>,
    /// The actors that the image lacks, and to which subscriptions and synchronizers lead.
    pub(super) ended: Vec<EndedRecord>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct NextNumbers {
    pub(super) subscription: u64,
    pub(super) table: u64,
}

impl Memberships {
    pub(super) fn add_member(
        &mut self,
        group: &TableName,
        joined_as: &str,
        number: u64,
        actor: u64,
    ) {
        if self.is_forgotten(group) {
            return;
        }
        self.has_number(group);
        if !self.groups.contains_key(group) {
            let members = (joined_as.to_owned(), BTreeMap::new());
            self.groups.insert(group.clone(), members);
        }
        if let Some((_, members)) = self.groups.get_mut(group) {
            members.insert(number, actor);
        }
    }

    pub(super) fn add_subscription(&mut self, topic: &TableName, recorded: RecordedSubscription) {
        if self.is_forgotten(topic) {
            return;
        }
        self.has_number(topic);
        self.adds(&recorded.noted.references);
        let next = recorded.number.saturating_add(1);
        self.next.subscription = self.next.subscription.max(next);
        let subscriptions = self.topics.entry(topic.clone()).or_default();
        subscriptions.push(recorded);
    }

    pub(super) fn add_synchronizer(&mut self, recorded: RecordedSynchronizer) {
        self.adds(&recorded.noted.references);
        self.synchronizers.push(recorded);
    }

    /// The next numbers are these or higher ones.
    pub(super) fn number_behind(&mut self, next: NextNumbers) {
        self.next.subscription = self.next.subscription.max(next.subscription);
        self.next.table = self.next.table.max(next.table);
    }

    /// States, starts, messages and values have these handles.
    pub(super) fn add_roots(&mut self, references: &References) {
        self.adds(references);
        self.roots.add(references);
    }

    pub(super) fn take_unrecorded(&mut self) -> Option<Arc<dyn SharedTable>> {
        self.found.take_unrecorded()
    }

    /// The groups and topics that the cut keeps. They are to be dropped without a lock.
    pub(super) fn found(&self) -> Vec<Arc<dyn SharedTable>> {
        self.found.all().cloned().collect()
    }

    fn has_number(&mut self, name: &TableName) {
        if let Some(number) = name.number() {
            self.next.table = self.next.table.max(number.saturating_add(1));
        }
    }

    fn adds(&mut self, references: &References) {
        self.next.table = self.next.table.max(references.next_table);
        self.found.add(&references.tables);
    }

    fn is_forgotten(&self, name: &TableName) -> bool {
        #[cfg(test)]
        if is_planted(InjectedFault::UnfoundEntryForgotten) {
            let number = name.number();
            return number.is_some_and(|number| !self.found.has(number));
        }
        let _ = name;
        false
    }

    /// The cut is complete: the groups and topics of which the image has a handle, or that have a
    /// name, without the actors that it does not contain. A subscription or synchronizer of which
    /// it has no handle ends: code has it that the image does not contain. `kind_of` gives the
    /// number of the kind of a continuation.
    ///
    /// # Errors
    ///
    /// A subscription that the image contains cannot be saved.
    pub(super) fn in_image(
        self,
        has_actor: impl Fn(u64) -> bool,
        mut kind_of: impl FnMut(&RecordedContinuation) -> u32,
    ) -> Result<InImage, Unsaved> {
        let Memberships {
            groups,
            mut topics,
            mut synchronizers,
            mut next,
            roots: mut handles,
            found,
        } = self;
        for subscriptions in topics.values_mut() {
            subscriptions.retain(|it| has_actor(it.actor));
        }
        // What one leads to may be another one.
        let mut leads_on = true;
        while leads_on {
            leads_on = false;
            for (topic, subscriptions) in &topics {
                for it in subscriptions {
                    let references = &it.noted.references;
                    leads_on |= it.is_in(&handles, topic) && handles.add(references);
                }
            }
            for it in &synchronizers {
                leads_on |= it.is_in(&handles) && handles.add(&it.noted.references);
            }
        }
        for table in found.all() {
            next.subscription = next.subscription.max(table.next_subscription());
        }
        let groups = groups.into_iter().map(|(name, (joined_as, members))| {
            let members = members.into_values().filter(|id| has_actor(*id));
            GroupRecord {
                name,
                joined_as,
                members: members.collect(),
            }
        });
        let groups = groups.filter(|it| handles.has_table(&it.name) && !it.members.is_empty());
        let mut image = InImage {
            groups: groups.collect(),
            topics: Vec::new(),
            next,
            synchronizers: Vec::new(),
            ended: Vec::new(),
        };
        synchronizers.retain(|it| it.is_in(&handles));
        synchronizers.sort_by_key(|it| it.record.number);
        for RecordedSynchronizer { record, noted } in synchronizers {
            image.synchronizers.push(record);
            image.ended.extend(noted.ended);
        }
        for (name, subscriptions) in topics {
            let mut own = Vec::new();
            for it in subscriptions {
                if it.is_in(&handles, &name) {
                    let (record, noted) = it.into_record(&mut kind_of)?;
                    own.push(record);
                    image.ended.extend(noted.ended);
                }
            }
            own.sort_by_key(|it| it.number);
            if !own.is_empty() {
                let subscriptions = own;
                image.topics.push(TopicRecord {
                    name,
                    subscriptions,
                });
            }
        }
        Ok(image)
    }
}

impl RecordedSubscription {
    /// Whether an image with these handles contains it, as it contains its actor.
    fn is_in(&self, handles: &Handles, topic: &TableName) -> bool {
        let is_held = || handles.has_subscription(topic, self.number);
        handles.has_table(topic) && (self.lasts == Lasts::Forever || is_held())
    }

    fn into_record(
        self,
        kind_of: impl FnOnce(&RecordedContinuation) -> u32,
    ) -> Result<(SubscriptionRecord, Noted), Unsaved> {
        let then = self.then?;
        let record = SubscriptionRecord {
            number: self.number,
            capacity: self.capacity,
            lasts: self.lasts,
            then: MessageRecord {
                actor: self.actor,
                message: MessageData {
                    kind: kind_of(&then),
                    waits_as: WaitsAs::Message,
                    bytes: then.bytes,
                },
            },
        };
        Ok((record, self.noted))
    }
}

saved_struct!(GroupRecord as "vivant::GroupRecord" {
    0 name: TableName,
    1 joined_as: String,
    2 members: Vec<u64>,
});

saved_struct!(TopicRecord as "vivant::TopicRecord" {
    0 name: TableName,
    1 subscriptions: Vec<SubscriptionRecord>,
});

saved_struct!(SubscriptionRecord as "vivant::SubscriptionRecord" {
    0 number: u64,
    1 capacity: u64,
    2 lasts: Lasts,
    3 then: MessageRecord,
});

saved_enum!(Lasts as "vivant::Lasts" {
    0 AsHandle,
    1 Forever,
});
