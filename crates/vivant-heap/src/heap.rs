//! A heap: a state and all that it reaches.

mod pace;
mod shortage;

pub use pace::Begun;

use crate::collector::{Ageing, Cycle};
use crate::deaths::Deaths;
use crate::header::Header;
use crate::marking::Marking;
use crate::mutator::{InTurn, Mutator};
use crate::nursery::Nursery;
use crate::old::{FreeCells, Old};
use crate::orca::{Ends, FOREIGN, Orphan, Owner, Sharing};
use crate::pacing::Pacing;
use crate::pages::Source;
use crate::pages::chunk::PAGE;
use crate::pages::page::Age;
use crate::pieces::Pieces;
use crate::region::{Holder, Role};
use crate::reserve::Reserve;
use crate::stats::Counted;
use crate::stress::{Chance, When};
use crate::sync::Arc;
use crate::tags::Tags;
use crate::types::{Object, Unbranded};
use shortage::Shortage;
use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::task::Waker;

/// Names a type with a brand, without one: what a heap's state is in a turn with brand `'gc`.
pub trait Root: 'static {
    /// The state.
    type Of<'gc>: Object<'gc>;
}

/// What collections work on.
///
/// What each turn looks at lies together, [`EACH_TURN`]: of an actor that has not run for a while
/// each line of the cache costs as much as a short turn.
#[repr(C)]
pub(crate) struct Core {
    pub(crate) role: Role,
    /// Old objects that were written since the nursery was last emptied, and those that refer to
    /// young ones still (H5).
    pub(crate) remembered: RefCell<Vec<NonNull<Header>>>,
    /// Old weak references to young objects.
    pub(crate) weak: Vec<NonNull<Header>>,
    pub(crate) deaths: RefCell<Deaths>,
    /// Which of its objects others can name.
    pub(crate) tags: RefCell<Tags>,
    /// Of a region: bytes of its pages when they were last added to a holder's.
    pub(crate) weighed: usize,
    /// Bytes of old objects that the last mark has met.
    pub(crate) lived: usize,
    /// What the heap weighed when the next mark was due and waited for what is to be heard, if it
    /// does.
    pub(crate) waits_since: Option<usize>,
    shortage: Shortage,
    /// Whether the last mark was given up: then objects are of two epochs, and the next one has to
    /// end.
    pub(crate) gave_up: bool,
    pub(crate) counted: Counted,
    /// Blocks for the nursery.
    pub(crate) reserve: Reserve,
    /// For a heap under stress.
    chance: Chance,
    pub(crate) old: Old,
    /// Bytes of living old objects at which the next mark begins.
    pub(crate) mark_at: usize,
    /// Bytes of regions that turns of this heap have made, or made grow, since the last mark.
    pub(crate) pinned: usize,
    /// Whether an object was ever made in it that may show something ([`Object::show_holdings`]).
    pub(crate) shows: Cell<bool>,
    /// Objects of the last mark that may show something, if it was asked to note them.
    pub(crate) showing: Pieces<NonNull<Header>>,
    /// The mark that runs beside the turns.
    pub(crate) cycle: RefCell<Option<Box<Cycle>>>,
    /// A turn has taken pages, and the source should see to the next ones; or it got none, and the
    /// heap should give back what it can do without.
    prepares: Cell<bool>,
    /// Much is remembered: the nursery is to be emptied, however little is in it.
    pub(crate) crowded: Cell<bool>,
    pub(crate) pacing: Pacing,
    pub(crate) owner: Arc<Owner>,
    pub(crate) nursery: Nursery,
    /// Who shares what with this heap.
    pub(crate) sharing: RefCell<Sharing>,
    pub(crate) source: Arc<Source>,
}

/// Bytes of a core that each turn looks at: from the first to the last of them.
const EACH_TURN: std::ops::Range<usize> = mem::offset_of!(Core, old) + Old::EACH_TURN
    ..mem::offset_of!(Core, sharing) + Sharing::EACH_TURN;

