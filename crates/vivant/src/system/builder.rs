//! The configuration of a system.

use super::System;
use crate::actor::{Scheduler, Shared};
use crate::api::Actor;
#[cfg(feature = "snapshots")]
use crate::api::SavedKinds;
use crate::config::{BadCollectors, Config, RunBudget};
use crate::failures::Report;
use crate::gc_state::GcState;
use crate::mute::Watermarks;
use crate::oracle::Oracle;
use crate::sched::Threads;
use crate::services::Listener;
use crate::services::{Services, Stage};
#[cfg(feature = "snapshots")]
use crate::snapshot::SavedProgram;
use crate::statistics::PauseClock;
use crate::sync::Arc;
use std::num::NonZeroUsize;
use std::time::Duration;
use std::{fmt, thread};
use vivant_heap::{Marking, Pacing};

/// Builds a [`System`]; every setting has a default.
#[derive(Default)]
#[must_use = "a builder does nothing until `build()`"]
pub struct SystemBuilder {
    config: Config,
    workers: Option<NonZeroUsize>,
    listener: Option<Listener>,
    #[cfg(feature = "snapshots")]
    pub(super) saved: Option<Arc<SavedKinds>>,
}

impl SystemBuilder {
    /// Name of the system's threads; `vivant` by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.config.name = name.into();
        self
    }

    /// Number of workers; by default one for each processor.
    ///
    /// # Panics
    ///
    /// If it is zero.
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers =
            Some(NonZeroUsize::new(workers).expect("a system needs at least one worker"));
        self
    }

    /// Number of waiting messages that make an actor overloaded: an actor that sends to it then is
    /// muted until half are processed. 1,024 by default; one counts as two, because a message
    /// that finds the mailbox empty is not counted.
    pub fn overload(mut self, messages: usize) -> Self {
        self.config.marks = Watermarks::at(messages);
        self
    }

    /// How many messages, and for how long, an actor may keep its worker while others wait.
    /// 256 messages and 2 ms by default; the time is measured between turns, to the millisecond. Up
    /// to 33 consecutive messages that are deferred, behind others of their behaviour, until a
    /// guard opens, count as one.
    pub fn budget(mut self, messages: u32, time: Duration) -> Self {
        self.config.budget = RunBudget {
            messages: messages.max(1),
            ms: (time.as_millis() as u64).max(1),
        };
        self
    }

    /// How long a turn may hold its worker before it is reported and another worker takes over the
    /// queue. 10 ms by default.
    pub fn turn_limit(mut self, limit: Duration) -> Self {
        self.config.turn_limit_ms = (limit.as_millis() as u64).max(1);
        self
    }

    /// When the heaps of actors with graphs collect; [`Actor::PACING`](crate::Actor::PACING)
    /// overrides it for a type.
    pub fn pacing(mut self, pacing: Pacing) -> Self {
        self.config.pacing = pacing;
        self
    }

    /// How the heaps of all actors are marked. It overrides [`pacing`](SystemBuilder::pacing) and
    /// [`Actor::PACING`]; [`collector_of`](SystemBuilder::collector_of) and
    /// [`collectors`](SystemBuilder::collectors) override it for single types.
    pub fn collector(mut self, marking: Marking) -> Self {
        self.config.collectors.set_all(marking);
        self
    }

    /// How the heaps of the actors of this type are marked.
    pub fn collector_of<A: Actor<Storage = GcState>>(mut self, marking: Marking) -> Self {
        self.config.collectors.set_for_type(A::NAME, marking);
        self
    }

    /// How heaps are marked, as a configuration text. Its entries are separated by commas. An entry
    /// is the [name](Marking) of a marking mode, for all other types, or a type of actors, `=` and
    /// such a name. The type is written as its [stable name](crate::Target::NAME), or as the end of
    /// that from a `::` on; if several ends fit, the longest counts. A later call replaces entries
    /// of an earlier one.
    ///
    /// [`build`](SystemBuilder::build) reads the environment variable `VIVANT_COLLECTOR` in the
    /// same way. That overrides the program's settings: its entry for the type comes first, then
    /// its entry for all types.
    ///
    /// A name that matched no actor with a heap is [reported](Report::UnusedCollector) when the
    /// system is shut down.
    ///
    /// ```
    /// use vivant::System;
    ///
    /// # fn main() -> Result<(), vivant::BadCollectors> {
    /// let system = System::builder().collectors("at-once, shop::Cache=never")?.build();
    /// assert!(System::builder().collectors("Cache=sometimes").is_err());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The text has an entry twice, an unknown marking mode, or none, or no type before `=`. The
    /// error names the mistake, and the correct form.
    pub fn collectors(mut self, text: &str) -> Result<Self, BadCollectors> {
        self.config.collectors.add_text(text)?;
        Ok(self)
    }

    /// Limit of the bytes of all actors' heaps together, in whole pages; the default is no limit.
    /// An allocation beyond it fails the turn. A collection that finds no memory for the
    /// survivors aborts the process: leave it room.
    pub fn heap_limit(mut self, bytes: usize) -> Self {
        self.config.heap_limit = Some(bytes);
        self
    }

    /// Number of bytes that a turn, or a step of one, may allocate in its actor's heap before it is
    /// reported ([`Report::LargeTurn`]): nothing is collected within it, so its nursery grows. 64
    /// MiB by default.
    pub fn allocation_limit(mut self, bytes: usize) -> Self {
        self.config.allocation_limit = bytes;
        self
    }

    /// How long an actor with a heap has to be idle before its nursery is emptied and given back,
    /// and the garbage of its turns is collected ([`Pacing::first`] sets the minimum heap size for
    /// that). One second by default. References to other actors' objects that it no longer needs
    /// are released after an eighth of it, and their owner collects these within half of it. The
    /// detector looks for unreachable actors after the whole of it.
    pub fn idle_after(mut self, time: Duration) -> Self {
        self.config.idle_after = time;
        self
    }

    /// The clock that measures the pauses of heaps, for [`Inspection`](crate::Inspection::pauses),
    /// [`HeapFacts`](crate::HeapFacts::pauses) and metrics; wall-clock time by default. The pacing
    /// of collections does not depend on it.
    pub fn pause_clock(mut self, clock: PauseClock) -> Self {
        self.config.pause_clock = clock;
        self
    }

    /// A listener for every [`Report`], called on the runtime's thread that makes it: it should be
    /// quick.
    pub fn on_report(mut self, listener: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Futures given to [`Turn::spawn`](crate::Turn::spawn) run in the context of this tokio
    /// runtime, so that they may use its I/O and timers.
    #[cfg(feature = "tokio")]
    pub fn tokio(mut self, handle: tokio::runtime::Handle) -> Self {
        self.config.tokio = Some(handle);
        self
    }

    /// Starts the threads. A simulation is not built by this, so it reads no environment: its seed
    /// decides everything.
    ///
    /// # Panics
    ///
    /// If the environment variable `VIVANT_COLLECTOR` is set and invalid
    /// ([`collectors`](SystemBuilder::collectors)): the message names the mistake, and the correct
    /// form.
    pub fn build(self) -> System {
        SystemBuilder::open(self.on_threads())
    }

    /// A system on threads, which do not run yet.
    pub(crate) fn on_threads(mut self) -> Arc<Shared> {
        self.config.collectors.read_environment();
        let workers = self
            .workers
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get);
        let scheduler = Box::new(Threads::new(workers));
        self.into_shared(Oracle::real(), None, scheduler)
    }

    /// Starts the threads.
    pub(crate) fn open(shared: Arc<Shared>) -> System {
        if let Some(threads) = Threads::of(&shared) {
            threads.open(&shared);
        }
        System::of(shared)
    }

    pub(crate) fn into_shared(
        self,
        oracle: Oracle,
        stage: Option<Box<Stage>>,
        scheduler: Box<dyn Scheduler>,
    ) -> Arc<Shared> {
        let services = Services::new(self.config, oracle, stage, self.listener);
        let shared = Shared::new(services, scheduler);
        #[cfg(feature = "snapshots")]
        if let Some(kinds) = self.saved {
            SavedProgram::set(&shared, kinds);
        }
        shared
    }
}

impl fmt::Debug for SystemBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemBuilder")
            .field("name", &self.config.name)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}
