//! The work of a detached heap: its actor has ended, and no turn runs any more (O9).

use super::budget::Budget;
use super::heap::Core;
use super::phase::GcPhase;
use super::report::Next;
use super::stress::When;
use crate::alloc::old::sweep::SweepBudget;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::marker::{MarkMode, Progress};
use crate::mark::scanner::EdgeSnapshot;
use crate::object::object_trait::Object;
use crate::orca::count_inbox::DrainOutcome;

/// Bytes of an image that one step writes: some 100 microseconds.
const IMAGE_PIECE: usize = 32 << 10;

/// Estimated bytes of an object, for the work of a heap that is collected at once.
const OBJECT_BYTES: usize = 64;

/// The mark that draining since the last mark of a detached heap has made necessary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum PendingMark {
    /// No mark is needed.
    #[default]
    None,
    /// A mark is needed: the count of an object fell to zero, or no mark has begun since the heap
    /// ended.
    Mark,
    /// The mark that runs has the state of the ended heap as a root: its result is useless, and it
    /// is aborted for another mark.
    Restart,
}

/// The next piece of work of a detached heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DetachedWork {
    /// Draining more of the inbox, before anything else can be decided.
    Drain,
    /// The end: no other heap refers to its objects, and what is left is dropped. It is small, or
    /// all is swept.
    End,
    /// Cutting targets of tag entries, before the mark.
    CutTags,
    /// A mark and sweep at once.
    CollectAll,
    Sweep,
    /// A piece of the mark that runs.
    Advance,
    /// The beginning of a mark.
    Begin,
    /// Its mark is part of a group mark, which wakes the holder when it is decided.
    AwaitGroup,
    None,
}

