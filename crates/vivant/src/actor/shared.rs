//! The state that the parts of one system share.

use super::accounting::Bytes;
use super::alarm::Alarm;
use super::catch::{Caught, note_places};
use super::dead_letters::DeadLetters;
use super::exit_hooks::ExitHooks;
use super::extensions::Extensions;
use super::panic::{Inside, Panic};
use super::reference::{AddressRef, CellRef};
use super::registry::Registry;
use super::report::{Listener, Reports};
use super::runnable::Runnable;
use super::signals::Signals;
use super::timer::{Timer, Timers};
use super::waiting_sender::WaitingSender;
use super::worker::Worker;
use crate::cycles::Detector;
use crate::message::Depot;
use crate::mute::Mutes;
use crate::oracle::Oracle;
use crate::sched::{Scheduler, SimulatedScheduler, Threads};
use crate::statistics::Histograms;
use crate::sync::{Arc, AtomicU8, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use crate::system::Config;
use std::collections::BTreeMap;
use vivant_heap::{PAGE, PageSource};

/// One system. Workers, cells and addresses hold it; its own references to cells are dropped at
/// shutdown.
pub(crate) struct Shared {
    /// The number of the system in the process: the first key of the order of addresses.
    pub(crate) number: u64,
    pub(crate) config: Config,
    pub(crate) oracle: Oracle,
    pub(crate) scheduler: Scheduler,
    pub(crate) registry: Registry,
    pub(crate) exit_hooks: ExitHooks,
    pub(crate) timers: Timers,
    pub(crate) mutes: Mutes<HeldBack>,
    pub(crate) dead_letters: DeadLetters,
    pub(crate) reports: Reports,
    #[cfg(feature = "metrics")]
    pub(crate) meters: crate::observe::SystemMeters,
    pub(crate) bytes: Bytes,
    pub(crate) depot: Arc<Depot>,
    /// The page source of the actors' heaps.
    pub(crate) heaps: Arc<PageSource>,
    /// Histograms of the pauses of heaps.
    pub(crate) pauses: Histograms,
    /// Finds unreachable actors.
    pub(crate) detector: Detector,
    /// What folders above this one keep in the system: names, trees, detached heaps.
    pub(crate) extensions: Extensions,
    kept: Mutex<BTreeMap<u64, AddressRef>>,
    pub(crate) next_id: AtomicU64,
    pub(crate) next_root: AtomicU32,
    stage: AtomicU8,
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
        scheduler: Scheduler,
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
            registry: Registry::default(),
            exit_hooks: ExitHooks::default(),
            timers: Timers::default(),
            mutes: Mutes::new(),
            dead_letters: DeadLetters::default(),
            reports: Reports::new(listener),
            #[cfg(feature = "metrics")]
            meters: crate::observe::SystemMeters::new(),
            bytes: Bytes::default(),
            depot: Arc::new(Depot::new()),
            heaps: Arc::new(heaps),
            pauses: Histograms::default(),
            detector: Detector::default(),
            extensions: Extensions::default(),
            kept: Mutex::new(BTreeMap::new()),
            next_id: AtomicU64::new(0),
            next_root: AtomicU32::new(0),
            stage: AtomicU8::new(OPEN),
        })
    }

    pub(crate) fn threads(&self) -> Option<&Threads> {
        match &self.scheduler {
            Scheduler::Threads(threads) => Some(threads),
            Scheduler::Simulated(_) => None,
        }
    }

    pub(crate) fn simulated(&self) -> Option<&SimulatedScheduler> {
        match &self.scheduler {
            Scheduler::Threads(_) => None,
            Scheduler::Simulated(stage) => Some(stage),
        }
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
        match &self.scheduler {
            Scheduler::Threads(threads) => threads.schedule(actor, worker, self),
            Scheduler::Simulated(stage) => stage.schedule(actor, &self.oracle),
        }
    }

    /// Bytes of cells and waiting messages that the runtime holds; exact when nothing runs.
    pub(crate) fn bytes_held(&self) -> i64 {
        let counted = |threads: &Threads| threads.bytes_counted();
        self.bytes.shared() + self.threads().map_or(0, counted)
    }

    /// Sets an alarm that fires `in_ns` nanoseconds from now.
    pub(crate) fn set_timer(self: &Arc<Self>, in_ns: u64, alarm: Alarm) -> Timer {
        let at_ns = self.oracle.now_ns().saturating_add(in_ns);
        let (id, is_next) = self.timers.set(at_ns, alarm);
        if let (true, Some(threads)) = (is_next, self.threads()) {
            threads.timer_is_nearer(at_ns);
        }
        Timer::new(self.clone(), id)
    }

    /// Fires the timers that are due.
    pub(crate) fn fire_due(&self) {
        let now_ns = self.oracle.now_ns();
        self.timers
            .fire_due(now_ns, |caught| self.timer_panicked(caught));
    }

    /// User code in a timer's message panicked.
    pub(crate) fn timer_panicked(&self, caught: Caught) {
        let actor = "a timer".to_owned();
        self.reports.panicked(&Panic::of(
            Inside {
                actor,
                behaviour: "-",
            },
            caught,
        ));
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
        if let Scheduler::Simulated(stage) = &self.scheduler {
            stage.complain(what());
        }
    }

    /// In a simulation: complains if this is not the thread that drives it.
    pub(crate) fn complain_if_foreign(&self, what: impl FnOnce() -> String) {
        if let Some(stage) = self.simulated().filter(|stage| stage.is_foreign()) {
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
        self.stage.load(Ordering::SeqCst) == CLOSING
    }

    pub(crate) fn begin_closing(&self) {
        self.stage.store(CLOSING, Ordering::SeqCst);
    }
}
