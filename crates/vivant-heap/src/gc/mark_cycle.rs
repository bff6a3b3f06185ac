//! [`MarkCycle`]: a mark of a heap from its beginning to its end, as the heap's holder sees it (H6
//! to H8). See [README.md](README.md).

use super::heap::Core;
use super::mark_termination::MarkTermination;
use crate::alloc::header::Header;
use crate::alloc::old::sweep::SweepBudget;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::abort_on_unwind::AbortOnUnwind;
use crate::mark::claim;
use crate::mark::claim::Claim;
use crate::mark::group_state::{GroupPhase, GroupTicket};
use crate::mark::mark_queue::{MarkingPass, Packet};
use crate::mark::marker::{Mark, MarkMode, Marker, Progress};
use crate::mark::mutator_assist::{Assist, MutatorAssist};
use crate::mark::scanner::EdgeSnapshot;
use crate::mark::scanner::Scanner;
use crate::mark::stats::Waits;
use crate::mark::walk::Walk;
use crate::object::evacuator::TenuringPolicy;
use crate::object::object_trait::Object;
use crate::orca::counts::Roots;
use crate::orca::heap_handle::HeapHandle;
use crate::orca::sharing::{ExportRoots, Sharing};
use crate::pages::chunk::{age_of, state_of};
use crate::sync::{Arc, Ordering, yield_now};
use std::collections::HashSet;
use std::ptr::NonNull;

/// The SATB buffer is flushed when it has this many objects. Flushing a shorter one
/// costs more than marking its objects.
const SATB_BUFFER: usize = 256;

/// Exports examined between two turns until the mark has taken all of them: some ten microseconds.
const EXPORTS_PER_STEP: usize = 4096;

/// A mark. The holder of the heap completes a stop-the-world mark before the next turn.
pub(crate) struct MarkCycle {
    pub(super) mark: Arc<Mark>,
    stage: MarkStage,
    /// Whether exports are left to examine. They are roots.
    pub(super) export_roots: ExportRoots,
    /// The group mark that this mark is part of: until its own termination begins, or until it has
    /// found that the group mark is dissolved.
    pub(super) group: Option<GroupTicket>,
    /// The owner's scanner, with the log. It is flushed at the end of a turn.
    pub(super) scanner: Scanner,
    /// The mutator assist that is due, in bytes of blocks and large objects.
    pub(super) assist: MutatorAssist,
    /// Bytes of regions that were pinned when the mark began.
    pinned: usize,
    /// How often, and how long, the owner has waited for markers.
    waits: Waits,
    /// Under stress: the objects that a simple mark has reached at the beginning.
    snapshot: Option<HashSet<NonNull<Header>>>,
}

/// The stage of a mark.
enum MarkStage {
    /// Markers and the holder mark the objects that were alive when it began.
    Marking,
    /// Mark termination. The mark queue is closed, and unmarked objects are dead. Each termination
    /// step updates some of the structures that refer to dead objects.
    Terminating(MarkTermination),
}

/// Whether a turn may get an object that it reaches by a weak reference or the tag table, which
/// marks do not follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resurrection {
    Live,
    /// A mark has found it dead: no turn gets it any more.
    Dead,
}

/// Whether a mark has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    Yes,
    NotYet,
}

impl MarkCycle {
    /// The SATB barrier: called before the first write to an old object since the nursery was last
    /// emptied. Scans the object as it is at that moment (H5).
    #[cold]
    pub(crate) fn satb_barrier(&mut self, object: NonNull<Header>) {
        #[cfg(test)]
        if is_injected(InjectedFault::UnclaimedWrite) {
            return;
        }
        if let MarkStage::Terminating(_) = self.stage {
            // During termination: all objects that turns have are marked, or were born since.
            return;
        }
        // SAFETY: an old object of this heap, which a turn uses, so it is live.
        let table = unsafe { object.as_ref() }.table();
        if !table.needs_trace {
            return;
        }
        // A turn may continue after a panic, and the markers would wait for ever for an object that
        // stays claimed: abort instead.
        let guard = AbortOnUnwind;
        // SAFETY: an old object of this heap, which a turn uses, so it is live. An object born
        // since the mark began has the mark's epoch, so `mark_and_scan` does not scan it.
        let claim = unsafe { self.scanner.mark_and_scan(object, MarkingPass::Second) };
        std::mem::forget(guard);
        if claim == Claim::Others {
            self.waits.times += 1;
            // SAFETY: an old object of this heap: it lies in a chunk, which has its state byte.
            let state = unsafe { state_of(object.cast()) };
            self.waits.spins += claim::wait(state, self.mark.epoch);
        }
    }

