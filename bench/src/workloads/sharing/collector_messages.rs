//! The messages between the heaps of a system.

use crate::row::Figures;
use vivant::{PauseKind, System};

/// Of all heaps together, as far as they have published it.
#[derive(Clone, Copy, Default)]
pub(super) struct CollectorMessages {
    /// Messages that were taken up and are the program's own.
    app: u64,
    /// Batches of INCs and DECs.
    incs: u64,
    decs: u64,
    /// Changes in them.
    changes: u64,
    /// Messages of the runtime's idle checks of actors.
    questions: u64,
    /// Collections, of the nursery or of everything.
    cycles: u64,
}

impl CollectorMessages {
    /// Until now.
    pub(super) fn in_system(system: &System) -> CollectorMessages {
        let seen = system.inspect();
        let mut messages = CollectorMessages::default();
        for heap in seen.actors.iter().filter_map(|actor| actor.heap) {
            messages.incs += heap.incs;
            messages.decs += heap.decs;
            messages.changes += heap.changes;
            messages.questions += heap.idle_checks;
            messages.cycles += heap.pauses[PauseKind::Minor].count + heap.marks();
        }
        messages.app = seen.turns.saturating_sub(messages.questions);
        messages
    }

    /// Adds the counts; INCs for each message of the program; and the share of INCs, DECs and idle
    /// checks in all messages.
    pub(super) fn add_to(&self, figures: &mut Figures) {
        let collectors = (self.incs + self.decs + self.questions) as f64;
        let app = self.app as f64;
        figures.add("app", self.app);
        figures.add("incs", self.incs);
        figures.add("decs", self.decs);
        figures.add("changes", self.changes);
        figures.add("questions", self.questions);
        figures.add("cycles", self.cycles);
        figures.add("incs_per_app", self.incs as f64 / app);
        figures.add("collector_share", collectors / (collectors + app));
    }
}
