//! Maps: a promise of what a closure makes of a value, without a turn.

use super::shown::{Awaits, Shown};
use super::sink::{Continue, SinkLink};
use super::sink_data::{SinkData, SinkKind};
use super::token::panicked;
use super::{Promise, PromiseState, Resolver};
use crate::actor::{AskError, Next, Worker, drop_foreign};
use crate::failures::catch;
use crate::interned::Name;

impl<T: Send + 'static> Promise<T> {
    /// Returns a promise of `f` of the value. If this promise is broken, `f` is not called, and the
    /// returned one has the same error.
    ///
    /// `f` has neither the actor's state nor a turn, so it needs no message and no method: it
    /// converts a reply before it is returned, or continued by [`then`](Promise::then). It is
    /// called between two turns, or within the turn that brings the value, or at once if the value
    /// is there already; if it panics, the returned promise fails with [`AskError::Panicked`]. The
    /// value counts as awaited ([`Asker`](crate::Asker)) if the returned promise's does.
    ///
    /// Costs what a continuation costs, but for its message.
    ///
    /// ```
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Shelf { books: u64 }
    /// #[behaviours] impl Shelf {
    ///     fn books(&self) -> u64 { self.books }
    /// }
    ///
    /// #[derive(Actor)] struct Library { shelves: Vec<Address<Shelf>> }
    /// #[behaviours] impl Library {
    ///     fn books(&self, t: &Turn<Self>) -> Promise<u64> {
    ///         t.all(self.shelves.iter().map(|it| t.ask(it.books()))).map(|all| all.iter().sum())
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let shelves = [3, 4].map(|books| system.spawn(Shelf { books })).to_vec();
    /// assert_eq!(system.spawn(Library { shelves }).books().ask_blocking()?, 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside any turn, where no promise belongs, unless the value is there already.
    #[must_use = "continue it with `.then(…)`, or return it"]
    pub fn map<U, F>(self, f: F) -> Promise<U>
    where
        U: Send + 'static,
        F: FnOnce(T) -> U + Send + 'static,
    {
        let ready = match self.kind {
            PromiseState::Ready(value) => value,
            kind => {
                let owner = Worker::with_current(Worker::me_if_any)
                    .flatten()
                    .expect("a promise lives within the turn that made it");
                let (promise, resolver) = Promise::open(owner.clone());
                Promise::new(kind).sink_into(&owner, MapSink { f, resolver });
                return promise;
            }
        };
        Promise::new(PromiseState::Ready(
            ready.and_then(|value| called(f, value)),
        ))
    }
}

/// Calls a user's closure between two turns. A panic of it is reported, and breaks the promise.
fn called<T, U>(f: impl FnOnce(T) -> U, value: T) -> Result<U, AskError> {
    catch(|| f(value)).map_err(|caught| panicked(caught, Name::new("map")))
}

/// A closure that waits for its argument.
struct MapSink<F, U: Send + 'static> {
    f: F,
    resolver: Resolver<U>,
}

impl<T, U, F> Continue<T> for MapSink<F, U>
where
    T: Send + 'static,
    U: Send + 'static,
    F: FnOnce(T) -> U + Send + 'static,
{
    fn fill(self, value: Result<T, AskError>) -> Next {
        let MapSink { f, resolver } = self;
        resolver.settled_by(match value {
            Ok(value) => called(f, value),
            Err(error) => {
                drop_foreign("the drop of a closure", f);
                Err(error)
            }
        })
    }
}

impl<F, U: Send + 'static> SinkLink for MapSink<F, U> {
    fn shown(&self) -> Shown<'_> {
        Shown {
            answer: Some(&self.resolver),
            awaits: Awaits::Passed(&self.resolver),
            ..Shown::default()
        }
    }

    fn data(&self) -> SinkData {
        SinkKind::Map.to(self.resolver.receiver())
    }
}
