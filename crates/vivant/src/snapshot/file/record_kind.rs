//! [`RecordKind`]: what a record of an image is.

use super::super::heap_records::{HeapRecord, ObjectsRecord, SpansRecord, UnchangedRecord};
use super::super::image::{ActorRecord, SharedRecord, SystemRecord, WaitingRecord};
use super::super::message_kinds::MessageKindsRecord;
use super::super::message_record::MessageRecord;
use super::super::supervised::SupervisedRecord;
use super::shapes_record::{RecordShape, ShapesRecord};
use vivant_codec::{Decoder, SaveError, Saved, Shape, Shapes};

/// The kind of a record in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum RecordKind {
    /// `SystemRecord`, once.
    System = 1,
    /// `ShapesRecord`, once.
    Shapes = 2,
    /// `ActorRecord`.
    Actor = 3,
    /// `WaitingRecord`.
    Waiting = 4,
    /// `MessageRecord`: a step that a behaviour has to run yet.
    Step = 5,
    /// `SharedRecord`, once.
    Shared = 6,
    /// `MessageKindsRecord`, once.
    Kinds = 7,
    /// `SupervisedRecord`.
    Supervised = 8,
    /// `SpansRecord`.
    Spans = 9,
    /// `ObjectsRecord`, once, in an image with spans.
    Objects = 10,
    /// `UnchangedRecord`.
    Unchanged = 11,
    /// `HeapRecord`.
    Heap = 12,
}

impl RecordKind {
    pub(super) const ALL: [RecordKind; 12] = [
        RecordKind::System,
        RecordKind::Shapes,
        RecordKind::Actor,
        RecordKind::Waiting,
        RecordKind::Step,
        RecordKind::Shared,
        RecordKind::Kinds,
        RecordKind::Supervised,
        RecordKind::Spans,
        RecordKind::Objects,
        RecordKind::Unchanged,
        RecordKind::Heap,
    ];

    pub(super) fn of(number: u16) -> Option<RecordKind> {
        let mut all = RecordKind::ALL.into_iter();
        all.find(|kind| kind.number() == number)
    }

    /// How records of this kind are encoded.
    pub(super) fn shape(self) -> &'static Shape {
        match self {
            RecordKind::System => SystemRecord::SHAPE,
            RecordKind::Shapes => ShapesRecord::SHAPE,
            RecordKind::Actor => ActorRecord::SHAPE,
            RecordKind::Waiting => WaitingRecord::SHAPE,
            RecordKind::Step => MessageRecord::SHAPE,
            RecordKind::Shared => SharedRecord::SHAPE,
            RecordKind::Kinds => MessageKindsRecord::SHAPE,
            RecordKind::Supervised => SupervisedRecord::SHAPE,
            RecordKind::Spans => SpansRecord::SHAPE,
            RecordKind::Objects => ObjectsRecord::SHAPE,
            RecordKind::Unchanged => UnchangedRecord::SHAPE,
            RecordKind::Heap => HeapRecord::SHAPE,
        }
    }

    /// The actor to which a record with this value belongs. `None`: to several, or the value is
    /// wrong.
    pub(super) fn actor_of(self, value: &[u8]) -> Option<u64> {
        match self {
            RecordKind::Actor | RecordKind::Waiting | RecordKind::Step | RecordKind::Supervised => {
                first_number(value)
            }
            RecordKind::System
            | RecordKind::Spans
            | RecordKind::Unchanged
            | RecordKind::Heap
            | RecordKind::Shapes
            | RecordKind::Shared
            | RecordKind::Kinds
            | RecordKind::Objects => None,
        }
    }

    /// The heap to which a record with this value belongs. `None`: it belongs to none, or the value
    /// is wrong.
    pub(super) fn heap_of(self, value: &[u8]) -> Option<u64> {
        match self {
            RecordKind::Spans | RecordKind::Unchanged | RecordKind::Heap => first_number(value),
            _ => None,
        }
    }

    /// The kinds that an image has, or could have, if it leaves nothing to earlier ones.
    pub(super) fn of_whole_image() -> impl Iterator<Item = RecordKind> {
        let all = RecordKind::ALL.into_iter();
        all.filter(|kind| *kind != RecordKind::Unchanged)
    }

    /// The record of these shapes, with those of these kinds.
    pub(super) fn shapes_record(
        mut shapes: Shapes,
        kinds: impl Iterator<Item = RecordKind>,
    ) -> Result<ShapesRecord, SaveError> {
        let records = kinds.map(|kind| {
            Ok(RecordShape {
                kind: kind.number(),
                shape: shapes.add(kind.shape())?,
            })
        });
        let records = records.collect::<Result<_, SaveError>>()?;
        Ok(ShapesRecord { shapes, records })
    }

    pub(super) fn number(self) -> u16 {
        self as u16
    }
}

/// The first field of a record that begins with a number.
fn first_number(value: &[u8]) -> Option<u64> {
    u64::load(&mut Decoder::new(value)).ok()
}
