//! [`IntoThen`]: the argument of [`Promise::then`](crate::Promise::then).

use super::behaviour::Continuation;
use super::call::Then;

/// What continues a promise: a [`Then`], which the method of a handle for a `#[then]` behaviour
/// makes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a continuation",
    label = "not a continuation",
    note = "a closure continues a promise by `.then_local(t, |state, t, value| …)`",
    note = "a method continues it by `.then(t.me().method(…))`, with `#[then]` above the method"
)]
pub trait IntoThen {
    /// The behaviour that has the hole.
    type Continuation: Continuation;

    /// The continuation, with an address of its own.
    fn into_then(self) -> Then<'static, Self::Continuation>;
}

impl<K: Continuation> IntoThen for Then<'_, K> {
    type Continuation = K;

    fn into_then(self) -> Then<'static, K> {
        self.into_owned()
    }
}
