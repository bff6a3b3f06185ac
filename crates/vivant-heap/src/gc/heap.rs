//! A heap: a state, and all objects that it reaches.

use super::detached::PendingMark;
use super::detached_heap::DetachedHeap;
use super::idle_check::{CheckSchedule, IdleCheck};
use super::mark_cycle::MarkCycle;
use super::marking::Marking;
use super::mutator::{Mutator, RunningTurn};
use super::pacing::Pacing;
use super::report::Next;
use super::step::MarkRecord;
use super::stress::{Chance, When};
use crate::alloc::header::Header;
use crate::alloc::nursery::Nursery;
use crate::alloc::old::{FreeBlocks, Old};
use crate::gc::role::{Holder, Role};
use crate::mark::allocation_failure::AllocationFailure;
use crate::mark::mark_reason::MarkHistory;
use crate::mark::scanner::EdgeSnapshot;
use crate::mark::stats::Counters;
use crate::object::evacuator::TenuringPolicy;
use crate::object::object_trait::Object;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::sharing::{FOREIGN_WEIGHT, Sharing};
use crate::pages::chunk::PAGE;
use crate::pages::nursery_chunk_cache::NurseryChunkCache;
use crate::pages::page::Age;
use crate::pages::page_source::PageSource;
use crate::segmented::segmented_stack::SegmentedStack;
use crate::sync::Arc;
use crate::weak::death_watches::DeathWatches;
use crate::weak::tag_table::TagTable;
use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::panic::{self, AssertUnwindSafe};
use std::ptr::NonNull;
use std::task::Waker;

/// The type of a heap's state, named without a brand: in a turn with brand `'gc` the state is
/// `Of<'gc>`.
pub trait Root {
    /// The state.
    type Of<'gc>: Object<'gc>;
}

/// The part of a heap that collections work on.
///
/// The fields that each turn reads are adjacent, in [`EACH_TURN`]: in an actor that has not run for
/// a while each cache line of them costs as much as a short turn.
#[repr(C)]
pub(crate) struct Core {
    pub(crate) role: Role,
    /// The remembered set: old objects written since the nursery was last emptied, and old objects
    /// that still refer to young ones (H5).
    pub(crate) remembered: RefCell<Vec<NonNull<Header>>>,
    /// Old weak references to young objects.
    pub(crate) weak: Vec<NonNull<Header>>,
    pub(crate) deaths: RefCell<DeathWatches>,
    /// The tag table: objects that other actors can name.
    pub(crate) tags: RefCell<TagTable>,
    /// For a region: bytes of its pages when they were last added to its holder's.
    pub(crate) pages_at_holder: usize,
    /// Bytes of old objects that the last mark has found alive.
    pub(crate) bytes_marked_live: usize,
    /// The heap size estimate when the next mark was due and had to wait for the inbox to be
    /// drained; `None` if it does not wait.
    pub(crate) delayed_since: Option<usize>,
    pub(crate) allocation_failure: AllocationFailure,
    /// Whether the last mark was aborted: then objects have two epochs, and the next mark has to
    /// end.
    pub(crate) mark_aborted: bool,
    /// The phase of the system that the heap has entered.
    pub(crate) phase: u64,
    /// For an actor's heap: when idle checks come, and what the last marks took.
    pub(crate) idle_check: IdleCheck,
    pub(crate) mark_history: MarkHistory,
    pub(crate) mark_record: Option<MarkRecord>,
    /// What the last mark lists.
    pub(crate) last_edge_snapshot: EdgeSnapshot,
    /// For a detached heap: whether a mark is wanted, and what its holder does next.
    pub(crate) pending_mark: PendingMark,
    pub(crate) detached_next: Next,
    pub(crate) counters: Counters,
    /// The nursery chunk cache.
    pub(crate) chunk_cache: NurseryChunkCache,
    /// The random numbers of a heap under stress.
    pub(crate) chance: Chance,
    pub(crate) old: Old,
    /// Bytes of live old objects at which the next mark begins.
    pub(crate) mark_at: usize,
    /// Bytes of regions that turns of this heap have made or enlarged since the last mark.
    pub(crate) pinned: usize,
    pub(crate) check_schedule: CheckSchedule,
    /// Whether a mark was complete, and has waited for the image that was being written.
    pub(crate) mark_waited: bool,
    /// Whether the heap is being made of an image: nothing is young.
    pub(crate) is_restoring: bool,
    /// Bytes of old objects when the image that is being written began.
    pub(crate) image_began_at: usize,
    /// Whether an object with external edges to trace was ever allocated in it
    /// ([`Object::trace_external`]).
    pub(crate) has_external_edges: Cell<bool>,
    /// Objects of the last mark that may show an external edge, if it was to list them.
    pub(crate) edge_holders: SegmentedStack<NonNull<Header>>,
    /// The concurrent mark that runs.
    pub(crate) mark_cycle: RefCell<Option<Box<MarkCycle>>>,
    /// Set when a turn has taken pages, and the source should commit the next ones; or when a turn
    /// was refused pages, and the heap should return what it does not need.
    pub(crate) needs_prefault: Cell<bool>,
    /// The remembered set is full: the nursery is to be emptied, however little is in it.
    pub(crate) remembered_set_full: Cell<bool>,
    pub(crate) pacing: Pacing,
    pub(crate) owner: Arc<HeapHandle>,
    pub(crate) nursery: Nursery,
    /// The counts of shared objects.
    pub(crate) sharing: RefCell<Sharing>,
    pub(crate) source: Arc<PageSource>,
}

