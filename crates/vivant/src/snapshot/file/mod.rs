//! Images in a store: the records of a cut as records of `vivant-journal`. The README of
//! `snapshot` describes the format.
//!
//! - [`record_kind`]: what a record is.
//! - [`header`]: what a list of images shows.
//! - [`shapes_record`]: how records and values are encoded.
//! - [`writer`]: an image that is being written.
//! - [`reader`]: an image that is read; [`unchanged`]: what it leaves to earlier ones.

mod header;
mod not_read;
#[cfg(all(test, feature = "macros"))]
mod page_tests;
mod reader;
mod record_kind;
mod shapes_record;
mod unchanged;
mod writer;

pub(super) use header::Header;
pub use not_read::NotRead;
pub(super) use reader::{read, read_actor};
#[cfg(all(test, feature = "macros"))]
pub(super) fn record_kinds() -> [u16; 12] {
    record_kind::RecordKind::ALL.map(record_kind::RecordKind::number)
}
/// The table that the file of an image with these shapes has.
#[cfg(all(test, feature = "macros"))]
pub(super) fn shapes_of_file(shapes: vivant_codec::Shapes) -> vivant_codec::Shapes {
    let record =
        record_kind::RecordKind::shapes_record(shapes, record_kind::RecordKind::of_whole_image());
    record.expect("there are few").shapes
}
pub(super) use writer::{ImageFile, NotWritten};
