//! [`Answer`]: what the method of a behaviour may return.

use super::promise::{Promise, Resolver};

/// The return type of a behaviour's method: its reply, a promise of it, or an error or a promise.
///
/// In a method that returns `Result<Promise<V>, E>`, `?` works as anywhere else. Its message
/// promises `Result<V, E>`. The reply of a delegated promise in it
/// ([`Turn::delegate`](crate::Turn::delegate)) goes straight to the asker, as `Ok`.
///
/// A method that returns `Result<Promise<Result<V, E>>, E>`, with one error type `E`, promises
/// `Result<V, E>` too: the error is the same, whether the method finds it or a later turn.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Till { cash: u64 }
/// #[behaviours] impl Till {
///     fn take(&mut self, sum: u64) -> Result<u64, String> {
///         self.cash = self.cash.checked_sub(sum).ok_or("the till has less")?;
///         Ok(self.cash)
///     }
/// }
///
/// #[derive(Actor)] struct Clerk { till: Option<Address<Till>> }
/// #[behaviours] impl Clerk {
///     fn refund(&self, t: &Turn<Self>, sum: u64) -> Result<Promise<Result<u64, String>>, String> {
///         let till = self.till.as_ref().ok_or("there is no till")?;
///         Ok(t.ask(till.take(sum)))
///     }
/// }
///
/// # fn main() -> Result<(), AskError> {
/// let system = System::new();
/// let till = Some(system.spawn(Till { cash: 5 }));
/// let (clerk, idle) = (system.spawn(Clerk { till }), system.spawn(Clerk { till: None }));
/// assert_eq!(clerk.refund(3).ask_blocking()?, Ok(2));
/// assert_eq!(clerk.refund(3).ask_blocking()?, Err("the till has less".to_owned()));
/// assert_eq!(idle.refund(3).ask_blocking()?, Err("there is no till".to_owned()));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "this behaviour returns `{Self}`, but its message promises `{V}`",
    label = "return `{V}` or `Promise<{V}>`"
)]
pub trait Answer<V: Send + 'static> {
    /// Passes the reply to the resolver.
    fn give(self, resolver: Resolver<V>);
}

impl<V: Send + 'static> Answer<V> for V {
    fn give(self, resolver: Resolver<V>) {
        resolver.resolve(self);
    }
}

impl<V: Send + 'static> Answer<V> for Promise<V> {
    fn give(self, resolver: Resolver<V>) {
        self.answer(resolver);
    }
}

impl<V: Send + 'static, E: Send + 'static> Answer<Result<V, E>> for Result<Promise<V>, E> {
    fn give(self, resolver: Resolver<Result<V, E>>) {
        match self {
            Ok(promise) => promise.answer_ok(resolver),
            Err(error) => resolver.resolve(Err(error)),
        }
    }
}

impl<V: Send + 'static, E: Send + 'static> Answer<Result<V, E>>
    for Result<Promise<Result<V, E>>, E>
{
    fn give(self, resolver: Resolver<Result<V, E>>) {
        match self {
            Ok(promise) => promise.answer(resolver),
            Err(error) => resolver.resolve(Err(error)),
        }
    }
}
