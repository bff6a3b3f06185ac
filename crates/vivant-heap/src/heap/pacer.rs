//! The pacer: when a heap collects, and how much at a time. See [`Heap::pace`].

use super::allocation_failure::MarkOutcome;
use super::{Core, Heap, Root};
use crate::collector::{EdgeSnapshot, MarkMode, Marker, Progress, TenuringPolicy};
use crate::marking::Marking;
use crate::old::SweepBudget;
use crate::orca::Entry;
use crate::pages::chunk::PAGE;
use crate::stress::When;

/// Old generations of more bytes than this, including the counts of shared objects, are marked
/// concurrently (H7).
const CONCURRENT_MIN: usize = 256 * 1024;

/// Growth allowed to a small heap while a mark waits for the inbox to be drained, in nurseries.
const NURSERIES: usize = 8;

/// Maximum number of count deltas drained between two turns before a mark begins.
const HEARD: usize = 1024;

/// Bytes that the source should have for a turn; with fewer, a heap returns everything that it does
/// not need.
const PAGES_KEPT_FREE: usize = 64 * PAGE;

/// The collection that is due.
enum GcWork {
    Nothing,
    Young,
    All,
    /// A concurrent mark, or a step of the running one. Under stress a step is so many objects or
    /// entries; else it is paced by promotion.
    Concurrent(Option<usize>),
}

impl GcWork {
    /// The part of this that a heap does with this way of marking.
    fn by(self, marking: Marking) -> GcWork {
        match (self, marking) {
            (GcWork::All | GcWork::Concurrent(_), Marking::Never) => GcWork::Young,
            (GcWork::Concurrent(_), Marking::AtOnce) => GcWork::All,
            (due, _) => due,
        }
    }
}

/// The result of [`Heap::begin_mark`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkStart {
    /// The mark is over: the heap is small, or its pacing marks stop-the-world.
    Finished,
    /// A concurrent mark runs, driven by [`Heap::marker`] and [`Heap::pace`].
    Running,
}

impl Core {
    /// Whether marks of this heap are concurrent (H7). For a region: the marks between the times
    /// when it is open.
    fn marks_concurrently(&self) -> bool {
        self.pacing.marking == Marking::Concurrent
            && self.old.bytes_live() + self.counts() > CONCURRENT_MIN
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
        self.old.bytes_allocated + self.counts() > CONCURRENT_MIN
    }

    /// Bytes of the counts of shared objects, which mark termination processes.
    fn counts(&self) -> usize {
        self.between_turns().counted() * size_of::<Entry>()
    }

    /// Whether a delayed mark has waited until the heap has grown by another sixteenth, or by some
    /// nurseries. Then it begins, and drains the rest of the inbox at once.
    fn delay_exceeded(&mut self) -> bool {
        let estimate = self.heap_size_estimate();
        let since = *self.delayed_since.get_or_insert(estimate);
        let grown = estimate.saturating_sub(since);
        grown > (since / 16).max(self.pacing.nursery.saturating_mul(NURSERIES))
    }

    /// Whether the source has hardly any pages left for turns.
    pub(crate) fn is_short(&self) -> bool {
        !self.has_pages(PAGES_KEPT_FREE)
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

    /// The source has hardly any pages left for turns: ends the cycle, sweeps all, and returns
    /// every page that can be returned.
    #[cold]
    fn release_memory(&mut self) {
        self.finish_mark();
        while !self.old.sweep(SweepBudget::ALL, &self.source) {}
        self.chunk_cache.shrink(0, &self.source);
    }

    /// Updates the allocation failure state, after all pages that can be returned were returned.
    /// `marks` is the number of marks before this step. Waits for a mark that runs.
    #[cold]
    fn after_allocation_failure(&self, marks: u64) {
        if self.is_marking() {
            return;
        }
        let marked = match self.counters.marks() == marks {
            true => MarkOutcome::No,
            false => MarkOutcome::Yes,
        };
        let waits = marked == MarkOutcome::No && self.allocation_failure.is_due();
        let has_room = !self.is_short() && self.has_pages(self.allocation_failure.wanted());
        match waits || !has_room {
            true => self.allocation_failure.after_turn(marked),
            false => self.allocation_failure.clear(),
        }
    }
}

impl<R: Root> Heap<R> {
    /// A minor collection: empties the nursery.
    pub fn collect_young(&mut self) {
        if self.never() {
            return;
        }
        self.core
            .get_mut()
            .minor(&mut *self.state, TenuringPolicy::Once);
        self.check();
    }

