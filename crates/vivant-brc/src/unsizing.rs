//! [`unsize!`](crate::unsize): what the compiler does for `Arc` by itself.

use crate::{Brc, Weak};
use std::marker::PhantomData;
use std::pin::Pin;

/// Makes a reference to a value of known size one to a slice or a trait object, as the compiler
/// does for `Arc` by itself.
///
/// It takes a [`Brc`], a [`Weak`] or a pinned `Brc`, and the type that the value is to be seen as.
/// The object stays the same; it costs nothing.
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
/// The compiler checks that there is such a coercion:
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
/// And no shorter life comes in by this way, as it would by covariance:
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
        // SAFETY: the compiler has coerced the pointer to its value, and has changed nothing else
        // of it: a coercion from one mutable pointer to another unsizes, or does nothing.
        unsafe { coercion.end(pointer) }
    }};
}

mod closed {
    pub trait Counted {}
}

/// What [`unsize!`](crate::unsize) can be given. For the macro alone.
pub trait Counted: closed::Counted + Sized {
    /// The value that it refers to.
    type Value: ?Sized;
    /// The same kind of reference to another one.
    type To<U: ?Sized>;

    /// The reference as a pointer. Mutable, because such a one is invariant: it can be unsized, and
    /// nothing else.
    fn begin(self) -> (Coercion<Self>, *mut Self::Value);

    /// # Safety
    ///
    /// `pointer` is what [`Counted::begin`] has given, unsized.
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Self::To<U>;
}

/// A coercion that has begun. For the macro alone.
#[derive(Debug)]
pub struct Coercion<P>(PhantomData<P>);

impl<P: Counted> Coercion<P> {
    /// # Safety
    ///
    /// As for [`Counted::end`], for the pointer that came with this.
    #[inline]
    pub unsafe fn end<U: ?Sized>(self, pointer: *mut U) -> P::To<U> {
        // SAFETY: the caller's.
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
        // SAFETY: out of `into_raw`, and still a pointer to the same value.
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
        // SAFETY: as above.
        unsafe { Weak::from_raw(pointer) }
    }
}

impl<T: ?Sized> Counted for Pin<Brc<T>> {
    type Value = T;
    type To<U: ?Sized> = Pin<Brc<U>>;

    #[inline]
    fn begin(self) -> (Coercion<Self>, *mut T) {
        // SAFETY: it is pinned again in `end`; the pointer in between moves nothing.
        let brc = unsafe { Pin::into_inner_unchecked(self) };
        (Coercion(PhantomData), Brc::into_raw(brc).cast_mut())
    }

    #[inline]
    unsafe fn end<U: ?Sized>(pointer: *mut U) -> Pin<Brc<U>> {
        // SAFETY: as above; the value was pinned.
        unsafe { Pin::new_unchecked(Brc::from_raw(pointer)) }
    }
}
