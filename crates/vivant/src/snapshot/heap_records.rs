//! The records of heaps.

use crate::saving::saved_struct;
use vivant_codec::ShapeId;
use vivant_heap::SpanRecord;

/// A heap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeapRecord {
    /// Its number among the heaps of the system.
    pub(super) heap: u64,
    /// The actor with the state.
    pub(super) actor: Option<u64>,
}

/// Spans of old objects of a heap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SpansRecord {
    pub(super) heap: u64,
    pub(super) spans: Vec<SpanRecord>,
}

/// Spans of a heap that have not changed since an earlier snapshot, which has their records.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnchangedRecord {
    pub(super) heap: u64,
    pub(super) runs: Vec<UnchangedRun>,
}

/// Spans with successive numbers, of which one snapshot has the records.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnchangedRun {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) snapshot: u64,
}

/// The types of objects in an image.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ObjectsRecord {
    /// The shapes of the contents, by the numbers of the types.
    pub(super) contents: Vec<ShapeId>,
}

saved_struct!(HeapRecord as "vivant::HeapRecord" {
    0 heap: u64,
    1 actor: Option<u64>,
});

saved_struct!(SpansRecord as "vivant::SpansRecord" {
    0 heap: u64,
    1 spans: Vec<SpanRecord>,
});

saved_struct!(UnchangedRecord as "vivant::UnchangedRecord" {
    0 heap: u64,
    1 runs: Vec<UnchangedRun>,
});

saved_struct!(UnchangedRun as "vivant::UnchangedRun" {
    0 first: u32,
    1 count: u32,
    2 snapshot: u64,
});

saved_struct!(ObjectsRecord as "vivant::ObjectsRecord" {
    0 contents: Vec<ShapeId>,
});

/// Objects in the spans of one record, or more by less than one span.
const OBJECTS_MAX: usize = 4096;

/// Bytes of their contents, or more by less than one span.
const BYTES_MAX: usize = 256 << 10;

impl SpansRecord {
    /// A record of no span.
    pub(super) fn new(heap: u64) -> SpansRecord {
        let spans = Vec::new();
        SpansRecord { heap, spans }
    }

    /// Whether further spans are for another record.
    pub(super) fn is_full(&self) -> bool {
        let objects: usize = self.spans.iter().map(SpanRecord::objects).sum();
        objects >= OBJECTS_MAX || self.bytes() >= BYTES_MAX
    }

    /// Bytes of all contents.
    pub(super) fn bytes(&self) -> usize {
        self.spans.iter().map(SpanRecord::bytes).sum()
    }
}

/// Runs in one record.
const RUNS_MAX: usize = 1 << 14;

impl UnchangedRecord {
    /// A record of no span.
    pub(super) fn new(heap: u64) -> UnchangedRecord {
        let runs = Vec::new();
        UnchangedRecord { heap, runs }
    }

    /// Whether further spans are for another record.
    pub(super) fn is_full(&self) -> bool {
        self.runs.len() >= RUNS_MAX
    }

    /// A snapshot has the record of this span.
    pub(super) fn add(&mut self, span: u32, snapshot: u64) {
        match self.runs.last_mut() {
            Some(run) if run.snapshot == snapshot && run.first + run.count == span => {
                run.count += 1;
            }
            _ => self.runs.push(UnchangedRun {
                first: span,
                count: 1,
                snapshot,
            }),
        }
    }
}
