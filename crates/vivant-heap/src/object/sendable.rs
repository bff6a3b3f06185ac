//! [`Sendable`]: what may be sent from one heap to another.

use super::object_trait::Object;

/// What may leave its heap: plain values, which are moved, and shared objects, which stay in their
/// heap.
///
/// `#[derive(Object)]` makes a type sendable if all its fields are. [`Gc`](crate::Gc),
/// [`Mut`](crate::Mut), [`Weak`](crate::Weak) and the collections of `gc` are not:
/// they belong to one heap.
///
/// # Safety
///
/// All references to collected objects in it are [`Val`](crate::Val)s and [`Tag`](crate::Tag)s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot leave its heap",
    label = "has parts that are of one heap alone",
    note = "send a `Val<'gc, T>`, which any heap may have, plain data, or a `Tag<'gc, T>`: it names the object that a `Gc` refers to, which stays where it is"
)]
pub unsafe trait Sendable<'gc>: Object<'gc> {}
