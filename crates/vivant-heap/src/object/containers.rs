//! Containers of `std`: each has an erased form, is sendable, and is frozen if its parts are.

use super::erased::Erased;
use super::frozen::FrozenParts;
use super::sendable::Sendable;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::marker::PhantomData;

/// Emits the impls of containers, each with its type in a turn.
macro_rules! containers {
    ($([$($part:ident),*] $whole:ty, $of:ty, $erased:ty;)*) => {$(
        // SAFETY: the container consists of its parts.
        unsafe impl<$($part: Erased),*> Erased for $whole {
            type Of<'gc> = $of;
            type Static = $erased;
        }
        // SAFETY: the container consists of its parts.
        unsafe impl<'gc, $($part: Sendable<'gc>),*> Sendable<'gc> for $whole {}
        // SAFETY: the container consists of its parts.
        unsafe impl<'gc, $($part: FrozenParts<'gc>),*> FrozenParts<'gc> for $whole {}
    )*};
}

containers! {
    [T] Option<T>, Option<T::Of<'gc>>, Option<T::Static>;
    [T] Vec<T>, Vec<T::Of<'gc>>, Vec<T::Static>;
    [T] Box<[T]>, Box<[T::Of<'gc>]>, Box<[T::Static]>;
    [T] Box<T>, Box<T::Of<'gc>>, Box<T::Static>;
    [T] VecDeque<T>, VecDeque<T::Of<'gc>>, VecDeque<T::Static>;
    [T, E] Result<T, E>, Result<T::Of<'gc>, E::Of<'gc>>, Result<T::Static, E::Static>;
    [A] (A,), (A::Of<'gc>,), (A::Static,);
    [A, B] (A, B), (A::Of<'gc>, B::Of<'gc>), (A::Static, B::Static);
    [A, B, C] (A, B, C), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>), (A::Static, B::Static, C::Static);
    [A, B, C, D] (A, B, C, D), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>), (A::Static, B::Static, C::Static, D::Static);
    [A, B, C, D, E] (A, B, C, D, E), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>, E::Of<'gc>), (A::Static, B::Static, C::Static, D::Static, E::Static);
    [A, B, C, D, E, F] (A, B, C, D, E, F), (A::Of<'gc>, B::Of<'gc>, C::Of<'gc>, D::Of<'gc>, E::Of<'gc>, F::Of<'gc>), (A::Static, B::Static, C::Static, D::Static, E::Static, F::Static);
}

// SAFETY: an array consists of its elements.
unsafe impl<T: Erased, const N: usize> Erased for [T; N] {
    type Of<'gc> = [T::Of<'gc>; N];
    type Static = [T::Static; N];
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
    ($([$($hasher:ident)?] $whole:ty, $of:ty, $erased:ty;)*) => {$(
        // SAFETY: of its parts only the values have a brand.
        unsafe impl<K: Send + 'static, V: Erased, $($hasher: Send + 'static)?> Erased for $whole {
            type Of<'gc> = $of;
            type Static = $erased;
        }
        // SAFETY: of its parts only the values have a brand.
        unsafe impl<'gc, K: Send + 'static, V: Sendable<'gc>, $($hasher: Send + 'static)?> Sendable<'gc> for $whole {}
        // SAFETY: of its parts only the values have a brand; keys and hashers are `Sync`.
        unsafe impl<'gc, K: Send + Sync + 'static, V: FrozenParts<'gc>, $($hasher: Send + Sync + 'static)?> FrozenParts<'gc> for $whole {}
    )*};
}

maps! {
    [S] HashMap<K, V, S>, HashMap<K, V::Of<'gc>, S>, HashMap<K, V::Static, S>;
    [] BTreeMap<K, V>, BTreeMap<K, V::Of<'gc>>, BTreeMap<K, V::Static>;
}
