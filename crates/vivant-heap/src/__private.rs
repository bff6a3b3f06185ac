//! What the macros' expansions call, and the runtime.

pub use crate::orca::Packer;

use crate::Tracer;
use std::marker::PhantomData;

/// What the derive asks of a type. By the tracer, which is the one that `Object` names whatever
/// path the derive was given for this crate.
impl Tracer<'_> {
    /// What a field that is marked as a leaf must be: without a brand, and free to go to another
    /// thread (Y5). By a pointer, as in `__field`.
    #[doc(hidden)]
    #[inline]
    pub fn __leaf<T: Send + 'static>(&mut self, _: *const T) {}

    /// What the derive has read of a field is its type still. By a pointer: a reference to
    /// something that derefs to this type would be taken too, and what that holds besides would not
    /// be gone through.
    #[doc(hidden)]
    #[inline]
    pub fn __field<T>(&mut self, _: *const T) {}

    /// Asks whether a type has a destructor of its own.
    #[doc(hidden)]
    pub fn __destructor<T>(&mut self) -> Destructor<T> {
        Destructor(PhantomData)
    }

    /// Takes the answer.
    #[doc(hidden)]
    pub fn __allowed<T: NoDestructor>(&mut self, _: T) {}
}

/// Asks whether a type has a destructor of its own: [`Destructor::of`] is another function if it
/// has not.
#[derive(Debug)]
pub struct Destructor<T>(PhantomData<T>);

#[allow(drop_bounds, reason = "this is the question")]
impl<T: Drop> Destructor<T> {
    /// There is one.
    pub fn of(self) -> Written<T> {
        Written(PhantomData)
    }
}

/// Found when the inherent function is not there.
pub trait Otherwise: Sized {
    /// There is none.
    fn of(self) -> Missing {
        Missing
    }
}

impl<T> Otherwise for Destructor<T> {}

/// There is a destructor.
#[derive(Debug)]
pub struct Written<T>(PhantomData<T>);

/// There is none.
#[derive(Debug)]
pub struct Missing;

/// Takes [`Missing`].
#[diagnostic::on_unimplemented(
    message = "a type that may have collected parts cannot have a destructor",
    label = "this type implements `Drop`",
    note = "destructors run when the parts may be gone already: move what is dropped, and its `Drop`, into a field of a type without \
            collected parts"
)]
pub trait NoDestructor {}

impl NoDestructor for Missing {}
