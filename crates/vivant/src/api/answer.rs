//! [`Answer`]: what the method of a behaviour may return.

use super::promise::{Promise, Resolver};

/// The return type of a behaviour's method: its reply, a promise of it, or an error or a promise.
///
/// In a method that returns `Result<Promise<V>, E>`, `?` works as anywhere else. Its message
/// promises `Result<V, E>`. The reply of a delegated promise in it
/// ([`Turn::delegate`](crate::Turn::delegate)) goes straight to the asker, as `Ok`.
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
