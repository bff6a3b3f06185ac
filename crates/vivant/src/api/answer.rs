//! [`Answer`]: what the method of a behaviour may return.

use super::promise::{Promise, Resolver};

/// The return type of a behaviour's method: its reply, or a promise of it.
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