/// The bytes of a core that each turn reads: from the first to the last of them.
const EACH_TURN: std::ops::Range<usize> = mem::offset_of!(Core, old) + Old::EACH_TURN
    ..mem::offset_of!(Core, sharing) + Sharing::EACH_TURN;

const _: () = assert!(
    EACH_TURN.end - EACH_TURN.start <= 5 * 64,
    "five lines, where ten would be if each part had its own"
);

/// A garbage-collected heap with one state, for one actor.
///
/// [`Heap::turn`] gives access to the state. Collections run between turns: they need the heap
/// itself, which no turn can reach.
pub struct Heap<R: Root> {
    /// Turns have shared access: they allocate.
    pub(super) core: ManuallyDrop<Box<UnsafeCell<Core>>>,
    /// Dropped before the core.
    pub(super) state: ManuallyDrop<R::Of<'static>>,
}

// SAFETY: its contents may go to another thread: `Object::Static` is `Send`, for the state and for
// all that was allocated (Y5). Its raw pointers lead to pages, which go with it.
unsafe impl<R: Root> Send for Heap<R> {}

impl Core {
    pub(crate) fn new(
        source: &Arc<PageSource>,
        pacing: Pacing,
        role: Role,
    ) -> Box<UnsafeCell<Core>> {
        let number = match role {
            Role::Heap => source.next_heap(),
            // Images name the owners of shared objects alone.
            Role::Region(_) => 0,
        };
        Core::numbered(source, pacing, role, number)
    }

    /// As `new`, with a number that no other heap of the source has.
    pub(crate) fn numbered(
        source: &Arc<PageSource>,
        pacing: Pacing,
        role: Role,
        number: u64,
    ) -> Box<UnsafeCell<Core>> {
        Box::new(UnsafeCell::new(Core {
            owner: HeapHandle::new(number, source.id()),
            role,
            source: source.clone(),
            nursery: Nursery::new(Age::New),
            old: Old::new(match pacing.stress {
                Some(_) => FreeBlocks::Poisoned,
                None => FreeBlocks::Stale,
            }),
            remembered: RefCell::default(),
            weak: Vec::new(),
            deaths: RefCell::default(),
            tags: RefCell::default(),
            has_external_edges: Cell::new(false),
            edge_holders: SegmentedStack::default(),
            mark_cycle: RefCell::default(),
            pinned: 0,
            image_began_at: 0,
            is_restoring: false,
            phase: 0,
            mark_waited: false,
            pages_at_holder: 0,
            sharing: RefCell::default(),
            counters: Counters::default(),
            chunk_cache: NurseryChunkCache::default(),
            pacing,
            needs_prefault: Cell::new(false),
            remembered_set_full: Cell::new(false),
            chance: Chance::new(pacing.stress.map_or(0, |stress| stress.seed)),
            bytes_marked_live: 0,
            mark_at: pacing.next_mark(0, 0),
            delayed_since: None,
            mark_aborted: false,
            allocation_failure: AllocationFailure::default(),
            mark_history: MarkHistory::default(),
            mark_record: None,
            last_edge_snapshot: EdgeSnapshot::Off,
            pending_mark: PendingMark::None,
            detached_next: Next::Done,
            idle_check: IdleCheck::default(),
            check_schedule: CheckSchedule::default(),
        }))
    }

