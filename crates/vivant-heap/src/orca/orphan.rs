//! [`Orphan`]: a detached heap. Its actor has ended, and other heaps refer to its objects (O9), or
//! it has more objects than are freed at once.

use crate::collector::{EdgeSnapshot, Progress};
use crate::heap::{Core, Heap, Root};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::old::SweepBudget;
use crate::stress::When;
use std::cell::UnsafeCell;
use std::fmt;

/// Work units to sweep a span of pages: it takes as long as to scan so many objects.
const RUN: usize = 16;

/// Maximum number of deltas that a query outside of a step drains.
const HEARD: usize = 1024;

/// Estimated bytes of an object, for the work of a heap that is collected at once.
const OBJECT: usize = 64;

/// The empty state of a detached heap.
pub(super) struct Nothing;

impl Root for Nothing {
    type Of<'gc> = ();
}

/// A detached heap: the exported objects of a heap that has ended, the objects that these reach,
/// and dead objects until they are freed.
///
/// Its keeper must drain its inbox now and then, or released objects are never freed: see
/// [`Orphan::heed`], and [`Orphan::step`] for doing it in pieces. Dropping it while other heaps
/// refer to its objects leaks these, for good.
#[must_use = "an orphan that is dropped too early leaks its objects"]
pub struct Orphan {
    pub(super) heap: Heap<Nothing>,
    wants: Wants,
}

/// The result of draining since the last mark began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wants {
    /// No mark is needed.
    Nothing,
    /// A mark is needed: the count of an object fell to zero, or no mark has begun since the heap
    /// ended.
    Mark,
    /// The mark that runs has the state of the ended heap as a root: its result is useless, and it
    /// is aborted for another mark.
    Another,
}

/// The next action of a step.
enum Due {
    /// Draining more of the inbox, before anything else can be decided.
    Hear,
    /// The end: no other heap refers to its objects, and what is left is dropped. It is small, or
    /// all is swept.
    End,
    /// A mark and sweep at once.
    All,
    Sweep,
    /// A piece of the mark that runs.
    Mark,
    /// The beginning of a mark.
    Begin,
    Rest,
}

/// The result of a step, with the detached heap that is left.
#[must_use = "an orphan that is dropped too early leaks its objects"]
#[derive(Debug)]
pub enum Remains {
    /// Other heaps refer to its objects. It has no work until it is notified.
    Rests(Orphan),
    /// It has work for the next step.
    Owes(Orphan),
    /// No other heap referred to its objects, and everything is freed.
    Gone,
}

impl<R: Root> Heap<R> {
    /// Ends the heap: drops the state, and frees all objects except those that other heaps refer
    /// to. Returns `None` if nothing is left.
    ///
    /// A heap of more than 256 KiB is not marked here: [`Orphan::step`] or [`Orphan::heed`] does
    /// that, also if no other heap refers to it. A smaller one costs a mark from its exports, and a
    /// sweep of all; without exports, only the drop.
    pub fn end(self) -> Option<Orphan> {
        Orphan::left(self.with_state::<Nothing>(()))
    }
}

