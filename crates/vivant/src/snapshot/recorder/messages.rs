//! Promises and messages that a cut records.

use super::super::image::{AskedRecord, JoinedRecord, PromiseRecord};
use super::super::message_record::{
    ArrivalRecord, Encoded, KindRecord, MessageRecord, NameOfValue, WaitingKind,
};
use super::ImageRecorder;
use crate::actor::{Envelope, Header, StateRef};
use crate::api::{SavedForm, SavedKind, SavedSlot, ShapedBytes, ValueName, saved_slots};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
impl ImageRecorder {
    pub(super) fn promises(&self, actor: &Header, state: &StateRef<'_>) -> Vec<PromiseRecord> {
        let kinds = self.kinds.values();
        match self.noting_references(actor, |contexts| saved_slots(state, kinds, contexts)) {
            Ok(slots) => slots.into_iter().map(|slot| self.promise(slot)).collect(),
            Err((number, why)) => {
                self.lacks(actor, format!("the open promise {number}: {why}"));
                Vec::new()
            }
        }
    }

    fn promise(&self, slot: SavedSlot) -> PromiseRecord {
        let values = slot.values.into_iter();
        PromiseRecord {
            number: slot.number,
            sink: slot.sink.to_string(),
            value: name_of_value(slot.value),
            content: self.with_number(slot.content),
            values: values
                .map(|(at, value)| JoinedRecord {
                    at,
                    value: self.with_number(value),
                })
                .collect(),
            asked: slot.asked.map(|asked| AskedRecord {
                actor: asked.answerer,
                behaviour: asked.behaviour.to_string(),
                made: asked.place,
            }),
        }
    }

    fn with_number(&self, value: ShapedBytes) -> Encoded {
        Encoded {
            shape: self.shape(value.shape),
            bytes: value.bytes,
        }
    }

    /// An arrival. A value of a type that is not saved is not wanted: else its promise is an error.
    fn arrival(&self, actor: &Header, message: &Envelope) -> Option<MessageRecord> {
        #[cfg(test)]
        if is_planted(InjectedFault::ArrivalUnrecorded) {
            return None;
        }
        let (value, table) = self.kinds.values().of_arrival(message)?;
        match self.noting_references(actor, |contexts| table.arrival(message, contexts)) {
            Ok((promise, content)) => {
                let value = name_of_value(value);
                Some(MessageRecord {
                    actor: actor.id,
                    kind: WaitingKind::Arrival(ArrivalRecord { promise, value }),
                    made: message.head().place,
                    content: self.with_number(content),
                })
            }
            Err(why) => {
                self.lacks(actor, format!("a value for a promise: {why}"));
                None
            }
        }
    }

    /// A message that waits.
    pub(super) fn waiting(&self, actor: &Header, message: &Envelope) -> Option<MessageRecord> {
        match message.kind().role {
            MessageRole::Resolution => self.arrival(actor, message),
            role => self.message(actor, form_of(role), message),
        }
    }

    /// The record of a message. `None`: no image contains such a message.
    pub(super) fn message(
        &self,
        actor: &Header,
        form: Option<SavedForm>,
        message: &Envelope,
    ) -> Option<MessageRecord> {
        let kind = message.kind();
        let (Some(form), Some(codec)) = (form, &kind.codec) else {
            self.lacks(actor, format!("the message `{}`", kind.name));
            return None;
        };
        if self.kinds.kind(form, codec.name).is_none() {
            let name = codec.name;
            self.is_not_listed(actor, format!("the {}", SavedKind { name, form }));
            return None;
        }
        let name = codec.name.to_owned();
        Some(MessageRecord {
            actor: actor.id,
            kind: WaitingKind::Message(KindRecord { form, name }),
            made: message.head().place,
            content: self.encoded(actor, codec.shape, |out| message.save(out)),
        })
    }
}

fn name_of_value(value: ValueName) -> NameOfValue {
    ValueName {
        of: value.of,
        behaviour: value.behaviour.to_owned(),
    }
}

/// The form of a message that waits in a mailbox.
fn form_of(role: MessageRole) -> Option<SavedForm> {
    match role {
        MessageRole::Start => Some(SavedForm::Start),
        MessageRole::Turn | MessageRole::Continuation | MessageRole::Bounded => {
            Some(SavedForm::Message)
        }
        MessageRole::Watch | MessageRole::StopMark | MessageRole::Own => Some(SavedForm::Runtime),
        _ => None,
    }
}
