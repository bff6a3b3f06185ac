//! Items for the macros' expansions, besides the public traits. Not for users.

use crate::actor::Worker;
use crate::api::Resolver;
pub use crate::api::{Argument, NotDebug, fmt_named};
pub use crate::api::{
    BlockOf, MaybeBlock, MaybeHole, MaybeResult, MaybeResultHole, NoBlock, NoHole, NoResult,
    SavedList, block_id, interface_id, is_listed,
};
pub use crate::api::{NoReferences, Probe};
pub use crate::edge::{MaybeStreamed, NotStreamed};
pub use crate::gc_state::locals_codec;
pub use crate::patterns::{MaybePublished, NotPublished};
pub use crate::probe::{ProbeActor, ProbeHandle, probed};
pub use crate::saving::{LocalsCodec, shape};
use std::fmt;
use vivant_heap::{Erased, Mutator, Parcel, Sendable};

/// Packs a value of a sender's brand into its message.
#[inline]
pub fn pack<'gc, T: Erased<Of<'gc>: Sendable<'gc>>>(value: T::Of<'gc>) -> Parcel<T> {
    Worker::pack(value)
}

/// Resolves with a value of the turn's brand. Packs nothing if no reply is awaited.
#[inline]
pub fn answer<'gc, T>(mutator: &Mutator<'gc>, value: T::Of<'gc>, resolver: Resolver<Parcel<T>>)
where
    T: Erased<Of<'gc>: Sendable<'gc>>,
{
    if !resolver.is_discarding() {
        resolver.resolve(mutator.pack(value));
    }
}

/// Opens the value that has filled a hole, for the time of a call.
pub fn open_filled<T: Erased, E, R>(
    filled: Result<Parcel<T>, E>,
    body: impl for<'any> FnOnce(Result<T::Of<'any>, E>) -> R,
) -> R {
    match filled {
        Ok(parcel) => parcel.open(|value| body(Ok(value))),
        Err(error) => body(Err(error)),
    }
}

/// Defaults that `#[derive(Actor)]` uses when `#[behaviours]` wrote no stop hook: inherent items of
/// these names take precedence.
pub trait NoStopHook {
    /// Whether there is a hook.
    const __VIVANT_STOPS: bool = false;

    /// The hook.
    fn __vivant_stopping<T, R>(&mut self, _: T, _: R) {}
}

impl<S> NoStopHook for S {}

/// The return type of a `#[vivant::test]`.
#[diagnostic::on_unimplemented(
    message = "a test returns nothing or `Result<(), E>`, not `{Self}`",
    label = "this is no test's outcome"
)]
pub trait Outcome {
    /// Panics if the test failed.
    fn unwrap(self);
}

impl Outcome for () {
    fn unwrap(self) {}
}

impl<E: fmt::Debug> Outcome for Result<(), E> {
    #[track_caller]
    fn unwrap(self) {
        if let Err(error) = self {
            panic!("the test returned an error: {error:?}");
        }
    }
}

/// The type of a guard's `self`. Where `#[behaviours]` writes it, the compiler advises to write
/// `&mut Self` in its stead, and underlines the attribute; it does not do so for a macro of another
/// crate.
#[macro_export]
#[doc(hidden)]
macro_rules! __seen {
    () => {
        &Self
    };
}
