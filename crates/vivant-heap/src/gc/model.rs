//! A reference model of the collector's state machine: the phases to which each event may lead, and
//! what becomes of the mark that runs. The tests step it beside a real heap.

use super::phase::GcPhase;
use super::reason::{GcReason, Request};

/// What can happen to a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A turn runs, to its end or to a panic.
    Turn,
    /// Another thread helps to mark, or puts something into the count inbox.
    Outside,
    /// A step with a bounded budget.
    Step(GcReason),
    /// A step with an unlimited one.
    StepToEnd(GcReason),
}

/// What a mark that runs may become by an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It runs on, or ends.
    Goes,
    /// It may also be aborted: another one is completed in the same step.
    MayBeAborted,
}

/// The phases to which `event` may lead from `phase`.
pub(crate) fn next_phases(phase: GcPhase, event: Event) -> &'static [GcPhase] {
    use GcPhase::{Idle, Mark, Sweep, Terminate};
    match (phase, event) {
        // An allocation that finds no block sweeps a few spans.
        (Sweep, Event::Turn | Event::Step(GcReason::Requested(Request::Nursery))) => &[Sweep, Idle],
        (_, Event::StepToEnd(GcReason::Requested(Request::Mark | Request::MarkEdges))) => {
            &[Sweep, Idle]
        }
        (Sweep, Event::StepToEnd(_)) => &[Idle],
        (Sweep, Event::Step(GcReason::Requested(Request::Sweep))) => &[Sweep, Idle],
        (
            _,
            Event::Turn
            | Event::Outside
            | Event::StepToEnd(_)
            | Event::Step(GcReason::Requested(Request::Nursery | Request::Sweep)),
        ) => match phase {
            Idle => &[Idle],
            Mark => &[Mark],
            Terminate => &[Terminate],
            Sweep => &[Sweep],
        },
        // A small heap is marked in one step.
        (Idle, Event::Step(_)) => &[Idle, Mark, Sweep],
        // A mark on demand does not continue the mark that runs.
        (Mark, Event::Step(GcReason::Requested(_))) => &[Mark],
        (Terminate, Event::Step(GcReason::Requested(_))) => &[Terminate],
        (Sweep, Event::Step(GcReason::Requested(_))) => &[Idle, Mark, Sweep],
        (Mark, Event::Step(_)) => &[Mark, Terminate, Sweep, Idle],
        (Terminate, Event::Step(_)) => &[Terminate, Sweep, Idle],
        // The sweep comes before the next mark, but for a small heap.
        (Sweep, Event::Step(_)) => &[Sweep, Idle],
    }
}

/// What may become of a mark that runs.
pub(crate) fn fate(phase: GcPhase, event: Event) -> Fate {
    match (phase, event) {
        (GcPhase::Mark, Event::StepToEnd(_)) => Fate::MayBeAborted,
        // In termination a death may have been reported: the mark ends.
        _ => Fate::Goes,
    }
}
