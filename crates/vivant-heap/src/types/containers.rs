//! Containers of `std`: each has an erased form, is sendable, and is frozen if its parts are.

use super::frozen::FrozenParts;
use super::sendable::Sendable;
use super::twin::Twin;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::marker::PhantomData;

/// Emits the impls of containers, each with what it is in a turn.
macro_rules! containers {
    ($([$($part:ident),*] $whole:ty, $of:ty;)*) => {$(
        // SAFETY: the parts are all of it.
        unsafe impl<$($part: Twin),*> Twin for $whole {
            type Of<'gc> = $of;
        }
        // SAFETY: as above.
        unsafe impl<'gc, $($part: Sendable<'gc>),*> Sendable<'gc> for $whole {}
        // SAFETY: as above.
        unsafe impl<'gc, $($part: FrozenParts<'gc>),*> FrozenParts<'gc> for $whole {}
    )*};
}

containers! {
    [T] Option<T>, Option<T::Of<'gc>>;
    [T] Vec<T>, Vec<T::Of<'gc>>;
    [T] Box<[T]>, Box<[T::Of<'gc>]>;
    [T] Box<T>, Box<T::Of<'gc>>;
    [T] VecDeque<T>, VecDeque<T::Of<'gc>>;
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
// SAFETY: as above.
unsafe impl<'gc, T: Sendable<'gc>, const N: usize> Sendable<'gc> for [T; N] {}
// SAFETY: as above.
unsafe impl<'gc, T: FrozenParts<'gc>, const N: usize> FrozenParts<'gc> for [T; N] {}

// SAFETY: there is no value.
unsafe impl<'gc, T: Sendable<'gc>> Sendable<'gc> for PhantomData<T> {}
// SAFETY: as above.
unsafe impl<'gc, T: FrozenParts<'gc>> FrozenParts<'gc> for PhantomData<T> {}

/// As `containers!`, for maps: keys, and what hashes them, have no brand.
macro_rules! maps {
    ($([$($hasher:ident)?] $whole:ty, $of:ty;)*) => {$(
        // SAFETY: the values are all of it that has a brand.
        unsafe impl<K: Send + 'static, V: Twin, $($hasher: Send + 'static)?> Twin for $whole {
            type Of<'gc> = $of;
        }
        // SAFETY: as above.
        unsafe impl<'gc, K: Send + 'static, V: Sendable<'gc>, $($hasher: Send + 'static)?> Sendable<'gc> for $whole {}
        // SAFETY: as above; keys, and what hashes them, are `Sync`.
        unsafe impl<'gc, K: Send + Sync + 'static, V: FrozenParts<'gc>, $($hasher: Send + Sync + 'static)?> FrozenParts<'gc> for $whole {}
    )*};
}

maps! {
    [S] HashMap<K, V, S>, HashMap<K, V::Of<'gc>, S>;
    [] BTreeMap<K, V>, BTreeMap<K, V::Of<'gc>>;
}
