//! The records of heaps.

use crate::saving::saved_struct;
use vivant_codec::ShapeId;
use vivant_heap::SpanRecord;

/// Spans of old objects of an actor's heap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SpansRecord {
    pub(super) actor: u64,
    pub(super) spans: Vec<SpanRecord>,
}

/// The types of objects in an image.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectsRecord {
    /// The shapes of the contents, by the numbers of the types.
    pub(super) contents: Vec<ShapeId>,
}

saved_struct!(SpansRecord as "vivant::SpansRecord" {
    0 actor: u64,
    1 spans: Vec<SpanRecord>,
});

saved_struct!(ObjectsRecord as "vivant::ObjectsRecord" {
    0 contents: Vec<ShapeId>,
});

/// Objects in the spans of one record, or more by less than one span.
const OBJECTS_MAX: usize = 4096;

impl SpansRecord {
    /// The records of an actor with these spans.
    pub(super) fn of(actor: u64, all: Vec<SpanRecord>) -> Vec<SpansRecord> {
        let mut records: Vec<SpansRecord> = Vec::new();
        let mut objects = OBJECTS_MAX;
        for span in all {
            if objects >= OBJECTS_MAX {
                let spans = Vec::new();
                records.push(SpansRecord { actor, spans });
                objects = 0;
            }
            objects += span.objects();
            if let Some(last) = records.last_mut() {
                last.spans.push(span);
            }
        }
        records
    }
}
