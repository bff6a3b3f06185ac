//! [`Erased`]: types with a brand that can be exchanged.

use super::collected::Collected;
use super::gc::Gc;
use super::object_trait::Object;

/// A type with a brand that can be exchanged: the way from the erased form ([`Object::Static`]) to
/// the type in a turn. It names the content of a [`Parcel`](crate::Parcel), which belongs to no
/// turn.
///
/// A type implements it with every brand, and all brands lead to the same types. So a parcel is
/// `Send` in the state of a future too, where the compiler forgets which brand it has.
///
/// `#[derive(Object)]` implements it for types with type parameters that have no bounds of their
/// own.
///
/// # Safety
///
/// `Of<'gc>` and `Static` are the same type with its brand replaced.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no brand to exchange",
    label = "not a type of something that can lie in a heap",
    note = "own types: `#[derive(Object)]`, without bounds at the type's parameters"
)]
pub unsafe trait Erased {
    /// The type in a turn.
    type Of<'gc>: Object<'gc, Static = Self::Static>;
    /// The erased form.
    type Static: 'static;
}

/// A trait object or a slice with a brand that can be exchanged: [`Erased`] for types of any size.
///
/// # Safety
///
/// As for [`Erased`].
pub unsafe trait ErasedOf {
    /// The type in a turn.
    type Of<'gc>: ?Sized + Collected<'gc, Static = Self::Static>;
    /// The erased form.
    type Static: ?Sized + 'static;
}

// SAFETY: by `Erased`.
unsafe impl<T: Erased> ErasedOf for T {
    type Of<'gc> = T::Of<'gc>;
    type Static = T::Static;
}
// SAFETY: it has no brand.
unsafe impl ErasedOf for str {
    type Of<'gc> = str;
    type Static = str;
}
// SAFETY: by the contract of its elements.
unsafe impl<T: Erased> ErasedOf for [T] {
    type Of<'gc> = [T::Of<'gc>];
    type Static = [T::Static];
}

// A type with an erased form need not be sendable. That gives the compiler's error for a type that
// is not sendable this one reason only.

// SAFETY: its brand is replaced, and so is that of its referent.
unsafe impl<'a, T: ?Sized + ErasedOf> Erased for Gc<'a, T> {
    type Of<'gc> = Gc<'gc, T::Of<'gc>>;
    type Static = Gc<'static, T::Static>;
}
