//! When a heap collects, and how much at a time: [`Heap::pace`].

use super::shortage::Marked;
use super::{Core, Heap, Root};
use crate::collector::{Ageing, Marker, Progress, Shows};
use crate::marking::Marking;
use crate::old::Portion;
use crate::orca::Entry;
use crate::pages::chunk::PAGE;
use crate::stress::When;

/// Old generations of more bytes than this, with the counts of what is shared, are marked beside
/// the turns (H7).
const BESIDE: usize = 256 * 1024;

/// So much a small heap may grow, in nurseries, while a mark waits for what is to be heard.
const NURSERIES: usize = 8;

/// Changes of counts that are heard between two turns, before a mark begins.
const HEARD: usize = 1024;

/// Bytes that a turn should find at the source, or its heap keeps nothing that it can do without.
const SPARE: usize = 64 * PAGE;

/// What a heap should collect now.
enum Due {
    Nothing,
    Young,
    All,
    /// A mark beside the turns, or a step of the one that runs: by so many objects or entries,
    /// under stress; else by what was made old since.
    Beside(Option<usize>),
}

impl Due {
    /// What of it a heap does that is marked like this.
    fn by(self, marking: Marking) -> Due {
        match (self, marking) {
            (Due::All | Due::Beside(_), Marking::Never) => Due::Young,
            (Due::Beside(_), Marking::AtOnce) => Due::All,
            (due, _) => due,
        }
    }
}

/// What has become of the mark that was asked for.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begun {
    /// It is over: the heap is small, or its pacing marks at once.
    Ended,
    /// It runs beside the turns, by the help of [`Heap::marker`] and [`Heap::pace`].
    Runs,
}

impl Core {
    /// Whether its marks run beside the turns (H7): a region's between the times when it is open.
    fn marks_beside(&self) -> bool {
        self.pacing.marking == Marking::Concurrent && self.old.living() + self.counts() > BESIDE
    }

    /// Whether so much is not swept yet, or lies beside that, that the next mark waits until it is,
    /// and does not sweep it at once.
    fn sweeps_beside(&self) -> bool {
        let concurrent = self.pacing.marking == Marking::Concurrent;
        concurrent && self.old.unswept != 0 && self.is_large()
    }

    /// Whether there is so much in its old generation, dead objects too, that it is not to be
    /// marked and swept at once.
    pub(crate) fn is_large(&self) -> bool {
        self.old.live + self.counts() > BESIDE
    }

    /// Bytes of the counts of what is shared, which a mark settles.
    fn counts(&self) -> usize {
        self.between_turns().counted() * size_of::<Entry>()
    }

    /// Whether a mark that is due has waited until the heap has grown by another sixteenth, or by
    /// some nurseries: then it begins, and hears at once what is left to be heard.
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

    /// Whether a mark is to begin, or the holder has something to do for the one that runs.
    #[inline]
    fn mark_is_due(&self) -> bool {
        // SAFETY: no turn runs: nobody has the cell borrowed to write.
        match unsafe { &*self.cycle.as_ptr() } {
            Some(cycle) => cycle.is_due(self.weight()),
            None => self.weight() >= self.mark_at,
        }
    }

    /// The source has hardly any pages left for turns: gives back all that can be.
    #[cold]
    fn spare(&mut self) {
        self.go_through_cycle();
        while !self.old.sweep(Portion::ALL, &self.source) {}
        self.reserve.shrink(0, &self.source);
    }

    /// Turns got no pages: whether that is over, now that all is given back that can be, and there
    /// were so many marks before. One that runs is waited for.
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
    /// Empties the nursery.
    pub fn collect_young(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().minor(&mut *self.state, Ageing::Once);
        self.check();
    }

    /// Empties the nursery and marks everything; the dead are swept when room is needed, or by
    /// [`Heap::sweep`]. A mark that runs beside the turns is given up.
    pub fn collect(&mut self) {
        if self.never() {
            return;
        }
        self.core.get_mut().major(&mut *self.state, Shows::Nothing);
        self.check();
    }

