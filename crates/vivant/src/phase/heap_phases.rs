//! The phases of a system, as its heaps see them.

use super::passes::Passes;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use vivant_heap::Phases;

/// An injected fault: each heap is in the present phase.
#[cfg(test)]
pub(crate) const NO_PHASE: u64 = u64::MAX;

impl Phases for Passes {
    fn phase(&self) -> u64 {
        #[cfg(test)]
        if is_planted(InjectedFault::EarlyRelease) {
            return NO_PHASE;
        }
        // As in `now`: a thread that has a delta of a later phase has acquired it from a thread
        // that had read the number of a pass of that phase.
        self.now().phase().number()
    }
}

impl fmt::Debug for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Passes").field(&self.now()).finish()
    }
}

// It has no invariant that a panic could break: its locks are held over no code of others.
impl UnwindSafe for Passes {}
impl RefUnwindSafe for Passes {}
