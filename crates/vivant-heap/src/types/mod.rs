//! What programs write: objects, references, cells.

mod collected;
pub(crate) mod gc;
pub(crate) mod mutable;
mod object;
mod slice;
pub mod unsizing;
mod weak;

pub use collected::{Anything, Collected};
pub use gc::Gc;
pub use mutable::{Mut, Ref, RefMut};
pub use object::{Leaf, Object, Unbranded};
pub(crate) use weak::Target;
pub use weak::Weak;
