//! Relays: a resolver that passes its value on, changed or checked, to another resolver. So the
//! reply of a delegated message goes straight to the asker, without a message to the actor that
//! delegates.

use super::Resolver;
use super::receiver::Receiver;
use super::saved::PromiseName;
use super::shown::{Awaits, PromiseLink};
use crate::actor::{AskError, Next};

/// Passes a value on.
pub(super) trait Relay<T>: Send {
    /// Returns the step that settles the other promise: a chain of relays is followed in a loop.
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next;

    /// What becomes of the value.
    fn awaits(&self) -> Awaits<'_>;

    /// The other resolver, as far as it is shown to the detector of unreachable actors.
    fn link(&self) -> Option<&dyn PromiseLink>;

    /// What gets the value, through that many further relays at most.
    fn receiver(&self, relays_max: usize) -> Receiver;

    /// What a file names it by, through that many further relays at most.
    fn promise_name(&self, relays_max: usize) -> PromiseName;

    /// Calls `body` with the other resolver, unless that has its value.
    fn with_next(&self, body: &mut dyn FnMut(&dyn PromiseLink)) {
        if let Some(link) = self.link() {
            body(link);
        }
    }
}

/// Makes `Ok` of the value.
pub(super) struct OkRelay<T: Send + 'static, E: Send + 'static>(pub(super) Resolver<Result<T, E>>);

impl<T: Send + 'static, E: Send + 'static> Relay<T> for OkRelay<T, E> {
    fn relay(self: Box<Self>, value: Result<T, AskError>) -> Next {
        self.0.settled_by(value.map(Ok))
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Passed(&self.0)
    }

    fn link(&self) -> Option<&dyn PromiseLink> {
        Some(&self.0)
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        Receiver::Ok(Box::new(self.0.receiver_through(relays_max)))
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        self.0.name_of_ok(relays_max)
    }
}
