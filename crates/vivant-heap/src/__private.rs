//! Functions for the macros' expansions, and for the runtime.

pub use crate::group::components::strongly_connected;
pub use crate::share::parcel::TurnHeap;
pub use crate::trampoline::{drop_by_trampoline, separate_drops};

use crate::Tracer;
use std::marker::PhantomData;

/// Compile-time checks of the derive. They are methods of the tracer, because `Object` names that
/// type, whatever path the derive was given for this crate.
impl Tracer<'_> {
    /// Checks a field that is marked as a leaf: it has no brand, and may go to another thread.
    /// It takes a pointer, as `__field` does.
    #[doc(hidden)]
    #[inline]
    pub fn __leaf<T: Send + 'static>(&mut self, _: *const T) {}

    /// Checks that a field still has the type that the derive has read. It takes a pointer: a
    /// reference would also accept a type that derefs to this one, and the other contents of such a
    /// type would not be traced.
    #[doc(hidden)]
    #[inline]
    pub fn __field<T>(&mut self, _: *const T) {}

    /// Queries whether a type has a destructor of its own.
    #[doc(hidden)]
    pub fn __destructor<T>(&mut self) -> Destructor<T> {
        Destructor(PhantomData)
    }

    /// Accepts the result of the query, if there is no destructor.
    #[doc(hidden)]
    pub fn __allowed<T: NoDestructor>(&mut self, _: T) {}
}

/// A query whether a type has a destructor of its own: [`Destructor::of`] resolves to another
/// function if it has none.
#[derive(Debug)]
pub struct Destructor<T>(PhantomData<T>);

#[allow(drop_bounds, reason = "this is the question")]
impl<T: Drop> Destructor<T> {
    /// The type has a destructor.
    pub fn of(self) -> Written<T> {
        Written(PhantomData)
    }
}

/// The fallback of the query: found if the inherent function does not exist.
pub trait Otherwise: Sized {
    /// The type has no destructor.
    fn of(self) -> Missing {
        Missing
    }
}

impl<T> Otherwise for Destructor<T> {}

/// The result for a type with a destructor.
#[derive(Debug)]
pub struct Written<T>(PhantomData<T>);

/// The result for a type without a destructor.
#[derive(Debug)]
pub struct Missing;

/// Implemented by [`Missing`] alone.
#[diagnostic::on_unimplemented(
    message = "a type that may have collected parts cannot have a destructor",
    label = "this type implements `Drop`",
    note = "destructors run when the parts may be gone already: move what is dropped, and its `Drop`, into a field of a type without \
            collected parts"
)]
pub trait NoDestructor {}

impl NoDestructor for Missing {}
