//! [`DetachedHeap`]: a detached heap. Its actor has ended, and other heaps refer to its objects
//! (O9), or it has more objects than are freed at once.

use super::budget::Budget;
use super::detached::PendingMark;
use super::heap::{Core, Heap, Root};
use super::phase::GcPhase;
use super::reason::{GcReason, StepContext};
use super::report::Next;
use crate::mark::mark_reason::{Activity, MarkHistory, MarkReason};
use crate::mark::stats::HeapStats;
use std::cell::UnsafeCell;
use std::fmt;
use std::mem;
use std::task::Waker;

/// Maximum number of deltas that a query outside of a step drains.
const DELTAS_PER_QUERY: usize = 1024;

/// The empty state of a detached heap.
pub(crate) struct NoState;

impl Root for NoState {
    type Of<'gc> = ();
}

/// A detached heap: the exported objects of a heap that has ended, the objects that these reach,
/// and dead objects until they are freed.
///
/// Its holder must drain its inbox now and then, or released objects are never freed: see
/// [`DetachedHeap::drain_all`], and [`DetachedHeap::step`] for doing it in pieces. Dropping it
/// while other heaps refer to its objects leaks these, for good.
#[must_use = "a detached heap that is dropped too early leaks its objects"]
pub struct DetachedHeap {
    pub(crate) heap: Heap<NoState>,
    mark_limit: MarkLimit,
}

/// Limits how often a detached heap is marked.
#[derive(Default)]
struct MarkLimit {
    /// Nanoseconds spent on the mark that runs, and on its sweep.
    spent_ns: u64,
    /// Whether a mark has begun, and was not swept yet. What comes before the first one does not
    /// count: a sweep of the actor's last mark, cutting tags.
    has_begun: bool,
    history: MarkHistory,
    /// It is not marked before this time.
    until_ns: u64,
}

impl MarkLimit {
    /// A mark and its sweep are over.
    fn mark_ended(&mut self, now_ns: u64, after: &HeapStats) {
        let spent_ns = mem::take(&mut self.spent_ns);
        self.has_begun = false;
        self.history.record_end(0, now_ns, spent_ns, after);
        let next_ns = self
            .history
            .next_ns(MarkReason::Detached, Activity::Busy, 0);
        self.until_ns = next_ns.unwrap_or(now_ns);
    }
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
    /// An image that is being written is completed.
    ///
    /// A heap of more than 256 KiB is not marked here: [`DetachedHeap::step`] or
    /// [`DetachedHeap::drain_all`] does that, also if no other heap refers to it. A smaller one
    /// costs a mark from its exports, and a sweep of all; without exports, only the drop.
    pub fn end(mut self) -> Option<DetachedHeap> {
        self.finish_image();
        DetachedHeap::detach(self.with_state::<NoState>(()))
    }
}

impl DetachedHeap {
    /// Detaches a heap with a state that was never made.
    pub(crate) fn of(core: Box<UnsafeCell<Core>>) -> Option<DetachedHeap> {
        DetachedHeap::detach(Heap::of(core, ()))
    }

    fn detach(heap: Heap<NoState>) -> Option<DetachedHeap> {
        let mut detached = DetachedHeap {
            heap,
            mark_limit: MarkLimit::default(),
        };
        let core = detached.heap.parts().0;
        core.pending_mark = PendingMark::Mark;
        if !core.is_incremental() {
            let is_unshared = detached.heap.is_unshared();
            return if is_unshared {
                None
            } else {
                detached.drain_all()
            };
        }
        let core = detached.heap.parts().0;
        if core.phase() == GcPhase::Mark {
            core.pending_mark = PendingMark::Restart;
        }
        Some(detached)
    }

    /// Sets its waker, as [`Heap::wake_by`]. Deltas that have arrived before wake nothing
    /// ([`DetachedHeap::is_notified`]).
    pub fn wake_by(&mut self, waker: Waker) {
        self.heap.wake_by(waker);
    }

    /// As [`Heap::enter_phase`].
    pub fn enter_phase(&mut self, phase: u64) {
        self.heap.enter_phase(phase);
    }

    /// The phase that it has entered.
    #[must_use]
    pub fn phase(&self) -> u64 {
        self.heap.core().phase
    }

    /// As [`Heap::write_image`].
    pub fn write_image(&mut self, bytes: usize) {
        self.heap.write_image(bytes);
    }

    /// As [`Heap::is_imaging`].
    #[must_use]
    pub fn is_imaging(&self) -> bool {
        self.heap.is_imaging()
    }

