//! [`Twin`]: from a type outside turns to the same type in one.

use super::collected::Collected;
use super::gc::Gc;
use super::mutable::Mut;
use super::object::Object;
use super::val::Val;
use super::weak::Weak;

/// A type with `'static` for its brand, as what it is in a turn: the way back from
/// [`Object::Static`]. What names the content of a [`Parcel`](crate::Parcel), which is of no turn.
///
/// `#[derive(Object)]` writes it, for types whose parameters have no bounds of their own.
///
/// # Safety
///
/// `Of<'gc>` is the same type with its brand exchanged.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no brand to exchange",
    label = "not a type of something that can lie in a heap",
    note = "own types: `#[derive(Object)]`, without bounds at the type's parameters"
)]
pub unsafe trait Twin: 'static {
    /// In a turn.
    type Of<'gc>: Object<'gc, Static = Self>;
}

/// What a trait object or a slice is in a turn: [`Twin`] for types of any size.
///
/// # Safety
///
/// As for [`Twin`].
pub unsafe trait TwinOf: 'static {
    /// In a turn.
    type Of<'gc>: ?Sized + Collected<'gc, Static = Self>;
}

// SAFETY: by `Twin`.
unsafe impl<T: Twin> TwinOf for T {
    type Of<'gc> = T::Of<'gc>;
}
// SAFETY: there is no brand in it.
unsafe impl TwinOf for str {
    type Of<'gc> = str;
}
// SAFETY: as its elements.
unsafe impl<T: Twin> TwinOf for [T] {
    type Of<'gc> = [T::Of<'gc>];
}

// SAFETY: its brand, and that of what it refers to.
unsafe impl<T: ?Sized + TwinOf> Twin for Val<'static, T> {
    type Of<'gc> = Val<'gc, T::Of<'gc>>;
}

// What has a twin need not be sendable: so that the compiler says that it is not, and no more.

// SAFETY: its brand, and that of what it refers to.
unsafe impl<T: ?Sized + TwinOf> Twin for Gc<'static, T> {
    type Of<'gc> = Gc<'gc, T::Of<'gc>>;
}
// SAFETY: as above.
unsafe impl<T: ?Sized + TwinOf> Twin for Weak<'static, T> {
    type Of<'gc> = Weak<'gc, T::Of<'gc>>;
}
// SAFETY: its part is all of it.
unsafe impl<T: Twin> Twin for Mut<T> {
    type Of<'gc> = Mut<T::Of<'gc>>;
}
