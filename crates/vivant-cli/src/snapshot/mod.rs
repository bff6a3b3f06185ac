//! Snapshots that are read without the program that took them: `vivant snapshot`.
//!
//! The image says itself how its records and values are encoded, so this code knows no type of the
//! program, and of the records only the few fields that it finds by name. What it does not know is
//! printed all the same.
//!
//! - [`file`](SnapshotFile): an image, opened; its [`header`](Header); `tables`: how its records
//!   are encoded.
//! - `parts`: a record, of which fields are found by name; `budget`: how much may be made of it.
//! - `contents`: records with the values in them; `message`: what the table of kinds says of each.
//! - `json`: records and values as JSON.
//! - `actors`: the actors and messages of an image, in order; `text`: how they are printed; `cut`:
//!   how much of what is long.
//! - `heap`: the objects of an actor, and why each lives.
//! - `list`, `show`, `verify`, `diff`, `export`: one for each command. Each writes to any `Write`.
//! - `line_diff`: the lines that differ.

mod actors;
mod budget;
mod contents;
mod cut;
mod diff;
mod export;
mod file;
mod header;
mod heap;
mod json;
mod line_diff;
mod list;
mod message;
mod parts;
mod problem;
mod show;
mod tables;
mod text;
mod verdict;
mod verify;

pub use cut::Cut;
pub use diff::diff;
pub use export::export;
pub use file::{SnapshotFile, numbers};
pub use header::Header;
pub use heap::{ObjectName, show_heap, show_object};
pub use list::{ListForm, list};
pub use problem::Problem;
pub use show::{Selection, ShowForm, show};
pub use verdict::Verdict;
pub use verify::verify;
