//! Groups and topics in an image: the members and the subscriptions that they had at the line.

use super::message_record::MessageRecord;
use crate::actor::Lasts;
use crate::saving::{saved_enum, saved_struct};
use std::collections::{BTreeMap, BTreeSet};

/// A group of the system that has a name and members.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GroupRecord {
    pub(super) name: String,
    /// Stable name of the members' type, or of the interface.
    pub(super) joined_as: String,
    /// The numbers of the members, in the order in which they joined.
    pub(super) members: Vec<u64>,
}

/// A topic of the system that has a name and subscriptions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TopicRecord {
    pub(super) name: String,
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

/// The entries of groups and topics that a cut has recorded, in any order.
#[derive(Debug, Default)]
pub(super) struct Memberships {
    /// By name: the stable name of the type, and the members by their numbers in the group.
    groups: BTreeMap<String, (String, BTreeMap<u64, u64>)>,
    /// By name.
    topics: BTreeMap<String, Vec<SubscriptionRecord>>,
    /// The number of the next subscription.
    next_number: u64,
    /// The subscriptions of which the image has the handle: the name of the topic, and the number.
    handles: BTreeSet<(String, u64)>,
}

impl Memberships {
    pub(super) fn add_member(&mut self, group: &str, joined_as: &str, number: u64, actor: u64) {
        if !self.groups.contains_key(group) {
            let members = (joined_as.to_owned(), BTreeMap::new());
            self.groups.insert(group.to_owned(), members);
        }
        if let Some((_, members)) = self.groups.get_mut(group) {
            members.insert(number, actor);
        }
    }

    pub(super) fn add_subscription(&mut self, topic: &str, subscription: SubscriptionRecord) {
        self.number_behind(subscription.number.saturating_add(1));
        let subscriptions = self.topics.entry(topic.to_owned()).or_default();
        subscriptions.push(subscription);
    }

    /// The next subscription has this number or a higher one.
    pub(super) fn number_behind(&mut self, number: u64) {
        self.next_number = self.next_number.max(number);
    }

    pub(super) fn next_number(&self) -> u64 {
        self.next_number
    }

    pub(super) fn add_handles(&mut self, handles: Vec<(String, u64)>) {
        self.handles.extend(handles);
    }

    /// The cut is complete: the groups, without the actors that the image does not contain.
    pub(super) fn groups(&mut self, has_actor: impl Fn(u64) -> bool) -> Vec<GroupRecord> {
        let groups = std::mem::take(&mut self.groups).into_iter();
        let groups = groups.map(|(name, (joined_as, members))| GroupRecord {
            name,
            joined_as,
            members: members.into_values().filter(|id| has_actor(*id)).collect(),
        });
        groups.filter(|group| !group.members.is_empty()).collect()
    }

    /// The cut is complete: the topics, without the actors that the image does not contain. A
    /// subscription of which it has no handle ends: code has it that the image does not contain.
    pub(super) fn topics(&mut self, has_actor: impl Fn(u64) -> bool) -> Vec<TopicRecord> {
        let handles = std::mem::take(&mut self.handles);
        let topics = std::mem::take(&mut self.topics).into_iter();
        let topics = topics.map(|(name, mut subscriptions)| {
            subscriptions.retain(|it| {
                let is_held = || handles.contains(&(name.clone(), it.number));
                has_actor(it.then.actor) && (it.lasts == Lasts::Forever || is_held())
            });
            subscriptions.sort_by_key(|it| it.number);
            TopicRecord {
                name,
                subscriptions,
            }
        });
        topics
            .filter(|topic| !topic.subscriptions.is_empty())
            .collect()
    }
}

saved_struct!(GroupRecord as "vivant::GroupRecord" {
    0 name: String,
    1 joined_as: String,
    2 members: Vec<u64>,
});

saved_struct!(TopicRecord as "vivant::TopicRecord" {
    0 name: String,
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
