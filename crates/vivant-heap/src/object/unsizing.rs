//! [`unsize!`](crate::unsize): unsizing coercion of a `Gc`, as the compiler does it for `Arc`.

use super::collected::Collected;
use super::gc::{Brand, Gc};
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Coerces a reference to an object of known size to a reference to a trait object, or a reference
/// to an array to a reference to a slice.
///
/// The object stays the same, and the way back is [`Gc::downcast`]. The trait is declared by
/// [`collected!`](crate::collected).
///
/// ```
/// use vivant_heap::{Gc, Heap, Object, Pacing, Root, PageSource, collected, unsize};
///
/// trait Shape {
///     fn area(&self) -> f64;
/// }
/// collected!(dyn Shape);
///
/// #[derive(Object)]
/// struct Square(f64);
/// impl Shape for Square {
///     fn area(&self) -> f64 {
///         self.0 * self.0
///     }
/// }
///
/// struct Drawing;
/// impl Root for Drawing {
///     type Of<'gc> = Gc<'gc, dyn Shape>;
/// }
///
/// let source = std::sync::Arc::new(PageSource::new());
/// let mut heap = Heap::<Drawing>::new(&source, Pacing::default(), |m| unsize!(m.alloc(Square(2.0)) => dyn Shape));
/// heap.collect();
/// heap.turn(|_, shape| {
///     assert_eq!(shape.area(), 4.0);
///     assert!(Gc::downcast::<Square>(*shape).is_some());
/// });
/// ```
///
/// The compiler checks that there is such a coercion:
///
/// ```compile_fail,E0277
/// # use vivant_heap::{Gc, Mutator, unsize};
/// struct Silent;
/// fn shown<'gc>(silent: Gc<'gc, u64>) -> Gc<'gc, [u64]> {
///     unsize!(silent => dyn Iterator<Item = u64>)
/// }
/// ```
///
/// ```compile_fail,E0308
/// # use vivant_heap::{Gc, unsize};
/// fn other<'gc>(number: Gc<'gc, u32>) -> Gc<'gc, i32> {
///     unsize!(number => i32)
/// }
/// ```
#[macro_export]
macro_rules! unsize {
    ($gc:expr => $to:ty) => {{
        let (coercion, pointer) = $crate::unsizing::Coercion::begin($gc);
        let pointer: *mut $to = pointer;
        // SAFETY: the compiler has coerced the pointer to the object and changed nothing else of
        // it: a coercion from one mutable pointer to another unsizes, or does nothing.
        unsafe { coercion.end(pointer) }
    }};
}

/// A coercion that has begun. For the macro alone.
pub struct Coercion<'gc>(Brand<'gc>);

impl<'gc> Coercion<'gc> {
    /// The reference as a pointer. It is mutable, because mutable pointers are invariant: the only
    /// possible coercion is unsizing.
    #[inline]
    pub fn begin<T: ?Sized + Collected<'gc>>(gc: Gc<'gc, T>) -> (Coercion<'gc>, *mut T) {
        (Coercion(PhantomData), Gc::pointer(gc).as_ptr())
    }

    /// # Safety
    ///
    /// `pointer` is the pointer that `begin` returned with this value, unsized.
    #[inline]
    pub unsafe fn end<U: ?Sized + Collected<'gc>>(self, pointer: *mut U) -> Gc<'gc, U> {
        // SAFETY: guaranteed by the caller: it points to the same object.
        unsafe { Gc::at(NonNull::new_unchecked(pointer)) }
    }
}

impl fmt::Debug for Coercion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coercion").finish_non_exhaustive()
    }
}
