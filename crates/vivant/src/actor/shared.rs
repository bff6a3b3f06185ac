//! The state that the parts of one system share.

use super::accounting::Bytes;
use super::dead_letters::DeadLetters;
use super::exit_hooks::ExitHooks;
use super::extensions::Extensions;
use super::reference::{AddressRef, CellRef};
use super::registry::Registry;
use super::reports::{Listener, Reports};
use super::runnable::Runnable;
use super::scheduler::Scheduler;
use super::signals::Signals;
use super::stage::Stage;
use super::timers::Timers;
use super::waiting_sender::WaitingSender;
use super::worker::Worker;
use super::worker_shared::WorkerShared;
use crate::candidates::{Candidates, CommitLock};
use crate::config::Config;
use crate::failures::note_places;
use crate::message::Depot;
use crate::mute::Mutes;
use crate::observe::SystemMeters;
use crate::oracle::Oracle;
use crate::queues::IdleWorkers;
use crate::statistics::Histograms;
use crate::sync::{Arc, AtomicU8, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use std::collections::BTreeMap;
use vivant_heap::{PAGE, PageSource};

/// One system. Workers, cells and addresses hold it; its own references to cells are dropped at
/// shutdown.
pub(crate) struct Shared {
    /// The number of the system in the process: the first key of the order of addresses.
    pub(crate) number: u64,
    pub(crate) config: Config,
    pub(crate) oracle: Oracle,
    pub(crate) scheduler: Box<dyn Scheduler>,
    pub(crate) idle: IdleWorkers,
    /// Of a simulation.
    stage: Option<Box<Stage>>,
    pub(crate) registry: Registry,
    pub(crate) exit_hooks: ExitHooks,
    pub(crate) timers: Timers,
    pub(crate) mutes: Mutes<HeldBack>,
    pub(crate) dead_letters: DeadLetters,
    pub(crate) reports: Reports,
    pub(crate) meters: SystemMeters,
    pub(crate) bytes: Bytes,
    pub(crate) depot: Arc<Depot>,
    /// The page source of the actors' heaps.
    pub(crate) heaps: Arc<PageSource>,
    /// Histograms of the pauses of heaps.
    pub(crate) pauses: Histograms,
    /// Actors that may be unreachable.
    pub(crate) candidates: Candidates<Runnable>,
    pub(crate) verdict: CommitLock,
    /// What folders above this one keep in the system: names, trees, detached heaps.
    pub(crate) extensions: Extensions,
    kept: Mutex<BTreeMap<u64, AddressRef>>,
    pub(crate) next_id: AtomicU64,
    pub(crate) next_root: AtomicU32,
    life: AtomicU8,
}

/// A sender that waits until an overloaded actor has recovered.
pub(crate) enum HeldBack {
    /// A muted actor.
    Actor(CellRef),
    /// An offer, from outside of turns.
    Offer(Arc<WaitingSender>),
}

impl HeldBack {
    pub(crate) fn goes_on(self) {
        match self {
            HeldBack::Actor(muted) => muted.signal(Signals::UNMUTE),
            HeldBack::Offer(waiting_sender) => {
                let _told = waiting_sender.may_go();
            }
        }
    }

    /// Its number, if it is an actor.
    pub(crate) fn actor(&self) -> Option<u64> {
        match self {
            HeldBack::Actor(muted) => Some(muted.id),
            HeldBack::Offer(_) => None,
        }
    }

    pub(crate) fn is(&self, waiting_sender: &Arc<WaitingSender>) -> bool {
        matches!(self, HeldBack::Offer(other) if Arc::ptr_eq(other, waiting_sender))
    }
}

const OPEN: u8 = 0;
const CLOSING: u8 = 1;

static SYSTEMS: AtomicU64 = AtomicU64::new(0);

impl Shared {
    pub(crate) fn new(
        config: Config,
        oracle: Oracle,
        scheduler: Box<dyn Scheduler>,
        stage: Option<Box<Stage>>,
        listener: Option<Listener>,
    ) -> Arc<Shared> {
        note_places();
        let heaps = match config.heap_limit {
            Some(bytes) => PageSource::bounded(bytes / PAGE),
            None => PageSource::new(),
        };
        Arc::new(Shared {
            // Relaxed: a number on its own.
            number: SYSTEMS.fetch_add(1, Ordering::Relaxed),
            config,
            oracle,
            scheduler,
            idle: IdleWorkers::new(),
            stage,
            registry: Registry::default(),
            exit_hooks: ExitHooks::default(),
            timers: Timers::default(),
            mutes: Mutes::new(),
            dead_letters: DeadLetters::default(),
            reports: Reports::new(listener),
            meters: SystemMeters::new(),
            bytes: Bytes::default(),
            depot: Arc::new(Depot::new()),
            heaps: Arc::new(heaps),
            pauses: Histograms::default(),
            candidates: Candidates::new(),
            verdict: CommitLock::default(),
            extensions: Extensions::default(),
            kept: Mutex::new(BTreeMap::new()),
            next_id: AtomicU64::new(0),
            next_root: AtomicU32::new(0),
            life: AtomicU8::new(OPEN),
        })
    }

    /// Returns the stage of a simulation.
    pub(crate) fn stage(&self) -> Option<&Stage> {
        self.stage.as_deref()
    }

    /// Schedules an actor that was woken.
    pub(crate) fn schedule(self: &Arc<Self>, actor: Runnable) {
        Worker::with_any(|worker| {
            let own = worker.filter(|worker| std::ptr::eq(&*worker.system, &**self));
            self.schedule_by(own, actor);
        });
    }

    /// Like `schedule`, by this thread's worker, if it is one of this system.
    #[inline]
    pub(crate) fn schedule_by(self: &Arc<Self>, worker: Option<&Worker>, actor: Runnable) {
        match worker.and_then(Worker::worker_shared) {
            Some(worker_shared) if actor.worker_class().is_for_workers() => {
                self.wake_beside(worker_shared, actor);
            }
            _ => self.schedule_elsewhere(actor),
        }
    }

    #[cold]
    fn schedule_elsewhere(self: &Arc<Self>, actor: Runnable) {
        self.scheduler.schedule(actor, self);
    }

    /// A turn of this worker has woken `actor`: it runs next, here, on warm caches. The actor that
    /// was to run next goes to the queue.
    #[inline]
    fn wake_beside(&self, worker_shared: &WorkerShared, actor: Runnable) {
        let Some(displaced) = worker_shared.woken.put(actor) else {
            return;
        };
        let waiting = worker_shared.queue.push(displaced) as u64;
        let work_ns = waiting * u64::from(worker_shared.run_ns.load(Ordering::Relaxed));
        if work_ns >= self.idle.offer_delay.ns() {
            self.idle.offer();
        }
    }

    /// Cells and messages of this system take `bytes` more.
    #[inline]
    pub(crate) fn account_more(&self, bytes: usize) {
        let by_worker = Worker::of(self, |worker| worker.account_more(bytes));
        by_worker.unwrap_or_else(|| self.bytes.change(bytes as i64));
    }

    /// As `account_more`, for `bytes` less.
    #[inline]
    pub(crate) fn account_less(&self, bytes: usize) {
        let by_worker = Worker::of(self, |worker| worker.account_less(bytes));
        by_worker.unwrap_or_else(|| self.bytes.change(-(bytes as i64)));
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

    pub(crate) fn keep(&self, address: AddressRef) {
        let mut kept = lock(&self.kept);
        // Under the lock, so that `forget_kept` finds what was kept before it.
        if self.is_closing() {
            drop(kept);
            return;
        }
        let before = kept.insert(address.id, address);
        drop(kept);
        drop(before);
    }

    pub(crate) fn release(&self, id: u64) -> bool {
        let kept = lock(&self.kept).remove(&id);
        kept.is_some()
    }

    pub(crate) fn is_kept(&self, id: u64) -> bool {
        lock(&self.kept).contains_key(&id)
    }

    pub(crate) fn forget_kept(&self) {
        let kept = std::mem::take(&mut *lock(&self.kept));
        drop(kept);
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
