//! The slot: what its owner wants done with a promise's value. Touched only in turns of the owner (Q1).

use super::{Next, Resolver};
use crate::error::AskError;
use crate::sync::{Mutex, lock};

/// What is done with the value.
pub(crate) enum Sink<T: Send + 'static> {
    /// Nothing: the promise was dropped, or its turn has not yet said.
    Nobody,
    /// It is the answer to somebody else's question.
    Answer(Resolver<T>),
    /// It releases a message, or another value.
    Then(Box<dyn Continue<T>>),
    /// It has come: a second value (after a time limit) is dropped.
    Done,
}

/// Takes a promise's value; says what follows.
pub(crate) trait Continue<T>: Send {
    fn fill(self: Box<Self>, value: Result<T, AskError>) -> Next;
}

/// The lock is never contended (Q1); it is there so that this file needs no `unsafe`.
pub(crate) struct Slot<T: Send + 'static>(Mutex<Sink<T>>);

impl<T: Send + 'static> Slot<T> {
    pub(super) fn new() -> Slot<T> {
        Slot(Mutex::new(Sink::Nobody))
    }

    pub(super) fn set(&self, sink: Sink<T>) {
        *lock(&self.0) = sink;
    }

    /// Takes the sink out if the owner has said what it wants, or the promise is done; else leaves everything as it is.
    pub(super) fn take_if_set(&self) -> Sink<T> {
        let mut sink = lock(&self.0);
        match *sink {
            Sink::Nobody => Sink::Nobody,
            _ => std::mem::replace(&mut *sink, Sink::Done),
        }
    }

    /// Takes the sink out; from now on the promise is done.
    pub(super) fn take(&self) -> Sink<T> {
        std::mem::replace(&mut *lock(&self.0), Sink::Done)
    }
}
