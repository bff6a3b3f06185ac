//! The context in which turns run: one for each worker thread, one for a simulation.

use super::seat::Seat;
use crate::accounting::{Bytes, Counted};
use crate::cell::{AddressRef, CellRef, Dropped, Header, Kept, Present, Runnable};
use crate::error::Inside;
use crate::mailbox::{Envelope, Kind, Pool};
#[cfg(feature = "metrics")]
use crate::observe::WorkerMeters;
use crate::stop::StopReason;
use crate::sync::Arc;
use crate::system::Shared;
use crate::unreachable::{Crowd, Suspect};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};
use std::rc::Rc;
use vivant_brc::Executor;
use vivant_heap::__private::Packer;
use vivant_heap::{Mutator, Parcel, Sendable, Twin};

/// How many suspects a worker notes before it tells of them.
const SUSPECTS_MAX: usize = 64;

thread_local! {
    /// This thread's worker. Set by [`Worker::enter`] alone, whose frame outlives every use.
    static CURRENT: Cell<Option<NonNull<Worker>>> = const { Cell::new(None) };
}

/// What the code of a turn reaches the runtime through. Never leaves its thread.
pub(crate) struct Worker {
    pub(crate) system: Arc<Shared>,
    seat: Option<Arc<Seat>>,
    /// The actor that this worker holds.
    pub(crate) present: Present,
    /// Recycled memory of messages.
    pub(crate) pool: Pool,
    #[cfg(feature = "metrics")]
    pub(crate) meters: WorkerMeters,
    /// The kind of message whose turn, guard or end runs. `None`: no user code of an actor runs.
    turn: Cell<Option<&'static Kind>>,
    /// What the turn wants done when it has ended.
    wishes: Cell<Wishes>,
    overloaded: Cell<Option<CellRef>>,
    ending: Cell<Option<StopReason>>,
    /// The next step of the behaviour that runs.
    again: Cell<Option<Envelope>>,
    /// What a step of a plain actor has left for the next, from there on and until that has begun.
    pub(crate) locals: Cell<Option<Box<dyn Any + Send>>>,
    /// The heap of the turn that runs. Set by [`Worker::packing`] alone, which takes it back.
    packer: Cell<Option<Packer>>,
    /// Actors that have lost an address here, and not the last (U1). The detector is told at the
    /// round's end.
    suspects: RefCell<Vec<Suspect>>,
    /// The actor whose turn has made the last of those, when they crowd.
    crowding: Cell<Option<u64>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wishes {
    None,
    /// The run is to end, for there is something to do before the next.
    Pause,
    /// `overloaded` is set.
    Overloaded,
    /// `ending` is set, and `overloaded` may be.
    End,
}

impl Worker {
    pub(crate) fn new(system: Arc<Shared>, seat: Option<Arc<Seat>>) -> Rc<Worker> {
        // A worker that comes and goes would only carry memory about.
        let depot = seat.as_ref().map(|_| system.depot.clone());
        Rc::new(Worker {
            system,
            seat,
            present: Present::default(),
            pool: Pool::new(depot),
            #[cfg(feature = "metrics")]
            meters: WorkerMeters::default(),
            turn: Cell::new(None),
            wishes: Cell::new(Wishes::None),
            overloaded: Cell::new(None),
            ending: Cell::new(None),
            again: Cell::new(None),
            locals: Cell::new(None),
            packer: Cell::new(None),
            suspects: RefCell::default(),
            crowding: Cell::new(None),
        })
    }

