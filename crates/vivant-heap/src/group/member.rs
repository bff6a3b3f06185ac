//! [`Member`]: a heap in a group mark.

use crate::alloc::header::Header;
use crate::alloc::old::sweep::{SWEEPS_PER_MINOR, SweepBudget};
use crate::gc::heap::{Core, Heap, Root};
use crate::gc::mark_cycle::MarkCycle;
use crate::gc::phase::GcPhase;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::group_state::GroupState;
use crate::mark::marker::Marker;
use crate::orca::counts::ImportMark;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::sharing::ExportRoots;
use std::fmt;
use std::ptr::NonNull;
use std::task::Waker;

/// A heap with any type of state, for [`GroupMark`](crate::GroupMark).
pub struct Member<'h>(pub(crate) &'h mut dyn MemberHeap);

/// Whether a heap has begun its mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Began {
    Yes,
    /// Deltas are left to drain.
    Draining,
    /// Another mark runs, or is to be swept.
    Busy,
}

/// Whether a heap has applied all deltas that other heaps have sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeltasLeft {
    None,
    Some,
}

/// What a group mark needs of a heap.
pub(crate) trait MemberHeap {
    fn core(&mut self) -> &mut Core;

    /// Begins a mark as part of the group mark, if no other mark runs or is to be swept. Before,
    /// sweeps as much as a minor collection does.
    fn start_group_mark(&mut self, group: &GroupState) -> Began;

    /// Whether a group mark may mark this heap at all.
    fn may_be_marked(&mut self) -> bool;
}

impl<R: Root> MemberHeap for Heap<R> {
    fn core(&mut self) -> &mut Core {
        self.parts().0
    }

    fn start_group_mark(&mut self, group: &GroupState) -> Began {
        let (core, state) = self.parts();
        if core.phase() == GcPhase::Sweep {
            let budget = SweepBudget::of(SWEEPS_PER_MINOR);
            core.old.sweep(budget, &core.source);
        }
        if core.phase() != GcPhase::Idle || !core.may_join_group() {
            return Began::Busy;
        }
        core.idle_check.begin_mark();
        core.start_group_mark(state, group);
        core.record_group_mark();
        Began::Yes
    }

    fn may_be_marked(&mut self) -> bool {
        !self.never_collects()
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
    /// It has none of either: no cycle of references passes through it. Or it is never marked.
    Nothing,
}

impl Member<'_> {
    /// Whether a cycle of references across heaps can pass through this heap.
    pub fn shares(&mut self) -> HeapShares {
        let may_be_marked = self.0.may_be_marked();
        let sharing = self.0.core().sharing.get_mut();
        match may_be_marked && sharing.imports.len() != 0 && sharing.exports.len() != 0 {
            true => HeapShares::Both,
            false => HeapShares::Nothing,
        }
    }

    /// Whether objects of this heap are tagged.
    pub(super) fn has_tags(&mut self) -> bool {
        !self.0.core().tags.get_mut().is_empty()
    }

    /// The number of imports.
    pub(super) fn imports_len(&mut self) -> usize {
        self.0.core().sharing.get_mut().imports.add_received().len()
    }

    /// The addresses by which pages name the owners of some imports: of at most `most`, from the
    /// one with this index.
    pub(super) fn owners(&mut self, from: usize, most: usize) -> impl Iterator<Item = usize> {
        let imports = self.0.core().sharing.get_mut().imports.add_received();
        let owner = |object| {
            // SAFETY: the import counts the object (X7).
            unsafe { HeapHandle::of(object) }.addr().get()
        };
        imports
            .range(from, most)
            .map(move |import| owner(import.object))
    }

    /// Objects that group marks have emptied in this heap.
    #[must_use]
    pub fn emptied(&mut self) -> u64 {
        self.0.core().counters.stats.emptied
    }
}

/// A reference that a member has to an object of another member.
pub(super) struct Reached {
    /// The address by which pages name the owner, then the owner's index.
    pub(super) owner: usize,
    pub(super) object: NonNull<Header>,
    pub(super) by: ReachedBy,
}

/// What has an object of another member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReachedBy {
    /// An import that was not touched since the member's mark began, with this weight.
    Import(i64),
    /// The member's mark, or a turn of the member since that mark began.
    Mark,
}

