//! [`Freeze`]: the frozen form of a private graph, which is never written again (Y6).

use super::ice::Ice;
use super::mutable::Mut;
use super::val::Val;
use crate::object::collected::Collected;
use crate::object::frozen::Frozen;
use crate::object::gc::Gc;
use crate::object::object_trait::Object;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Types that can be frozen: [`Iso::freeze`](crate::Iso::freeze) makes a graph of such types deeply
/// immutable in place, and returns a [`Val`].
///
/// | in the region | frozen | read as |
/// |---|---|---|
/// | `Gc<'gc, T>` | `Val<'gc, T::Frozen>` | the same |
/// | `Mut<T>` | [`Ice<Mut<T>>`](Ice) | what `T` is read as |
/// | a `Node<'gc>` with `#[derive(Freeze)]` | `Ice<Node<'gc>>` | `FrozenNode`: the same fields, each as it is read |
/// | a number, a [`Val`] | itself | itself, by value |
/// | a `String`, a type without lifetime and parameters | itself | itself, by reference |
/// | `Option<T>`, a tuple, `Result<T, E>` | `Ice` of it | the same container of what its parts are read as |
/// | `Vec<T>`, `[T; N]`, `Box<[T]>` | `Ice` of it | `&[T::Frozen]` |
/// | `HashMap<K, V>`, `BTreeMap<K, V>`, a collection of `gc` | `Ice` of it | `&Ice` of it, which has `get` and `iter` |
///
/// `#[derive(Freeze)]` beside `#[derive(Object)]` implements it for types with a lifetime or type
/// parameters; types without are frozen as they are. [`Weak`](crate::Weak), [`Iso`](crate::Iso),
/// trait objects, and types that are not `Sync` have no frozen form.
///
/// ```
/// use std::sync::Arc;
/// use vivant_heap::{Freeze, Gc, Heap, Ice, Iso, Mut, Object, Pacing, Root, PageSource, Val};
///
/// #[derive(Object, Freeze)]
/// struct Node<'gc> {
///     value: u64,
///     next: Option<Gc<'gc, Mut<Node<'gc>>>>,
/// }
///
/// struct Published;
/// impl Root for Published {
///     type Of<'gc> = Option<Val<'gc, Ice<Node<'gc>>>>;
/// }
///
/// let source = Arc::new(PageSource::new());
/// let list = Iso::<Node<'static>>::new(&source, |r| {
///     let last = r.alloc(Mut::new(Node { value: 1, next: None }));
///     Node { value: 2, next: Some(last) }
/// });
/// let mut heap = Heap::<Published>::new(&source, Pacing::default(), |_| None);
/// heap.turn(|m, published| *published = Some(list.freeze(m)));
/// heap.collect();
/// heap.turn(|_, published| {
///     let first = published.unwrap().read();
///     assert_eq!(first.value + first.next.unwrap().read().value, 3);
/// });
/// ```
///
/// # Safety
///
/// - `Frozen` has the layout of this type, and each value of this type is a valid `Frozen` once it
///   is never written again.
/// - `view` only reads, and returns only what several threads may read at once: parts by their own
///   `view`, and leaves that are `Sync`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be frozen",
    label = "what is like this may change, or is not for many threads",
    note = "own types: `#[derive(Freeze)]` beside `#[derive(Object)]`; leaves, and keys of maps, have to be `Sync` and `'static`. \
            `Weak`, `Iso` and `dyn Trait` have no frozen form: take them out before, or use `Gc` in place of `Weak`, an enum in place of a trait"
)]
pub unsafe trait Freeze<'gc>: Object<'gc> {
    /// The type of a frozen value of this type.
    type Frozen: Frozen<'gc>;
    /// What a frozen value is read as, for `'a`.
    type View<'a>: Copy
    where
        Self: 'a,
        'gc: 'a;

    /// # Safety
    ///
    /// The value is part of a frozen object.
    #[doc(hidden)]
    unsafe fn view<'a>(&'a self) -> Self::View<'a>
    where
        'gc: 'a;

    /// Checks that `Frozen` is the type that the derive states. The derive calls a function of this
    /// trait, so the check is right whatever path the derive was given for this crate, and whatever
    /// `core` is in scope. The same holds for the functions below.
    #[doc(hidden)]
    #[inline]
    fn __ice(_: *const Ice<Self>)
    where
        Self: Sized,
    {
    }

    /// Checks that a field still has the type that the derive has read. It takes a pointer, because
    /// a reference to something that derefs to this type would be accepted too.
    #[doc(hidden)]
    #[inline]
    fn __field<T>(_: *const T) {}

    /// Checks a field that is marked as a leaf: it has no brand, and is `Send` and `Sync`.
    #[doc(hidden)]
    #[inline]
    fn __leaf<T: Send + Sync + 'static>(_: *const T) {}
}

