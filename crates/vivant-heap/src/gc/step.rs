//! [`Heap::step`]: the one entry to the collector. Whatever calls it, it does the next piece of
//! work and reports what the caller must do.

use super::heap::{Heap, Root};
use super::pause_kind::PauseKind;
use super::phase::GcPhase;
use super::work::WorkItem;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use std::fmt;

/// Why the collector is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GcReason {
    /// A turn has ended.
    TurnEnd,
    /// No message was there for the actor: a step asked for this call by [`Next::Later`], or a
    /// marker has found everything marked ([`Progress::Drained`](crate::Progress)).
    Continue,
    /// It is time to find out whether the actor is idle: a step asked for this call by
    /// [`StepReport::check_in_ns`], or the heap's waker did.
    IdleCheck,
    /// A turn of a heap without an actor has ended: of a region, or of a program that drives a heap
    /// by hand. As `TurnEnd`, without idle checks, and without a reader of the count inbox.
    Paced,
    /// A worker runs the heap of an ended actor ([`DetachedHeap`](crate::DetachedHeap)).
    Detached,
    /// The holder demands it.
    Requested(Request),
}

/// What the holder of a heap can demand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Request {
    /// A minor collection.
    Nursery,
    /// A mark. With [`Budget::UNLIMITED`] it is over in this step, and a mark that runs is aborted
    /// for it.
    Mark,
    /// As `Mark`, and lists the objects that may have external edges, for
    /// [`Heap::show`](crate::Heap::show).
    MarkEdges,
    /// A piece of the sweep.
    Sweep,
}

/// What the caller knows, and the heap does not.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The time at the beginning of the step, in nanoseconds.
    pub now_ns: u64,
    /// Reads the time again. It is read at the end of a step during a mark: marks are limited to a
    /// part of the time.
    pub clock: &'a dyn Fn() -> u64,
    /// Number of turns that the actor has begun.
    pub turns: u64,
    /// An actor without a turn for this long is idle, in nanoseconds.
    pub idle_after_ns: u64,
}

impl StepContext<'static> {
    /// No time passes: for heaps without an actor.
    pub const UNTIMED: StepContext<'static> = StepContext {
        now_ns: 0,
        clock: &|| 0,
        turns: 0,
        idle_after_ns: u64::MAX,
    };
}

impl fmt::Debug for StepContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepContext")
            .field("now_ns", &self.now_ns)
            .field("turns", &self.turns)
            .field("idle_after_ns", &self.idle_after_ns)
            .finish_non_exhaustive()
    }
}

/// Limits of the work of one call and of the steps that follow it at once ([`Next::Again`]). A step
/// takes off what it has done. Where the pacer asks for less, the step does less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Budget {
    /// Objects scanned: some 10 to 50 ns each.
    pub objects: usize,
    /// Entries of mark termination: some 20 to 100 ns each.
    pub entries: usize,
    /// Count deltas applied: some 100 ns each.
    pub deltas: usize,
    /// Spans swept: some 200 ns each.
    pub spans: usize,
    /// Pages of spans that a sweep empties: the system may take them back.
    pub pages: usize,
}

/// Spans swept before the actor looks whether a message waits: some 50 microseconds.
const SPANS: usize = 256;

/// Count deltas applied in one piece: some 100 microseconds.
const DELTAS: usize = 1024;

/// Work units of a detached heap to sweep a span: it takes as long as to scan so many objects.
const UNITS_PER_SPAN: usize = 16;

impl Budget {
    /// Everything that is due, in one piece: a mark is a stop-the-world mark.
    pub const UNLIMITED: Budget = Budget {
        objects: usize::MAX,
        entries: usize::MAX,
        deltas: usize::MAX,
        spans: usize::MAX,
        pages: usize::MAX,
    };

    /// What may come between two turns. Marking and termination are paced by promotion.
    pub const BETWEEN_TURNS: Budget = Budget {
        objects: usize::MAX - 1,
        entries: usize::MAX - 1,
        deltas: DELTAS,
        spans: SPANS,
        pages: SPANS,
    };

    /// So many units of work, each as long as scanning an object.
    #[must_use]
    pub const fn units(units: usize) -> Budget {
        let spans = if units / UNITS_PER_SPAN == 0 {
            1
        } else {
            units / UNITS_PER_SPAN
        };
        Budget {
            objects: units,
            entries: units,
            deltas: units,
            spans,
            pages: spans,
        }
    }

    /// Sweeps at most so many spans.
    #[must_use]
    pub const fn of_spans(spans: usize) -> Budget {
        Budget {
            spans,
            pages: spans,
            ..Budget::BETWEEN_TURNS
        }
    }

    /// Whether a mark is to be over within this budget.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.objects == usize::MAX
    }
}

