//! [`KindNumbers`]: the numbers of kinds of messages in an image that is being recorded.

use super::super::message_kinds::MessageKindsRecord;
use super::super::message_record::MessageKindRecord;
use crate::actor::Envelope;
use crate::api::SavedForm;
use crate::interned::Place;
use std::collections::HashMap;

/// What a cut has met of kinds of messages.
#[derive(Default)]
pub(super) struct KindNumbers {
    numbers: HashMap<Key, u32>,
    /// Many messages of one kind follow each other.
    last: Option<(Key, u32)>,
    kinds: Vec<MessageKindRecord>,
}

/// A kind as the program has it: by addresses, because to compare names takes longer. One kind may
/// have several.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    table: usize,
    made: usize,
    /// `None`: it brings a value.
    form: Option<SavedForm>,
}

impl Key {
    pub(super) fn of(message: &Envelope, form: Option<SavedForm>) -> Key {
        Key {
            table: std::ptr::from_ref(message.kind()).addr(),
            made: std::ptr::from_ref(message.head().place.location()).addr(),
            form,
        }
    }
}

impl Key {
    /// Of a subscription: the behaviour stands for the table of the message.
    pub(super) fn of_continuation(behaviour: &'static str, made: Place) -> Key {
        Key {
            table: behaviour.as_ptr().addr(),
            made: std::ptr::from_ref(made.location()).addr(),
            form: Some(SavedForm::Continuation),
        }
    }
}

impl KindNumbers {
    pub(super) fn get(&mut self, key: Key) -> Option<u32> {
        match self.last {
            Some((last, number)) if last == key => Some(number),
            _ => {
                let number = *self.numbers.get(&key)?;
                self.last = Some((key, number));
                Some(number)
            }
        }
    }

    /// Numbers a kind, which may have been numbered meanwhile.
    pub(super) fn add(&mut self, key: Key, kind: MessageKindRecord) -> u32 {
        let kinds = &mut self.kinds;
        *self.numbers.entry(key).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() as u32 - 1
        })
    }

    pub(super) fn into_record(self) -> MessageKindsRecord {
        MessageKindsRecord { kinds: self.kinds }
    }
}
