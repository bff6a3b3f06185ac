#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod error;
mod format;
#[cfg(test)]
mod injected_fault;
mod read;
mod store;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Damage, Error, Operation, Place};
pub use format::compression::Compression;
pub use read::catalog::{Catalog, Images, Latest, StoreId, Unreadable, WeakCatalog};
pub use read::held_images::HeldImage;
pub use read::image::{Image, Summary};
pub use read::reader::{Reader, Record, Values};
pub use read::table::RecordInfo;
#[cfg(feature = "object-store")]
pub use store::ObjectStore;
pub use store::{DirectoryStore, NewFile, Store};
pub use write::image_writer::{ImageWriter, Published};
pub use write::journal::Journal;
pub use write::segment_writer::SegmentWriter;
pub use write::settings::{Retention, Settings};