const _: () = assert!(
    EACH_TURN.end - EACH_TURN.start <= 5 * 64,
    "five lines, where ten would be if each part had its own"
);

/// A collected heap with one state, for one actor.
///
/// [`Heap::turn`] gives access to it; collections run between turns, because they need the heap
/// itself, which no turn can reach (H1).
pub struct Heap<R: Root> {
    /// Turns have it shared: they allocate.
    core: Box<UnsafeCell<Core>>,
    /// First of all that ends.
    state: ManuallyDrop<R::Of<'static>>,
}

// SAFETY: all that lies in it may go to another thread: `Object::Static` is `Send`, of the state
// and of all that was allocated (Y5). What is raw are pages, which go with it.
unsafe impl<R: Root> Send for Heap<R> {}

impl Core {
    pub(crate) fn new(source: &Arc<Source>, pacing: Pacing, role: Role) -> Box<UnsafeCell<Core>> {
        Box::new(UnsafeCell::new(Core {
            owner: Owner::new(),
            role,
            source: source.clone(),
            nursery: Nursery::new(Age::New),
            old: Old::new(match pacing.stress {
                Some(_) => FreeCells::Poisoned,
                None => FreeCells::Stale,
            }),
            remembered: RefCell::default(),
            weak: Vec::new(),
            deaths: RefCell::default(),
            tags: RefCell::default(),
            shows: Cell::new(false),
            showing: Pieces::default(),
            cycle: RefCell::default(),
            pinned: 0,
            weighed: 0,
            sharing: RefCell::default(),
            counted: Counted::default(),
            reserve: Reserve::default(),
            pacing,
            prepares: Cell::new(false),
            crowded: Cell::new(false),
            chance: Chance::new(pacing.stress.map_or(0, |stress| stress.seed)),
            lived: 0,
            mark_at: pacing.next_mark(0, 0),
            waits_since: None,
            gave_up: false,
            shortage: Shortage::default(),
        }))
    }

    /// No cell is at hand for a shared object.
    #[cold]
    #[inline(never)]
    pub(crate) fn room_shared(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        if let Role::Region(holder) = self.role {
            return self.room_at_holder(holder, bytes);
        }
        if self.is_unlucky() || !self.has_pages(bytes) {
            return None;
        }
        let room = self
            .old
            .allocate_shared(bytes, &self.source, Owner::name(&self.owner));
        self.prepares
            .set(self.prepares.get() || self.source.is_unready());
        room
    }

    /// A turn gets no room for an object. The heap looks after itself when that is over, and is
    /// marked, though it has not grown.
    #[cold]
    pub(crate) fn refuses(&self, bytes: usize) -> ! {
        self.will_look_after_itself(bytes);
        crate::mutator::no_memory(bytes)
    }

    /// So does the heap in whose turn an open region is refused something: it may be what has the
    /// pages.
    fn will_look_after_itself(&self, bytes: usize) {
        self.prepares.set(true);
        // Only what a bound refuses: a mark needs pages itself, and of these the system may have
        // none.
        if self.pacing.marking != Marking::Never && !self.has_pages(bytes) {
            self.shortage.begins(bytes);
        }
        if let Role::Region(Holder::Turn(around)) = self.role {
            // SAFETY: the turns around an open region last longer, and wait for it; this thread has
            // all of them. Nothing but cells is written.
            unsafe { &*around.as_ref().get() }.will_look_after_itself(bytes);
        }
    }

    /// Whether a turn was refused pages, and the heap is to be marked for it.
    pub(crate) fn is_refused(&self) -> bool {
        self.shortage.is_due()
    }

    /// What it has to think of when it asks itself whether to mark: bytes of living old objects,
    /// and what it keeps alive elsewhere, in regions too.
    #[inline]
    pub(crate) fn weight(&self) -> usize {
        self.old.living() + FOREIGN * self.between_turns().imports.len() + self.pinned
    }

