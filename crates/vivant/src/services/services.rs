//! [`Services`]: what the actors of one system share, and what names no actor.

use super::accounting::Bytes;
use super::dead_letters::DeadLetters;
use super::extensions::Extensions;
use super::reports::{Listener, Reports};
use super::requests::OutsideRequests;
use super::stage::Stage;
use crate::candidates::CommitLock;
use crate::config::Config;
use crate::message::Depot;
use crate::observe::SystemMeters;
use crate::oracle::Oracle;
use crate::queues::IdleWorkers;
use crate::statistics::Histograms;
use crate::sync::{Arc, AtomicU8, AtomicU32, AtomicU64, Ordering};
use vivant_heap::{PAGE, PageSource};

/// The services of a system. The system itself, `actor::Shared`, derefs to them.
pub(crate) struct Services {
    /// The number of the system in the process: the first key of the order of addresses.
    pub(crate) number: u64,
    pub(crate) config: Config,
    pub(crate) oracle: Oracle,
    pub(crate) idle: IdleWorkers,
    /// Of a simulation.
    stage: Option<Box<Stage>>,
    pub(crate) dead_letters: DeadLetters,
    pub(crate) reports: Reports,
    /// Open requests from outside of turns.
    pub(crate) outside: OutsideRequests,
    pub(crate) meters: SystemMeters,
    pub(crate) bytes: Bytes,
    pub(crate) depot: Arc<Depot>,
    /// The page source of the actors' heaps.
    pub(crate) heaps: Arc<PageSource>,
    /// Histograms of the pauses of heaps.
    pub(crate) pauses: Histograms,
    pub(crate) verdict: CommitLock,
    /// What folders above keep in the system: names, trees, detached heaps.
    pub(crate) extensions: Extensions,
    next_id: NextId,
    pub(crate) next_root: AtomicU32,
    next_link: AtomicU64,
    next_wait: AtomicU64,
    life: AtomicU8,
}

/// The number of the next actor, on cache lines of its own: every birth writes it, and all workers
/// read the fields beside it.
#[repr(align(128))]
struct NextId(AtomicU64);

const OPEN: u8 = 0;
const CLOSING: u8 = 1;

static SYSTEMS: AtomicU64 = AtomicU64::new(0);

impl Services {
    pub(crate) fn new(
        config: Config,
        oracle: Oracle,
        stage: Option<Box<Stage>>,
        listener: Option<Listener>,
    ) -> Services {
        let heaps = match config.heap_limit {
            Some(bytes) => PageSource::bounded(bytes / PAGE),
            None => PageSource::new(),
        };
        Services {
            // Relaxed: a number on its own.
            number: SYSTEMS.fetch_add(1, Ordering::Relaxed),
            config,
            oracle,
            idle: IdleWorkers::new(),
            stage,
            dead_letters: DeadLetters::default(),
            reports: Reports::new(listener),
            outside: OutsideRequests::default(),
            meters: SystemMeters::new(),
            bytes: Bytes::default(),
            depot: Arc::new(Depot::new()),
            heaps: Arc::new(heaps),
            pauses: Histograms::default(),
            verdict: CommitLock::default(),
            extensions: Extensions::default(),
            next_id: NextId(AtomicU64::new(0)),
            next_root: AtomicU32::new(0),
            next_link: AtomicU64::new(0),
            next_wait: AtomicU64::new(0),
            life: AtomicU8::new(OPEN),
        }
    }

    /// Returns the stage of a simulation.
    pub(crate) fn stage(&self) -> Option<&Stage> {
        self.stage.as_deref()
    }

    /// Polls a user's future in the context of the executor that it expects.
    pub(crate) fn in_executor<R>(&self, poll: impl FnOnce() -> R) -> R {
        #[cfg(feature = "tokio")]
        if let Some(handle) = &self.config.tokio {
            let _within = handle.enter();
            return poll();
        }
        poll()
    }

    /// In a simulation: records an event that makes it unrepeatable.
    pub(crate) fn complain(&self, what: impl FnOnce() -> String) {
        if let Some(stage) = self.stage() {
            stage.complain(what());
        }
    }

    /// In a simulation: complains if this is not the thread that drives it.
    pub(crate) fn complain_if_foreign(&self, what: impl FnOnce() -> String) {
        if let Some(stage) = self.stage().filter(|stage| stage.is_foreign()) {
            stage.complain(what());
        }
    }

    /// The number of a new actor.
    #[inline]
    pub(crate) fn new_id(&self) -> u64 {
        // Relaxed: a number on its own.
        self.next_id.0.fetch_add(1, Ordering::Relaxed)
    }

    /// The numbers that the next actors get.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "snapshots call it")
    )]
    pub(crate) fn numbers(&self) -> (u64, u32) {
        // Relaxed: numbers on their own.
        let next_root = self.next_root.load(Ordering::Relaxed);
        (self.next_id.0.load(Ordering::Relaxed), next_root)
    }

    /// As they were in another life of the system.
    pub(crate) fn set_numbers(&self, (next_id, next_root): (u64, u32)) {
        // Relaxed: numbers on their own.
        self.next_id.0.store(next_id, Ordering::Relaxed);
        self.next_root.store(next_root, Ordering::Relaxed);
    }

    /// The number that the next link gets.
    pub(crate) fn link_number(&self) -> u64 {
        // Relaxed: a number on its own.
        self.next_link.load(Ordering::Relaxed)
    }

    /// As it was in another life of the system.
    pub(crate) fn set_link_number(&self, number: u64) {
        // Relaxed: a number on its own.
        self.next_link.store(number, Ordering::Relaxed);
    }

    /// The number of a new link.
    pub(crate) fn next_link(&self) -> u64 {
        // Relaxed: a number on its own.
        self.next_link.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of a new exclusive wait.
    pub(crate) fn next_wait(&self) -> u64 {
        // Relaxed: a number on its own.
        self.next_wait.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn is_closing(&self) -> bool {
        // SeqCst: pairs with the accesses in `begin_closing`: either the birth sees that the system
        // closes, or shutdown sees the new actor.
        self.life.load(Ordering::SeqCst) == CLOSING
    }

    pub(crate) fn begin_closing(&self) {
        self.life.store(CLOSING, Ordering::SeqCst);
    }
}
