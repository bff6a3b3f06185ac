//! What files have of the spans of a heap. The fields are found by their names.

use vivant_codec::{Saved, ShapeId};

/// The type of the records of heaps.
pub(super) const HEAP: &str = "vivant::HeapRecord";
/// The type of records of spans.
pub(super) const SPANS: &str = "vivant::SpansRecord";
/// The type of records of spans that earlier images have.
pub(super) const UNCHANGED: &str = "vivant::UnchangedRecord";
/// The type of the record of the types of objects.
pub(super) const OBJECTS: &str = "vivant::ObjectsRecord";

/// Returns true for the type of a record of a heap.
pub(crate) fn is_heap_record(type_name: Option<&str>) -> bool {
    matches!(type_name, Some(HEAP | SPANS | UNCHANGED | OBJECTS))
}

/// A heap.
#[derive(Saved)]
#[saved(name = "vivant::HeapRecord")]
pub(super) struct HeapRecord {
    pub(super) heap: u64,
    /// The actor with the state. `None`: it has ended, or is not saved.
    pub(super) actor: Option<u64>,
}

/// Spans of a heap.
#[derive(Saved)]
#[saved(name = "vivant::SpansRecord")]
pub(super) struct SpansRecord {
    pub(super) heap: u64,
    pub(super) spans: Vec<SpanRecord>,
}

#[derive(Saved)]
#[saved(name = "vivant::Span")]
pub(super) struct SpanRecord {
    pub(super) number: u32,
    pub(super) holds: Holds,
    pub(super) blocks: Vec<BlockRecord>,
    /// The contents of the blocks, one after the other.
    pub(super) content: Vec<u8>,
}

/// What a span holds.
#[derive(Saved, Clone, Copy)]
#[saved(name = "vivant::SpanKind")]
pub(super) enum Holds {
    /// Blocks of this size in bytes.
    Blocks(u32),
    /// One large object.
    Large,
}

/// A block in use.
#[derive(Saved, Clone, Copy)]
#[saved(name = "vivant::Block")]
pub(super) struct BlockRecord {
    /// Its number in its span.
    pub(super) block: u8,
    /// The number of the type of its object.
    pub(super) object: u32,
    /// Bytes of its content.
    pub(super) bytes: u32,
}

/// The shapes of the contents of objects, by the numbers of the types.
#[derive(Saved)]
#[saved(name = "vivant::ObjectsRecord")]
pub(super) struct ObjectsRecord {
    pub(super) contents: Vec<ShapeId>,
}

/// Spans of a heap that earlier images have.
#[derive(Saved)]
#[saved(name = "vivant::UnchangedRecord")]
pub(super) struct UnchangedRecord {
    pub(super) heap: u64,
    pub(super) runs: Vec<UnchangedRun>,
}

/// Spans with successive numbers, of which one image has the records.
#[derive(Saved, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[saved(name = "vivant::UnchangedRun")]
pub(super) struct UnchangedRun {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) snapshot: u64,
}
