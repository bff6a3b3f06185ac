//! [`DetachedHeap`]: a detached heap. Its actor has ended, and other heaps refer to its objects
//! (O9), or it has more objects than are freed at once.

use crate::collector::{EdgeSnapshot, MarkMode, Progress};
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
/// [`DetachedHeap::drain_all`], and [`DetachedHeap::step`] for doing it in pieces. Dropping it
/// while other heaps refer to its objects leaks these, for good.
#[must_use = "a detached heap that is dropped too early leaks its objects"]
pub struct DetachedHeap {
    pub(super) heap: Heap<Nothing>,
    wants: WantedMark,
}

/// The result of draining since the last mark began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WantedMark {
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
enum NextStep {
    /// Draining more of the inbox, before anything else can be decided.
    Drain,
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
    Idle,
}

/// The result of a step, with the detached heap that is left.
#[must_use = "a detached heap that is dropped too early leaks its objects"]
#[derive(Debug)]
pub enum DetachedStep {
    /// Other heaps refer to its objects. It has no work until it is notified.
    Idle(DetachedHeap),
    /// It has work for the next step.
    HasWork(DetachedHeap),
    /// No other heap referred to its objects, and everything is freed.
    Freed,
}

impl<R: Root> Heap<R> {
    /// Ends the heap: drops the state, and frees all objects except those that other heaps refer
    /// to. Returns `None` if nothing is left.
    ///
    /// A heap of more than 256 KiB is not marked here: [`DetachedHeap::step`] or
    /// [`DetachedHeap::drain_all`] does that, also if no other heap refers to it. A smaller one
    /// costs a mark from its exports, and a sweep of all; without exports, only the drop.
    pub fn end(self) -> Option<DetachedHeap> {
        DetachedHeap::left(self.with_state::<Nothing>(()))
    }
}

