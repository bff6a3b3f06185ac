//! Relays: a resolver that passes its value on, changed or checked, to another resolver. So the
//! reply of a delegated message goes straight to the asker, without a message to the actor that
//! delegates.

use super::Resolver;
use super::any_resolver::AnyResolver;
use super::receiver::Receiver;
use super::saved::PromiseName;
use super::shown::{Awaits, PromiseLink, RequestChange, Shown};
use crate::actor::{AddressRef, AskError, Next};
use std::any::{Any, TypeId};

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

/// As [`OkRelay`], of a result of which the type is not known.
pub(super) struct AnyOkRelay {
    pub(super) to: Box<dyn AnyResolver>,
    /// The type of the result.
    pub(super) result: TypeId,
    /// Makes an outcome of the result from one of the `Ok`.
    pub(super) of_ok: fn(Box<dyn Any + Send>) -> Box<dyn Any + Send>,
}

impl AnyResolver for AnyOkRelay {
    fn settled_by(self: Box<Self>, outcome: Box<dyn Any + Send>) -> Next {
        self.to.settled_by((self.of_ok)(outcome))
    }

    fn failed_by(self: Box<Self>, error: AskError) -> Next {
        self.to.failed_by(error)
    }

    fn has_listener(&self) -> bool {
        self.to.has_listener()
    }

    fn receiver(&self, relays_max: usize) -> Receiver {
        match relays_max.checked_sub(1) {
            Some(fewer) => Receiver::Ok(Box::new(self.to.receiver(fewer))),
            None => Receiver::Further,
        }
    }

    fn promise_name(&self, relays_max: usize) -> PromiseName {
        match relays_max.checked_sub(1) {
            Some(fewer) => self.to.promise_name(fewer).ok(self.result),
            None => PromiseName::too_far(),
        }
    }
}

impl PromiseLink for AnyOkRelay {
    fn owner(&self) -> Option<&AddressRef> {
        self.to.owner()
    }

    fn shown_by_sink(&self) -> Option<Shown<'_>> {
        self.to.shown_by_sink()
    }

    /// The resolver that has it has counted it.
    fn request_changes(&self, change: RequestChange, relays_max: usize) {
        self.to.request_changes(change, relays_max);
    }

    fn awaits(&self) -> Awaits<'_> {
        Awaits::Passed(&*self.to)
    }
}
