//! What the two rights to access an actor have in common: [`RunGuard`](super::run_guard::RunGuard)
//! and [`Idle`](super::idle::Idle).

use crate::actor::{CellRef, RunState, StateRef};

/// The right to access an actor's state and owner part (C1).
pub(super) trait Holder {
    fn cell(&self) -> CellRef;
    fn run_state(&mut self) -> &mut RunState;
    fn state_ref(&mut self) -> StateRef<'_>;
    /// Moves the messages of the inbox to the backlog.
    fn refill_backlog(&mut self);
}
