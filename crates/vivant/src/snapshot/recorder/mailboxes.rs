//! [`Mailboxes`]: the waiting messages of a cut, encoded.

#[cfg(test)]
use super::super::image::WaitingRecord;
use super::super::message_record::MessageData;
use crate::actor::{WaitingPlace, WaitsAs};
use std::collections::BTreeMap;
use vivant_codec::{Encoder, Saved};

/// The bytes of messages that are collected before they are drained.
const COLLECTED_MAX: usize = 64 << 10;

/// Collects the messages of a cut by mailbox and place, so that one record has many of them.
#[derive(Default)]
pub(super) struct Mailboxes {
    collected: BTreeMap<(u64, WaitingPlace), Collected>,
    bytes: usize,
    /// The ordinal of the next record. Messages of one place come in their order.
    next_ordinal: u64,
}

/// Messages of one place, as `MessageData` one after the other.
#[derive(Default)]
struct Collected {
    count: u64,
    bytes: Vec<u8>,
}

/// The encoded `WaitingRecord` of messages.
#[derive(Debug)]
pub(in super::super) struct EncodedMessages(pub(in super::super) Vec<u8>);

impl Mailboxes {
    /// Adds a message behind those of its place. `full` takes the records when there are enough.
    pub(super) fn add(
        &mut self,
        (actor, place): (u64, WaitingPlace),
        (kind, waits_as, content): (u32, WaitsAs, &[u8]),
        full: impl FnMut(EncodedMessages),
    ) {
        let collected = self.collected.entry((actor, place)).or_default();
        let before = collected.bytes.len();
        collected.count += 1;
        MessageData::append(kind, waits_as, content, &mut collected.bytes);
        self.bytes += collected.bytes.len() - before;
        if self.bytes >= COLLECTED_MAX {
            self.take_records(full);
        }
    }

    /// Takes out all that is collected.
    pub(super) fn take_records(&mut self, mut each: impl FnMut(EncodedMessages)) {
        for ((actor, place), messages) in std::mem::take(&mut self.collected) {
            let ordinal = self.next_ordinal;
            self.next_ordinal += 1;
            let mut out = Encoder::new();
            // The fields of a `WaitingRecord`. The number of elements precedes these.
            actor.save(&mut out);
            place.save(&mut out);
            ordinal.save(&mut out);
            messages.count.save(&mut out);
            let mut bytes = out.finish().unwrap_or_default();
            bytes.extend_from_slice(&messages.bytes);
            each(EncodedMessages(bytes));
        }
        self.bytes = 0;
    }
}

#[cfg(test)]
impl EncodedMessages {
    pub(in super::super) fn decode(&self) -> WaitingRecord {
        vivant_codec::from_bytes(&self.0).expect("it was encoded as one")
    }
}