    /// Collects the whole heap: empties the nursery and marks everything. Dead objects are swept
    /// when blocks are needed, or by [`Heap::sweep`]. Aborts a concurrent mark that runs.
    pub fn collect(&mut self) {
        if self.never() {
            return;
        }
        self.core
            .get_mut()
            .major(&mut *self.state, EdgeSnapshot::Off);
        self.check();
    }

    /// Begins to mark the whole heap, unless a mark runs already. The mark is stop-the-world,
    /// unless the heap is large and its pacing marks [concurrently](Marking::Concurrent). A
    /// concurrent mark continues by [`Heap::pace`] and the help of [`Heap::marker`].
    ///
    /// Costs a minor collection, a scan of the state, the rest of the last sweep, and the rest of
    /// the count deltas ([`Heap::drain_some`]).
    pub fn begin_mark(&mut self) -> MarkStart {
        self.begin_mark_with(EdgeSnapshot::Off)
    }

    pub(crate) fn begin_mark_with(&mut self, edge_snapshot: EdgeSnapshot) -> MarkStart {
        if self.never() {
            return MarkStart::Finished;
        }
        let core = self.core.get_mut();
        if core.mark_cycle.get_mut().is_some() {
            return MarkStart::Running;
        }
        // After this all objects are old, and the size of the old generation is what there is to
        // mark.
        core.minor(&mut *self.state, TenuringPolicy::Never);
        let begun = match core.marks_concurrently() {
            true => {
                while !core.old.sweep(SweepBudget::ALL, &core.source) {}
                core.begin_cycle(&mut *self.state, MarkMode::Concurrent, edge_snapshot);
                MarkStart::Running
            }
            false => {
                core.major(&mut *self.state, edge_snapshot);
                MarkStart::Finished
            }
        };
        self.check();
        begun
    }

    /// The right to help with the concurrent mark that runs, if one does.
    #[must_use]
    pub fn marker(&self) -> Option<Marker> {
        self.core().marker()
    }

    /// Scans at most `objects` objects of the mark that runs, if one does.
    pub fn help_mark(&mut self, objects: usize) -> Progress {
        self.core.get_mut().mark_objects(objects)
    }

    /// Whether a concurrent mark is in termination: all live objects are marked, and not all
    /// structures that refer to dead objects are updated yet (weak references, death watches, tags,
    /// imports). No [`Marker`] can help any more: each [`Heap::pace`] does a termination step.
    /// Costs two loads.
    #[inline]
    #[must_use]
    pub fn is_terminating_mark(&self) -> bool {
        self.core().is_terminating_mark()
    }

    /// Finishes the sweep after the last mark, and returns empty pages.
    pub fn sweep(&mut self) {
        let core = self.core.get_mut();
        while !core.old.sweep(SweepBudget::ALL, &core.source) {}
        self.check();
    }

    /// Sweeps at most `runs` spans of the sweep after the last mark; fewer if there are many
    /// destructors to run, or large objects to return.
    pub fn sweep_some(&mut self, runs: usize) {
        let core = self.core.get_mut();
        core.old.sweep(SweepBudget::of(runs), &core.source);
        self.check();
    }

    /// Whether dead objects of the last mark are unswept. Costs a load.
    #[inline]
    #[must_use]
    pub fn is_unswept(&self) -> bool {
        self.core().old.unswept != 0
    }

    /// Returns true if [`Heap::pace`] has work other than waiting. A concurrent mark waits for
    /// promotion, or for a long SATB buffer; so does mark termination
    /// ([`Heap::is_terminating_mark`]), which only `pace` continues. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn has_gc_work(&self) -> bool {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        let core = unsafe { &*self.core.get() };
        core.is_full()
            || core.mark_is_due()
            || core.old.unswept != 0
            || core.needs_prefault.get()
            || core.pacing.stress.is_some()
    }

