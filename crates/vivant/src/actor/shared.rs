//! [`Shared`]: one system, as its actors and workers hold it.

use super::entry_stamp::EntryStamp;
use super::header::Header;
use super::reference::{AddressRef, CellRef};
use super::refusal::DelayedMessage;
use super::runnable::Runnable;
use super::waiting_sender::WaitingSender;
use super::worker::Worker;
use super::worker_shared::WorkerShared;
use crate::candidates::Candidates;
use crate::failures::note_places;
use crate::mute::Mutes;
use crate::phase::Passes;
use crate::services::{ExitAction, ExitHookId, ExitHooks, Registry, Services, Timers};
use crate::sync::{Arc, Mutex, Ordering, lock};
use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Deref;

/// One system: its services, and what names its actors. Workers, cells and addresses hold it; its
/// own references to cells are dropped at shutdown.
pub(crate) struct Shared {
    pub(crate) scheduler: Box<dyn Scheduler>,
    /// All actors, for inspection and shutdown. It owns the lifetime of each (C5).
    pub(crate) registry: Registry<CellRef>,
    pub(crate) mutes: Mutes<MutedSender>,
    /// Actors that may be unreachable.
    pub(crate) candidates: Candidates<Runnable>,
    pub(crate) timers: Timers<DelayedMessage>,
    pub(crate) exit_hooks: ExitHooks<Arc<Shared>>,
    pub(super) kept: Mutex<BTreeMap<u64, KeptActor>>,
    pub(crate) passes: Arc<Passes>,
    services: Services,
}

impl Deref for Shared {
    type Target = Services;
    #[inline]
    fn deref(&self) -> &Services {
        &self.services
    }
}

/// What runs the actors of a system. There are two: threads and a simulation.
pub(crate) trait Scheduler: Any + Send + Sync {
    /// Queues an actor that was woken, if no worker keeps it for itself.
    fn schedule(&self, actor: Runnable, system: &Arc<Shared>);

    /// A timer became the next one.
    fn timer_is_nearer(&self, at_ns: u64);

    /// An actor with a heap begins.
    fn heap_begins(&self, system: &Arc<Shared>);

    /// Takes one step on this thread, and time passes until `until_ns` at most. False: nothing is
    /// left to do, as always with threads, which take their steps by themselves.
    fn step(&self, system: &Arc<Shared>, until_ns: u64) -> bool;

    /// Gives each actor that waits for its run to `body`, and puts it back where it was. Threads
    /// have none to give: their actors run soon.
    #[cfg_attr(
        not(all(test, feature = "snapshots")),
        allow(dead_code, reason = "tests of snapshots call it")
    )]
    fn each_queued(&self, body: &mut dyn FnMut(Runnable) -> Runnable);

    /// Runs all runnable actors on this thread, without time passing and regardless of delays by
    /// faults: for shutdown. Returns the number of steps.
    fn run_ready(&self, system: &Arc<Shared>) -> u64;
}

/// A sender that waits until an overloaded actor has recovered.
pub(crate) enum MutedSender {
    /// A muted actor.
    Actor(CellRef),
    /// An offer, from outside of turns.
    Offer(Arc<WaitingSender>),
}

impl MutedSender {
    /// Its number, if it is an actor.
    pub(crate) fn actor(&self) -> Option<u64> {
        match self {
            MutedSender::Actor(muted) => Some(muted.id),
            MutedSender::Offer(_) => None,
        }
    }

    pub(crate) fn is(&self, waiting_sender: &Arc<WaitingSender>) -> bool {
        matches!(self, MutedSender::Offer(other) if Arc::ptr_eq(other, waiting_sender))
    }
}

impl Shared {
    pub(crate) fn new(services: Services, scheduler: Box<dyn Scheduler>) -> Arc<Shared> {
        note_places();
        let passes: Arc<Passes> = Arc::default();
        services.heaps.set_phases(passes.clone());
        Arc::new(Shared {
            scheduler,
            registry: Registry::default(),
            mutes: Mutes::new(),
            candidates: Candidates::new(),
            timers: Timers::default(),
            exit_hooks: ExitHooks::default(),
            kept: Mutex::new(BTreeMap::new()),
            passes,
            services,
        })
    }

    /// Returns the actor with this number that was put at this place of the registry, if it is
    /// still there.
    pub(crate) fn actor(&self, id: u64, place: u32) -> Option<CellRef> {
        self.registry.get(place, |cell| cell.id == id)
    }

    /// Returns all actors that exist now, in the order of their creation.
    pub(crate) fn actors(&self) -> Vec<CellRef> {
        let mut all = self.registry.all();
        all.sort_by_key(|cell| cell.id);
        all
    }

    /// Registers an action for the time when `actor` has ended, after its mailbox is closed.
    /// `None`: it has ended already, and `action` is dropped.
    pub(crate) fn when_ended(
        &self,
        actor: &Header,
        action: ExitAction<Arc<Shared>>,
    ) -> Option<ExitHookId> {
        let id = self.exit_hooks.insert(actor.id, action);
        if self.actor(actor.id, actor.place()).is_some() {
            return Some(id);
        }
        // If it is gone, the end of the actor has run it.
        self.exit_hooks.remove(id);
        None
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
                self.schedule_next(worker_shared, actor);
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
    fn schedule_next(&self, worker_shared: &WorkerShared, actor: Runnable) {
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

    pub(crate) fn is_kept(&self, id: u64) -> bool {
        lock(&self.kept).contains_key(&id)
    }

    pub(crate) fn forget_kept(&self) {
        let kept = std::mem::take(&mut *lock(&self.kept));
        drop(kept);
    }
}

/// An actor that the system keeps alive.
pub(super) struct KeptActor {
    pub(super) address: AddressRef,
    pub(super) stamp: EntryStamp,
}
