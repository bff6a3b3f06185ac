//! What programs write: objects, references, cells.

pub(crate) mod borrow;
mod collected;
pub(crate) mod gc;
mod mutable;
mod object;
mod slice;
pub mod unsizing;
mod weak;

pub use borrow::{BorrowError, Ref, RefMut};
pub use collected::{Anything, Collected};
pub use gc::Gc;
pub use mutable::Mut;
pub use object::{Leaf, Object, Unbranded};
pub(crate) use weak::Target;
pub use weak::Weak;