    /// Who shares what with this heap, for who is between two turns.
    #[inline]
    pub(crate) fn between_turns(&self) -> &Sharing {
        // SAFETY: nobody has the cell borrowed to write: in a turn that is so only while the cycle
        // goes through an object or looks at it, which runs no code that asks.
        unsafe { &*self.sharing.as_ptr() }
    }

    /// Whether the nursery is to be emptied.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.nursery.used() >= self.pacing.nursery || self.crowded.get()
    }

    /// Whether a mark runs beside the turns, for who holds the heap, or is its turn.
    #[inline]
    pub(crate) fn is_marking(&self) -> bool {
        // SAFETY: nobody has the cell borrowed to write: in a turn that is so only while the cycle
        // goes through an object or looks at it, which runs no code that asks.
        unsafe { &*self.cycle.as_ptr() }.is_some()
    }

    /// Whether a mark that runs beside the turns has met all, for who is between two of them.
    #[inline]
    pub(crate) fn is_settling(&self) -> bool {
        // SAFETY: as in `is_marking`.
        let cycle = unsafe { &*self.cycle.as_ptr() };
        cycle.as_ref().is_some_and(|cycle| cycle.settles())
    }

    /// Whether a turn gets no more pages, by chance, for a test.
    pub(crate) fn is_unlucky(&self) -> bool {
        let one_in = self.pacing.stress.map_or(0, |stress| stress.refuses);
        one_in != 0 && self.chance.below(one_in) == 0
    }

    /// Whether the source has pages for an object of so many bytes, made by a turn.
    pub(crate) fn has_pages(&self, bytes: usize) -> bool {
        self.source.allows(bytes.div_ceil(PAGE))
    }
}

impl<R: Root> Heap<R> {
    /// A heap with the state that `make` makes in a first turn.
    pub fn new(
        source: &Arc<Source>,
        pacing: Pacing,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        Heap::with_role(source, pacing, Role::Heap, make)
    }

    /// A heap that shares in this way.
    pub(crate) fn with_role(
        source: &Arc<Source>,
        pacing: Pacing,
        role: Role,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        Heap::on(Core::new(source, pacing, role), make)
    }

    /// As [`Heap::new`], with the objects that are there.
    pub(crate) fn on(
        core: Box<UnsafeCell<Core>>,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        let state = {
            let turn = InTurn(&core);
            make(&turn.mutator())
        };
        Heap::of(core, forge::<R>(state))
    }

