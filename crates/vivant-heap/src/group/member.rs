//! [`Member`]: a heap in a group mark.

use crate::alloc::header::Header;
use crate::gc::heap::{Core, Heap, Root};
use crate::gc::mark_cycle::MarkCycle;
use crate::gc::phase::GcPhase;
use crate::mark::group_state::GroupState;
use crate::mark::marker::Marker;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::sharing::ExportRoots;
use std::fmt;
use std::ptr::NonNull;
use std::task::Waker;

/// A heap with any type of state, for [`GroupMark`](crate::GroupMark).
pub struct Member<'h>(pub(crate) &'h mut dyn MemberHeap);

/// Whether a heap can begin a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemberIs {
    Ready,
    /// A mark runs, or is to be swept.
    Busy,
}

/// What a group mark needs of a heap.
pub(crate) trait MemberHeap {
    fn core(&mut self) -> &mut Core;

    /// Begins a mark as part of the group mark, if no other mark runs or is to be swept.
    fn start_group_mark(&mut self, group: &GroupState) -> MemberIs;
}

impl<R: Root> MemberHeap for Heap<R> {
    fn core(&mut self) -> &mut Core {
        self.parts().0
    }

    fn start_group_mark(&mut self, group: &GroupState) -> MemberIs {
        let never = self.never_collects();
        let (core, state) = self.parts();
        if never || core.phase() != GcPhase::Idle {
            return MemberIs::Busy;
        }
        core.idle_check.begin_mark();
        core.start_group_mark(state, group);
        core.record_group_mark();
        MemberIs::Ready
    }
}

impl<R: Root> Heap<R> {
    /// This heap, for a group mark.
    pub fn member(&mut self) -> Member<'_> {
        Member(self)
    }

    /// Whether objects of this heap are tagged. A cycle of references across heaps passes through a
    /// tag: other shared objects refer only to older ones.
    #[must_use]
    pub fn has_tags(&self) -> bool {
        // SAFETY: no turn runs, so the table is not borrowed (X6).
        !unsafe { &*self.core().tags.as_ptr() }.is_empty()
    }
}

/// Whether other heaps refer to a heap, and it refers to other heaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum HeapShares {
    /// It has imports and exports.
    Both,
    /// It has none of either: no cycle of references passes through it.
    Nothing,
}

impl Member<'_> {
    /// Whether a cycle of references across heaps can pass through this heap.
    pub fn shares(&mut self) -> HeapShares {
        let sharing = self.0.core().sharing.get_mut();
        match sharing.imports.len() != 0 && sharing.exports.len() != 0 {
            true => HeapShares::Both,
            false => HeapShares::Nothing,
        }
    }

    /// Objects that group marks have emptied in this heap.
    #[must_use]
    pub fn emptied(&mut self) -> u64 {
        self.0.core().counters.stats.emptied
    }
}

/// Weights that a member has of an object of another member, or an object that its mark has
/// reached there.
pub(super) struct Reached {
    /// The address by which pages name the owner, then the owner's index.
    pub(super) owner: usize,
    pub(super) object: NonNull<Header>,
    pub(super) count: i64,
}

// SAFETY: the pointer is passed back to its owner, on the thread that holds that; no other code
// uses what it leads to (X9).
unsafe impl Send for Reached {}

impl Reached {
    /// # Safety
    ///
    /// The caller's heap counts the object.
    unsafe fn new(object: NonNull<Header>, count: i64) -> Reached {
        // SAFETY: the caller's contract (X1).
        let owner = unsafe { HeapHandle::of(object) }.addr().get();
        Reached {
            owner,
            object,
            count,
        }
    }
}