    /// A turn is about to get an object by a weak reference or by the tag table, which the mark
    /// does not follow. During the mark the object is logged. During termination a dead object is
    /// refused.
    #[inline]
    pub(crate) fn resurrect(&mut self, object: NonNull<Header>) -> Resurrection {
        // SAFETY: an object of this heap, still in its place: nothing is swept as long as a cycle
        // lasts.
        let young = unsafe { age_of(object.cast()) }.is_young();
        // SAFETY: the object is still in its place, because nothing is swept as long as a cycle
        // lasts. Relaxed: no data is read on the strength of this load.
        let state = || unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
        if young || state() == self.mark.epoch {
            return Resurrection::Live;
        }
        match self.stage {
            MarkStage::Marking => self.resurrect_unmarked(object),
            #[cfg(test)]
            MarkStage::Terminating(_) if is_injected(InjectedFault::LateResurrection) => {
                Resurrection::Live
            }
            MarkStage::Terminating(_) => Resurrection::Dead,
        }
    }

    /// Whether the mark is complete and termination runs.
    pub(crate) fn is_terminating(&self) -> bool {
        matches!(self.stage, MarkStage::Terminating(_))
    }

    /// Whether the owner has work for this cycle at this estimate: exports to take, an assist, a
    /// long log to flush, or termination entries that are due.
    #[inline]
    pub(crate) fn is_due(&self, estimate: usize) -> bool {
        match &self.stage {
            MarkStage::Marking => {
                (self.export_roots == ExportRoots::Pending && self.group.is_none())
                    || self.is_left_alone()
                    || self.assist.is_due(estimate)
                    || self.scanner.left() >= SATB_BUFFER
            }
            MarkStage::Terminating(termination) => termination.is_due(estimate),
        }
    }

    /// Takes at most `most` exports as roots. In an open group mark that is the group's work.
    fn take_export_roots(&mut self, sharing: &mut Sharing, most: usize) {
        if self.export_roots == ExportRoots::Pending && self.group.is_none() {
            let scanner = &mut self.scanner;
            let take = |object| scanner.enqueue_export(object);
            self.export_roots = sharing.take_export_roots(most, Roots::Counted, take);
        }
    }

    /// Flushes the owner's log and findings to the mark, where every marker can take them.
    pub(super) fn flush(&mut self) {
        self.mark.flush(&mut self.scanner);
        let mut packet = self.scanner.unload();
        if !packet.is_empty() {
            self.mark.queue.put(&mut packet);
        }
        // The packet is empty, and keeps its memory.
        self.scanner.load(packet);
    }

    /// Under stress: asserts that each object alive at the beginning of the mark is marked.
    fn check_snapshot(&self) {
        let Some(snapshot) = &self.snapshot else {
            return;
        };
        for object in snapshot {
            // SAFETY: it was alive when the mark began, and nothing was swept since. Relaxed: all
            // markers have left.
            let state = unsafe { state_of(object.cast()) }.load(Ordering::Relaxed);
            assert!(
                state == self.mark.epoch,
                "H6 is broken at {object:p}: it was live when the mark began, and was not marked"
            );
        }
    }
}