    /// A heap with this state, whose objects are there.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>, state: R::Of<'static>) -> Heap<R> {
        let state = ManuallyDrop::new(state);
        Heap { core, state }
    }

    /// As [`Heap::new`], with a waker that is there before anything is shared ([`Heap::wake_by`]),
    /// and for a `make` that may panic.
    ///
    /// # Errors
    ///
    /// `make` has panicked: what others know of its objects, if they do, and the panic.
    pub fn begin(
        source: &Arc<Source>,
        pacing: Pacing,
        waker: Waker,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Result<Heap<R>, (Option<Orphan>, Box<dyn Any + Send>)> {
        let mut core = Core::new(source, pacing, Role::Heap);
        core.get_mut().wake_by(waker);
        let made = panic::catch_unwind(AssertUnwindSafe(|| {
            let turn = InTurn(&core);
            make(&turn.mutator())
        }));
        match made {
            Ok(state) => Ok(Heap::of(core, forge::<R>(state))),
            Err(panic) => Err((Orphan::of(core), panic)),
        }
    }

    /// Runs a turn: `body` has the state, and the right to allocate and to write.
    pub fn turn<T>(
        &mut self,
        body: impl for<'gc> FnOnce(&Mutator<'gc>, &mut R::Of<'gc>) -> T,
    ) -> T {
        let state = NonNull::from(&mut *self.state).cast::<R::Of<'_>>();
        let turn = InTurn(&self.core);
        // SAFETY: the same type but for its brand, which the body cannot choose or keep: it is one
        // for any brand.
        body(&turn.mutator(), unsafe { &mut *state.as_ptr() })
    }

    /// What was just made is meant to stay, and to go elsewhere: if it is more than a nursery
    /// should have, it becomes old now, and not in the middle of its way. What was reached by that
    /// is what a mark would meet.
    pub(crate) fn begin_old(&mut self) {
        if self.never() || self.young() < self.core().pacing.nursery {
            return;
        }
        let core = self.core.get_mut();
        core.minor(&mut *self.state, Ageing::Never);
        core.next_mark(0);
        self.check();
    }

    /// The heap will not be used for a while: gives back what it has in reserve for its nursery.
    /// The next turn may cost a call of the system for it.
    pub fn rest(&mut self) {
        let core = self.core.get_mut();
        core.reserve.shrink(0, &core.source);
    }

    /// Bytes that were allocated since the nursery was last emptied, and what survived that.
    #[inline]
    #[must_use]
    pub fn young(&self) -> usize {
        // SAFETY: as in `is_due`.
        unsafe { &*self.core.get() }.nursery.used()
    }

    /// Whether it does not collect, for a test.
    pub(crate) fn never(&mut self) -> bool {
        let stress = self.core.get_mut().pacing.stress;
        stress.is_some_and(|stress| stress.when == When::Never)
    }

    /// Under stress: verifies.
    #[inline]
    pub(crate) fn check(&mut self) {
        if self.core.get_mut().pacing.stress.is_none() {
            return;
        }
        if let Err(fault) = self.verify() {
            panic!("{fault}");
        }
    }

    /// The collector's view of it, to read.
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        unsafe { &*self.core.get() }
    }

    /// The collector's view of it, for the verifier.
    pub(crate) fn parts(&mut self) -> (&mut Core, &mut R::Of<'static>) {
        (self.core.get_mut(), &mut self.state)
    }
}

/// A state, as it is between turns.
fn forge<'gc, R: Root>(state: R::Of<'gc>) -> R::Of<'static> {
    let state = ManuallyDrop::new(state);
    // SAFETY: the same type but for its brand. Nobody gets it in this form (Y4).
    unsafe { mem::transmute_copy(&*state) }
}

impl<R: Root> Heap<R> {
    /// The collector's part, and the state, which nobody drops from here on.
    pub(crate) fn take_apart(self) -> (Box<UnsafeCell<Core>>, ManuallyDrop<R::Of<'static>>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: both move out of something that nobody drops or uses again.
        unsafe {
            (
                std::ptr::read(&raw const this.core),
                std::ptr::read(&raw const this.state),
            )
        }
    }

    /// The same heap with another state, which has no collected parts.
    pub(crate) fn with_state<S: Root<Of<'static>: Unbranded>>(
        self,
        state: S::Of<'static>,
    ) -> Heap<S> {
        let (core, mut before) = self.take_apart();
        // SAFETY: once.
        unsafe { drop_state(&mut before) };
        Heap::of(core, state)
    }
}

/// Drops a state.
///
/// # Safety
///
/// Once.
unsafe fn drop_state<S>(state: &mut ManuallyDrop<S>) {
    // SAFETY: the caller's; it may have destructors of leaves, which reach nothing collected (H10).
    let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(state) }));
    if let Err(panic) = ended {
        crate::old::over(panic);
    }
}

impl<R: Root> Drop for Heap<R> {
    fn drop(&mut self) {
        // SAFETY: once.
        unsafe { drop_state(&mut self.state) };
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.abandon_cycle();
        if self.ends() == Ends::Shared {
            return;
        }
        for object in self.nursery.droppable() {
            // SAFETY: nobody uses it any more: the state has ended, or was never made.
            unsafe { crate::old::end(object) };
        }
        // SAFETY: as above.
        unsafe {
            self.nursery.clear(&self.reserve);
            self.reserve.shrink(0, &self.source);
            self.old.clear(&self.source);
        }
    }
}

impl<R: Root> fmt::Debug for Heap<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
