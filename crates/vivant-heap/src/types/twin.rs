//! [`Twin`]: from a type outside turns to the same type in one.

use super::collected::Collected;
use super::gc::Gc;
use super::mutable::Mut;
use super::object::Object;
use super::val::Val;
use super::weak::Weak;

/// A type with `'static` for its brand, as what it is in a turn: the way back from [`Object::Static`]. What names the content of a
/// [`Parcel`](crate::Parcel), which is of no turn.
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

/// What consists of parts.
macro_rules! container {
    ($([$($parameter:ident),*] $whole:ty, $of:ty;)*) => {$(
        // SAFETY: the parts are all of it.
        unsafe impl<$($parameter: Twin),*> Twin for $whole {
            type Of<'gc> = $of;
        }
    )*};
}

container! {
    [T] Option<T>, Option<T::Of<'gc>>;
    [T] Vec<T>, Vec<T::Of<'gc>>;
    [T] Box<[T]>, Box<[T::Of<'gc>]>;
    [T] Box<T>, Box<T::Of<'gc>>;
    [T] std::collections::VecDeque<T>, std::collections::VecDeque<T::Of<'gc>>;
    [T, E] Result<T, E>, Result<T::Of<'gc>, E::Of<'gc>>;
    [A] (A,), (A::Of<'gc>,);
    [A, B] (A, B), (A::Of<'gc>, B::Of<'gc>);
    [A, B, C] (A, B, C), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>);
    [A, B, C, D] (A, B, C, D), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>);
    [A, B, C, D, E] (A, B, C, D, E), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>, E::Of<'gc>);
    [A, B, C, D, E, F] (A, B, C, D, E, F), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>, E::Of<'gc>, F::Of<'gc>);
}

// SAFETY: as above.
unsafe impl<T: Twin, const N: usize> Twin for [T; N] {
    type Of<'gc> = [T::Of<'gc>; N];
}
// SAFETY: as above; keys and what hashes them have no brand.
unsafe impl<K: Send + 'static, V: Twin, S: Send + 'static> Twin
    for std::collections::HashMap<K, V, S>
{
    type Of<'gc> = std::collections::HashMap<K, V::Of<'gc>, S>;
}
// SAFETY: as above.
unsafe impl<K: Send + 'static, V: Twin> Twin for std::collections::BTreeMap<K, V> {
    type Of<'gc> = std::collections::BTreeMap<K, V::Of<'gc>>;
}
