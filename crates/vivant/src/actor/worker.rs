//! The context in which turns run: one for each worker thread, one for a simulation.

use super::current_actor::CurrentActor;
use super::envelope::{Envelope, KindTable, LinkMessage};
use super::error::AskError;
use super::exclusive_wait::{ExclusiveWait, WaitNumber};
use super::header::Header;
use super::options::Steps;
use super::reference::{AddressRef, Cached, CellRef, Dropped};
use super::runnable::Runnable;
use super::shared::Shared;
use super::slot_list::SlotList;
use super::worker_pass::WorkerPass;
use super::worker_shared::WorkerShared;
use crate::candidates::Candidate;
use crate::failures::StopReason;
use crate::interned::Name;
use crate::message::Pool;
use crate::observe::WorkerMeters;
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};
use std::rc::Rc;
use vivant_brc::Executor;
use vivant_heap::__private::{TurnHeap, separate_drops};
use vivant_heap::{Erased, Mutator, Parcel, Sendable};

thread_local! {
    /// This thread's worker. Set only by [`Worker::enter`]; its frame outlives every use.
    static CURRENT: Cell<Option<NonNull<Worker>>> = const { Cell::new(None) };
}

/// The runtime as the code of a turn accesses it. Never leaves its thread.
pub(crate) struct Worker {
    pub(crate) system: Arc<Shared>,
    /// The worker that this thread was when it became this one. Set only by [`Worker::enter`],
    /// which takes it back.
    outer: Cell<Option<NonNull<Worker>>>,
    worker_shared: Option<Arc<WorkerShared>>,
    /// The current actor, which this worker holds.
    pub(crate) current: CurrentActor,
    pub(super) pass: WorkerPass,
    /// Recycled memory of messages.
    pool: Pool,
    pub(crate) meters: WorkerMeters,
    /// The kind of the message that runs its turn, guard or end. `None`: no user code of an actor
    /// runs.
    pub(super) turn: Cell<Option<&'static KindTable>>,
    pub(super) code_of: Cell<CodeOf>,
    /// What is to be done at the end of the turn.
    pub(super) requests: TurnRequests,
    /// The next step of the running behaviour.
    next_step: Cell<Option<Envelope>>,
    /// The heap of the running turn. Set only by [`Worker::packing`], which takes it back.
    packer: Cell<Option<TurnHeap>>,
    /// Actors that have lost an address here, and not the last (U1): cycle candidates. Flushed to
    /// the detector at the end of the round.
    pub(super) candidates: RefCell<Vec<Candidate>>,
    /// The actor with the turn that made the last candidate, if candidates overload the detector.
    pub(super) throttled: Cell<Option<u64>>,
}

/// What the code belongs to that runs in a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeOf {
    Turn,
    /// A future, which the turn polls.
    Future,
}

/// What is to be done at the end of the turn.
#[derive(Default)]
pub(super) struct TurnRequests {
    pub(super) next: Cell<TurnRequest>,
    pub(super) changes: Cell<TurnChanges>,
    /// What the turn has linked and unlinked.
    pub(super) links: Cell<Vec<LinkMessage>>,
    /// The exclusive waits that have begun in the turn, or are over.
    pub(super) waits: Cell<Vec<WaitChange>>,
    pub(super) overloaded: Cell<Option<CellRef>>,
    pub(super) ending: Cell<Option<StopReason>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TurnRequest {
    #[default]
    None,
    /// `links` or `waits` is not empty. In the other states they may be, too.
    Changes,
    /// The run is to end, because there is work before the next one.
    Pause,
    /// `overloaded` is set.
    Overloaded,
    /// `ending` is set, and `overloaded` may be.
    End,
}

/// Whether `links` or `waits` has any change.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TurnChanges {
    #[default]
    None,
    Some,
}

/// A change of the waits of the current actor.
pub(crate) enum WaitChange {
    Begin(ExclusiveWait),
    /// The promise has settled.
    Over(WaitNumber, WaitOutcome),
}

