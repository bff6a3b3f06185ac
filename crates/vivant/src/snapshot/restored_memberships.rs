//! The groups and topics of a restored system.

use super::by_id::Actors;
use super::memberships::{GroupRecord, TopicRecord};
use super::message_record::{KindRecord, WaitingKind};
use super::not_restored::NotRestored;
use super::values::Values;
use crate::actor::Shared;
use crate::api::{NotSubscribed, SavedForm, StoredSubscription};
use crate::patterns::{MembersType, NoGroup, NumberedTables, TableNumbers, restored_group};
use crate::sync::Arc;
use std::collections::BTreeSet;

const NOT_GIVEN: &str = "the system has not given its number";

/// Gives the groups of a new system the members that they had.
pub(super) fn restore_groups(
    groups: &[GroupRecord],
    (system, numbered): (&Arc<Shared>, &NumberedTables),
    actors: &Actors,
    values: &Values<'_>,
) -> Result<(), NotRestored> {
    let mut names = BTreeSet::new();
    for record in groups {
        if !names.insert(&record.name) {
            return Err(NotRestored::group(&record.name, "the image has it twice"));
        }
        for id in &record.members {
            let to = actors.get(id).ok_or(NotRestored::NoActor(*id))?;
            let (target, address) = values.target(to, &record.joined_as)?;
            let of = MembersType {
                address: (*address).type_id(),
                name: target,
            };
            let group = restored_group(system, &record.name, of, numbered);
            let group = group.map_err(|no_group| {
                let why = match no_group {
                    NoGroup::OtherType => "its members are of several types",
                    NoGroup::Unknown => NOT_GIVEN,
                };
                NotRestored::group(&record.name, why)
            })?;
            if !group.join(to, address) {
                let why = "an actor is in it twice, or has ended";
                return Err(NotRestored::group(&record.name, why));
            }
        }
    }
    Ok(())
}

/// Gives the topics of a new system the subscriptions that they had. No message is loaded before:
/// the bounds are counted again from the mailboxes.
pub(super) fn restore_topics<'i>(
    topics: &'i [TopicRecord],
    system: &Arc<Shared>,
    actors: &Actors,
    values: &Values<'i>,
) -> Result<(), NotRestored> {
    let mut names = BTreeSet::new();
    for record in topics {
        let topic = &record.name;
        if !names.insert(topic) {
            return Err(NotRestored::topic(topic, "the image has it twice"));
        }
        if topic.number() >= Some(TableNumbers::of(system).next()) {
            return Err(NotRestored::topic(topic, NOT_GIVEN));
        }
        for subscription in &record.subscriptions {
            let then = &subscription.then;
            let id = then.actor;
            let to = actors.get(&id).ok_or(NotRestored::NoActor(id))?;
            let kind = values.kind(to, &then.message)?;
            let subscribe = match &kind.what {
                WaitingKind::Message(KindRecord { form, name })
                    if *form == SavedForm::Continuation =>
                {
                    values.kinds.subscribe((to.class.type_id)(), name)
                }
                _ => None,
            };
            let Some(subscribe) = subscribe else {
                let why = "the program has no such behaviour that continues a topic";
                return Err(NotRestored::topic(topic, why));
            };
            let capacity = usize::try_from(subscription.capacity);
            let capacity = capacity.ok().filter(|capacity| *capacity > 0);
            let Some(capacity) = capacity else {
                return Err(NotRestored::topic(
                    topic,
                    "the bound of a subscriber is none",
                ));
            };
            let restored = subscribe(&StoredSubscription {
                topic,
                number: subscription.number,
                capacity,
                lasts: subscription.lasts,
                to,
                made: kind.made,
                arguments: values.stored(kind.shape, &then.message.bytes),
            });
            restored.map_err(|error| match error {
                NotSubscribed::Topic(why) => NotRestored::topic(topic, why),
                NotSubscribed::Arguments(error) => NotRestored::Value {
                    actor: to.path(),
                    what: format!("its subscription to the topic {:?}", topic.shown()),
                    error,
                },
            })?;
        }
    }
    Ok(())
}
