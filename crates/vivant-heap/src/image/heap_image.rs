//! [`HeapImage`]: what an image has of a heap.

use super::span_record::SpanRecord;
use vivant_codec::{Comparison, ShapeId};

/// What an image has of a heap, and of the types of its objects.
#[derive(Clone, Debug)]
pub struct HeapImage<'a> {
    /// The spans, in any order.
    pub spans: Vec<SpanRecord>,
    /// The shapes of the contents of objects, by the numbers of their types.
    pub objects: &'a [ShapeId],
    /// The shapes of the image, compared with those of the program.
    pub comparison: &'a Comparison<'a>,
}
