//! What the macros' expansions call.

use std::marker::PhantomData;

/// What a field that is marked as a leaf must be: without a brand, and free to go to another thread (Y5).
pub fn leaf<T: Send + 'static>(_: &T) {}

/// Asks whether a type has a destructor of its own: [`Destructor::of`] is another function if it has not.
#[derive(Debug)]
pub struct Destructor<T>(PhantomData<T>);

#[allow(drop_bounds, reason = "this is the question")]
impl<T: Drop> Destructor<T> {
    /// There is one.
    pub fn of() -> Written<T> {
        Written(PhantomData)
    }
}

/// Found when the inherent function is not there.
pub trait Otherwise {
    /// There is none.
    fn of() -> Missing {
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

/// Takes the answer.
pub fn allowed<T: NoDestructor>(_: T) {}
