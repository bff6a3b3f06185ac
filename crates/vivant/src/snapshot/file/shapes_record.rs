//! [`ShapesRecord`]: how the other records and their values are encoded. With it an image is read
//! by a program that has other records, or none.

use crate::saving::saved_struct;
use vivant_codec::{ShapeId, Shapes};

/// The record that says how each record is encoded, this one too.
#[derive(Debug)]
pub(super) struct ShapesRecord {
    /// Of all encoded values, then of the records.
    pub(super) shapes: Shapes,
    /// One for each kind of records.
    pub(super) records: Vec<RecordShape>,
}

/// The shape of the records of one kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RecordShape {
    pub(super) kind: u16,
    pub(super) shape: ShapeId,
}

saved_struct!(ShapesRecord as "vivant::ShapesRecord" {
    0 shapes: Shapes,
    1 records: Vec<RecordShape>,
});

saved_struct!(RecordShape as "vivant::RecordShape" {
    0 kind: u16,
    1 shape: ShapeId,
});