impl Core {
    /// Drains part of the inbox, and does a piece of work within the budget.
    pub(crate) fn detached_work<'gc>(&mut self, state: &mut impl Object<'gc>, budget: &mut Budget) {
        let is_short = self.is_short();
        if let Some(mark_cycle) = self.mark_cycle.get_mut()
            && is_short
        {
            mark_cycle.leave_group(self.sharing.get_mut());
        }
        if self.is_imaging() {
            // The coordinator of the cut writes it too. If the cut was given up, this notices it.
            self.write_image_slice(IMAGE_PIECE);
            if self.is_imaging() {
                budget.objects = 0;
                self.detached_next = match self.image_waits() {
                    true => Next::Done,
                    false => Next::Later,
                };
                return;
            }
        }
        let units = budget.objects;
        budget.objects = units.saturating_sub(1);
        let piece = match is_short {
            true => usize::MAX,
            false => budget.objects.max(1),
        };
        self.drain_detached(piece);
        match self.next_detached_work() {
            DetachedWork::End => {
                self.detached_next = Next::Released;
                return;
            }
            DetachedWork::None => {
                self.chunk_cache.shrink(0, &self.source);
                self.detached_next = Next::Done;
                return;
            }
            DetachedWork::AwaitGroup => {
                self.detached_next = Next::Done;
                return;
            }
            DetachedWork::CollectAll => {
                if self.has_tags_to_cut() {
                    self.abort_mark();
                    self.cut_tags(usize::MAX);
                }
                let work = self.old.bytes_live() / OBJECT_BYTES;
                budget.objects = budget.objects.saturating_sub(work);
                self.detached_next = Next::Later;
                self.pending_mark = PendingMark::None;
                if self
                    .pacing
                    .stress
                    .is_none_or(|stress| stress.when != When::Never)
                {
                    self.major(state, EdgeSnapshot::Off);
                }
                while !self.old.sweep(SweepBudget::ALL, &self.source) {}
                return;
            }
            DetachedWork::Drain => {}
            DetachedWork::Sweep => {
                let spans = Budget::units(piece).spans;
                self.old.sweep(SweepBudget::of(spans), &self.source);
            }
            // Marking without other markers first, then termination.
            DetachedWork::Advance => {
                let is_marked = self.phase() == GcPhase::Terminate
                    || self.mark_objects(piece) != Progress::More;
                if is_marked {
                    let _ended = self.advance_mark(Some(piece));
                }
            }
            DetachedWork::CutTags => self.cut_tags(piece),
            DetachedWork::Begin => {
                self.abort_mark();
                // All is swept already, unless the aborted mark was in termination and had to end.
                while !self.old.sweep(SweepBudget::ALL, &self.source) {}
                // The aborted mark may have read the tags: they are cut before the next one begins.
                let cuts_first = self.has_tags_to_cut();
                self.pending_mark = match cuts_first {
                    true => PendingMark::Mark,
                    false => PendingMark::None,
                };
                if !cuts_first {
                    self.start_mark(state, MarkMode::Concurrent, EdgeSnapshot::Off);
                }
            }
        }
        self.detached_next = Next::Later;
        budget.objects = 0;
    }

    fn next_detached_work(&mut self) -> DetachedWork {
        let drains = self.between_turns().is_due();
        // `end_or` is called only where its result matters: it may examine all exports.
        match (self.pending_mark, self.phase()) {
            (PendingMark::None | PendingMark::Mark, _) if self.is_in_open_group() => match drains {
                true => DetachedWork::Drain,
                false => DetachedWork::AwaitGroup,
            },
            (PendingMark::Mark | PendingMark::Restart, _) if !drains && !self.is_incremental() => {
                self.end_or(DetachedWork::CollectAll)
            }
            (PendingMark::Restart, _) if !drains => DetachedWork::Begin,
            (PendingMark::Restart, _) => DetachedWork::Drain,
            (_, GcPhase::Sweep) => DetachedWork::Sweep,
            (_, GcPhase::Mark | GcPhase::Terminate) => DetachedWork::Advance,
            (_, GcPhase::Idle) if drains => DetachedWork::Drain,
            (PendingMark::Mark, GcPhase::Idle) if self.has_tags_to_cut() => DetachedWork::CutTags,
            (PendingMark::Mark, GcPhase::Idle) => DetachedWork::Begin,
            (PendingMark::None, GcPhase::Idle) => self.end_or(DetachedWork::None),
        }
    }

    /// Whether a group mark may begin a mark of this heap: not if it is detached and has not cut
    /// its tags, or if the mark that runs is useless. If it may, no mark is pending any more: the
    /// group mark's mark takes its place.
    pub(crate) fn may_join_group(&mut self) -> bool {
        match self.pending_mark {
            PendingMark::None => true,
            PendingMark::Restart => false,
            PendingMark::Mark => {
                let joins = !self.has_tags_to_cut();
                if joins {
                    self.pending_mark = PendingMark::None;
                }
                joins
            }
        }
    }

    fn has_tags_to_cut(&mut self) -> bool {
        #[cfg(test)]
        if is_injected(InjectedFault::TagsKept) {
            return false;
        }
        !self.tags.get_mut().is_empty()
    }

    /// Cuts the targets of at most `most` tag entries of old objects. No turn opens a tag of this
    /// heap any more: to other heaps a tag is an identity, and keeps its entry alive and nothing
    /// else (O4). So what only tags of an ended actor lead to is freed: resolvers, which
    /// break their promises, and references to other heaps, also those of a cycle.
    fn cut_tags(&mut self, most: usize) {
        // An image has the targets of its beginning (S8).
        self.finish_image();
        let old = &mut self.old;
        // SAFETY: a detached heap has no turns, and this is its holder. No mark runs: `abort_mark`
        // or the phase ensures it (X2). An entry is an old object of it (S13).
        unsafe {
            let tags = self.tags.get_mut();
            tags.cut_targets(most, |entry| old.note_changes(&[entry]))
        };
    }

    /// `DetachedWork::End` if no other heap refers to its objects, otherwise the other work.
    fn end_or(&mut self, otherwise: DetachedWork) -> DetachedWork {
        match self.sharing.get_mut().is_unshared() {
            true if !self.is_notified() => DetachedWork::End,
            true => DetachedWork::Drain,
            false => otherwise,
        }
    }

    /// Whether it is too large to be collected at once.
    pub(crate) fn is_incremental(&self) -> bool {
        match self.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            When::Never => false,
            When::Concurrent => true,
            _ => self.is_large() && !self.is_short(),
        }
    }

    /// Drains at most `most` deltas. The result is reported only once, so it is noted here: a delta
    /// may come from a destructor of this very heap, which releases another object of it.
    pub(crate) fn drain_detached(&mut self, most: usize) {
        let outcome = match self.is_notified() {
            true => {
                self.drain_up_to(most.max(1));
                self.sharing.get_mut().take_outcome()
            }
            false => DrainOutcome::NoRelease,
        };
        #[cfg(test)]
        if is_injected(InjectedFault::DeafDetachedHeap) && self.is_marking() {
            return;
        }
        if outcome == DrainOutcome::Released && self.pending_mark == PendingMark::None {
            self.pending_mark = PendingMark::Mark;
        }
    }
}
