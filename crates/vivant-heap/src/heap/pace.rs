//! The pacer: when a heap collects, and how much at a time. See [`Heap::pace`].

use super::shortage::Marked;
use super::{Core, Heap, Root};
use crate::collector::{Ageing, Marker, Progress, Shows};
use crate::marking::Marking;
use crate::old::Portion;
use crate::orca::Entry;
use crate::pages::chunk::PAGE;
use crate::stress::When;

/// Old generations of more bytes than this, including the counts of shared objects, are marked
/// concurrently (H7).
const BESIDE: usize = 256 * 1024;

/// Growth allowed to a small heap while a mark waits for the inbox to be drained, in nurseries.
const NURSERIES: usize = 8;

/// Maximum number of count deltas drained between two turns before a mark begins.
const HEARD: usize = 1024;

/// Bytes that the source should have for a turn; with fewer, a heap returns everything that it does
/// not need.
const SPARE: usize = 64 * PAGE;

/// The collection that is due.
enum Due {
    Nothing,
    Young,
    All,
    /// A concurrent mark, or a step of the running one. Under stress a step is so many objects or
    /// entries; else it is paced by promotion.
    Beside(Option<usize>),
}

impl Due {
    /// The part of this that a heap does with this way of marking.
    fn by(self, marking: Marking) -> Due {
        match (self, marking) {
            (Due::All | Due::Beside(_), Marking::Never) => Due::Young,
            (Due::Beside(_), Marking::AtOnce) => Due::All,
            (due, _) => due,
        }
    }
}

/// The result of [`Heap::begin_mark`].
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begun {
    /// The mark is over: the heap is small, or its pacing marks stop-the-world.
    Ended,
    /// A concurrent mark runs, driven by [`Heap::marker`] and [`Heap::pace`].
    Runs,
}

impl Core {
    /// Whether marks of this heap are concurrent (H7). For a region: the marks between the times
    /// when it is open.
    fn marks_beside(&self) -> bool {
        self.pacing.marking == Marking::Concurrent && self.old.living() + self.counts() > BESIDE
    }

    /// Whether the next mark is delayed until the sweep is done: the heap is large and has unswept
    /// spans, which are not swept at once.
    fn sweeps_beside(&self) -> bool {
        let concurrent = self.pacing.marking == Marking::Concurrent;
        concurrent && self.old.unswept != 0 && self.is_large()
    }

    /// Whether the old generation, including dead objects, is too large to be marked and swept at
    /// once.
    pub(crate) fn is_large(&self) -> bool {
        self.old.live + self.counts() > BESIDE
    }

    /// Bytes of the counts of shared objects, which mark termination processes.
    fn counts(&self) -> usize {
        self.between_turns().counted() * size_of::<Entry>()
    }

    /// Whether a delayed mark has waited until the heap has grown by another sixteenth, or by some
    /// nurseries. Then it begins, and drains the rest of the inbox at once.
    fn has_waited(&mut self) -> bool {
        let weight = self.weight();
        let since = *self.waits_since.get_or_insert(weight);
        let grown = weight.saturating_sub(since);
        grown > (since / 16).max(self.pacing.nursery.saturating_mul(NURSERIES))
    }

    /// Whether the source has hardly any pages left for turns.
    pub(crate) fn is_short(&self) -> bool {
        !self.has_pages(SPARE)
    }

    /// Whether a mark is to begin, or the holder has work for the running mark.
    #[inline]
    fn mark_is_due(&self) -> bool {
        // SAFETY: no turn runs, so the `RefCell` is not mutably borrowed.
        match unsafe { &*self.cycle.as_ptr() } {
            Some(cycle) => cycle.is_due(self.weight()),
            None => self.weight() >= self.mark_at,
        }
    }

    /// The source has hardly any pages left for turns: ends the cycle, sweeps all, and returns
    /// every page that can be returned.
    #[cold]
    fn spare(&mut self) {
        self.go_through_cycle();
        while !self.old.sweep(Portion::ALL, &self.source) {}
        self.reserve.shrink(0, &self.source);
    }

