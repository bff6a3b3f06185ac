//! What programs write: objects, references, cells.

pub(crate) mod gc;
pub(crate) mod mutable;
mod object;

pub use gc::Gc;
pub use mutable::{Mut, Ref, RefMut};
pub use object::{Leaf, Object};
