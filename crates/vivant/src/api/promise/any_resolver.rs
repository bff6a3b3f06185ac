//! [`AnyResolver`]: a resolver of which the type of the value is not known. Joins, time limits and
//! restored promises have one, so their code exists once, and not for each type of values.

use super::Resolver;
use super::receiver::Receiver;
use super::relay::Relay;
use super::saved::PromiseName;
use super::shown::{Awaits, PromiseLink};
use crate::actor::{AskError, Next, drop_foreign};
use std::any::Any;

/// A resolver of a promise of some type `T`.
///
/// The drop of a [`Resolver`] breaks its promise. The drop of a relay alone, such as a time limit,
/// does not, so a relay is always in a resolver ([`AnyRelay`]) or in a time limit.
pub(crate) trait AnyResolver: PromiseLink + Any + Send {
    /// Returns the step that gives the promise an outcome, a `Result<T, AskError>`. One of another
    /// type breaks the promise.
    fn settled_by(self: Box<Self>, outcome: Box<dyn Any + Send>) -> Next;

    /// Returns the step that gives the promise an error.
    fn failed_by(self: Box<Self>, error: AskError) -> Next;

    /// Whether a value would be received: the owner of the promise has not ended.
    fn has_listener(&self) -> bool;

    /// What gets the value, through that many relays at most.
    fn receiver(&self, relays_max: usize) -> Receiver;

    /// What a file names it by, through that many relays at most.
    fn promise_name(&self, relays_max: usize) -> PromiseName;
}

impl<T: Send + 'static> AnyResolver for Resolver<T> {
    fn settled_by(self: Box<Self>, outcome: Box<dyn Any + Send>) -> Next {
        match outcome.downcast::<Result<T, AskError>>() {
            Ok(outcome) => Resolver::settled_by(*self, *outcome),
            Err(outcome) => {
                drop_foreign("the drop of an answer", outcome);
                Next::Nothing
            }
        }
    }

    fn failed_by(self: Box<Self>, error: AskError) -> Next {
        Resolver::settled_by(*self, Err(error))
    }

    fn has_listener(&self) -> bool {
        Resolver::has_listener(self)
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        self.receiver_through(relays_max)
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        Resolver::promise_name(self, relays_max)
    }
}

/// Passes its value on to a resolver of the same type.
pub(super) struct AnyRelay(pub(super) Box<dyn AnyResolver>);

impl<T: Send + 'static> Relay<T> for AnyRelay {
    fn relay(self: Box<Self>, outcome: Result<T, AskError>) -> Next {
        self.0.settled_by(Box::new(outcome))
    }

    fn awaits(&self) -> Awaits<'_> {
        self.0.awaits()
    }

    fn link(&self) -> Option<&dyn PromiseLink> {
        Some(&*self.0)
    }

    /// It is no relay of its own, and what it has counts itself.
    fn receiver(&self, relays_max: usize) -> Receiver {
        self.0.receiver(relays_max + 1)
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        self.0.promise_name(relays_max + 1)
    }
}
