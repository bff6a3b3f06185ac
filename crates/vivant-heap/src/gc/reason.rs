//! [`GcReason`]: why the collector is called, and what the caller passes with it.

use std::fmt;

/// Why the collector is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GcReason {
    /// A turn has ended.
    TurnEnd,
    /// No message was there for the actor: a step asked for this call by
    /// [`Next::Later`](crate::Next::Later), or a marker has found everything marked
    /// ([`Progress::Drained`](crate::Progress)).
    Continue,
    /// It is time to find out whether the actor is idle: a step asked for this call by
    /// [`StepReport::check_in_ns`](crate::StepReport::check_in_ns), or the heap's waker did.
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
    /// A mark. With [`Budget::UNLIMITED`](crate::Budget::UNLIMITED) it is over in this step, and a
    /// mark that runs is aborted for it.
    Mark,
    /// As `Mark`, and lists the objects that may have external edges, for
    /// [`Heap::show`](crate::Heap::show).
    MarkEdges,
    /// A piece of the sweep.
    Sweep,
}

/// The time and the turns, which a heap does not count itself.
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
