//! The types of the heap: objects, references, `Mut`, and what may be sent, shared and frozen.

pub(crate) mod borrow;
mod collected;
mod containers;
mod erased;
mod external_edges;
mod freeze;
mod frozen;
pub(crate) mod gc;
mod ice;
mod leaf;
mod mutable;
mod object;
mod reference;
mod sendable;
mod slice;
pub mod unsizing;
mod val;
mod weak;

pub use borrow::{BorrowError, Ref, RefMut};
pub use collected::{Anything, Collected};
pub use erased::{Erased, ErasedOf};
pub use external_edges::ExternalEdges;
pub use freeze::{Freeze, FreezeOf};
pub use frozen::{Frozen, FrozenParts};
pub use gc::Gc;
pub use ice::{Ice, ReadInPlace};
pub use leaf::Leaf;
pub use mutable::Mut;
pub use object::{Object, Unbranded};
pub use sendable::Sendable;
pub use val::Val;
pub(crate) use weak::Target;
pub use weak::Weak;
