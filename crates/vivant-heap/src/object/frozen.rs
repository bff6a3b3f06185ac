//! [`Frozen`]: types that never change, and so may be shared.

use super::object_trait::Object;

/// What may lie in a shared object: nothing in it changes, all that it refers to is shared too, and
/// any thread may read it.
///
/// `#[derive(Object)]` implements it for a type if all its fields are frozen: [`Val`](crate::Val)s
/// are, and so are types that have no collected parts and are `Sync`. [`Gc`](crate::Gc),
/// [`Mut`](crate::Mut), [`Weak`](crate::Weak) and the collections of `gc` are not.
///
/// It consists of two conditions. The derive states the first, [`FrozenParts`]. The compiler infers
/// the second: the type outside turns is `Sync`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable, or not for many threads",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub trait Frozen<'gc>: FrozenParts<'gc> + Object<'gc, Static: Sync> {}

impl<'gc, T: FrozenParts<'gc> + Object<'gc, Static: Sync>> Frozen<'gc> for T {}

/// A value in which nothing but leaves changes, and all references lead to shared objects. It does
/// not say that the leaves are `Sync`, because the derive could not require that only where it
/// holds.
///
/// # Safety
///
/// - All references to collected objects in it are [`Val`](crate::Val)s or, below an
///   [`Ice`](crate::Ice), lead to objects that were frozen with it.
/// - Nothing in it changes while it can be read, except in leaves, by means that are `Sync` if the
///   leaves are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub unsafe trait FrozenParts<'gc>: Object<'gc> {}
