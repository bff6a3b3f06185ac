//! Containers of `std`: each has an erased form, is sendable, and is frozen if its parts are.

use super::erased::Erased;
use super::frozen::FrozenParts;
use super::sendable::Sendable;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::marker::PhantomData;

/// Emits the impls of containers, each with its type in a turn.
macro_rules! containers {
    ($([$($part:ident),*] $whole:ty, $of:ty;)*) => {$(
        // SAFETY: the container consists of its parts.
        unsafe impl<$($part: Erased),*> Erased for $whole {
            type Of<'gc> = $of;
        }
        // SAFETY: the container consists of its parts.
        unsafe impl<'gc, $($part: Sendable<'gc>),*> Sendable<'gc> for $whole {}
        // SAFETY: the container consists of its parts.
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

// SAFETY: an array consists of its elements.
unsafe impl<T: Erased, const N: usize> Erased for [T; N] {
    type Of<'gc> = [T::Of<'gc>; N];
}
// SAFETY: an array consists of its elements.
unsafe impl<'gc, T: Sendable<'gc>, const N: usize> Sendable<'gc> for [T; N] {}
// SAFETY: an array consists of its elements.
unsafe impl<'gc, T: FrozenParts<'gc>, const N: usize> FrozenParts<'gc> for [T; N] {}

// SAFETY: it contains no value.
unsafe impl<'gc, T: Sendable<'gc>> Sendable<'gc> for PhantomData<T> {}
// SAFETY: it contains no value.
unsafe impl<'gc, T: FrozenParts<'gc>> FrozenParts<'gc> for PhantomData<T> {}

/// As `containers!`, for maps: keys and hashers have no brand.
macro_rules! maps {
    ($([$($hasher:ident)?] $whole:ty, $of:ty;)*) => {$(
        // SAFETY: of its parts only the values have a brand.
        unsafe impl<K: Send + 'static, V: Erased, $($hasher: Send + 'static)?> Erased for $whole {
            type Of<'gc> = $of;
        }
        // SAFETY: of its parts only the values have a brand.
        unsafe impl<'gc, K: Send + 'static, V: Sendable<'gc>, $($hasher: Send + 'static)?> Sendable<'gc> for $whole {}
        // SAFETY: of its parts only the values have a brand; keys and hashers are `Sync`.
        unsafe impl<'gc, K: Send + Sync + 'static, V: FrozenParts<'gc>, $($hasher: Send + Sync + 'static)?> FrozenParts<'gc> for $whole {}
    )*};
}

maps! {
    [S] HashMap<K, V, S>, HashMap<K, V::Of<'gc>, S>;
    [] BTreeMap<K, V>, BTreeMap<K, V::Of<'gc>>;
}