    /// Makes `worker` this thread's, while `body` runs. Nests: a simulation may be driven from
    /// another system's turn.
    pub(crate) fn enter<R>(worker: &Rc<Worker>, body: impl FnOnce(&Worker) -> R) -> R {
        struct Restore(Option<NonNull<Worker>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        // What runs here belongs to the actors.
        let _executor = Executor::new();
        let _restore = Restore(CURRENT.replace(Some(NonNull::from(&**worker))));
        body(worker)
    }

    /// Calls `body` with this thread's worker, if it is one.
    #[inline]
    pub(crate) fn with_current<R>(body: impl FnOnce(&Worker) -> R) -> Option<R> {
        let worker = CURRENT.get()?;
        // SAFETY: `enter` set it from a reference that lives as long as its frame, and takes it
        // back when that frame is left; `body` runs above that frame, on this thread.
        Some(body(unsafe { worker.as_ref() }))
    }

    /// Calls `body` with this thread's worker, or with none.
    #[inline]
    pub(crate) fn with_any<R>(body: impl FnOnce(Option<&Worker>) -> R) -> R {
        // SAFETY: as in `with_current`.
        body(CURRENT.get().map(|worker| unsafe { worker.as_ref() }))
    }

    /// Calls `body` with this thread's worker if it is one of `system`.
    #[inline]
    pub(crate) fn of<R>(system: &Shared, body: impl FnOnce(&Worker) -> R) -> Option<R> {
        Worker::with_current(|worker| ptr::eq(&*worker.system, system).then(|| body(worker)))
            .flatten()
    }

    /// Has what is packed on this thread packed by this turn's heap, while `body` runs.
    #[inline]
    pub(crate) fn packing<R>(&self, mutator: &Mutator<'_>, body: impl FnOnce() -> R) -> R {
        struct Restore<'a>(&'a Cell<Option<Packer>>, Option<Packer>);
        impl Drop for Restore<'_> {
            #[inline]
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let before = self.packer.replace(Some(Packer::new(mutator)));
        let _restore = Restore(&self.packer, before);
        body()
    }

    /// Packs a value: by the heap of the turn that runs on this thread, if it has one. Without, it
    /// costs a change in the lane of each object's owner.
    #[inline]
    pub(crate) fn pack<'gc, T: Twin<Of<'gc>: Sendable<'gc>>>(value: T::Of<'gc>) -> Parcel<T> {
        match Worker::with_current(|worker| worker.packer.get()).flatten() {
            // SAFETY: `packing` has set it, which lasts as long as it has the mutator of that turn,
            // by a panic too; on this thread, because a worker never leaves its own.
            Some(packer) => unsafe { packer.pack(value) },
            None => Parcel::new(value),
        }
    }

    /// The turn that runs on this thread, for errors that name it.
    pub(crate) fn inside() -> Option<Inside> {
        Worker::with_current(|worker| {
            worker.turn.get().map(|kind| Inside {
                actor: worker.path(),
                behaviour: kind.name,
            })
        })
        .flatten()
    }

    /// Whether user code of a turn is running.
    pub(crate) fn inside_turn(&self) -> bool {
        self.turn.get().is_some()
    }

    /// The path of the actor that is held.
    pub(crate) fn path(&self) -> String {
        self.present
            .with(Header::path)
            .unwrap_or_else(|| "-".to_owned())
    }

    /// A run begins. What this worker's turns have dropped of the actor's addresses becomes spare.
    #[inline]
    pub(crate) fn begins(&self, actor: &Runnable) {
        if let Some(seat) = &self.seat {
            seat.watch.holds(actor);
            while let Some(dropped) = seat.dropped_of(actor) {
                self.present.takes(dropped);
            }
        }
    }

    /// The address of the actor whose turn runs.
    ///
    /// # Panics
    ///
    /// Between turns; a `Turn` exists only within one.
    pub(crate) fn me(&self) -> AddressRef {
        self.present
            .address()
            .expect("a turn runs only while its actor is held")
    }

    /// The address of the actor that is held, if one is.
    pub(crate) fn me_if_any(&self) -> Option<AddressRef> {
        self.present.address()
    }

    /// Calls `body` with the actor whose turn runs.
    ///
    /// # Panics
    ///
    /// As [`Worker::me`].
    pub(crate) fn with_me<R>(&self, body: impl FnOnce(&Header) -> R) -> R {
        self.present
            .with(body)
            .expect("a turn runs only while its actor is held")
    }

