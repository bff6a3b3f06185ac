//! Subscriptions that a cut records.

use super::super::memberships::SubscriptionRecord;
use super::super::message_record::{KindRecord, MessageData, MessageRecord, WaitingKind};
use super::ImageRecorder;
use super::kind_numbers::Key;
use crate::actor::{SubscriptionEntry, WaitsAs};
use crate::api::SavedForm;
use crate::sync::lock;

impl ImageRecorder {
    /// Not called under the lock of the topic: it runs code of users.
    pub(super) fn subscription(&self, entry: &SubscriptionEntry<'_>) {
        let (actor, name) = (entry.actor, entry.behaviour);
        if !self.scope.is_saved(actor) {
            return;
        }
        let Some(arguments) = &entry.arguments else {
            return self.lacks(
                actor,
                format!("a subscription of `{name}`, without a codec"),
            );
        };
        let listed = self.kinds.subscribe((actor.class.type_id)(), name);
        if listed.is_none() {
            return self.is_not_listed(actor, format!("the subscriber `{name}`"));
        }
        let key = Key::of_continuation(name, entry.made);
        let kind = lock(&self.recorded).kinds.get(key);
        let kind = kind.unwrap_or_else(|| {
            let name = name.to_owned();
            let form = SavedForm::Continuation;
            let what = WaitingKind::Message(KindRecord { form, name });
            self.add_kind(key, what, entry.made, arguments.shape)
        });
        let bytes = self.encoded_into(Vec::new(), actor, arguments.save);
        let subscription = SubscriptionRecord {
            number: entry.number,
            capacity: entry.capacity,
            lasts: entry.lasts,
            then: MessageRecord {
                actor: actor.id,
                message: MessageData {
                    kind,
                    waits_as: WaitsAs::Message,
                    bytes,
                },
            },
        };
        let mut recorded = lock(&self.recorded);
        let memberships = &mut recorded.memberships;
        memberships.add_subscription(entry.topic, subscription);
    }
}