/// The referent of a [`Gc`] that can be frozen: [`Freeze`] for types of any size.
///
/// # Safety
///
/// As for [`Freeze`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be frozen",
    label = "what is like this may change, or is not for many threads",
    note = "own types: `#[derive(Freeze)]` beside `#[derive(Object)]`; leaves, and keys of maps, have to be `Sync` and `'static`. \
            `Weak`, `Iso` and `dyn Trait` have no frozen form: take them out before, or use `Gc` in place of `Weak`, an enum in place of a trait"
)]
pub unsafe trait FreezeOf<'gc>: Collected<'gc> {
    /// The type of the frozen value.
    type Frozen: ?Sized + Collected<'gc>;

    /// Returns the same address, as a pointer to the frozen type.
    #[doc(hidden)]
    fn frozen(value: NonNull<Self>) -> NonNull<Self::Frozen>;
}

/// Asserts at compile time that both types have the same size and alignment.
struct Same<T, U>(PhantomData<(T, U)>);

impl<T, U> Same<T, U> {
    const LAYOUT: () =
        assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>());
}

/// # Safety
///
/// The values are part of a frozen object.
unsafe fn slice<'a, 'gc: 'a, T: Freeze<'gc>>(values: &'a [T]) -> &'a [T::Frozen] {
    let () = Same::<T, T::Frozen>::LAYOUT;
    let frozen = <[T] as FreezeOf<'gc>>::frozen(NonNull::from(values));
    // SAFETY: frozen, and of the same layout, by the contract of `Freeze`.
    unsafe { frozen.as_ref() }
}

// SAFETY: by `Freeze`.
unsafe impl<'gc, T: Freeze<'gc>> FreezeOf<'gc> for T {
    type Frozen = T::Frozen;
    #[inline]
    fn frozen(value: NonNull<Self>) -> NonNull<T::Frozen> {
        let () = Same::<T, T::Frozen>::LAYOUT;
        value.cast()
    }
}
// SAFETY: a string has nothing mutable in it.
unsafe impl<'gc> FreezeOf<'gc> for str {
    type Frozen = str;
    #[inline]
    fn frozen(value: NonNull<str>) -> NonNull<str> {
        value
    }
}
// SAFETY: by the contract of its elements.
unsafe impl<'gc, T: Freeze<'gc>> FreezeOf<'gc> for [T] {
    type Frozen = [T::Frozen];
    #[inline]
    fn frozen(value: NonNull<[T]>) -> NonNull<[T::Frozen]> {
        let () = Same::<T, T::Frozen>::LAYOUT;
        NonNull::slice_from_raw_parts(value.cast(), value.len())
    }
}

/// Types that are frozen as they are, and are read by reference.
macro_rules! as_they_are {
    ($([$($parameters:tt)*] $whole:ty;)*) => {$(
        // SAFETY: `Frozen` is the type itself, which may lie in a shared object already.
        unsafe impl<'gc, $($parameters)*> Freeze<'gc> for $whole
        where
            $whole: Frozen<'gc>,
        {
            type Frozen = Self;
            type View<'a> = &'a Self where Self: 'a, 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a self) -> &'a Self
            where
                'gc: 'a,
            {
                self
            }
        }
    )*};
}
pub(super) use as_they_are;

// SAFETY: it is frozen already.
unsafe impl<'gc, T: ?Sized + Collected<'gc>> Freeze<'gc> for Val<'gc, T> {
    type Frozen = Self;
    type View<'a>
        = Self
    where
        Self: 'a,
        'gc: 'a;
    #[inline]
    unsafe fn view<'a>(&'a self) -> Self
    where
        'gc: 'a,
    {
        *self
    }
}

// SAFETY: both are one pointer, to the same address. The object there is part of the frozen graph
// too, so its heap owns it and it is never written.
unsafe impl<'gc, T: ?Sized + FreezeOf<'gc>> Freeze<'gc> for Gc<'gc, T> {
    type Frozen = Val<'gc, T::Frozen>;
    type View<'a>
        = Val<'gc, T::Frozen>
    where
        Self: 'a,
        'gc: 'a;
    #[inline]
    unsafe fn view<'a>(&'a self) -> Val<'gc, T::Frozen>
    where
        'gc: 'a,
    {
        // SAFETY: guaranteed by the caller: what a frozen object refers to is frozen.
        unsafe { Val::at(T::frozen(Gc::pointer(*self))) }
    }
}

