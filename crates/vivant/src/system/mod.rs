//! Systems: the runtimes that actors run in. A process may have several; they share nothing.

mod builder;
mod inspect;
mod naming;
mod open_request;
#[cfg(all(test, feature = "macros"))]
mod open_requests_model;
#[cfg(all(test, feature = "macros"))]
mod open_requests_tests;
#[cfg(feature = "snapshots")]
mod restore;
mod shutdown;
#[cfg(feature = "snapshots")]
mod snapshot;
mod streams;
mod why_alive;

pub use builder::SystemBuilder;
#[cfg(feature = "snapshots")]
pub use restore::{Restored, RestoredOr};
pub use shutdown::{RemainingActor, Shutdown, ShutdownReport};

use crate::actor::{Observation, Shared, Source, Table, observed};
use crate::api::Clock;
use crate::api::block_on;
use crate::api::{Address, AskFuture, InlineActor, Target};
use crate::api::{Spawner, SystemRef};
use crate::services::DeadLetters;
use crate::sync::Arc;
pub use inspect::{ActorFacts, AliveBecause, Inspection, OpenWait};
pub use open_request::{OpenRequest, RequestOrigin};
use std::fmt;
use std::future::Future;
use std::thread;
use std::time::Duration;

/// A runtime of actors: workers, timers, and the registries of actors.
///
/// A handle: cheap to clone. When the last handle is dropped the system begins to shut down,
/// without waiting for it; call [`shutdown`](System::shutdown) to wait and to get the list of
/// actors that were still alive. So keep a handle as long as the actors are to live: in
/// `System::new().spawn(…)` the only handle is dropped at the end of the statement.
///
/// ```
/// use vivant::prelude::*;
///
/// #[derive(Actor)] struct Greeter;
/// #[behaviours] impl Greeter {
///     fn greet(&mut self, name: String) -> String { format!("good day, {name}") }
/// }
///
/// # fn main() -> Result<(), vivant::AskError> {
/// let system = System::new();
/// let greeter = system.spawn(Greeter);
/// assert_eq!(greeter.greet("Ada".into()).ask_blocking()?, "good day, Ada");
/// let report = system.shutdown();
/// assert!(report.is_complete());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct System(Arc<Running>);

/// Begins the shutdown when the last handle is dropped.
struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        shutdown::shut_down_in_background(&self.0);
    }
}

impl Default for System {
    fn default() -> Self {
        System::new()
    }
}

impl System {
    /// A system with one worker for each processor.
    pub fn new() -> System {
        System::builder().build()
    }

    /// A builder of a configured system.
    pub fn builder() -> SystemBuilder {
        SystemBuilder::default()
    }

    pub(crate) fn of(shared: Arc<Shared>) -> System {
        System(Arc::new(Running(shared)))
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.0
    }

    /// Makes an actor of `state`. Within a turn it becomes a child of that turn's actor.
    ///
    /// Costs one allocation and an entry in the system's registry. After shutdown the actor has
    /// ended from the start: every ask of it fails with the reason.
    pub fn spawn<A: InlineActor>(&self, state: A) -> Address<A> {
        self.spawn_state(state)
    }

    /// Keeps the actor alive until shutdown, or until [`System::release`].
    pub fn keep<T: ?Sized + Target>(&self, address: &Address<T>) {
        self.shared().keep(Address::counted(address));
    }

    /// Undoes [`System::keep`]; false when the actor was not kept.
    pub fn release<T: ?Sized + Target>(&self, address: &Address<T>) -> bool {
        let address = Address::counted(address);
        let was_kept = self.shared().release(address.id);
        observed(Observation::Kept, Source::Actor(&address), was_kept)
    }

    /// A snapshot of the system, without the actors' help.
    pub fn inspect(&self) -> Inspection {
        let inspection = Inspection::of(self.shared());
        observed(
            Observation::Inspection,
            Source::Table(Table::Actors),
            inspection,
        )
    }

