//! [`GcPhase`]: what the collector of a heap is doing between two turns.

use super::heap::{Core, Heap, Root};

/// The state of a heap's collector. A mark goes through all of them, in this order; a minor
/// collection belongs to none and may come in each.
///
/// | phase | what is done | left when |
/// |---|---|---|
/// | `Idle` | nothing | a [reason](crate::GcReason) begins a mark |
/// | `Mark` | markers and the holder scan what was alive when the mark began | nothing is left to scan |
/// | `Terminate` | what refers to dead objects is updated | the last entry is processed |
/// | `Sweep` | blocks of dead objects are freed | all spans are swept |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcPhase {
    /// No mark runs, and everything is swept.
    Idle,
    /// Live objects are marked, concurrently or in one piece.
    Mark,
    /// Mark termination: weak references, death watches, tags and the counts of foreign objects are
    /// updated.
    Terminate,
    /// Spans with dead objects of the last mark are left to sweep.
    Sweep,
}

impl Core {
    /// The phase. Called between two turns.
    #[inline]
    pub(crate) fn phase(&self) -> GcPhase {
        // SAFETY: called between two turns, when the `RefCell` is not mutably borrowed.
        match unsafe { &*self.mark_cycle.as_ptr() } {
            Some(cycle) if cycle.is_terminating() => GcPhase::Terminate,
            Some(_) => GcPhase::Mark,
            None if self.old.unswept != 0 => GcPhase::Sweep,
            None => GcPhase::Idle,
        }
    }
}

impl<R: Root> Heap<R> {
    /// What its collector is doing. Costs two loads.
    #[inline]
    #[must_use]
    pub fn phase(&self) -> GcPhase {
        self.core().phase()
    }
}
