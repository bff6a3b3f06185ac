//! [`Frozen`]: what never changes, and so may be shared.

use super::collected::Collected;
use super::object::Object;
use super::val::Val;

/// What may lie in a shared object: nothing in it changes, all that it refers to is shared too, and
/// any thread may read it (O2, Y6).
///
/// `#[derive(Object)]` makes a type so if all its fields are: [`Val`]s are, and what has no
/// collected parts and is `Sync`; not [`Gc`](crate::Gc), [`Mut`](crate::Mut), [`Weak`](crate::Weak)
/// and the collections of [`gc`](crate::gc).
///
/// It is two things, of which the derive says the first, [`FrozenParts`], and the compiler finds
/// out the second: that the type outside turns is `Sync`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable, or not for many threads",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub trait Frozen<'gc>: FrozenParts<'gc> + Object<'gc, Static: Sync> {}

impl<'gc, T: FrozenParts<'gc> + Object<'gc, Static: Sync>> Frozen<'gc> for T {}

/// That nothing in a value changes, but in leaves, and that all it refers to is shared. That leaves
/// in it are `Sync` is no part of it, because the derive could not ask for that only where it
/// holds.
///
/// # Safety
///
/// - All references to collected objects in it are [`Val`]s, or, below an [`Ice`](crate::Ice), lead
///   to what was frozen with it.
/// - Nothing changes in it while somebody can read it, but in leaves, by means that are `Sync` if
///   these are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared: it is not frozen",
    label = "not deeply immutable",
    note = "a shared object consists of plain values that are `Sync` and of other shared objects: use `Val<'gc, T>` in place of `Gc<'gc, T>`, and a new \
            version in place of a `Mut`"
)]
pub unsafe trait FrozenParts<'gc>: Object<'gc> {}

// SAFETY: as above.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> FrozenParts<'gc> for Val<'gc, T> {}