    /// Drains the whole inbox, so that a query is exact. Costs some nanoseconds a delta.
    pub fn drain_inbox(&mut self) {
        self.drain_piece(usize::MAX);
    }

    /// Whether count deltas have arrived that are not drained. Costs a load.
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.heap.is_notified()
    }

    /// Whether counts of its objects have changed since the last call: a cycle of references across
    /// heaps may be unreachable since.
    pub fn take_changed(&mut self) -> bool {
        let core = self.heap.parts().0;
        mem::take(&mut core.sharing.get_mut().has_changed)
    }

    /// Whether [`DetachedHeap::step`] has work, by the deltas drained so far.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.pending_mark() != PendingMark::None || self.is_collecting() || self.heap.is_draining()
    }

    /// Drains at most a piece of the inbox. Returns whether the next step begins a mark, or cuts
    /// tags for it.
    ///
    /// Costs next to nothing.
    pub fn needs_mark(&mut self) -> bool {
        self.drain_piece(DELTAS_PER_QUERY);
        let needs_mark = match self.pending_mark() {
            PendingMark::None => false,
            PendingMark::Mark => !self.is_collecting(),
            PendingMark::Restart => true,
        };
        needs_mark && !self.heap.is_draining()
    }

    /// Drains at most a piece of the inbox. Returns whether no other heap refers to its objects.
    ///
    /// Examines the exports until one with a count is found, and frees nothing.
    pub fn is_released(&mut self) -> bool {
        self.drain_piece(DELTAS_PER_QUERY);
        self.has_drained() && self.heap.is_unshared_now()
    }

    /// Whether it has taken deltas out of the inbox and not applied all of them. Costs a few loads.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.heap.is_draining()
    }

    /// Whether a mark of its own runs, or the dead objects of the last one are not swept yet.
    #[must_use]
    pub fn is_collecting(&self) -> bool {
        let is_stale = self.pending_mark() == PendingMark::Restart;
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
        let mut budget = Budget::units(*work);
        let report = self
            .heap
            .step(&StepContext::UNTIMED, GcReason::Detached, &mut budget);
        *work = budget.objects;
        match report.next {
            Next::Released => DetachedStep::Freed,
            Next::Done => DetachedStep::Idle(self),
            Next::Again | Next::Later => DetachedStep::HasWork(self),
        }
    }

    /// As [`DetachedHeap::step`], and limits marks to a part of the time: a mark
    /// of a heap that was marked does not begin before a hundred times the duration of that mark
    /// has passed. Until then the heap is freed if no other heap refers to its objects, because
    /// that needs no mark.
    pub fn step_at(mut self, context: &StepContext<'_>, work: &mut usize) -> DetachedStep {
        let now_ns = context.now_ns;
        if self.needs_mark() && self.mark_limit.has_begun {
            // It has just been marked.
            self.mark_limit.mark_ended(now_ns, &self.heap.stats());
        }
        // A mark that a group mark has begun goes on.
        if now_ns < self.mark_limit.until_ns && !self.is_collecting() {
            let is_released = self.is_released();
            *work = work.saturating_sub(if self.is_draining() {
                DELTAS_PER_QUERY
            } else {
                1
            });
            if !is_released {
                return DetachedStep::HasWork(self);
            }
            // It will not be marked again: nothing of it is referenced.
            self.mark_limit.until_ns = now_ns;
        }
        let (began_ns, marks) = ((context.clock)(), self.heap.core().counters.marks());
        let mut left = self.step(work);
        let (detached, is_idle) = match &mut left {
            DetachedStep::Freed => return left,
            DetachedStep::HasWork(detached) => (detached, false),
            DetachedStep::Idle(detached) => (detached, true),
        };
        detached.mark_limit.has_begun |= detached.heap.core().counters.marks() != marks;
        if detached.mark_limit.has_begun {
            detached.mark_limit.spent_ns += (context.clock)() - began_ns;
            if is_idle {
                let stats = detached.heap.stats();
                detached.mark_limit.mark_ended(now_ns, &stats);
            }
        }
        left
    }

    /// The time before which [`DetachedHeap::step_at`] begins no mark, in nanoseconds.
    #[must_use]
    pub fn next_mark_ns(&self) -> u64 {
        self.mark_limit.until_ns
    }

    fn pending_mark(&self) -> PendingMark {
        self.heap.core().pending_mark
    }

    /// Drains at most `most` deltas.
    pub(crate) fn drain_piece(&mut self, most: usize) {
        self.heap.parts().0.drain_detached(most);
    }
}

impl fmt::Debug for DetachedHeap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DetachedHeap")
            .field("heap", &self.heap)
            .finish()
    }
}