impl Orphan {
    /// Detaches a heap with a state that was never made.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>) -> Option<Orphan> {
        Orphan::left(Heap::of(core, ()))
    }

    fn left(heap: Heap<Nothing>) -> Option<Orphan> {
        let wants = Wants::Mark;
        let mut orphan = Orphan { heap, wants };
        if !orphan.goes_in_steps() {
            let is_alone = orphan.heap.is_alone();
            return if is_alone { None } else { orphan.heed() };
        }
        let core = orphan.heap.core();
        if core.is_marking() && !core.is_terminating_mark() {
            orphan.wants = Wants::Another;
        }
        Some(orphan)
    }

    /// Whether count deltas have arrived that are not drained. Costs a load.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.heap.is_told()
    }

    /// Whether [`Orphan::step`] has work, by the deltas drained so far.
    #[must_use]
    pub fn owes(&self) -> bool {
        self.wants != Wants::Nothing || self.is_marked() || self.heap.is_hearing()
    }

    /// Drains at most a piece of the inbox. Returns whether the next step begins a mark.
    ///
    /// Costs next to nothing.
    pub fn wants_mark(&mut self) -> bool {
        self.hears(HEARD);
        let wants = match self.wants {
            Wants::Nothing => false,
            Wants::Mark => !self.is_marked(),
            Wants::Another => true,
        };
        wants && !self.heap.is_hearing()
    }

    /// Drains at most a piece of the inbox. Returns whether no other heap refers to its objects.
    ///
    /// Costs a look at the exports until one with a count is found, and frees nothing.
    pub fn is_given_up(&mut self) -> bool {
        self.hears(HEARD);
        self.knows_all() && self.heap.has_heard_all_out()
    }

    /// Whether it has taken deltas out of the inbox and not applied all of them. Costs a few loads.
    #[must_use]
    pub fn is_hearing(&self) -> bool {
        self.heap.is_hearing()
    }

    /// Whether a mark of its own runs, or the dead objects of the last one are not swept yet.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        let is_stale = self.wants == Wants::Another;
        !is_stale && (self.heap.core().is_marking() || self.heap.is_unswept())
    }

    /// Whether the inbox is drained. Only then an export of zero means that no other heap refers to
    /// the object (O6).
    fn knows_all(&self) -> bool {
        !self.heap.is_told()
    }

    /// Drains the inbox, and runs all steps at once. Returns `None` if everything is freed.
    ///
    /// Costs next to nothing while other heaps refer to all of it.
    pub fn heed(self) -> Option<Orphan> {
        let mut orphan = self;
        loop {
            let mut all = usize::MAX;
            orphan = match orphan.step(&mut all) {
                Remains::Rests(orphan) => return Some(orphan),
                Remains::Owes(orphan) => orphan,
                Remains::Gone => return None,
            };
        }
    }

    /// Drains part of the inbox, and does at most `work` units of work. It subtracts the units done
    /// from `work`. A unit is a scanned object, some 10 to 50 ns, or anything that takes as long.
    ///
    /// A heap of 256 KiB or less is marked and swept at once; so is any heap if the source has
    /// hardly any pages left. Otherwise a step does one of these: it begins a mark, scans objects,
    /// does a piece of mark termination, or sweeps spans. If references were released meanwhile,
    /// another mark follows.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Heap, Pacing, Remains, Root, PageSource, Val};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Val<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<Numbers>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.val(n)).collect());
    /// let held = heap.turn(|m, numbers| m.hold(numbers[7]));
    /// let mut orphan = heap.end().expect("one is held");
    /// let orphan = loop {
    ///     orphan = match orphan.step(&mut 1_000) {
    ///         Remains::Owes(orphan) => orphan,
    ///         Remains::Rests(orphan) => break orphan,
    ///         Remains::Gone => unreachable!("one is held"),
    ///     };
    /// };
    /// drop(held);
    /// assert!(orphan.heed().is_none());
    /// assert_eq!(source.stats().pages, 0);
    /// ```
    pub fn step(mut self, work: &mut usize) -> Remains {
        *work = work.saturating_sub(1);
        let piece = match self.heap.core().is_short() {
            true => usize::MAX,
            false => (*work).max(1),
        };
        self.hears(piece);
        match self.due() {
            Due::Rest => {
                self.heap.rest();
                return Remains::Rests(self);
            }
            Due::End => return Remains::Gone,
            Due::All => return self.collects(work),
            Due::Hear => {}
            Due::Sweep => self.heap.sweep_some((piece / RUN).max(1)),
            Due::Mark => self.goes_on(piece),
            Due::Begin => self.begins_mark(),
        }
        *work = 0;
        self.heap.check();
        Remains::Owes(self)
    }

    fn due(&mut self) -> Due {
        let hears = self.heap.is_hearing();
        // `ends_or` is called only where its result matters: it may examine all exports.
        match self.wants {
            Wants::Mark | Wants::Another if !hears && !self.goes_in_steps() => {
                self.ends_or(Due::All)
            }
            Wants::Another if !hears => Due::Begin,
            Wants::Another => Due::Hear,
            _ if self.heap.is_unswept() => Due::Sweep,
            _ if self.heap.core().is_marking() => Due::Mark,
            _ if hears => Due::Hear,
            Wants::Mark => Due::Begin,
            Wants::Nothing => self.ends_or(Due::Rest),
        }
    }

    /// `Due::End` if no other heap refers to its objects, otherwise the other action.
    fn ends_or(&mut self, otherwise: Due) -> Due {
        match self.heap.has_heard_all_out() {
            true if self.knows_all() => Due::End,
            true => Due::Hear,
            false => otherwise,
        }
    }

    /// Marks and sweeps at once.
    fn collects(mut self, work: &mut usize) -> Remains {
        let heap = &mut self.heap;
        *work = work.saturating_sub(heap.core().old.bytes_live() / OBJECT);
        self.wants = Wants::Nothing;
        heap.collect();
        heap.sweep();
        Remains::Owes(self)
    }

    fn begins_mark(&mut self) {
        self.wants = Wants::Nothing;
        let (core, state) = self.heap.parts();
        core.abort_mark();
        // All is swept already, unless the aborted mark was in termination and had to end.
        while !core.old.sweep(SweepBudget::ALL, &core.source) {}
        core.begin_concurrent_mark(state, EdgeSnapshot::Off);
    }

    /// Whether it is too large to be collected at once.
    fn goes_in_steps(&self) -> bool {
        let core = self.heap.core();
        match core.pacing.stress.map_or(When::Paced, |stress| stress.when) {
            When::Never => false,
            When::Concurrent => true,
            _ => core.is_large() && !core.is_short(),
        }
    }

    /// Drains at most `most` deltas. The result is reported only once, so it is noted here: a delta
    /// may come from a destructor of this very heap, which releases another object of it.
    pub(super) fn hears(&mut self, most: usize) {
        let fewer = self.heap.heed_some(most);
        #[cfg(test)]
        if is_injected(InjectedFault::DeafOrphan) && self.heap.core().is_marking() {
            return;
        }
        if fewer && self.wants == Wants::Nothing {
            self.wants = Wants::Mark;
        }
    }

    /// Continues the mark that runs, without other markers: marking first, then termination.
    fn goes_on(&mut self, piece: usize) {
        let core = self.heap.parts().0;
        if core.is_terminating_mark() || core.mark_objects(piece) != Progress::More {
            let _ended = core.advance_mark(Some(piece));
        }
    }
}

impl fmt::Debug for Orphan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orphan").field("heap", &self.heap).finish()
    }
}
