//! [`Erased`]: from the erased form of a type to the type in a turn.

use super::collected::Collected;
use super::gc::Gc;
use super::object_trait::Object;

/// The erased form of a type, with `'static` for its brand: the way back from [`Object::Static`].
/// It names the content of a [`Parcel`](crate::Parcel), which belongs to no turn.
///
/// `#[derive(Object)]` implements it for types with type parameters that have no bounds of their
/// own.
///
/// # Safety
///
/// `Of<'gc>` is the same type with its brand replaced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no brand to exchange",
    label = "not a type of something that can lie in a heap",
    note = "own types: `#[derive(Object)]`, without bounds at the type's parameters"
)]
pub unsafe trait Erased: 'static {
    /// The type in a turn.
    type Of<'gc>: Object<'gc, Static = Self>;
}

/// The erased form of a trait object or a slice: [`Erased`] for types of any size.
///
/// # Safety
///
/// As for [`Erased`].
pub unsafe trait ErasedOf: 'static {
    /// The type in a turn.
    type Of<'gc>: ?Sized + Collected<'gc, Static = Self>;
}

// SAFETY: by `Erased`.
unsafe impl<T: Erased> ErasedOf for T {
    type Of<'gc> = T::Of<'gc>;
}
// SAFETY: it has no brand.
unsafe impl ErasedOf for str {
    type Of<'gc> = str;
}
// SAFETY: by the contract of its elements.
unsafe impl<T: Erased> ErasedOf for [T] {
    type Of<'gc> = [T::Of<'gc>];
}

// A type with an erased form need not be sendable. That gives the compiler's error for a type that
// is not sendable this one reason only.

// SAFETY: its brand is replaced, and so is that of its referent.
unsafe impl<T: ?Sized + ErasedOf> Erased for Gc<'static, T> {
    type Of<'gc> = Gc<'gc, T::Of<'gc>>;
}