    /// Whether this worker holds the actor with this id, of this system.
    pub(crate) fn holds_actor(&self, system: &Arc<Shared>, id: u64) -> bool {
        Arc::ptr_eq(&self.system, system)
            && self.present.with(|actor| actor.id == id).unwrap_or(false)
    }

    #[inline]
    pub(crate) fn turn_begins(&self, kind: &'static Kind) {
        self.turn.set(Some(kind));
        if let Some(seat) = &self.seat {
            seat.watch.begins(self.system.oracle.coarse_ms());
        }
    }

    #[inline]
    pub(crate) fn turn_ends(&self) {
        self.turn.set(None);
        if let Some(seat) = &self.seat {
            seat.watch.ends();
        }
    }

    /// A message that waits is looked at.
    #[inline]
    pub(crate) fn guard_begins(&self, kind: &'static Kind) {
        self.turn_begins(kind);
    }

    /// As `turn_ends`, but it was no turn.
    #[inline]
    pub(crate) fn guard_ends(&self) {
        self.turn.set(None);
        if let Some(seat) = &self.seat {
            seat.watch.pauses();
        }
    }

    /// The kind of message whose turn, guard or end runs.
    pub(crate) fn turn(&self) -> Option<&'static Kind> {
        self.turn.get()
    }

    /// The behaviour whose turn runs, or `-`.
    pub(crate) fn behaviour(&self) -> &'static str {
        self.turn.get().map_or("-", |kind| kind.name)
    }

    /// In a simulation: what the seed does to a turn before it runs.
    #[inline]
    pub(crate) fn fault_before(&self, kind: &'static Kind) {
        if let Some(stage) = self.system.simulated() {
            let id = self.with_me(|actor| actor.id);
            stage.fault_before(kind, id, &self.system.oracle);
        }
    }

    /// The behaviour has another step.
    pub(crate) fn asks_again(&self, next: Envelope) {
        self.again.set(Some(next));
    }

    /// The next step of the behaviour that ran, if there is one. Taken.
    pub(crate) fn take_again(&self) -> Option<Envelope> {
        self.again.take()
    }

    /// Whether a step has left something here, that nobody has taken. Between two runs it has not.
    pub(crate) fn has_left(&self) -> bool {
        let (again, locals) = (self.again.take(), self.locals.take());
        let has_left = again.is_some() || locals.is_some();
        self.again.set(again);
        self.locals.set(locals);
        has_left
    }

    /// The turn asked for its actor's end.
    pub(crate) fn ask_end(&self, reason: StopReason) {
        self.wishes.set(Wishes::End);
        self.ending.set(Some(reason));
    }

    /// Whether anything is to be done after the turn.
    #[inline]
    pub(crate) fn has_wishes(&self) -> bool {
        self.wishes.get() != Wishes::None
    }

    /// Why the turn wants its actor to end, if it does. Taken.
    pub(crate) fn take_end(&self) -> Option<StopReason> {
        if self.wishes.get() == Wishes::End {
            self.wishes.set(Wishes::None);
        }
        self.ending.take()
    }

    /// The turn sent to an actor whose mailbox is too long: noted, and acted on when the turn has
    /// ended.
    pub(crate) fn sent_to_overloaded(&self, receiver: &AddressRef) {
        if matches!(self.wishes.get(), Wishes::Overloaded | Wishes::End) {
            // It is to end, or will be muted anyway.
            return;
        }
        let other = self.present.with(|me| me.id != receiver.id);
        if self.inside_turn() && other == Some(true) && Arc::ptr_eq(&self.system, &receiver.system)
        {
            self.overloaded.set(Some(receiver.cell()));
            self.wishes.set(Wishes::Overloaded);
        }
    }

    /// Whether the run is to end with this turn. Taken.
    pub(crate) fn take_pause(&self) -> bool {
        let pauses = self.wishes.get() == Wishes::Pause;
        if pauses {
            self.wishes.set(Wishes::None);
        }
        pauses
    }

    pub(crate) fn take_overloaded(&self) -> Option<CellRef> {
        if self.wishes.get() == Wishes::Overloaded {
            self.wishes.set(Wishes::None);
        }
        self.overloaded.take()
    }

    /// An address is dropped on this thread: whether it need not be counted back yet, because this
    /// worker may have use for it again (C6). Only of an actor that seems active, for one that is
    /// idle would have to be woken to end.
    #[inline]
    pub(crate) fn keeps_address(&self, address: &AddressRef, dropped: Dropped) -> Kept {
        if self.present.has(&dropped) {
            self.present.takes(dropped);
            return Kept::Yes;
        }
        match &self.seat {
            Some(seat)
                if Arc::ptr_eq(&self.system, &address.system) && address.inbox.is_active() =>
            {
                seat.keep(dropped)
            }
            _ => dropped.refused(),
        }
    }

    /// Whether it runs one actor after the other, until its thread leaves.
    pub(crate) fn has_rounds(&self) -> bool {
        self.seat.is_some()
    }

    /// Notes a suspect, if this worker has rounds at whose end it tells of it.
    pub(crate) fn notes(&self, suspect: Suspect) -> Option<()> {
        self.seat.as_ref()?;
        let mut suspects = self.suspects.borrow_mut();
        suspects.push(suspect);
        let count = suspects.len();
        drop(suspects);
        if count >= SUSPECTS_MAX {
            let crowd = self.tells_of_suspects();
            if self.inside_turn() {
                self.pauses(crowd);
            }
        }
        Some(())
    }

    /// Whether the detector is to hear of any.
    pub(super) fn has_suspects(&self) -> bool {
        !self.suspects.borrow().is_empty()
    }

    /// The actor that is held has made as many suspects as are noted at once: its run ends, so that
    /// those it has made run, and may become idle, before they are looked at. If suspects crowd it
    /// waits.
    #[cold]
    fn pauses(&self, crowd: Crowd) {
        if !self.has_wishes() {
            self.wishes.set(Wishes::Pause);
        }
        if crowd == Crowd::Waiting {
            self.crowding.set(self.present.with(|actor| actor.id));
        }
    }

    /// The actor that is to wait, because suspects crowd. Taken.
    pub(super) fn take_crowding(&self) -> Option<u64> {
        self.crowding.take()
    }

    /// The detector hears of those that were noted.
    #[inline]
    pub(super) fn tells_of_suspects(&self) -> Crowd {
        let mut suspects = self.suspects.borrow_mut();
        if suspects.is_empty() {
            return Crowd::None;
        }
        let detector = &self.system.detector;
        detector.take_in(&self.system, suspects.drain(..))
    }

    /// A message of this system has left its mailbox.
    #[inline]
    pub(crate) fn account_less(&self, bytes: usize) {
        match &self.seat {
            Some(seat) => seat.bytes.change(-(bytes as i64)),
            None => self.system.bytes.subtract(bytes),
        }
    }

    /// A message of this system has been sent.
    #[inline]
    pub(crate) fn account_more(&self, bytes: usize) {
        match &self.seat {
            Some(seat) => seat.bytes.change(bytes as i64),
            None => self.system.bytes.add(bytes),
        }
    }

    /// Counts for `bytes`, if that is the count of this worker's system.
    #[inline]
    pub(crate) fn counts_for(&self, bytes: &Bytes, by: i64) -> Counted {
        match &self.seat {
            Some(seat) if ptr::eq(&self.system.bytes, bytes) => {
                seat.bytes.change(by);
                Counted::Yes
            }
            _ => Counted::No,
        }
    }

    pub(super) fn seat(&self) -> Option<&Arc<Seat>> {
        self.seat.as_ref()
    }
}
