//! [`MessageKindsRecord`]: the table of an image that numbers what many messages have in common.

use super::message_record::{MessageData, MessageKindRecord, MessageRecord};
use crate::saving::saved_struct;
use std::collections::BTreeSet;

/// The kinds of the messages of an image. A message has the position of its kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MessageKindsRecord {
    pub(super) kinds: Vec<MessageKindRecord>,
}

impl MessageKindsRecord {
    pub(super) fn of(&self, message: &MessageData) -> Option<&MessageKindRecord> {
        self.kinds.get(message.kind as usize)
    }
}

/// A table that is sorted and has each kind that is in use once, so that equal images have equal
/// tables: a cut numbers kinds in the order in which it meets them, and may leave a message out.
pub(super) struct Renumbered {
    pub(super) kinds: MessageKindsRecord,
    /// The new numbers by the old ones.
    numbers: Vec<u32>,
}

impl Renumbered {
    /// `used` are the numbers of the messages of the image.
    pub(super) fn of(table: MessageKindsRecord, used: &BTreeSet<u32>) -> Renumbered {
        let kinds = used.iter().map(|number| table.kinds.get(*number as usize));
        let mut kinds: Vec<_> = kinds.flatten().cloned().collect();
        kinds.sort();
        kinds.dedup();
        // A table has as many entries as a `u32` can count: each was read from four bytes or more.
        let number = |kind| kinds.partition_point(|it| it < kind) as u32;
        let numbers = table.kinds.iter().map(number).collect();
        Renumbered {
            kinds: MessageKindsRecord { kinds },
            numbers,
        }
    }

    /// A number that the table lacks stays as it is: the new table lacks it too.
    pub(super) fn renumber(&self, record: &mut MessageRecord) {
        let kind = &mut record.message.kind;
        if let Some(number) = self.numbers.get(*kind as usize) {
            *kind = *number;
        }
    }
}

saved_struct!(MessageKindsRecord as "vivant::MessageKindsRecord" {
    0 kinds: Vec<MessageKindRecord>,
});

#[cfg(test)]
mod tests {
    use super::super::message_record::{KindRecord, WaitingKind};
    use super::*;
    use crate::actor::WaitsAs;
    use crate::api::SavedForm;
    use crate::interned::Place;
    use vivant_codec::ShapeId;

    fn kind(name: &str) -> MessageKindRecord {
        MessageKindRecord {
            what: WaitingKind::Message(KindRecord {
                form: SavedForm::Message,
                name: name.to_owned(),
            }),
            made: Place::intern("src/till.rs", 1, 2),
            shape: ShapeId::new(3),
        }
    }

    fn message(kind: u32) -> MessageRecord {
        MessageRecord {
            actor: 1,
            message: MessageData {
                kind,
                waits_as: WaitsAs::Message,
                bytes: Vec::new(),
            },
        }
    }

    #[test]
    fn messages_keep_their_kinds() {
        let kinds = ["b", "c", "a", "b", "aa"].map(kind).into();
        let table = MessageKindsRecord { kinds };
        let renumbered = Renumbered::of(table, &[0, 1, 2, 3, 5].into());
        assert_eq!(renumbered.kinds.kinds, ["a", "b", "c"].map(kind));
        let numbers = [0, 1, 2, 3, 5].map(|number| {
            let mut record = message(number);
            renumbered.renumber(&mut record);
            record.message.kind
        });
        assert_eq!(numbers, [1, 2, 0, 1, 5]);
    }
}