/// How the promise of a wait has settled.
pub(crate) enum WaitOutcome {
    Settled,
    Failed(AskError),
    /// The state is there: the message that brings it.
    State(Envelope),
}

impl Worker {
    pub(crate) fn new(system: Arc<Shared>, worker_shared: Option<Arc<WorkerShared>>) -> Rc<Worker> {
        // A short-lived worker would only move memory about, so it does not recycle.
        let depot = worker_shared.as_ref().map(|_| system.depot.clone());
        let pass = WorkerPass::new(&system.passes);
        Rc::new(Worker {
            system,
            outer: Cell::new(None),
            worker_shared,
            current: CurrentActor::default(),
            pass,
            pool: Pool::new(depot),
            meters: WorkerMeters::default(),
            turn: Cell::new(None),
            code_of: Cell::new(CodeOf::Turn),
            requests: TurnRequests::default(),
            next_step: Cell::new(None),
            packer: Cell::new(None),
            candidates: RefCell::default(),
            throttled: Cell::new(None),
        })
    }

    /// Makes `worker` this thread's worker while `body` runs. Nests: a simulation may be driven
    /// from another system's turn.
    pub(crate) fn enter<R>(worker: &Rc<Worker>, body: impl FnOnce(&Worker) -> R) -> R {
        struct Restore<'w>(&'w Worker);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                CURRENT.set(self.0.outer.take());
            }
        }
        // What runs here belongs to the actors.
        let _executor = Executor::new();
        worker
            .outer
            .set(CURRENT.replace(Some(NonNull::from(&**worker))));
        let _restore = Restore(worker);
        separate_drops(|| worker.pool.enter(|| body(worker)))
    }

    /// Calls `body` with this thread's worker, if the thread is one.
    #[inline]
    pub(crate) fn with_current<R>(body: impl FnOnce(&Worker) -> R) -> Option<R> {
        let worker = CURRENT.get()?;
        // SAFETY: `enter` set it from a reference that lives as long as its frame, and takes it
        // back when that frame is left; `body` runs above that frame, on this thread (X7).
        Some(body(unsafe { worker.as_ref() }))
    }

    /// Calls `body` with this thread's worker, or with `None`.
    #[inline]
    pub(crate) fn with_any<R>(body: impl FnOnce(Option<&Worker>) -> R) -> R {
        // SAFETY: `enter` set it from a reference that lives as long as its frame, and takes it
        // back when that frame is left; `body` runs above that frame, on this thread (X7).
        body(CURRENT.get().map(|worker| unsafe { worker.as_ref() }))
    }

    /// Calls `body` with the list of the open slots of `actor` if this thread's worker holds the
    /// actor, and with `None` if not.
    #[inline(always)]
    pub(crate) fn with_slots<R>(actor: &Header, body: impl FnOnce(Option<&SlotList>) -> R) -> R {
        Worker::with_any(|worker| {
            let worker = worker.filter(|worker| worker.current.is_at(actor));
            body(worker.map(|_held| &actor.slots))
        })
    }

    /// Calls `body` with this thread's worker if it belongs to `system`.
    #[inline]
    pub(crate) fn of<R>(system: &Shared, body: impl FnOnce(&Worker) -> R) -> Option<R> {
        Worker::with_current(|worker| ptr::eq(&*worker.system, system).then(|| body(worker)))
            .flatten()
    }

    /// Whether this thread is a worker of `system`. It is one also if a turn of `system` drives
    /// another system, and a turn of that system calls this.
    pub(crate) fn has_entered(system: &Shared) -> bool {
        Worker::any_entered(|worker| ptr::eq(&*worker.system, system))
    }

    /// Whether a turn of `system` calls this, by itself or by another system that it drives.
    pub(crate) fn inside_turn_of(system: &Shared) -> bool {
        Worker::any_entered(|worker| ptr::eq(&*worker.system, system) && worker.inside_turn())
    }

    /// Whether one of the workers that this thread is has a property.
    fn any_entered(has: impl Fn(&Worker) -> bool) -> bool {
        Worker::find_entered(|worker| has(worker).then_some(())).is_some()
    }

    /// Returns what `find` finds in the first of the workers that this thread is.
    pub(super) fn find_entered<R>(mut find: impl FnMut(&Worker) -> Option<R>) -> Option<R> {
        let mut next = CURRENT.get();
        while let Some(worker) = next {
            // SAFETY: `enter` set it from a reference that lives as long as its frame, and takes it
            // back when that frame is left, which is below this one, on this thread (X7).
            let worker = unsafe { worker.as_ref() };
            if let Some(found) = find(worker) {
                return Some(found);
            }
            next = worker.outer.get();
        }
        None
    }

    /// Makes this turn's heap pack all values that are packed on this thread while `body` runs.
    #[inline]
    pub(crate) fn packing<R>(&self, mutator: &Mutator<'_>, body: impl FnOnce() -> R) -> R {
        struct Restore<'a>(&'a Cell<Option<TurnHeap>>, Option<TurnHeap>);
        impl Drop for Restore<'_> {
            #[inline]
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let before = self.packer.replace(Some(TurnHeap::new(mutator)));
        let _restore = Restore(&self.packer, before);
        body()
    }

    /// Packs a value with the heap of the turn that runs on this thread. Without such a heap,
    /// packing costs a count delta in the count inbox of each object's owner.
    #[inline]
    pub(crate) fn pack<'gc, T: Erased<Of<'gc>: Sendable<'gc>>>(value: T::Of<'gc>) -> Parcel<T> {
        match Worker::with_current(|worker| worker.packer.get()).flatten() {
            // SAFETY: `packing` has set it while it borrows the mutator of a turn, so that turn has
            // not ended (Y1); it takes it back even after a panic. A worker never leaves its thread
            // (X9).
            Some(packer) => unsafe { packer.pack(value) },
            None => Parcel::new(value),
        }
    }

    /// Returns true if user code of a turn is running.
    pub(crate) fn inside_turn(&self) -> bool {
        self.turn.get().is_some()
    }

    /// Returns the path of the current actor.
    pub(crate) fn path(&self) -> String {
        self.current
            .with(Header::path)
            .unwrap_or_else(|| "-".to_owned())
    }

    /// A run begins. The addresses of the actor that this worker's turns have dropped become
    /// cached.
    #[inline]
    pub(crate) fn begin_run(&self, actor: &Runnable) {
        if let Some(worker_shared) = &self.worker_shared {
            worker_shared.watch.holds(actor);
            while let Some(dropped) = worker_shared.dropped_of(actor) {
                self.current.cache(dropped);
            }
        }
    }

    /// Returns the address of the actor of the running turn.
    ///
    /// # Panics
    ///
    /// Between turns; a `Turn` exists only within a turn.
    pub(crate) fn me(&self) -> AddressRef {
        self.current
            .address()
            .expect("a turn runs only while its actor is held")
    }

    /// Returns the address of the current actor, if there is one.
    pub(crate) fn me_if_any(&self) -> Option<AddressRef> {
        self.current.address()
    }

    /// Calls `body` with the actor of the running turn.
    ///
    /// # Panics
    ///
    /// As [`Worker::me`].
    pub(crate) fn with_me<R>(&self, body: impl FnOnce(&Header) -> R) -> R {
        self.current
            .with(body)
            .expect("a turn runs only while its actor is held")
    }

    #[inline]
    pub(crate) fn turn_begins(&self, kind: &'static KindTable) {
        self.turn.set(Some(kind));
        if let Some(worker_shared) = &self.worker_shared {
            worker_shared.watch.begins(self.system.oracle.coarse_ms());
        }
    }

    #[inline]
    pub(crate) fn turn_ends(&self) {
        self.turn.set(None);
        if let Some(worker_shared) = &self.worker_shared {
            worker_shared.watch.ends();
        }
    }

    /// The guard of a message is evaluated.
    #[inline]
    pub(crate) fn guard_begins(&self, kind: &'static KindTable) {
        self.turn_begins(kind);
    }

    /// As `turn_ends`, but it was no turn.
    #[inline]
    pub(crate) fn guard_ends(&self) {
        self.turn.set(None);
        if let Some(worker_shared) = &self.worker_shared {
            worker_shared.watch.pauses();
        }
    }

    /// Returns the kind of the message that runs its turn, guard or end.
    pub(crate) fn turn(&self) -> Option<&'static KindTable> {
        self.turn.get()
    }

    /// Returns the name of the running behaviour, or `-`.
    pub(crate) fn behaviour(&self) -> Name {
        self.turn.get().map_or(Name::new("-"), |kind| kind.name)
    }

    /// Records that the behaviour has another step.
    pub(crate) fn set_next_step(&self, next: Envelope) {
        self.next_step.set(Some(next));
    }

    /// A behaviour written by hand is not to leave a step to the next message of this worker.
    ///
    /// # Panics
    ///
    /// The running message is not that of a behaviour in steps.
    pub(crate) fn expect_steps(&self) {
        let has_steps = self
            .turn
            .get()
            .is_some_and(|kind| kind.steps == Steps::Many);
        assert!(
            has_steps,
            "`{}` is no behaviour in steps: it must return a `Step` to leave something to the next one",
            self.behaviour()
        );
    }

    /// Takes the next step of the behaviour that ran, if there is one.
    pub(crate) fn take_next_step(&self) -> Option<Envelope> {
        self.next_step.take()
    }

    /// Returns true if a next step is still here. Between two runs this is false.
    pub(crate) fn has_next_step(&self) -> bool {
        let next_step = self.next_step.take();
        let has_next_step = next_step.is_some();
        self.next_step.set(next_step);
        has_next_step
    }

    /// Called when an address is dropped on this thread. Returns `Yes` if it is kept for reuse and
    /// need not be subtracted yet (C6). Only addresses of an active actor are kept, because an idle
    /// actor would have to be woken to end.
    #[inline]
    pub(crate) fn cache_dropped(&self, address: &AddressRef, dropped: Dropped) -> Cached {
        if self.current.has(&dropped) {
            self.current.cache(dropped);
            return Cached::Yes;
        }
        match &self.worker_shared {
            Some(worker_shared)
                if Arc::ptr_eq(&self.system, &address.system) && address.inbox.is_active() =>
            {
                worker_shared.keep(dropped)
            }
            _ => dropped.not_cached(),
        }
    }

    /// Returns true if it runs one actor after the other, until its thread leaves.
    pub(crate) fn has_rounds(&self) -> bool {
        self.worker_shared.is_some()
    }

    /// Returns true if there are cycle candidates to flush.
    pub(crate) fn has_candidates(&self) -> bool {
        !self.candidates.borrow().is_empty()
    }

    /// Takes the id of the actor to throttle because of candidate overload.
    pub(crate) fn take_throttled(&self) -> Option<u64> {
        self.throttled.take()
    }

    /// A message of this system has left its mailbox: subtracts its bytes.
    #[inline]
    pub(crate) fn account_less(&self, bytes: usize) {
        match &self.worker_shared {
            Some(worker_shared) => worker_shared.bytes.change(-(bytes as i64)),
            None => self.system.bytes.change(-(bytes as i64)),
        }
    }

    /// A message of this system has been sent: adds its bytes.
    #[inline]
    pub(crate) fn account_more(&self, bytes: usize) {
        match &self.worker_shared {
            Some(worker_shared) => worker_shared.bytes.change(bytes as i64),
            None => self.system.bytes.change(bytes as i64),
        }
    }

    pub(crate) fn worker_shared(&self) -> Option<&Arc<WorkerShared>> {
        self.worker_shared.as_ref()
    }
}
