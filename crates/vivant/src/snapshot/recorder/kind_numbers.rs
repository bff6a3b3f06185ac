//! [`KindNumbers`]: the numbers of kinds of messages in an image that is being recorded.

use super::super::message_kinds::MessageKindsRecord;
use super::super::message_record::MessageKindRecord;
use crate::actor::Envelope;
use crate::api::SavedForm;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::Place;
#[cfg(test)]
use std::cell::Cell;
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
        let kinds = self.kinds;
        #[cfg(test)]
        let kinds = with_spare(kinds);
        MessageKindsRecord { kinds }
    }
}

/// With the injected fault: in each second image the first kind twice.
#[cfg(test)]
fn with_spare(mut kinds: Vec<MessageKindRecord>) -> Vec<MessageKindRecord> {
    thread_local! {
        static IMAGES: Cell<u64> = const { Cell::new(0) };
    }
    if is_planted(InjectedFault::SpareKind) {
        let images = IMAGES.replace(IMAGES.get() + 1);
        let first = kinds.first().cloned();
        kinds.extend(first.filter(|_| images.is_multiple_of(2)));
    }
    kinds
}