    /// Returns true if the growth trigger has fired, but the mark is delayed: [`Heap::pace`] waits
    /// until the last sweep is done and the count deltas of other heaps are drained. False under a
    /// stress in which growth decides nothing. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_mark_delayed(&self) -> bool {
        let core = self.core();
        let when = core.pacing.stress.map_or(When::Paced, |stress| stress.when);
        // Strictly greater: by a pacing without growth the next mark is due as soon as one has
        // ended.
        when == When::Paced
            && core.mark_cycle.borrow().is_none()
            && core.heap_size_estimate() > core.mark_at
    }

    /// Whether the heap is so large that growth triggers marks
    /// ([`Pacing::first`](crate::Pacing::first)). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn exceeds_first(&self) -> bool {
        let core = self.core();
        core.heap_size_estimate() > core.pacing.first
    }

    /// Between two turns: does the collection that is due by the heap's pacing. Continues a
    /// concurrent mark that runs, does a step of its termination ([`Heap::is_terminating_mark`])
    /// when it is complete, and ends it after the last step.
    pub fn pace(&mut self) {
        let marks = self.core().counters.marks();
        let due = self.next_work().by(self.core().pacing.marking);
        let (core, state) = (self.core.get_mut(), &mut *self.state);
        match due {
            GcWork::Nothing => {}
            GcWork::Young => core.minor(state, TenuringPolicy::Once),
            GcWork::All => core.major(state, EdgeSnapshot::Off),
            GcWork::Concurrent(_) if core.old.unswept != 0 => {}
            GcWork::Concurrent(most) if core.mark_cycle.get_mut().is_none() => {
                if core.drain_up_to(most.unwrap_or(HEARD))
                    || core.delay_exceeded()
                    || core.is_short()
                {
                    core.begin_cycle(state, MarkMode::Concurrent, EdgeSnapshot::Off);
                } else if core.is_full() {
                    core.minor(state, TenuringPolicy::Once);
                }
            }
            GcWork::Concurrent(objects) => {
                if core.is_full() {
                    core.minor(state, TenuringPolicy::Once);
                }
                match objects {
                    Some(objects) => drop(core.mark_objects(objects)),
                    None => core.assist(),
                }
                let _ended = core.advance_mark(objects);
            }
        }
        if core.old.unswept != 0 {
            core.sweep_some();
        }
        if core.is_short() {
            core.release_memory();
        }
        if core.allocation_failure.is_pending() {
            core.after_allocation_failure(marks);
        }
        core.needs_prefault
            .set(core.allocation_failure.is_pending() && !core.is_marking());
        if core.source.needs_prefault() {
            core.source.prefault();
        }
        self.check();
    }

    fn next_work(&mut self) -> GcWork {
        let core = self.core.get_mut();
        let marks = core.mark_cycle.get_mut().is_some();
        let young = core.is_full();
        let old = core.heap_size_estimate() >= core.mark_at || core.allocation_failure.is_due();
        match core.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            When::Paced if marks => GcWork::Concurrent(None),
            // The sweep is paced to be done by now. Its rest comes first, also if little of the
            // heap lives.
            When::Paced if old && core.sweeps_incrementally() => match young {
                true => GcWork::Young,
                false => GcWork::Nothing,
            },
            // Large objects fill the old generation without the nursery.
            When::Paced if old && core.marks_concurrently() => GcWork::Concurrent(None),
            When::Paced if old => GcWork::All,
            When::Paced if young => GcWork::Young,
            When::Paced | When::Never => GcWork::Nothing,
            // Without this step a mark that runs would never end.
            When::Young if marks => GcWork::Concurrent(None),
            When::Young => GcWork::Young,
            When::All => GcWork::All,
            When::Chance => match core.chance.below(8) {
                0 => GcWork::All,
                1..4 => GcWork::Young,
                _ => GcWork::Nothing,
            },
            When::Concurrent => match core.chance.below(16) {
                0 => GcWork::All,
                1..4 => GcWork::Young,
                steps => GcWork::Concurrent(Some(steps as usize - 3)),
            },
        }
    }
}
