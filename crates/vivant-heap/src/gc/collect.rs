//! The collections between two turns: which one is due, and its execution. A minor collection
//! empties the nursery (H3); a mark begins, or a mark that runs advances; some spans are swept
//! (H8).

use super::budget::Budget;
use super::heap::{Core, Heap, Root};
use super::marking::Marking;
use super::phase::GcPhase;
use super::stress::When;
use crate::alloc::header::Header;
use crate::alloc::old::sweep::{SWEEPS_PER_MINOR, SweepBudget};
use crate::mark::abort_on_unwind::AbortOnUnwind;
use crate::mark::mark_reason::{MarkReason, ReleasedExports};
use crate::mark::marker::MarkMode;
use crate::mark::scanner::EdgeSnapshot;
use crate::object::evacuator::{EvacuatedHeap, Evacuator, TenuringPolicy};
use crate::object::object_trait::Object;
use crate::orca::counts::Entry;
use crate::orca::heap_handle::HeapHandle;
use crate::pages::chunk::PAGE;
use std::ptr::NonNull;

/// Old generations of more bytes than this, including the counts of shared objects, are marked
/// concurrently (H7).
const CONCURRENT_MIN: usize = 256 * 1024;

/// Maximum number of count deltas drained between two turns before a mark begins.
const DELTAS: usize = 1024;

/// Minimum of the sweep budget: spans swept after each turn, as long as any is unswept.
const SWEEP_STEP: usize = 8;

/// Maximum of the sweep budget in spans, some 150 microseconds, unless turns have promoted much
/// since: then `SWEEP_RATIO` spans for each promoted page. A large heap that grows by a quarter
/// needs eight of these.
const SWEEP_MOST: usize = 256;
const SWEEP_RATIO: usize = 12;

/// Maximum number of blocks in a page.
const BLOCKS_PER_PAGE: usize = PAGE / 16;

/// The collection that is due between two turns.
enum DueCollection {
    /// A minor collection if the nursery is full.
    Minor,
    /// Nothing: a stress that never collects.
    None,
    /// A minor collection in any case.
    MinorAlways,
    /// A stop-the-world mark.
    Mark(MarkReason),
    /// A concurrent mark begins. Under stress at most so many count deltas are drained before.
    Begin(MarkReason, Option<usize>),
    /// A piece of the mark that runs. Under stress it has so many objects or entries; else it is
    /// paced by promotion.
    Advance(Option<usize>),
}