/// The result of a step.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StepReport {
    /// What the caller must do now.
    pub next: Next,
    /// After how many nanoseconds the caller must call with [`GcReason::IdleCheck`], unless it has
    /// agreed on an earlier check already.
    pub check_in_ns: Option<u64>,
    /// The kind of work that was done, if any was.
    pub pause: Option<PauseKind>,
    /// The phase after the step. While it is [`GcPhase::Mark`], other threads can help.
    pub phase: GcPhase,
    /// Whether a concurrent mark has begun or ended.
    pub mark: Option<MarkChange>,
    /// Whether a mark has listed all objects that may have external edges, and no turn has run
    /// since it began: [`Heap::show`](crate::Heap::show) passes them.
    pub edges: EdgesListed,
}

impl StepReport {
    /// Forgets a part of the report.
    #[cfg(test)]
    fn inject_faults(&mut self) {
        if is_injected(InjectedFault::LostContinuation) && self.next == Next::Later {
            self.next = Next::Done;
        }
        if is_injected(InjectedFault::LostCheck) {
            self.check_in_ns = None;
        }
        if is_injected(InjectedFault::UnreportedMark) {
            self.mark = None;
        }
    }

    /// Asks for a check in so many nanoseconds, or sooner.
    pub(crate) fn check_in(&mut self, in_ns: u64) {
        self.check_in_ns = Some(self.check_in_ns.map_or(in_ns, |before| before.min(in_ns)));
    }
}

/// What the caller of a step does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Nothing.
    Done,
    /// Another call at once, with the same reason and the same budget.
    Again,
    /// A call with [`GcReason::Continue`] and a new budget, after the messages that wait. Only the
    /// holder can do what is left.
    Later,
    /// The end of the heap: no other heap refers to its objects, and it is detached.
    Released,
}

/// A change of the concurrent mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkChange {
    /// One has begun: other threads may help ([`Heap::marker`](crate::Heap::marker)). A mark that
    /// ran before has ended.
    Begun,
    /// It has ended.
    Ended,
}

/// Whether the last mark has listed the objects with external edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EdgesListed {
    /// It has not, or a turn has run since.
    #[default]
    No,
    /// It has.
    Yes,
}

impl<R: Root> Heap<R> {
    /// Whether [`Heap::step`] has anything to do after the turn with this number. Costs a few
    /// loads.
    #[inline]
    #[must_use]
    pub fn needs_step(&self, turns: u64) -> bool {
        self.has_gc_work() || self.core().agreed.is_due_after_turn(self.core(), turns)
    }

    /// Does the next piece of the collector's work: of what `reason` calls for, the most urgent.
    /// Within `budget`, from which it takes off what it has done.
    ///
    /// A caller goes on as long as the report says [`Next::Again`]; each piece is one pause. A
    /// program that has no other work may give [`Budget::UNLIMITED`].
    ///
    /// ```
    /// use std::sync::Arc;
    /// use vivant_heap::{Budget, Gc, GcPhase, GcReason, Heap, Next, PageSource, Pacing, Request, Root, StepContext};
    ///
    /// struct List;
    /// impl Root for List {
    ///     type Of<'gc> = Vec<Gc<'gc, u64>>;
    /// }
    ///
    /// let source = Arc::new(PageSource::new());
    /// let mut heap = Heap::<List>::new(&source, Pacing::default(), |m| (0..50_000).map(|n| m.alloc(n)).collect());
    /// let mark = GcReason::Requested(Request::Mark);
    /// let _begun = heap.step(&StepContext::UNTIMED, mark, &mut Budget::BETWEEN_TURNS.clone());
    /// assert_eq!(heap.phase(), GcPhase::Mark);        // more than 256 KiB: a concurrent mark
    /// while heap.phase() != GcPhase::Idle {
    ///     let _some = heap.help_mark(1_000);
    ///     let _step = heap.step(&StepContext::UNTIMED, GcReason::Paced, &mut Budget::BETWEEN_TURNS.clone());
    /// }
    /// assert_eq!(heap.stats().major, 1);
    /// ```
    pub fn step(
        &mut self,
        context: &StepContext<'_>,
        reason: GcReason,
        budget: &mut Budget,
    ) -> StepReport {
        let before = self.mark_tally();
        let (mut pause, mut drained) = (None, false);
        self.begin_step(reason);
        if let Some(item) = self.next_item(context, reason, budget) {
            self.run_item(item, context, budget);
            drained = item == WorkItem::Drain && reason != GcReason::IdleCheck;
            pause = Some(match item {
                WorkItem::ReturnNursery => PauseKind::ReturnNursery,
                WorkItem::Drain => PauseKind::Drain,
                _ => PauseKind::of(before, self.mark_tally()),
            });
        }
        let (mark, edges) = self.note_marks(context, before);
        self.check();
        let mut report = StepReport {
            next: Next::Done,
            check_in_ns: None,
            phase: self.phase(),
            pause,
            mark,
            edges,
        };
        if drained {
            self.core().check_released(context, &mut report);
        }
        // A detached heap does one piece in a call.
        let more = match reason {
            GcReason::Detached => None,
            _ => self.next_item(context, reason, budget),
        };
        match more {
            Some(_) => report.next = Next::Again,
            None => self.conclude(context, reason, &mut report),
        }
        #[cfg(test)]
        report.inject_faults();
        report
    }
}