    /// The slow path of a shared allocation: the allocation cache has no block.
    #[cold]
    #[inline(never)]
    pub(crate) fn allocate_shared(&mut self, bytes: usize) -> Option<NonNull<Header>> {
        if let Role::Region(holder) = self.role {
            return self.allocate_at_holder(holder, bytes);
        }
        if self.inject_alloc_failure() || !self.has_pages(bytes) {
            return None;
        }
        let room =
            self.old
                .allocate_shared(bytes, &self.source, HeapHandle::name(&self.owner).cast());
        self.needs_prefault
            .set(self.needs_prefault.get() || self.source.needs_prefault());
        room
    }

    /// Refuses an allocation of a turn: panics in the turn, and has the heap collected after the
    /// turn, though it has not grown.
    #[cold]
    pub(crate) fn fail_allocation(&self, bytes: usize) -> ! {
        self.request_emergency(bytes);
        super::mutator::no_memory(bytes)
    }

    /// Schedules the collection after a refusal. For an open region also that of the heap with the
    /// turn around it, which may have the pages.
    fn request_emergency(&self, bytes: usize) {
        self.needs_prefault.set(true);
        // Only for a refusal by the bound: a mark needs pages itself, and after a refusal by the
        // system there may be none.
        if self.pacing.marking != Marking::Never && !self.has_pages(bytes) {
            self.allocation_failure.record(bytes);
        }
        if let Role::Region(Holder::Turn(around)) = self.role {
            // SAFETY: the turns around an open region last longer, and wait for it; this thread has
            // all of them. Only `Cell`s are written.
            unsafe { &*around.as_ref().get() }.request_emergency(bytes);
        }
    }

    /// Whether a turn was refused pages, and an emergency mark is due.
    pub(crate) fn needs_emergency_mark(&self) -> bool {
        self.allocation_failure.is_due()
    }

    /// The heap size estimate, by which marks are scheduled: bytes of live old objects, plus those
    /// of the imports and regions that it keeps alive.
    #[inline]
    pub(crate) fn heap_size_estimate(&self) -> usize {
        self.old.bytes_live() + FOREIGN_WEIGHT * self.between_turns().imports.len() + self.pinned
    }

    /// The counts of shared objects, between two turns.
    #[inline]
    pub(crate) fn between_turns(&self) -> &Sharing {
        // SAFETY: the `RefCell` is not mutably borrowed: in a turn that is so only while the cycle
        // scans or examines an object, which runs no code that calls this.
        unsafe { &*self.sharing.as_ptr() }
    }

    /// Whether the nursery is to be emptied.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.nursery.used() >= self.pacing.nursery || self.remembered_set_full.get()
    }

    /// Whether a concurrent mark runs. Called by the heap's holder, or in its turn.
    #[inline]
    pub(crate) fn is_marking(&self) -> bool {
        // SAFETY: the `RefCell` is not mutably borrowed: in a turn that is so only while the cycle
        // scans or examines an object, which runs no code that calls this.
        unsafe { &*self.mark_cycle.as_ptr() }.is_some()
    }

    /// Whether the concurrent mark is in termination. Called between two turns.
    #[inline]
    pub(crate) fn is_terminating_mark(&self) -> bool {
        // SAFETY: called between two turns, when the `RefCell` is not mutably borrowed.
        let mark_cycle = unsafe { &*self.mark_cycle.as_ptr() };
        mark_cycle
            .as_ref()
            .is_some_and(|mark_cycle| mark_cycle.is_terminating())
    }

    /// Under stress: whether an injected allocation failure refuses pages to a turn, by chance.
    pub(crate) fn inject_alloc_failure(&self) -> bool {
        let one_in = self.pacing.stress.map_or(0, |stress| stress.refuses);
        one_in != 0 && self.chance.below(one_in) == 0
    }

    /// Whether the source's bound allows an object of `bytes` bytes in a turn.
    pub(crate) fn has_pages(&self, bytes: usize) -> bool {
        self.source.allows(bytes.div_ceil(PAGE))
    }
}

impl<R: Root> Heap<R> {
    /// Makes a heap. Its first turn runs `make`, which returns the state.
    pub fn new(
        source: &Arc<PageSource>,
        pacing: Pacing,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        Heap::with_role(source, pacing, Role::Heap, make)
    }

    /// As [`Heap::new`], with a role: a heap or a region.
    pub(crate) fn with_role(
        source: &Arc<PageSource>,
        pacing: Pacing,
        role: Role,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        Heap::on(Core::new(source, pacing, role), make)
    }

    /// As [`Heap::new`], with an existing core and its objects.
    pub(crate) fn on(
        core: Box<UnsafeCell<Core>>,
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Heap<R> {
        let state = {
            let turn = RunningTurn(&core);
            make(&turn.mutator())
        };
        Heap::of(core, erase_brand::<R>(state))
    }

    /// A heap of this state and the core with its objects.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>, state: R::Of<'static>) -> Heap<R> {
        Heap {
            core: ManuallyDrop::new(core),
            state: ManuallyDrop::new(state),
        }
    }

