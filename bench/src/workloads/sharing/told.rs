//! The messages between the heaps of a system.

use serde_json::Value;
use std::collections::BTreeMap;
use vivant::{PauseKind, System};

/// Of all heaps together, as far as they have published it.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    /// Messages that were taken up and are the program's own.
    pub(super) app: u64,
    /// Batches of INCs and DECs.
    pub(super) incs: u64,
    pub(super) decs: u64,
    /// Changes in them.
    pub(super) changes: u64,
    /// Messages of the runtime's idle checks of actors.
    pub(super) questions: u64,
    /// Collections, of the nursery or of everything.
    pub(super) cycles: u64,
}

impl Told {
    /// Until now.
    pub(super) fn in_system(system: &System) -> Told {
        let seen = system.inspect();
        let mut told = Told::default();
        for heap in seen.actors.iter().filter_map(|actor| actor.heap) {
            told.incs += heap.incs;
            told.decs += heap.decs;
            told.changes += heap.changes;
            told.questions += heap.idle_checks;
            told.cycles += heap.pauses[PauseKind::Minor].count + heap.marks();
        }
        told.app = seen.turns.saturating_sub(told.questions);
        told
    }

    /// The share of INCs, DECs and idle checks in all messages.
    pub(super) fn share(&self) -> f64 {
        let collectors = (self.incs + self.decs + self.questions) as f64;
        collectors / (collectors + self.app as f64)
    }

    /// INCs for each message of the program.
    pub(super) fn incs_per_app(&self) -> f64 {
        self.incs as f64 / self.app as f64
    }

    pub(super) fn tell(&self, extra: &mut BTreeMap<&'static str, Value>) {
        extra.insert("app", self.app.into());
        extra.insert("incs", self.incs.into());
        extra.insert("decs", self.decs.into());
        extra.insert("changes", self.changes.into());
        extra.insert("questions", self.questions.into());
        extra.insert("cycles", self.cycles.into());
        extra.insert("incs_per_app", self.incs_per_app().into());
        extra.insert("collector_share", self.share().into());
    }
}
