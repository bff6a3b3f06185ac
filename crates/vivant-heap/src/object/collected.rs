//! [`Collected`]: what a reference can refer to, values of unknown size included.

use super::object_trait::Object;

/// What a [`Gc`](crate::Gc) can refer to: any [`Object`], a slice of objects, a string, and trait
/// objects declared by [`collected!`](crate::collected).
///
/// # Safety
///
/// `Static` is the same type with its brand replaced by `'static`, and no other type of this brand
/// has the same `Static`.
#[diagnostic::on_unimplemented(
    message = "a `Gc` of this turn cannot refer to `{Self}`",
    label = "not in a collected heap",
    note = "own types: `#[derive(Object)]`; own traits: `vivant_heap::collected!(dyn Trait)`, once, beside the trait"
)]
pub unsafe trait Collected<'gc>: 'gc {
    /// The erased form: the same type outside turns.
    type Static: ?Sized + 'static;
}

// SAFETY: by `Object`.
unsafe impl<'gc, T: Object<'gc>> Collected<'gc> for T {
    type Static = T::Static;
}

// SAFETY: by the contract of its elements.
unsafe impl<'gc, T: Object<'gc>> Collected<'gc> for [T] {
    type Static = [T::Static];
}

// SAFETY: there is no brand in it.
unsafe impl<'gc> Collected<'gc> for str {
    type Static = str;
}

/// Declares that objects can be referred to as this trait: `Gc<'gc, dyn Trait>` can be a field, and
/// [`unsize!`](crate::unsize) makes one.
///
/// It is written once, beside the trait. If the trait has a brand, the brand is named first.
///
/// ```
/// use vivant_heap::{Gc, Object, collected};
///
/// trait Shape {
///     fn area(&self) -> f64;
/// }
/// collected!(dyn Shape);
///
/// trait Rule<'gc> {
///     fn next(&self) -> Option<Gc<'gc, dyn Rule<'gc>>>;
/// }
/// collected!('gc => dyn Rule<'gc>);
///
/// #[derive(Object)]
/// struct Drawing<'gc> {
///     shapes: Vec<Gc<'gc, dyn Shape>>,
///     first: Option<Gc<'gc, dyn Rule<'gc>>>,
/// }
/// ```
#[macro_export]
macro_rules! collected {
    (dyn $trait:path) => {
        $crate::collected!('gc => dyn $trait);
    };
    ($brand:lifetime => dyn $trait:path) => {
        const _: () = {
            type Of<$brand> = dyn $trait + $brand;
            // SAFETY: one alias with two brands.
            #[automatically_derived]
            unsafe impl<$brand> $crate::Collected<$brand> for Of<$brand> {
                type Static = Of<'static>;
            }
        };
    };
}

/// The trait of all types: `Gc<'gc, dyn Anything>` refers to an object of a type that only
/// [`Gc::downcast`](crate::Gc::downcast) finds out.
pub trait Anything {}

impl<T> Anything for T {}

collected!(dyn Anything);
collected!(dyn std::fmt::Debug);
collected!(dyn std::fmt::Display);