    /// Updates the allocation failure state, after all pages that can be returned were returned.
    /// `marks` is the number of marks before this step. Waits for a mark that runs.
    #[cold]
    fn looks_at_shortage(&self, marks: u64) {
        if self.is_marking() {
            return;
        }
        let marked = match self.counted.marks() == marks {
            true => Marked::No,
            false => Marked::Yes,
        };
        let waits = marked == Marked::No && self.shortage.is_due();
        let has_room = !self.is_short() && self.has_pages(self.shortage.wanted());
        match waits || !has_room {
            true => self.shortage.goes_on(marked),
            false => self.shortage.ends(),
        }
    }
}

impl<R: Root> Heap<R> {
    /// A minor collection: empties the nursery.
    pub fn collect_young(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().minor(&mut *self.state, Ageing::Once);
        self.check();
    }

    /// Collects the whole heap: empties the nursery and marks everything. Dead objects are swept
    /// when blocks are needed, or by [`Heap::sweep`]. Aborts a concurrent mark that runs.
    pub fn collect(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().major(&mut *self.state, Shows::Nothing);
        self.check();
    }

    /// Begins to mark the whole heap, unless a mark runs already. The mark is stop-the-world,
    /// unless the heap is large and its pacing marks [concurrently](Marking::Concurrent). A
    /// concurrent mark continues by [`Heap::pace`] and the help of [`Heap::marker`].
    ///
    /// Costs a minor collection, a scan of the state, the rest of the last sweep, and the rest of
    /// the count deltas ([`Heap::heed_some`]).
    pub fn begin_mark(&mut self) -> Begun {
        self.begin_mark_and_note(Shows::Nothing)
    }

    pub(crate) fn begin_mark_and_note(&mut self, shows: Shows) -> Begun {
        if self.never() {
            return Begun::Ended;
        }
        let core = self.core.get_mut();
        if core.cycle.get_mut().is_some() {
            return Begun::Runs;
        }
        // After this all objects are old, and the size of the old generation is what there is to
        // mark.
        core.minor(&mut *self.state, Ageing::Never);
        let begun = match core.marks_beside() {
            true => {
                while !core.old.sweep(Portion::ALL, &core.source) {}
                core.begin_cycle(&mut *self.state, shows);
                Begun::Runs
            }
            false => {
                core.major(&mut *self.state, shows);
                Begun::Ended
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
        self.core.get_mut().work_at_cycle(objects)
    }

    /// Whether a concurrent mark is in termination: all live objects are marked, and not all
    /// structures that refer to dead objects are updated yet (weak references, death watches, tags,
    /// imports). No [`Marker`] can help any more: each [`Heap::pace`] does a termination step.
    /// Costs two loads.
    #[inline]
    #[must_use]
    pub fn is_settling(&self) -> bool {
        self.core().is_settling()
    }

    /// Finishes the sweep after the last mark, and returns empty pages.
    pub fn sweep(&mut self) {
        let core = self.core.get_mut();
        while !core.old.sweep(Portion::ALL, &core.source) {}
        self.check();
    }

    /// Sweeps at most `runs` spans of the sweep after the last mark; fewer if there are many
    /// destructors to run, or large objects to return.
    pub fn sweep_some(&mut self, runs: usize) {
        let core = self.core.get_mut();
        core.old.sweep(Portion::of(runs), &core.source);
        self.check();
    }

    /// Whether dead objects of the last mark are unswept. Costs a load.
    #[inline]
    #[must_use]
    pub fn is_unswept(&self) -> bool {
        self.core().old.unswept != 0
    }

    /// Returns true if [`Heap::pace`] has work other than waiting. A concurrent mark waits for
    /// promotion, or for a long SATB buffer; so does mark termination ([`Heap::is_settling`]),
    /// which only `pace` continues. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_due(&self) -> bool {
        // SAFETY: no turn runs: it would borrow the heap exclusively.
        let core = unsafe { &*self.core.get() };
        core.is_full()
            || core.mark_is_due()
            || core.old.unswept != 0
            || core.prepares.get()
            || core.pacing.stress.is_some()
    }

    /// Returns true if the growth trigger has fired, but the mark is delayed: [`Heap::pace`] waits
    /// until the last sweep is done and the count deltas of other heaps are drained. False under a
    /// stress in which growth decides nothing. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn mark_waits(&self) -> bool {
        let core = self.core();
        let when = core.pacing.stress.map_or(When::Paced, |stress| stress.when);
        // Strictly greater: by a pacing without growth the next mark is due as soon as one has
        // ended.
        when == When::Paced && core.cycle.borrow().is_none() && core.weight() > core.mark_at
    }