impl Core {
    /// A stop-the-world mark: marks all objects that the roots and the exports reach, and begins
    /// the sweep. Aborts a concurrent mark that runs.
    pub(crate) fn major<'gc>(&mut self, roots: &mut impl Object<'gc>, edge_snapshot: EdgeSnapshot) {
        self.abort_mark();
        while !self.old.sweep(SweepBudget::ALL, &self.source) {}
        self.start_mark(roots, MarkMode::StopTheWorld, edge_snapshot);
        self.finish_mark();
    }

    /// Begins a mark: empties the nursery into the old generation (H6), and scans the roots. All
    /// spans are swept.
    pub(crate) fn start_mark<'gc>(
        &mut self,
        roots: &mut impl Object<'gc>,
        mode: MarkMode,
        edge_snapshot: EdgeSnapshot,
    ) {
        self.start_mark_in(roots, mode, edge_snapshot, None);
    }

    pub(super) fn start_mark_in<'gc>(
        &mut self,
        roots: &mut impl Object<'gc>,
        mode: MarkMode,
        edge_snapshot: EdgeSnapshot,
        group: Option<GroupTicket>,
    ) {
        debug_assert!(
            self.mark_cycle.get_mut().is_none() && self.old.unswept == 0,
            "H6"
        );
        self.delayed_since = None;
        self.last_edge_snapshot = edge_snapshot;
        self.minor(roots, TenuringPolicy::Never);
        let guard = AbortOnUnwind;
        self.drain_all();
        self.old.begin_mark();
        let mark = Arc::new(Mark::new(
            self.old.epoch.0,
            mode,
            HeapHandle::name(&self.owner),
            edge_snapshot,
        ));
        let mut scanner = Scanner::new(&mark);
        scanner.roots(|tracer| roots.trace(tracer), MarkingPass::First);
        let sharing = self.sharing.get_mut();
        if mode == MarkMode::Concurrent {
            // Turns run meanwhile: what they receive or send on is not released at its end (H6).
            sharing.imports.begin_mark();
        }
        match group {
            Some(_) => sharing.begin_group_mark(),
            None => sharing.begin_mark(),
        }
        #[cfg(test)]
        if is_injected(InjectedFault::TagTableStrong) {
            let tag_entries = self.tags.get_mut().iter();
            tag_entries.for_each(|(_, tag_entry)| scanner.enqueue(tag_entry));
        }
        let checks = mode == MarkMode::Concurrent && self.pacing.stress.is_some();
        // A group mark does not mark all that the exports reach.
        let snapshot = (checks && group.is_none()).then(|| self.snapshot(roots));
        let mut mark_cycle = Box::new(MarkCycle {
            mark,
            stage: MarkStage::Marking,
            export_roots: ExportRoots::Pending,
            group,
            scanner,
            assist: MutatorAssist::begin(
                self.old.bytes_allocated,
                self.bytes_marked_live,
                self.heap_size_estimate(),
            ),
            pinned: self.pinned,
            waits: Waits::default(),
            snapshot,
        });
        let some = match mode {
            MarkMode::StopTheWorld => usize::MAX,
            // Under stress: few, so that turns run in between.
            MarkMode::Concurrent if checks => 1,
            MarkMode::Concurrent => EXPORTS_PER_STEP,
        };
        mark_cycle.take_export_roots(self.sharing.get_mut(), some);
        if mode == MarkMode::Concurrent {
            mark_cycle.flush();
        }
        *self.mark_cycle.get_mut() = Some(mark_cycle);
        if mode == MarkMode::Concurrent {
            self.counters.begin();
        }
        std::mem::forget(guard);
    }

    /// All objects that a simple mark reaches.
    fn snapshot<'gc>(&mut self, roots: &impl Object<'gc>) -> HashSet<NonNull<Header>> {
        let own = HeapHandle::name(&self.owner);
        let exports = self.sharing.get_mut().export_roots();
        let mut walk = Walk::new(own, exports);
        walk.state(roots);
        // SAFETY: the heap is borrowed, so no turn runs; the objects that its state and its exports
        // refer to are live.
        unsafe { walk.finish(|_, _| {}) }
    }

    /// One step of the cycle between two turns. Takes exports and flushes the log. Once the mark is
    /// complete it also processes termination entries: `entries` of them, or as many as are due if
    /// that is `None`. Ends the mark after the last entry.
    pub(crate) fn advance_mark(&mut self, entries: Option<usize>) -> Ended {
        let Some(mut mark_cycle) = self.mark_cycle.get_mut().take() else {
            return Ended::NotYet;
        };
        let ended = self.advance(&mut mark_cycle, entries);
        match ended {
            Ended::Yes => self.complete_mark(*mark_cycle),
            Ended::NotYet => *self.mark_cycle.get_mut() = Some(mark_cycle),
        }
        ended
    }

    fn advance(&mut self, mark_cycle: &mut MarkCycle, entries: Option<usize>) -> Ended {
        // Termination changes what an image has not written (S8).
        let waits = self.is_imaging();
        #[cfg(test)]
        let waits = waits && !is_injected(InjectedFault::EarlyTermination);
        self.mark_waited |= waits;
        if let MarkStage::Marking = mark_cycle.stage {
            let group = mark_cycle.follow_group(self.sharing.get_mut());
            mark_cycle
                .take_export_roots(self.sharing.get_mut(), entries.unwrap_or(EXPORTS_PER_STEP));
            if mark_cycle.mark.mode == MarkMode::StopTheWorld {
                mark_cycle.scanner.run_alone(&mark_cycle.mark);
            }
            mark_cycle.flush();
            if matches!(group, Some(GroupPhase::Open | GroupPhase::Closing))
                || mark_cycle.export_roots == ExportRoots::Pending
                || !mark_cycle.mark.queue.is_drained()
                || waits
            {
                return Ended::NotYet;
            }
            mark_cycle.mark.queue.close();
            mark_cycle.check_snapshot();
            let results = std::mem::take(&mut *mark_cycle.mark.results());
            let termination = MarkTermination::new(
                self,
                mark_cycle.mark.epoch,
                mark_cycle.mark.mode,
                mark_cycle.assist.start_bytes,
                results,
            );
            mark_cycle.stage = MarkStage::Terminating(termination);
            mark_cycle.group = None;
        }
        let MarkStage::Terminating(termination) = &mut mark_cycle.stage else {
            return Ended::NotYet;
        };
        if entries == Some(0) || waits {
            return Ended::NotYet;
        }
        if mark_cycle.mark.mode == MarkMode::Concurrent {
            self.counters.terminate();
        }
        let due = termination.due(self.heap_size_estimate());
        let guard = AbortOnUnwind;
        let ended = termination.run(self, entries.unwrap_or(due));
        std::mem::forget(guard);
        ended
    }

    /// A mutator assist: marks in proportion to the bytes promoted since the mark began, so that
    /// the mark is complete when the heap has grown by the pacer's part.
    pub(crate) fn assist(&mut self) {
        let estimate = self.heap_size_estimate();
        let Some(mark_cycle) = self.mark_cycle.get_mut() else {
            return;
        };
        if mark_cycle.is_terminating() {
            return;
        }
        mark_cycle.follow_group(self.sharing.get_mut());
        let marked_bytes = mark_cycle.mark.bytes();
        let Some(assist) = mark_cycle.assist.next(estimate, marked_bytes) else {
            return;
        };
        self.counters.assist();
        let objects = match assist {
            Assist::Paced(objects) => objects,
            Assist::Overdue(_) if mark_cycle.is_in_open_group() => {
                if !mark_cycle.assist.may_wait_for_group(estimate) {
                    mark_cycle.leave_group(self.sharing.get_mut());
                }
                return;
            }
            Assist::Overdue(objects) => {
                mark_cycle.take_export_roots(self.sharing.get_mut(), objects);
                mark_cycle.flush();
                objects
            }
        };
        let _what_is_left = mark_cycle.mark.work(objects);
    }

    /// Scans at most `objects` objects.
    pub(crate) fn mark_objects(&mut self, objects: usize) -> Progress {
        match self.mark_cycle.get_mut() {
            Some(mark_cycle) => mark_cycle.mark.work(objects),
            None => Progress::Over,
        }
    }

    /// Ends a mark that has found what is dead, for an image: it may have released what dead
    /// objects refer to, and other heaps may have freed that. A group mark that has not found it is
    /// dissolved, so that none is committed between the images of its members.
    pub(crate) fn end_decided_mark(&mut self) {
        if self.leave_group_mark() {
            self.finish_mark();
        }
    }

    /// The mark is no part of a group mark any more. Whether it has found what is dead.
    fn leave_group_mark(&mut self) -> bool {
        let sharing = self.sharing.get_mut();
        let mark_cycle = self.mark_cycle.get_mut();
        mark_cycle.as_mut().is_some_and(|mark_cycle| {
            mark_cycle.leave_group(sharing);
            mark_cycle.has_found_the_dead()
        })
    }

    /// Completes and ends the mark that runs, if one does, in one piece.
    pub(crate) fn finish_mark(&mut self) {
        if self.is_marking() {
            self.finish_image();
        }
        if let Some(mark_cycle) = self.mark_cycle.get_mut() {
            mark_cycle.leave_group(self.sharing.get_mut());
        }
        while self.is_marking() && self.advance_mark(Some(usize::MAX)) == Ended::NotYet {
            if self.mark_objects(usize::MAX) == Progress::NoWork {
                yield_now();
            }
        }
    }

    /// Termination is over: from here on unmarked objects may be swept.
    fn complete_mark(&mut self, mark_cycle: MarkCycle) {
        let MarkStage::Terminating(MarkTermination { results, .. }) = mark_cycle.stage else {
            return;
        };
        let born = self.old.bytes_allocated - mark_cycle.assist.start_bytes;
        self.old.end_mark(results.bytes + born);
        self.mark_aborted = false;
        let pinned = self.pinned - mark_cycle.pinned;
        self.next_mark(born);
        self.pinned = pinned;
        self.counters.wait(mark_cycle.waits);
        self.counters.major(results.objects);
        if mark_cycle.mark.mode == MarkMode::Concurrent {
            self.counters.end();
        }
        self.edge_holders = results.edge_holders;
    }

    /// Aborts the concurrent mark, after its markers have left. A mark in termination is completed
    /// instead: a death may have been reported, and imports that only dead objects lead to may have
    /// been released. So is the mark of a group mark that was committed, for the same reasons. And
    /// so is a mark that began after an aborted one: a third would reuse the epoch of the last mark
    /// that ended, and take objects for marked that neither aborted mark has reached.
    pub(crate) fn abort_mark(&mut self) {
        let is_decided = self.leave_group_mark();
        if is_decided || self.mark_aborted {
            self.finish_mark();
        }
        if let Some(mark_cycle) = self.mark_cycle.get_mut().take() {
            self.mark_aborted = true;
            mark_cycle.mark.queue.close();
            self.counters.wait(mark_cycle.waits);
            self.counters.abort();
            self.sharing.get_mut().clear_marks();
        }
    }

    /// The right to help with the mark that runs.
    pub(crate) fn marker(&self) -> Option<Marker> {
        let mark_cycle = self.mark_cycle.borrow();
        mark_cycle
            .as_ref()
            .map(|mark_cycle| Marker(mark_cycle.mark.clone()))
    }
}