// SAFETY: the pointer is passed back to its owner, on the thread that holds that; no other code
// uses what it leads to (X9).
unsafe impl Send for Reached {}

impl Reached {
    /// # Safety
    ///
    /// The caller's heap counts the object.
    unsafe fn new(object: NonNull<Header>, by: ReachedBy) -> Reached {
        // SAFETY: the caller's contract (X1).
        let owner = unsafe { HeapHandle::of(object) }.addr().get();
        Reached { owner, object, by }
    }
}

impl Member<'_> {
    /// The address by which pages name the heap.
    pub(super) fn name(&mut self) -> usize {
        HeapHandle::name(&self.0.core().owner).addr().get()
    }

    /// Begins the mark of this heap, unless another one runs. Drains at most `most` deltas before.
    pub(super) fn begin(&mut self, group: &GroupState, most: usize) -> Began {
        if !self.0.core().drain_up_to(most) {
            return Began::Draining;
        }
        self.0.start_group_mark(group)
    }

    /// This heap, if its mark is part of that group mark, and that is open.
    pub(super) fn in_group(&mut self, group: &GroupState) -> Option<&mut Self> {
        open_mark(self.0.core().mark_cycle.get_mut(), group)?;
        Some(self)
    }

    /// Forgets what an earlier group mark has added up. Handles at most `most` exports, from the
    /// export with this index, and returns their number. As long as a mark is open no export is
    /// removed, so the indices stay.
    pub(super) fn clear_internal(&mut self, from: usize, most: usize) -> usize {
        let sharing = self.0.core().sharing.get_mut();
        sharing.exports.clear_internal(from, most)
    }

    /// The objects of other heaps that this heap counts, at most `most`, from the one with this
    /// index. As long as a mark is open no import is removed, so the indices stay.
    pub(super) fn imports(&mut self, from: usize, most: usize) -> Vec<Reached> {
        let imports = self.0.core().sharing.get_mut().imports.add_received();
        let imports = imports.range(from, most).map(|import| {
            let by = match import.mark {
                ImportMark::Unmarked => ReachedBy::Import(import.count),
                _ => ReachedBy::Mark,
            };
            #[cfg(test)]
            let by = match is_injected(InjectedFault::InconsistentCut) {
                true => ReachedBy::Import(import.count),
                false => by,
            };
            // SAFETY: the import counts the object (X7).
            unsafe { Reached::new(import.object, by) }
        });
        imports.collect()
    }

    /// Another heap has these objects of this heap.
    pub(super) fn reach(&mut self, by_others: &[Reached]) {
        let core = self.0.core();
        let (exports, mut reached) = (&mut core.sharing.get_mut().exports, Vec::new());
        for other in by_others {
            match other.by {
                ReachedBy::Import(weight) => exports.add_internal(other.object, weight),
                ReachedBy::Mark => reached.push(other.object),
            }
        }
        if let Some(mark_cycle) = core.mark_cycle.get_mut() {
            mark_cycle.enqueue_reached(&reached);
        }
    }

    /// Applies at most `most` of the deltas that other heaps have sent.
    pub(super) fn drain(&mut self, group: &GroupState, most: usize) -> Option<DeltasLeft> {
        let core = self.in_group(group)?.0.core();
        #[cfg(test)]
        if is_injected(InjectedFault::RootsBeforeDeltas) {
            return Some(DeltasLeft::None);
        }
        Some(match core.drain_up_to(most) {
            true => DeltasLeft::None,
            false => DeltasLeft::Some,
        })
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
        let of = |object| unsafe { Reached::new(object, ReachedBy::Mark) };
        Some(reached.into_iter().map(of).collect())
    }

    /// Whether its mark has nothing left to do, as far as other members do not reach more.
    pub(super) fn is_drained(&mut self, group: &GroupState) -> Option<bool> {
        let core = self.0.core();
        Some(open_mark(core.mark_cycle.get_mut(), group)?.is_drained())
    }

    /// Wakes the heap's holder, which continues with the mark, when the group mark is decided.
    pub(super) fn waker(&mut self) -> Option<Waker> {
        self.0.core().owner.waker.get().cloned()
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