    /// As [`Heap::new`], with a waker that is set before anything is shared ([`Heap::wake_by`]), in
    /// a phase of its system ([`Heap::enter_phase`]), and for a `make` that may panic.
    ///
    /// # Errors
    ///
    /// `make` has panicked: the detached heap, if other heaps refer to its objects, and the panic.
    pub fn begin(
        source: &Arc<PageSource>,
        pacing: Pacing,
        (waker, phase): (Waker, u64),
        make: impl for<'gc> FnOnce(&Mutator<'gc>) -> R::Of<'gc>,
    ) -> Result<Heap<R>, (Option<DetachedHeap>, Box<dyn Any + Send>)> {
        let mut core = Core::new(source, pacing, Role::Heap);
        core.get_mut().wake_by(waker);
        core.get_mut().enter_phase(phase);
        let made = panic::catch_unwind(AssertUnwindSafe(|| {
            let turn = RunningTurn(&core);
            make(&turn.mutator())
        }));
        match made {
            Ok(state) => Ok(Heap::of(core, erase_brand::<R>(state))),
            Err(panic) => Err((DetachedHeap::of(core), panic)),
        }
    }

    /// Runs a turn: `body` gets the state, and the right to allocate and to write.
    pub fn turn<T>(
        &mut self,
        body: impl for<'gc> FnOnce(&Mutator<'gc>, &mut R::Of<'gc>) -> T,
    ) -> T {
        let state = NonNull::from(&mut *self.state).cast::<R::Of<'_>>();
        let turn = RunningTurn(&self.core);
        // SAFETY: the same type but for its brand, which the body can neither choose nor keep: the
        // body accepts any brand.
        body(&turn.mutator(), unsafe { &mut *state.as_ptr() })
    }

    /// Promotes what was just made, because it is meant to stay and to go to another holder:
    /// objects of more bytes than a nursery should have become old now, and not after they have
    /// moved on. Every survivor counts as live, as after a mark.
    pub(crate) fn begin_old(&mut self) {
        if self.never_collects() || self.young_bytes() < self.core().pacing.nursery {
            return;
        }
        let core = self.core.get_mut();
        core.minor(&mut *self.state, TenuringPolicy::Never);
        core.next_mark(0);
        self.check();
    }

    /// Returns the nursery chunk cache to the source, for a heap that will be idle for a while. The
    /// next turn may need a system call for new pages.
    pub fn return_nursery(&mut self) {
        let core = self.core.get_mut();
        core.chunk_cache.shrink(0, &core.source);
    }

    /// Bytes allocated since the nursery was last emptied, plus its survivors.
    #[inline]
    #[must_use]
    pub fn young_bytes(&self) -> usize {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        unsafe { &*self.core.get() }.nursery.used()
    }

    /// Whether the heap never collects, for a test.
    pub(crate) fn never_collects(&mut self) -> bool {
        let stress = self.core.get_mut().pacing.stress;
        stress.is_some_and(|stress| stress.when == When::Never)
    }

    /// Under stress: verifies the heap.
    #[inline]
    pub(crate) fn check(&mut self) {
        if self.core.get_mut().pacing.stress.is_none() {
            return;
        }
        if let Err(fault) = self.verify() {
            panic!("{fault}");
        }
    }

    /// The collector's part, to read.
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        unsafe { &*self.core.get() }
    }

    /// The collector's part and the state.
    pub(crate) fn parts(&mut self) -> (&mut Core, &mut R::Of<'static>) {
        (self.core.get_mut(), &mut self.state)
    }
}

/// Erases the brand of a state, for the time between turns.
pub(crate) fn erase_brand<'gc, R: Root>(state: R::Of<'gc>) -> R::Of<'static> {
    let state = ManuallyDrop::new(state);
    // SAFETY: the same type but for its brand. No turn gets the state in this form (Y4).
    unsafe { mem::transmute_copy(&*state) }
}

impl<R: Root> Heap<R> {
    /// The collector's part, and the state, which is not dropped automatically from here on.
    pub(crate) fn into_parts(self) -> (Box<UnsafeCell<Core>>, ManuallyDrop<R::Of<'static>>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: both move out of a value that is neither dropped nor used again.
        unsafe {
            (
                ManuallyDrop::into_inner(std::ptr::read(&raw const this.core)),
                std::ptr::read(&raw const this.state),
            )
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
