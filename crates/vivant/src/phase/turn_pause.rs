//! [`TurnPause`]: the time in which a line begins while no turn runs (L11).

use super::passes::Passes;
use super::published::PublishedPass;
use crate::sync::{Arc, fault};

/// A pause of all turns of a system: none begins. The drop ends it, at once and in any case.
#[must_use = "dropping it ends the pause"]
pub(crate) struct TurnPause<'s> {
    passes: &'s Passes,
    /// The workers that were running something when it was last looked at.
    running: Vec<Arc<PublishedPass>>,
}

impl Passes {
    /// L11: asks for a pause of turns. The caller is the coordinator, and no other pause is asked
    /// for.
    pub(crate) fn pause(&self) -> TurnPause<'_> {
        TurnPause {
            passes: self,
            running: self.begin_pause(),
        }
    }
}

impl TurnPause<'_> {
    /// Whether no turn runs. Then none begins before the drop.
    pub(crate) fn is_reached(&mut self) -> bool {
        fault!(PauseNotAwaited => {
            return true;
        });
        self.running.retain(|worker| !worker.runs_nothing());
        self.running.is_empty()
    }
}

impl Drop for TurnPause<'_> {
    fn drop(&mut self) {
        self.passes.end_pause();
    }
}