impl Member<'_> {
    /// The address by which pages name the heap.
    pub(super) fn name(&mut self) -> usize {
        HeapHandle::name(&self.0.core().owner).addr().get()
    }

    /// The number of marks that have begun or ended, if none runs: as long as it stays the same,
    /// the heap releases no weight between two turns.
    pub(super) fn marks(&mut self) -> Option<u64> {
        let core = self.0.core();
        (!core.is_marking()).then(|| core.counters.marks())
    }

    /// Forgets what an earlier group mark has added up. Handles at most `most` exports, from the
    /// export with this index, and returns their number.
    pub(super) fn clear_internal(&mut self, from: usize, most: usize) -> usize {
        let sharing = self.0.core().sharing.get_mut();
        sharing.exports.clear_internal(from, most)
    }

    /// The weights that this heap has of other heaps' objects, at most `most`, from the one with
    /// this index.
    pub(super) fn imports(&mut self, from: usize, most: usize) -> Vec<Reached> {
        let imports = self.0.core().sharing.get_mut().imports.add_received();
        imports
            .range(from, most)
            // SAFETY: the import counts the object (X7).
            .map(|import| unsafe { Reached::new(import.object, import.count) })
            .collect()
    }

    /// Another member has this weight of an object of this heap.
    pub(super) fn add_internal(&mut self, weight: &Reached) {
        let sharing = self.0.core().sharing.get_mut();
        sharing.exports.add_internal(weight.object, weight.count);
    }

    /// Begins the mark of this heap, unless another one has begun or ended since there were
    /// `marks`.
    pub(super) fn begin(&mut self, group: &GroupState, marks: u64) -> MemberIs {
        match self.marks() == Some(marks) {
            true => self.0.start_group_mark(group),
            false => MemberIs::Busy,
        }
    }

    /// Takes at most `most` exports as roots, or withholds them.
    pub(super) fn take_roots(&mut self, group: &GroupState, most: usize) -> Option<ExportRoots> {
        let core = self.0.core();
        let mark_cycle = open_mark(core.mark_cycle.get_mut(), group)?;
        Some(mark_cycle.take_group_roots(core.sharing.get_mut(), most))
    }

    /// The right to help with its mark.
    pub(super) fn marker(&mut self) -> Option<Marker> {
        self.0.core().marker()
    }

    /// Takes at most `most` of the objects of other heaps that its mark has reached, after it has
    /// requested the weights that it needs for them.
    pub(super) fn take_reached(&mut self, group: &GroupState, most: usize) -> Option<Vec<Reached>> {
        let core = self.0.core();
        let reached = open_mark(core.mark_cycle.get_mut(), group)?.take_foreign(most);
        // SAFETY: the caller holds the heap (X2), and its mark has not ended: no import was
        // released since it began.
        unsafe { core.sharing.get_mut().inc_reached(&reached) };
        // SAFETY: this heap counts the object since the line above (X7).
        let of = |object| unsafe { Reached::new(object, 0) };
        Some(reached.into_iter().map(of).collect())
    }

    /// Another member has reached these objects of this heap.
    pub(super) fn reach(&mut self, group: &GroupState, objects: &[NonNull<Header>]) -> Option<()> {
        let core = self.0.core();
        open_mark(core.mark_cycle.get_mut(), group)?.enqueue_reached(objects);
        Some(())
    }

    /// Whether its mark has nothing left to do, as far as other members do not reach more.
    pub(super) fn is_drained(&mut self, group: &GroupState) -> Option<bool> {
        let core = self.0.core();
        Some(open_mark(core.mark_cycle.get_mut(), group)?.is_drained())
    }

    /// The group mark is committed: termination begins.
    pub(super) fn begin_termination(&mut self) {
        let _ended = self.0.core().advance_mark(Some(0));
    }

    /// Wakes the heap's holder, which continues with the mark.
    pub(super) fn wake(&mut self) {
        self.0
            .core()
            .owner
            .waker
            .get()
            .into_iter()
            .for_each(Waker::wake_by_ref);
    }
}

/// The mark that runs, if it is part of that group mark, and that is open.
fn open_mark<'c>(
    running: &'c mut Option<Box<MarkCycle>>,
    group: &GroupState,
) -> Option<&'c mut MarkCycle> {
    running.as_deref_mut().filter(|mark| mark.is_in(group))
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").finish_non_exhaustive()
    }
}
