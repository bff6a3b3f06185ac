//! The heap of an actor in an image: its objects, what they refer to, and why each lives.
//!
//! The words are those of images of heaps: a **span** has blocks, the **name** of an object is the
//! number of its span and the place of its block in the span, and its **content** is its value,
//! encoded, in which a reference is the name of an object.
//!
//! - [`ObjectName`]: the name of an object.
//! - `records`: what files have of spans; `size`: how much an image itself has of each heap.
//! - `objects`: all objects of a heap, in memory; `unchanged`: the spans that earlier images have.
//! - `references`: the references in a value; `field_path`: where in the value they are.
//! - `roots`: what of an image refers into a heap; `reach`: how the roots lead to each object.
//! - `retaining_path`: why an object lives; `summary`: how many objects there are of each type.
//! - `opened_heap`: all of this for one actor.
//! - `heap_page`, `object_page`: `vivant snapshot show` with `--heap`, and with `--object`.
//!
//! H1. Nothing recurses: a file may have a list of a million objects.
//! H2. A content is read once for `reach`, and again for each reference of it that a page shows.
//! H3. Memory is bounded by the bytes of the file, and these by a limit.

mod field_path;
mod heap_page;
mod object_name;
mod object_page;
mod objects;
mod opened_heap;
mod reach;
mod records;
mod references;
mod retaining_path;
mod roots;
mod size;
mod summary;
mod unchanged;

pub use heap_page::show_heap;
pub use object_name::ObjectName;
pub(super) use object_name::{is_to_object, named_reference};
pub use object_page::show_object;
pub(super) use records::is_heap_record;
pub(super) use size::HeapSizes;
