//! The beginning of a turn in a simulation.

use super::envelope::KindTable;
use super::worker::Worker;
use crate::services::{BeginningTurn, Stage};
use std::fmt;

impl Worker {
    /// In a simulation: records the turn, and injects the fault that the seed chose for it, before
    /// it runs.
    #[inline]
    pub(crate) fn fault_before(&self, kind: &'static KindTable, arguments: &dyn fmt::Display) {
        if let Some(stage) = self.system.stage() {
            self.begin_simulated_turn(stage, kind, arguments);
        }
    }

    #[cold]
    fn begin_simulated_turn(
        &self,
        stage: &Stage,
        kind: &'static KindTable,
        arguments: &dyn fmt::Display,
    ) {
        let (actor, actor_type) = self.with_me(|actor| (actor.id, actor.class.name));
        let turn = BeginningTurn {
            actor,
            actor_type,
            behaviour: kind.name,
            arguments,
        };
        stage.record_turn(&turn, || self.path(), &self.system.oracle);
        stage.fault_before(&turn, kind.role, &self.system.oracle);
    }
}