impl Core {
    /// The work between two turns: the collection that is due, a piece of the sweep, and what
    /// follows a refusal of pages.
    pub(crate) fn collect_between_turns<'gc>(&mut self, state: &mut impl Object<'gc>) {
        let marks = self.counters.marks();
        match self.due() {
            DueCollection::None => {}
            DueCollection::Minor => self.minor_if_full(state),
            DueCollection::MinorAlways => self.minor(state, TenuringPolicy::Once),
            DueCollection::Mark(reason) => {
                self.mark_history.begin_for(reason, ReleasedExports::None);
                // Under stress it replaces a mark that runs, and lists what that one was to list.
                let edge_snapshot = match self.is_marking() {
                    true => self.last_edge_snapshot,
                    false => EdgeSnapshot::Off,
                };
                self.major(state, edge_snapshot);
            }
            DueCollection::Begin(reason, deltas) => {
                let drained = self.drain_up_to(deltas.unwrap_or(DELTAS));
                match drained || self.delay_exceeded() || self.is_short() {
                    true => {
                        self.mark_history.begin_for(reason, ReleasedExports::None);
                        self.start_mark(state, MarkMode::Concurrent, EdgeSnapshot::Off);
                    }
                    false => self.minor_if_full(state),
                }
            }
            DueCollection::Advance(work) => {
                self.minor_if_full(state);
                match work {
                    Some(objects) => drop(self.mark_objects(objects)),
                    None => self.assist(),
                }
                let _ended = self.advance_mark(work);
            }
        }
        if self.is_imaging() {
            self.assist_image();
        }
        if self.old.unswept != 0 {
            self.sweep_some();
        }
        if self.is_short() {
            self.release_memory();
        }
        if self.allocation_failure.is_pending() {
            self.after_allocation_failure(marks);
        }
        self.needs_prefault
            .set(self.allocation_failure.is_pending() && !self.is_marking());
        if self.source.needs_prefault() {
            self.source.prefault();
        }
    }

    fn minor_if_full<'gc>(&mut self, state: &mut impl Object<'gc>) {
        if self.is_full() {
            self.minor(state, TenuringPolicy::Once);
        }
    }

    fn due(&mut self) -> DueCollection {
        if let Some(due) = self.due_under_stress() {
            return due;
        }
        match (self.phase(), self.triggered_mark()) {
            (GcPhase::Mark | GcPhase::Terminate, _) => DueCollection::Advance(None),
            // The sweep is paced to be done by now. Its rest comes first, also if little of the
            // heap lives.
            (GcPhase::Sweep, _) if self.sweeps_incrementally() => DueCollection::Minor,
            (GcPhase::Idle | GcPhase::Sweep, None) => DueCollection::Minor,
            // Large objects fill the old generation without the nursery.
            (GcPhase::Idle | GcPhase::Sweep, Some(reason)) if self.marks_concurrently() => {
                DueCollection::Begin(reason, None)
            }
            (GcPhase::Idle | GcPhase::Sweep, Some(reason)) => DueCollection::Mark(reason),
        }
    }

    /// Whether growth or an allocation failure is a reason for a mark.
    fn triggered_mark(&self) -> Option<MarkReason> {
        if self.allocation_failure.is_due() {
            return Some(MarkReason::AllocationFailure);
        }
        (self.heap_size_estimate() >= self.mark_at).then_some(MarkReason::Growth)
    }

    fn due_under_stress(&mut self) -> Option<DueCollection> {
        let when = self.pacing.stress?.when;
        let some = |deltas| match (self.pacing.marking, self.phase()) {
            (Marking::Never, _) => DueCollection::MinorAlways,
            (Marking::AtOnce, _) => DueCollection::Mark(MarkReason::Requested),
            (Marking::Concurrent, GcPhase::Mark | GcPhase::Terminate) => {
                DueCollection::Advance(Some(deltas))
            }
            (Marking::Concurrent, GcPhase::Sweep) => DueCollection::Minor,
            (Marking::Concurrent, GcPhase::Idle) => {
                DueCollection::Begin(MarkReason::Requested, Some(deltas))
            }
        };
        let all = match self.pacing.marking {
            Marking::Never => DueCollection::MinorAlways,
            Marking::AtOnce | Marking::Concurrent => DueCollection::Mark(MarkReason::Requested),
        };
        Some(match when {
            When::Paced => return None,
            When::Never => DueCollection::None,
            // Without this step a mark that runs would never end.
            When::Young if self.is_marking() => DueCollection::Advance(None),
            When::Young => DueCollection::MinorAlways,
            When::All => all,
            When::Chance => match self.chance.below(8) {
                0 => all,
                1..4 => DueCollection::MinorAlways,
                _ => DueCollection::None,
            },
            When::Concurrent => match self.chance.below(16) {
                0 => all,
                1..4 => DueCollection::MinorAlways,
                steps => some(steps as usize - 3),
            },
        })
    }

    /// A minor collection: empties the nursery. Objects reached from the roots and from the
    /// remembered set are promoted, or survive once in the nursery (H3).
    pub(crate) fn minor<'gc>(&mut self, roots: &mut impl Object<'gc>, tenuring: TenuringPolicy) {
        let guard = AbortOnUnwind;
        let remembered = std::mem::take(self.remembered.get_mut());
        // SAFETY: old objects of this heap (H5).
        unsafe { self.old.note_changes(&remembered) };
        self.remembered_set_full.set(false);
        self.old.sweep_allowance = SWEEPS_PER_MINOR;
        let heap = EvacuatedHeap {
            nursery: &self.nursery,
            old: &mut self.old,
            remembered: self.remembered.get_mut(),
            weak: &mut self.weak,
            chunk_cache: &self.chunk_cache,
            source: &self.source,
            owner: HeapHandle::name(&self.owner).cast(),
        };
        let mut evacuator = Evacuator::new(heap, tenuring);
        roots.evacuate(&mut evacuator);
        for object in remembered {
            evacuator.scan_remembered(object);
        }
        evacuator.drain();
        evacuator.clear_weak();
        // SAFETY: watched young objects lie in the nursery that is being emptied.
        let place = |object: NonNull<Header>| unsafe { object.as_ref() }.forwarded();
        // Watched objects that were not evacuated are dead (H10).
        self.deaths.get_mut().nursery_emptied(place);
        let evacuated = evacuator.counts();
        let mut survivors = evacuator.finish();
        survivors.seal();
        self.old.sweep_allowance = usize::MAX;
        // SAFETY: all of the remembered set was scanned, tag entries included.
        unsafe { self.tags.get_mut().nursery_emptied() };
        self.counters.minor(&self.nursery, &survivors, evacuated);
        let mut emptied = std::mem::replace(&mut self.nursery, survivors);
        if self.pacing.stress.is_some() {
            // SAFETY: the collection is over: reached objects were evacuated, and the others were
            // destroyed.
            unsafe { emptied.poison() };
        }
        let (pages, used) = (emptied.pages(), emptied.used());
        // SAFETY: every reached object was evacuated from it.
        unsafe { emptied.clear(&self.chunk_cache) };
        // A heap that hardly used its nursery is idle: it keeps no spare chunks.
        if used < self.pacing.nursery / 8 {
            self.chunk_cache.shrink(0, &self.source);
        } else {
            let survivor_pages = self.nursery.pages();
            self.chunk_cache.resize(pages, survivor_pages, &self.source);
        }
        std::mem::forget(guard);
    }

    /// Marks, or begins to mark, on demand. Nothing if a mark runs, unless the budget is unlimited.
    pub(crate) fn mark<'gc>(
        &mut self,
        state: &mut impl Object<'gc>,
        reason: MarkReason,
        edge_snapshot: EdgeSnapshot,
        budget: &Budget,
    ) {
        if self.is_marking() && !budget.is_unlimited() {
            return;
        }
        self.mark_history
            .begin_for(reason, self.idle_check.released);
        if budget.is_unlimited() {
            return self.major(state, edge_snapshot);
        }
        // After this all objects are old, and the size of the old generation is what there is to
        // mark.
        self.minor(state, TenuringPolicy::Never);
        match self.marks_concurrently() {
            true => {
                while !self.old.sweep(SweepBudget::ALL, &self.source) {}
                self.start_mark(state, MarkMode::Concurrent, edge_snapshot);
            }
            false => self.major(state, edge_snapshot),
        }
    }

    /// Whether marks of this heap are concurrent (H7). For a region: the marks between the times
    /// when it is open.
    fn marks_concurrently(&self) -> bool {
        self.pacing.marking == Marking::Concurrent
            && self.old.bytes_live() + self.count_bytes() > CONCURRENT_MIN
    }

    /// Whether the next mark is delayed until the sweep is done: the heap is large and has unswept
    /// spans, which are not swept at once.
    fn sweeps_incrementally(&self) -> bool {
        let concurrent = self.pacing.marking == Marking::Concurrent;
        concurrent && self.old.unswept != 0 && self.is_large()
    }

    /// Whether the old generation, including dead objects, is too large to be marked and swept at
    /// once.
    pub(crate) fn is_large(&self) -> bool {
        self.old.bytes_allocated + self.count_bytes() > CONCURRENT_MIN
    }

    /// Bytes of the counts of shared objects, which mark termination processes.
    fn count_bytes(&self) -> usize {
        self.between_turns().entries() * size_of::<Entry>()
    }

    /// Sweeps what is due: at least `SWEEP_STEP` spans, and enough to have swept all spans when the
    /// old generation has grown half of the way to the next mark (H8). If that exceeds the maximum
    /// budget, because the heap is to grow by so little, the next mark is delayed instead.
    fn sweep_some(&mut self) {
        let (estimate, mark_at) = (self.heap_size_estimate(), self.mark_at);
        let old = &mut self.old;
        let grows = (mark_at - mark_at.min(old.bytes_marked)).max(1);
        let grown = old.bytes_live() - old.bytes_marked.min(old.bytes_live());
        let share = (grown as f64 * 2.0 / grows as f64).min(1.0);
        let left = (old.to_sweep as f64 * (1.0 - share)) as usize;
        let due = match estimate >= mark_at {
            // The next mark is delayed by the sweep. The estimate can exceed `mark_at` by foreign
            // objects, which no sweep frees.
            true => old.unswept,
            false => old.unswept - left.min(old.unswept),
        };
        let fresh = old.bytes_live().saturating_sub(old.live_at_step) / PAGE;
        let most = SWEEP_MOST.max(fresh.saturating_mul(SWEEP_RATIO));
        let mut budget = SweepBudget::of(due.clamp(SWEEP_STEP, most));
        budget.empty = most;
        // Turns may fill pages with objects that all have destructors. The budget is twice as many
        // destructors as those pages can hold, so the sweep gains on the turns.
        budget.destructors = budget
            .destructors
            .max(fresh.saturating_mul(2 * BLOCKS_PER_PAGE));
        old.sweep(budget, &self.source);
        old.live_at_step = old.bytes_live();
    }

    /// Whether a mark is to begin, or the holder has work for the running mark.
    #[inline]
    fn mark_is_due(&self) -> bool {
        // SAFETY: no turn runs, so the `RefCell` is not mutably borrowed.
        match unsafe { &*self.mark_cycle.as_ptr() } {
            Some(mark_cycle) => mark_cycle.is_due(self.heap_size_estimate()),
            None => self.heap_size_estimate() >= self.mark_at,
        }
    }
}

impl<R: Root> Heap<R> {
    /// Returns true if [`Heap::pace`] has work other than waiting. A concurrent mark waits for
    /// promotion, or for a long SATB buffer; so does mark termination
    /// ([`Heap::is_terminating_mark`]), which only `pace` continues. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn has_gc_work(&self) -> bool {
        let core = self.core();
        core.is_full()
            || core.mark_is_due()
            || core.is_image_due()
            || core.old.unswept != 0
            || core.needs_prefault.get()
            || core.pacing.stress.is_some()
    }
}
