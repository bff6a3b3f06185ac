#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

mod block;
mod blocks;
mod catalog;
mod compression;
mod error;
mod image;
mod image_writer;
mod in_progress;
#[cfg(test)]
mod injected_fault;
mod journal;
mod layout;
mod manifest;
mod memory_limit;
mod names;
mod opened;
mod reader;
mod segment_writer;
mod segments;
mod settings;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod upkeep;

pub use catalog::{Catalog, Images, Latest, Unreadable};
pub use compression::Compression;
pub use error::{Damage, Error, Operation, Place};
pub use image::{Image, Summary};
pub use image_writer::{ImageWriter, Published};
pub use journal::Journal;
pub use reader::{Reader, Record, Values};
pub use segment_writer::SegmentWriter;
pub use settings::{Retention, Settings};
#[cfg(feature = "object-store")]
pub use store::ObjectStore;
pub use store::{DirectoryStore, NewFile, Store};
pub use table::RecordInfo;