impl DetachedHeap {
    /// Detaches a heap with a state that was never made.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>) -> Option<DetachedHeap> {
        DetachedHeap::left(Heap::of(core, ()))
    }

    fn left(heap: Heap<Nothing>) -> Option<DetachedHeap> {
        let wants = WantedMark::Mark;
        let mut detached = DetachedHeap { heap, wants };
        if !detached.goes_in_steps() {
            let is_unshared = detached.heap.is_unshared();
            return if is_unshared {
                None
            } else {
                detached.drain_all()
            };
        }
        let core = detached.heap.core();
        if core.is_marking() && !core.is_terminating_mark() {
            detached.wants = WantedMark::Another;
        }
        Some(detached)
    }

    /// Whether count deltas have arrived that are not drained. Costs a load.
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.heap.is_notified()
    }

    /// Whether [`DetachedHeap::step`] has work, by the deltas drained so far.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.wants != WantedMark::Nothing || self.is_marked() || self.heap.is_draining()
    }

    /// Drains at most a piece of the inbox. Returns whether the next step begins a mark.
    ///
    /// Costs next to nothing.
    pub fn wants_mark(&mut self) -> bool {
        self.drain_piece(HEARD);
        let wants = match self.wants {
            WantedMark::Nothing => false,
            WantedMark::Mark => !self.is_marked(),
            WantedMark::Another => true,
        };
        wants && !self.heap.is_draining()
    }

    /// Drains at most a piece of the inbox. Returns whether no other heap refers to its objects.
    ///
    /// Costs a look at the exports until one with a count is found, and frees nothing.
    pub fn is_released(&mut self) -> bool {
        self.drain_piece(HEARD);
        self.has_drained() && self.heap.is_unshared_now()
    }

    /// Whether it has taken deltas out of the inbox and not applied all of them. Costs a few loads.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.heap.is_draining()
    }

    /// Whether a mark of its own runs, or the dead objects of the last one are not swept yet.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        let is_stale = self.wants == WantedMark::Another;
        !is_stale && (self.heap.core().is_marking() || self.heap.is_unswept())
    }

    /// Whether the inbox is drained. Only then an export of zero means that no other heap refers to
    /// the object (O6).
    fn has_drained(&self) -> bool {
        !self.heap.is_notified()
    }

    /// Drains the inbox, and runs all steps at once. Returns `None` if everything is freed.
    ///
    /// Costs next to nothing while other heaps refer to all of it.
    pub fn drain_all(self) -> Option<DetachedHeap> {
        let mut detached = self;
        loop {
            let mut all = usize::MAX;
            detached = match detached.step(&mut all) {
                DetachedStep::Idle(detached) => return Some(detached),
                DetachedStep::HasWork(detached) => detached,
                DetachedStep::Freed => return None,
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
    /// use vivant_heap::{Heap, Pacing, DetachedStep, Root, PageSource, Val};
    ///
    /// struct Numbers;
    /// impl Root for Numbers {
    ///     type Of<'gc> = Vec<Val<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<Numbers>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.val(n)).collect());
    /// let held = heap.turn(|m, numbers| m.hold(numbers[7]));
    /// let mut detached = heap.end().expect("one is held");
    /// let detached = loop {
    ///     detached = match detached.step(&mut 1_000) {
    ///         DetachedStep::HasWork(detached) => detached,
    ///         DetachedStep::Idle(detached) => break detached,
    ///         DetachedStep::Freed => unreachable!("one is held"),
    ///     };
    /// };
    /// drop(held);
    /// assert!(detached.drain_all().is_none());
    /// assert_eq!(source.stats().pages, 0);
    /// ```
    pub fn step(mut self, work: &mut usize) -> DetachedStep {
        *work = work.saturating_sub(1);
        let piece = match self.heap.core().is_short() {
            true => usize::MAX,
            false => (*work).max(1),
        };
        self.drain_piece(piece);
        match self.due() {
            NextStep::Idle => {
                self.heap.rest();
                return DetachedStep::Idle(self);
            }
            NextStep::End => return DetachedStep::Freed,
            NextStep::All => return self.collects(work),
            NextStep::Drain => {}
            NextStep::Sweep => self.heap.sweep_some((piece / RUN).max(1)),
            NextStep::Mark => self.goes_on(piece),
            NextStep::Begin => self.begins_mark(),
        }
        *work = 0;
        self.heap.check();
        DetachedStep::HasWork(self)
    }

    fn due(&mut self) -> NextStep {
        let hears = self.heap.is_draining();
        // `ends_or` is called only where its result matters: it may examine all exports.
        match self.wants {
            WantedMark::Mark | WantedMark::Another if !hears && !self.goes_in_steps() => {
                self.ends_or(NextStep::All)
            }
            WantedMark::Another if !hears => NextStep::Begin,
            WantedMark::Another => NextStep::Drain,
            _ if self.heap.is_unswept() => NextStep::Sweep,
            _ if self.heap.core().is_marking() => NextStep::Mark,
            _ if hears => NextStep::Drain,
            WantedMark::Mark => NextStep::Begin,
            WantedMark::Nothing => self.ends_or(NextStep::Idle),
        }
    }

    /// `NextStep::End` if no other heap refers to its objects, otherwise the other action.
    fn ends_or(&mut self, otherwise: NextStep) -> NextStep {
        match self.heap.is_unshared_now() {
            true if self.has_drained() => NextStep::End,
            true => NextStep::Drain,
            false => otherwise,
        }
    }

    /// Marks and sweeps at once.
    fn collects(mut self, work: &mut usize) -> DetachedStep {
        let heap = &mut self.heap;
        *work = work.saturating_sub(heap.core().old.bytes_live() / OBJECT);
        self.wants = WantedMark::Nothing;
        heap.collect();
        heap.sweep();
        DetachedStep::HasWork(self)
    }

    fn begins_mark(&mut self) {
        self.wants = WantedMark::Nothing;
        let (core, state) = self.heap.parts();
        core.abort_mark();
        // All is swept already, unless the aborted mark was in termination and had to end.
        while !core.old.sweep(SweepBudget::ALL, &core.source) {}
        core.begin_cycle(state, MarkMode::Concurrent, EdgeSnapshot::Off);
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
    pub(super) fn drain_piece(&mut self, most: usize) {
        let fewer = self.heap.drain_some(most);
        #[cfg(test)]
        if is_injected(InjectedFault::DeafDetachedHeap) && self.heap.core().is_marking() {
            return;
        }
        if fewer && self.wants == WantedMark::Nothing {
            self.wants = WantedMark::Mark;
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

impl fmt::Debug for DetachedHeap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orphan").field("heap", &self.heap).finish()
    }
}
