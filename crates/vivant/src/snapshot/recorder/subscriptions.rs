//! Subscriptions that a cut records.

use super::super::memberships::{RecordedContinuation, RecordedSubscription};
use super::super::message_record::{KindRecord, WaitingKind};
use super::super::noted::Noted;
use super::super::unsaved::Unsaved;
use super::ImageRecorder;
use super::encoding::{encode, lacking, not_listed};
use super::kind_numbers::Key;
use crate::actor::SubscriptionEntry;
use crate::api::SavedForm;
use crate::sync::lock;

impl ImageRecorder {
    /// Not called under the lock of the topic: it runs code of users.
    pub(super) fn subscription(&self, entry: &SubscriptionEntry<'_>) {
        if !self.scope.is_saved(entry.actor) {
            return;
        }
        let (then, noted) = match self.continuation(entry) {
            Ok((then, noted)) => (Ok(then), noted),
            Err(error) => (Err(error), Noted::default()),
        };
        let recorded = RecordedSubscription {
            number: entry.number,
            actor: entry.actor.id,
            capacity: entry.capacity,
            lasts: entry.lasts,
            then,
            noted,
        };
        let mut all = lock(&self.recorded);
        all.memberships.add_subscription(entry.topic, recorded);
    }

    fn continuation(
        &self,
        entry: &SubscriptionEntry<'_>,
    ) -> Result<(RecordedContinuation, Noted), Unsaved> {
        let (actor, behaviour) = (entry.actor, entry.behaviour);
        let Some(arguments) = &entry.arguments else {
            let what = format!("a subscription of `{behaviour}`, without a codec");
            return Err(lacking(actor, what));
        };
        let listed = self.kinds.subscribe((actor.class.type_id)(), behaviour);
        if listed.is_none() {
            return Err(not_listed(actor, format!("the subscriber `{behaviour}`")));
        }
        let (bytes, noted) = self.noted(actor, |contexts| {
            encode(Vec::new(), contexts, arguments.save)
        });
        let then = RecordedContinuation {
            behaviour,
            made: entry.made,
            shape: arguments.shape,
            bytes: bytes.map_err(|error| error.of(actor))?,
        };
        Ok((then, noted))
    }

    /// The number of the kind of this continuation.
    pub(super) fn kind_of_continuation(&self, then: &RecordedContinuation) -> u32 {
        let key = Key::of_continuation(then.behaviour, then.made);
        let kind = lock(&self.recorded).kinds.get(key);
        kind.unwrap_or_else(|| {
            let name = then.behaviour.to_owned();
            let form = SavedForm::Continuation;
            let what = WaitingKind::Message(KindRecord { form, name });
            self.add_kind(key, what, then.made, then.shape)
        })
    }
}