// SAFETY: it is never written again, by the contract of `view`.
unsafe impl<'gc, T: Freeze<'gc>> Freeze<'gc> for Mut<T> {
    type Frozen = Ice<Self>;
    type View<'a>
        = T::View<'a>
    where
        Self: 'a,
        'gc: 'a;
    #[inline]
    unsafe fn view<'a>(&'a self) -> T::View<'a>
    where
        'gc: 'a,
    {
        // SAFETY: it is never written again, by the contract of `view`. The flag is not accessed.
        unsafe { self.frozen().view() }
    }
}

/// Types that are read as their parts are.
macro_rules! by_parts {
    ($([$($parameter:ident),*] $whole:ty, $view:ty, $self:ident => $parts:expr;)*) => {$(
        // SAFETY: the value consists of its parts.
        unsafe impl<'gc, $($parameter: Freeze<'gc>),*> Freeze<'gc> for $whole {
            type Frozen = Ice<Self>;
            type View<'a> = $view where Self: 'a, 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a $self) -> Self::View<'a>
            where
                'gc: 'a,
            {
                // SAFETY: guaranteed by the caller: these are parts of a frozen value.
                unsafe { $parts }
            }
        }
    )*};
}

by_parts! {
    [T] Option<T>, Option<T::View<'a>>, self => self.as_ref().map(|part| part.view());
    [T] Box<T>, T::View<'a>, self => (**self).view();
    [T] Vec<T>, &'a [T::Frozen], self => slice(self);
    [T] Box<[T]>, &'a [T::Frozen], self => slice(self);
    [T] VecDeque<T>, (&'a [T::Frozen], &'a [T::Frozen]), self => {
        let (first, second) = self.as_slices();
        (slice(first), slice(second))
    };
    [T, E] Result<T, E>, Result<T::View<'a>, E::View<'a>>, self => match self {
        Ok(value) => Ok(value.view()),
        Err(error) => Err(error.view()),
    };
    [A] (A,), (A::View<'a>,), self => (self.0.view(),);
    [A, B] (A, B), (A::View<'a>, B::View<'a>), self => (self.0.view(), self.1.view());
    [A, B, C] (A, B, C), (A::View<'a>, B::View<'a>, C::View<'a>), self => (self.0.view(), self.1.view(), self.2.view());
    [A, B, C, D] (A, B, C, D), (A::View<'a>, B::View<'a>, C::View<'a>, D::View<'a>), self =>
        (self.0.view(), self.1.view(), self.2.view(), self.3.view());
}

// SAFETY: an array consists of its elements.
unsafe impl<'gc, T: Freeze<'gc>, const N: usize> Freeze<'gc> for [T; N] {
    type Frozen = Ice<Self>;
    type View<'a>
        = &'a [T::Frozen]
    where
        Self: 'a,
        'gc: 'a;
    #[inline]
    unsafe fn view<'a>(&'a self) -> &'a [T::Frozen]
    where
        'gc: 'a,
    {
        // SAFETY: guaranteed by the caller.
        unsafe { slice(self) }
    }
}
// SAFETY: it contains no value.
unsafe impl<'gc, T: Object<'gc>> Freeze<'gc> for PhantomData<T> {
    type Frozen = Ice<Self>;
    type View<'a>
        = ()
    where
        Self: 'a,
        'gc: 'a;
    #[inline]
    unsafe fn view<'a>(&'a self)
    where
        'gc: 'a,
    {
    }
}
/// Maps that are read in place, through an [`Ice`].
macro_rules! in_place {
    ($([$($bounds:tt)*] $whole:ty;)*) => {$(
        // SAFETY: reading a collection writes nothing in it. Keys and hashers have no brand and are
        // `Sync`; `Ice` gives elements and values as their frozen types.
        unsafe impl<'gc, $($bounds)*> Freeze<'gc> for $whole {
            type Frozen = Ice<Self>;
            type View<'a> = &'a Ice<Self> where Self: 'a, 'gc: 'a;
            #[inline]
            unsafe fn view<'a>(&'a self) -> &'a Ice<Self>
            where
                'gc: 'a,
            {
                // SAFETY: guaranteed by the caller.
                unsafe { Ice::of(self) }
            }
        }
    )*};
}
in_place! {
    [K: Send + Sync + 'static, V: Freeze<'gc>, S: Send + Sync + 'static] HashMap<K, V, S>;
    [K: Send + Sync + 'static, V: Freeze<'gc>] BTreeMap<K, V>;
}