    /// Whether the heap is so large that growth triggers marks
    /// ([`Pacing::first`](crate::Pacing::first)). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn exceeds_first(&self) -> bool {
        let core = self.core();
        core.weight() > core.pacing.first
    }

    /// Between two turns: does the collection that is due by the heap's pacing. Continues a
    /// concurrent mark that runs, does a step of its termination ([`Heap::is_settling`]) when it is
    /// complete, and ends it after the last step.
    pub fn pace(&mut self) {
        let marks = self.core().counted.marks();
        let due = self.due().by(self.core().pacing.marking);
        let (core, state) = (self.core.get_mut(), &mut *self.state);
        match due {
            Due::Nothing => {}
            Due::Young => core.minor(state, Ageing::Once),
            Due::All => core.major(state, Shows::Nothing),
            Due::Beside(_) if core.old.unswept != 0 => {}
            Due::Beside(most) if core.cycle.get_mut().is_none() => {
                if core.hears_out(most.unwrap_or(HEARD)) || core.has_waited() || core.is_short() {
                    core.begin_cycle(state, Shows::Nothing);
                } else if core.is_full() {
                    core.minor(state, Ageing::Once);
                }
            }
            Due::Beside(objects) => {
                if core.is_full() {
                    core.minor(state, Ageing::Once);
                }
                match objects {
                    Some(objects) => drop(core.work_at_cycle(objects)),
                    None => core.pay(),
                }
                let _ended = core.go_on_with_cycle(objects);
            }
        }
        if core.old.unswept != 0 {
            core.sweep_some();
        }
        if core.is_short() {
            core.spare();
        }
        if core.shortage.lasts() {
            core.looks_at_shortage(marks);
        }
        core.prepares
            .set(core.shortage.lasts() && !core.is_marking());
        if core.source.is_unready() {
            core.source.prepare();
        }
        self.check();
    }

    fn due(&mut self) -> Due {
        let core = self.core.get_mut();
        let marks = core.cycle.get_mut().is_some();
        let young = core.is_full();
        let old = core.weight() >= core.mark_at || core.shortage.is_due();
        match core.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            When::Paced if marks => Due::Beside(None),
            // The sweep is paced to be done by now. Its rest comes first, also if little of the
            // heap lives.
            When::Paced if old && core.sweeps_beside() => match young {
                true => Due::Young,
                false => Due::Nothing,
            },
            // Large objects fill the old generation without the nursery.
            When::Paced if old && core.marks_beside() => Due::Beside(None),
            When::Paced if old => Due::All,
            When::Paced if young => Due::Young,
            When::Paced | When::Never => Due::Nothing,
            // Without this step a mark that runs would never end.
            When::Young if marks => Due::Beside(None),
            When::Young => Due::Young,
            When::All => Due::All,
            When::Chance => match core.chance.below(8) {
                0 => Due::All,
                1..4 => Due::Young,
                _ => Due::Nothing,
            },
            When::Beside => match core.chance.below(16) {
                0 => Due::All,
                1..4 => Due::Young,
                steps => Due::Beside(Some(steps as usize - 3)),
            },
        }
    }
}
