//! Promises and messages that a cut records.

use super::super::image::{AskedRecord, JoinedRecord, PromiseRecord};
use super::super::message_record::{
    Encoded, KindRecord, MessageData, MessageKindRecord, MessageRecord, NameOfValue, WaitingKind,
};
use super::buffer::{buffer, reuse};
use super::kind_numbers::Key;
use super::{ImageRecorder, Record, Recorded};
use crate::actor::{Envelope, Header, Recorder, StateRef, WaitingPlace, WaitsAs};
use crate::api::{SavedForm, SavedKind, SavedSlot, ShapedBytes, ValueName, saved_slots};
use crate::constraints::brings_patterns;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
use crate::message::MessageRole;
use crate::sync::lock;
use std::any::Any;
use std::time::Duration;
use vivant_codec::Shape;

impl ImageRecorder {
    pub(super) fn promises(&self, actor: &Header, state: &StateRef<'_>) -> Vec<PromiseRecord> {
        let kinds = self.kinds.values();
        let waits = lock(&self.recorded).waits.remove(&actor.id);
        let waits = waits.unwrap_or_default();
        let slots = |contexts: &[&dyn Any]| saved_slots(state, kinds, contexts, &waits);
        match self.noting_references(actor, slots) {
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

    /// A message that waits at this place. Returns the bytes of its content.
    pub(super) fn waiting(
        &self,
        actor: &Header,
        (place, waits_as): (WaitingPlace, WaitsAs),
        message: &Envelope,
    ) -> usize {
        match message.kind().role {
            MessageRole::Resolution => {
                let arrival = self.arrival(actor, message);
                arrival.map_or(0, |(kind, (promise, content))| {
                    let waits_as = WaitsAs::Arrival(promise);
                    self.collect((actor.id, place), (kind, waits_as, &content.bytes))
                })
            }
            MessageRole::Reminder => 0,
            _ if brings_patterns(message) => 0,
            role => {
                let Some(kind) = self.kind(actor, form_of(role), message) else {
                    return 0;
                };
                let content = self.encoded_into(buffer(), actor, |out| message.save(out));
                let bytes = self.collect((actor.id, place), (kind, waits_as, &content));
                reuse(content);
                bytes
            }
        }
    }

    fn collect(&self, mailbox: (u64, WaitingPlace), message: (u32, WaitsAs, &[u8])) -> usize {
        let mut recorded = lock(&self.recorded);
        let Recorded {
            mailboxes,
            records,
            census,
            ..
        } = &mut *recorded;
        census.messages += 1;
        let full = |messages| records.push(Record::Waiting(messages));
        mailboxes.add(mailbox, message, full);
        message.2.len()
    }

    /// An arrival: the number of its kind, its promise and the value. A value of a type that is not
    /// saved is not wanted: else its promise is an error.
    fn arrival(&self, actor: &Header, message: &Envelope) -> Option<(u32, (u64, ShapedBytes))> {
        #[cfg(test)]
        if is_planted(InjectedFault::ArrivalUnrecorded) {
            return None;
        }
        let (value, table) = self.kinds.values().of_arrival(message)?;
        match self.noting_references(actor, |contexts| table.arrival(message, contexts)) {
            Ok(arrival) => {
                let key = Key::of(message, None);
                let number = lock(&self.recorded).kinds.get(key);
                let number = number.unwrap_or_else(|| {
                    let what = WaitingKind::Arrival(name_of_value(value));
                    self.add_kind(key, what, message.head().place, arrival.1.shape)
                });
                Some((number, arrival))
            }
            Err(why) => {
                self.lacks(actor, format!("a value for a promise: {why}"));
                None
            }
        }
    }

    /// The record of a message. `None`: no image contains such a message.
    pub(super) fn message(
        &self,
        actor: &Header,
        form: Option<SavedForm>,
        message: &Envelope,
    ) -> Option<MessageRecord> {
        let kind = self.kind(actor, form, message)?;
        let began_ns = actor.system.oracle.now_ns();
        let bytes = self.encoded_into(Vec::new(), actor, |out| message.save(out));
        let took = Duration::from_nanos(actor.system.oracle.now_ns().saturating_sub(began_ns));
        self.took(actor, bytes.len(), took);
        Some(MessageRecord {
            actor: actor.id,
            message: MessageData {
                kind,
                waits_as: WaitsAs::Message,
                bytes,
            },
        })
    }

    /// The number of a message's kind. `None`: no image contains such a message.
    fn kind(&self, actor: &Header, form: Option<SavedForm>, message: &Envelope) -> Option<u32> {
        let key = Key::of(message, form);
        if form.is_some()
            && let Some(number) = lock(&self.recorded).kinds.get(key)
        {
            return Some(number);
        }
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
        let what = WaitingKind::Message(KindRecord { form, name });
        Some(self.add_kind(key, what, message.head().place, codec.shape))
    }

    pub(super) fn add_kind(
        &self,
        key: Key,
        what: WaitingKind,
        made: Place,
        shape: &'static Shape,
    ) -> u32 {
        let shape = self.shape(shape);
        let kind = MessageKindRecord { what, made, shape };
        lock(&self.recorded).kinds.add(key, kind)
    }
}

fn name_of_value(value: ValueName) -> NameOfValue {
    ValueName {
        of: value.of,
        behaviour: value.behaviour.to_owned(),
    }
}

/// The form of a message that waits in a mailbox.
pub(super) fn form_of(role: MessageRole) -> Option<SavedForm> {
    match role {
        MessageRole::Start => Some(SavedForm::Start),
        MessageRole::Turn | MessageRole::Continuation => Some(SavedForm::Message),
        MessageRole::Bounded => Some(SavedForm::Published),
        MessageRole::Watch | MessageRole::StopMark | MessageRole::Own => Some(SavedForm::Runtime),
        _ => None,
    }
}
