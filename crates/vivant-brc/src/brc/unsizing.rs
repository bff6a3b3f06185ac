//! [`unsize!`](crate::unsize): the unsizing coercion that the compiler does for `Arc` by itself.

use super::{Brc, Weak};
use std::marker::PhantomData;
use std::pin::Pin;

/// Coerces a reference to a sized value into a reference to a slice or a trait object, as the
/// compiler does for `Arc` by itself.
///
/// It takes a [`Brc`], a [`Weak`] or a pinned `Brc`, and the unsized type of the value. The object
/// stays the same; the coercion costs nothing at run time.
///
/// ```
/// use std::fmt::Debug;
/// use vivant_brc::{Brc, Weak, unsize};
///
/// let number = Brc::new(5);
/// let weak: Weak<dyn Debug + Send + Sync> = unsize!(Brc::downgrade(&number) => dyn Debug + Send + Sync);
/// let shown: Brc<dyn Debug> = unsize!(number => dyn Debug);
/// assert_eq!(format!("{shown:?}, {:?}", weak.upgrade()), "5, Some(5)");
/// ```
///
/// The compiler checks that the coercion exists:
///
/// ```compile_fail,E0277
/// # use vivant_brc::{Brc, unsize};
/// struct Silent;
/// let shown = unsize!(Brc::new(Silent) => dyn std::fmt::Debug);
/// ```
///
/// ```compile_fail,E0308
/// # use vivant_brc::{Brc, unsize};
/// let other = unsize!(Brc::new(5_u32) => i32);
/// ```
///
/// The macro cannot shorten a lifetime, as covariance would:
///
/// ```compile_fail
/// # use vivant_brc::{Brc, unsize};
/// trait Keeps<'a> {
///     fn keep(&mut self, text: &'a str);
/// }
/// impl<'a> Keeps<'a> for &'a str {
///     fn keep(&mut self, text: &'a str) {
///         *self = text;
///     }
/// }
/// fn short<'a>(brc: Brc<&'static str>, _: &'a str) -> Brc<dyn Keeps<'a> + 'a> {
///     unsize!(brc => dyn Keeps<'a> + 'a)
/// }
/// ```
#[macro_export]
macro_rules! unsize {
    ($reference:expr => $to:ty) => {{
        let (coercion, pointer) = $crate::unsizing::Counted::begin($reference);
        let pointer: *mut $to = pointer;
        // SAFETY: the compiler has coerced the pointer to the value, and has changed nothing else
        // of it: a coercion between mutable pointers either unsizes or does nothing.
        unsafe { coercion.end(pointer) }
    }};
}

mod closed {
    pub trait Counted {}
}

/// A reference that [`unsize!`](crate::unsize) accepts. For the macro alone.
pub trait Counted: closed::Counted + Sized {
    /// The value that it refers to.
    type Value: ?Sized;
    /// The same kind of reference to another value type.
    type To<U: ?Sized>;

    /// Turns the reference into a pointer. The pointer is mutable, hence invariant: a coercion can
    /// unsize it and nothing else.
    fn begin(self) -> (Coercion<Self>, *mut Self::Value);

    /// # Safety
    ///
    /// `pointer` is the result of [`Counted::begin`], unsized.
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Self::To<U>;
}

/// A coercion in progress. For the macro alone.
#[derive(Debug)]
pub struct Coercion<P>(PhantomData<P>);

impl<P: Counted> Coercion<P> {
    /// # Safety
    ///
    /// As for [`Counted::end`], for the pointer that [`Counted::begin`] returned together with
    /// this.
    #[inline]
    pub unsafe fn end<U: ?Sized>(self, pointer: *mut U) -> P::To<U> {
        // SAFETY: the caller guarantees that `pointer` came with this coercion, unsized.
        unsafe { P::end(pointer) }
    }
}

impl<T: ?Sized> closed::Counted for Brc<T> {}
impl<T: ?Sized> closed::Counted for Weak<T> {}
impl<T: ?Sized> closed::Counted for Pin<Brc<T>> {}

impl<T: ?Sized> Counted for Brc<T> {
    type Value = T;
    type To<U: ?Sized> = Brc<U>;

    #[inline]
    fn begin(self) -> (Coercion<Self>, *mut T) {
        (Coercion(PhantomData), Brc::into_raw(self).cast_mut())
    }

    #[inline]
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Brc<U> {
        // SAFETY: the pointer came from `into_raw`, and still points to the same value.
        unsafe { Brc::from_raw(pointer) }
    }
}

impl<T: ?Sized> Counted for Weak<T> {
    type Value = T;
    type To<U: ?Sized> = Weak<U>;

    #[inline]
    fn begin(self) -> (Coercion<Self>, *mut T) {
        (Coercion(PhantomData), self.into_raw().cast_mut())
    }

    #[inline]
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Weak<U> {
        // SAFETY: the pointer came from `into_raw`, and still points to the same value.
        unsafe { Weak::from_raw(pointer) }
    }
}

impl<T: ?Sized> Counted for Pin<Brc<T>> {
    type Value = T;
    type To<U: ?Sized> = Pin<Brc<U>>;

    #[inline]
    fn begin(self) -> (Coercion<Self>, *mut T) {
        // SAFETY: the reference is pinned again in `end`; the pointer in between moves nothing.
        let brc = unsafe { Pin::into_inner_unchecked(self) };
        (Coercion(PhantomData), Brc::into_raw(brc).cast_mut())
    }

    #[inline]
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Pin<Brc<U>> {
        // SAFETY: the pointer came from `into_raw`, still points to the same value, and that value
        // was pinned.
        unsafe { Pin::new_unchecked(Brc::from_raw(pointer)) }
    }
}
