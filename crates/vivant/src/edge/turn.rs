//! Futures and streams of a turn: `Turn::spawn`, `Turn::attach`.

use super::future;
use super::stream::Attachment;
use crate::api::{Actor, Promise, Turn};
use crate::failures::Inside;
use crate::interned::Place;
use futures_core::Stream;
use std::future::Future;

impl<A: Actor> Turn<'_, A> {
    /// Attaches a stream: its items become messages to an actor.
    ///
    /// No snapshot has the stream itself: see [`Attached`](crate::Attached).
    ///
    /// ```
    /// use futures_core::Stream;
    /// use vivant::prelude::*;
    /// use vivant::{Attached, StreamItem};
    /// # use std::pin::Pin;
    /// # use std::task::{Context, Poll};
    /// # struct Count(u64);
    /// # impl Stream for Count {
    /// #     type Item = u64;
    /// #     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u64>> {
    /// #         self.0 += 1;
    /// #         Poll::Ready((self.0 <= 4).then_some(self.0))
    /// #     }
    /// # }
    /// # fn numbers() -> impl Stream<Item = u64> + Send + 'static { Count(0) }
    ///
    /// #[derive(Actor)] struct Sum { sum: u64, numbers: Option<Attached>, done: Option<Resolver<u64>> }
    /// #[behaviours] impl Sum {
    ///     fn add_all(&mut self, t: &Turn<Self>) -> Promise<u64> {
    ///         self.numbers = Some(t.attach(numbers()).then_each(t.me().number()));
    ///         let (promise, resolver) = t.promise();
    ///         self.done = Some(resolver);
    ///         promise
    ///     }
    ///     #[then] fn number(&mut self, number: StreamItem<u64>) {
    ///         match number {
    ///             StreamItem::Item(number) => self.sum += number,
    ///             _ => if let Some(done) = self.done.take() { done.resolve(self.sum) },
    ///         }
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let sum = system.spawn(Sum { sum: 0, numbers: None, done: None });
    /// assert_eq!(sum.add_all().ask_blocking()?, 1 + 2 + 3 + 4);
    /// # Ok(()) }
    /// ```
    #[track_caller]
    pub fn attach<S: Stream + Send + 'static>(&self, stream: S) -> Attachment<S> {
        let origin = Inside {
            actor: self.worker().path(),
            behaviour: self.worker().behaviour(),
        };
        Attachment::new(stream, &self.worker().system, origin, Place::caller())
    }

    /// Runs a future beside the actors and returns a promise of its result. The future is an
    /// actor of the runtime's own: it runs on the workers, in a simulation under the seed and in
    /// virtual time. If the program runs inside tokio and the system was built with
    /// [`SystemBuilder::tokio`](crate::SystemBuilder::tokio), it may use tokio's I/O.
    ///
    /// It may await requests to other actors: `.ask()`, `.offer()`. So a flow of several steps can
    /// be written in one place. It has no access to the state of the actor meanwhile, which
    /// processes other messages. It must not block on a request: an executor of another library
    /// that waits for `.ask()` holds the worker that has to run the other actor.
    ///
    /// A panic in it breaks the promise with the panic's place.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// #[derive(Actor)] struct Account { sum: u64 }
    /// #[behaviours] impl Account {
    ///     fn take(&mut self, sum: u64) -> Option<u64> {
    ///         self.sum = self.sum.checked_sub(sum)?;
    ///         Some(sum)
    ///     }
    ///     fn put(&mut self, sum: u64) -> u64 { self.sum += sum; self.sum }
    /// }
    ///
    /// #[derive(Actor)] struct Bank;
    /// #[behaviours] impl Bank {
    ///     fn transfer(
    ///         &mut self, t: &Turn<Self>, from: Address<Account>, to: Address<Account>, sum: u64,
    ///     ) -> Promise<Result<u64, AskError>> {
    ///         t.spawn(async move {
    ///             let taken = from.take(sum).ask().await?;
    ///             to.put(taken.unwrap_or(0)).ask().await
    ///         })
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), AskError> {
    /// let system = System::new();
    /// let [from, to] = [10, 1].map(|sum| system.spawn(Account { sum }));
    /// let bank = system.spawn(Bank);
    /// assert_eq!(bank.transfer(from, to, 7).ask_blocking()??, 8);
    /// # Ok(()) }
    /// ```
    #[track_caller]
    #[must_use = "its result and its panics are lost: continue it with `.then(…)` or return it, or `drop` it"]
    pub fn spawn<F>(&self, future: F) -> Promise<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (promise, resolver) = self.promise();
        future::spawn(self.worker(), future, resolver, Place::caller());
        promise
    }
}