    /// Begins to mark everything, unless a mark runs already. At once, unless its pacing marks
    /// [beside the turns](Marking::Concurrent) and it is large. One that runs beside the turns goes
    /// on by [`Heap::pace`] and the help of [`Heap::marker`].
    ///
    /// Costs a collection of the nursery, a look at what the state refers to, what is left of the
    /// last sweep, and of what others have left ([`Heap::heed_some`]).
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
        // What is young is old then, and tells how much there is to mark.
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

    /// The right to help with the mark that runs beside the turns, if one does.
    #[must_use]
    pub fn marker(&self) -> Option<Marker> {
        self.core().marker()
    }

    /// Goes through so many objects of the mark that runs, if one does.
    pub fn help_mark(&mut self, objects: usize) -> Progress {
        self.core.get_mut().work_at_cycle(objects)
    }

    /// Whether a mark that runs beside the turns has met all that lives, and what knows of the dead
    /// has not heard of all of them yet: weak references, watches, tags, and counts of other heaps'
    /// objects. No [`Marker`] can help any more: [`Heap::pace`] settles a piece each time. Costs
    /// two loads.
    #[inline]
    #[must_use]
    pub fn is_settling(&self) -> bool {
        self.core().is_settling()
    }

    /// Sweeps all that is left of the last mark, and gives empty pages back.
    pub fn sweep(&mut self) {
        let core = self.core.get_mut();
        while !core.old.sweep(Portion::ALL, &core.source) {}
        self.check();
    }

    /// Sweeps so many runs of pages of what is left of the last mark, fewer if there are many
    /// destructors to run, or large objects to give back.
    pub fn sweep_some(&mut self, runs: usize) {
        let core = self.core.get_mut();
        core.old.sweep(Portion::of(runs), &core.source);
        self.check();
    }

    /// Whether the dead of the last mark lie there still. Costs a load.
    #[inline]
    #[must_use]
    pub fn is_unswept(&self) -> bool {
        self.core().old.unswept != 0
    }

    /// Whether [`Heap::pace`] would do something that is not to wait. A mark that runs beside the
    /// turns waits for what becomes old, or for a long log of what was written; so does what it
    /// leaves ([`Heap::is_settling`]), which only `pace` settles. Costs a few loads.
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

    /// Whether the heap has grown since the last mark, so much that another is to begin, and none
    /// has: [`Heap::pace`] waits with it until what is left of the last sweep is swept, and what
    /// others have left is heard. Not so under a stress by which growth decides nothing. Costs a
    /// few loads.
    #[inline]
    #[must_use]
    pub fn mark_waits(&self) -> bool {
        let core = self.core();
        let when = core.pacing.stress.map_or(When::Paced, |stress| stress.when);
        // Grown: by a pacing without growth the next one is due when one has ended.
        when == When::Paced && core.cycle.borrow().is_none() && core.weight() > core.mark_at
    }

    /// Whether it is so large that growth has it marked at times
    /// ([`Pacing::first`](crate::Pacing::first)). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn exceeds_first(&self) -> bool {
        let core = self.core();
        core.weight() > core.pacing.first
    }

    /// Between two turns: collects what is due by the heap's pacing; goes on with a mark that runs
    /// beside the turns, settles a piece of what it leaves if all is met ([`Heap::is_settling`]),
    /// and ends it when that was the last one.
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
            // The sweep is paced to be through by now. What is left of it comes first, also if
            // little of all that lives.
            When::Paced if old && core.sweeps_beside() => match young {
                true => Due::Young,
                false => Due::Nothing,
            },
            // Large objects fill the old generation without the nursery.
            When::Paced if old && core.marks_beside() => Due::Beside(None),
            When::Paced if old => Due::All,
            When::Paced if young => Due::Young,
            When::Paced | When::Never => Due::Nothing,
            // Or it would never end.
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