    /// Resets the distribution of pauses ([`Inspection::pauses`]), for example after a warm-up: it
    /// then covers the pauses from here on. A pause that ends meanwhile may be counted in part. The
    /// statistics of each actor's heap, and metrics, continue.
    pub fn forget_pauses(&self) {
        self.shared().pauses.forget();
    }

    /// Messages that were not processed.
    pub fn dead_letters(&self) -> &DeadLetters {
        &self.shared().dead_letters
    }

    /// Time for futures; virtual in a simulation.
    pub fn clock(&self) -> Clock {
        Clock::new(self.shared().clone())
    }

    /// Runs `future` on this thread; in a simulation, runs the actors meanwhile. Not for use within
    /// a turn.
    ///
    /// # Panics
    ///
    /// In a simulation, when nothing is left to run and the future is still pending: it would wait
    /// for ever. Within a turn, because it would block the worker.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        if let Some(inside) = crate::actor::Worker::inside() {
            panic!(
                "block_on was called in {} of {}, and would hold up its worker",
                inside.behaviour, inside.actor
            );
        }
        block_on(self.shared(), future)
            .expect("nothing is left to run in the simulation, and the future is pending")
    }

    /// Ends every actor before its next message, stops the threads, and reports the actors that
    /// were still alive and why. Waits at most five seconds for turns and stop hooks that do not
    /// end. [`System::shutdown_by`] has other modes.
    ///
    /// # Panics
    ///
    /// Within a turn of this system: the shutdown would wait for that turn.
    pub fn shutdown(&self) -> ShutdownReport {
        self.shutdown_by(Shutdown::now())
    }

    /// Like [`System::shutdown`] with another limit.
    ///
    /// # Panics
    ///
    /// As [`System::shutdown`].
    pub fn shutdown_within(&self, limit: Duration) -> ShutdownReport {
        self.shutdown_by(Shutdown::now().within(limit))
    }

    /// Ends the system, at once or after its queues.
    ///
    /// # Panics
    ///
    /// As [`System::shutdown`].
    pub fn shutdown_by(&self, how: Shutdown) -> ShutdownReport {
        shutdown::shutdown(self.shared(), how)
    }

    /// Like [`System::shutdown_by`], for `async` code: the shutdown runs on a thread of its own. It
    /// begins when the future is polled first. A future that is dropped then does not stop it. In a
    /// simulation it runs in the first poll.
    ///
    /// ```
    /// # use vivant::prelude::*;
    /// # use vivant::Shutdown;
    /// # let system = System::new();
    /// # system.clone().block_on(async {
    /// let report = system.shutdown_async(Shutdown::after_queues()).await;
    /// assert!(report.is_complete());
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// As [`System::shutdown`], in the first poll.
    pub fn shutdown_async(
        &self,
        how: Shutdown,
    ) -> impl Future<Output = ShutdownReport> + Send + use<> {
        self.clone().shut_down_beside(how)
    }

    /// Runs the shutdown on a thread of its own; in a simulation, on this one.
    async fn shut_down_beside(self, how: Shutdown) -> ShutdownReport {
        let shared = self.shared();
        if shared.stage().is_some() {
            return self.shutdown_by(how);
        }
        shutdown::assert_outside(shared);
        let (report, resolver) = AskFuture::new(shared);
        // With a handle of its own: the last one, if it is dropped, ends the system at once.
        let system = self.clone();
        let closing = move || resolver.resolve(system.shutdown_by(how));
        let thread = thread::Builder::new().name(format!("{}-shutdown", shared.config.name));
        match thread.spawn(closing) {
            Ok(_) => match report.await {
                Ok(report) => report,
                Err(error) => panic!("the shutdown panicked: {error}"),
            },
            // Without a thread for it, it runs here.
            Err(_) => self.shutdown_by(how),
        }
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "System({}, {} actors)",
            self.shared().config.name,
            self.shared().registry.len()
        )
    }
}

impl Spawner for System {
    fn system(&self) -> SystemRef<'_> {
        SystemRef(self.shared())
    }
}

vivant_heap::leaf!([] System);
