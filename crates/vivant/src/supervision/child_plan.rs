//! A child in a plan: its current state, its wanted state, and the open step that follows.

use super::child::LifecycleSpec;
use crate::actor::Terms;

/// A child's number: that of its creation. Children begin in this order.
pub(super) type ChildId = u64;

/// The state of a child, as far as its supervisor knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ChildState {
    /// Not started, or not restarted: other children are first.
    Down,
    /// Waiting for the back-off to pass.
    Delayed,
    /// Its start function runs; of a supervisor, its children begin.
    Starting,
    /// Up.
    Up,
    /// On its way down, because of a sibling.
    Halting,
    /// On its way to its end.
    EndMode,
}

/// The wanted state of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WantedState {
    Up,
    /// Down first, then up.
    Restarted,
    Down,
    Gone,
}

/// Whether a child waits until all children made before it are up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StartOrder {
    InOrder,
    AtOnce,
}

/// Whether it has carried out its order in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timeliness {
    InTime,
    Overdue,
}

#[derive(Debug)]
pub(super) struct ChildPlan {
    pub(super) terms: Terms,
    pub(super) lifecycle: LifecycleSpec,
    pub(super) is: ChildState,
    pub(super) wanted: WantedState,
    pub(super) start_order: StartOrder,
    pub(super) timeliness: Timeliness,
    pub(super) failures_in_a_row: u32,
    pub(super) up_since_ns: Option<u64>,
    /// Changes with every state.
    pub(super) step: u64,
    /// Its position in [`Plan::pending`], if it has an open step.
    pub(super) pending: Option<PendingStep>,
}

/// The open step of a child that is not in its wanted state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum PendingStep {
    /// It is to go down or to end.
    Stop,
    /// As `Stop`, but it is late, and the plan does not wait for it.
    Late,
    /// It is to come up, after all children before it.
    StartInOrder,
    /// It is to come up, and can.
    StartNow,
    /// It is coming up, or waits for its delay.
    Starting,
}

impl ChildPlan {
    pub(super) fn pending(&self) -> Option<PendingStep> {
        match (self.is, self.wanted) {
            (ChildState::Up, WantedState::Up) | (ChildState::Down, WantedState::Down) => None,
            (ChildState::Halting | ChildState::EndMode, _)
                if self.timeliness == Timeliness::Overdue =>
            {
                Some(PendingStep::Late)
            }
            (ChildState::Halting | ChildState::EndMode, _)
            | (_, WantedState::Restarted | WantedState::Down | WantedState::Gone) => {
                Some(PendingStep::Stop)
            }
            (_, WantedState::Up) if self.start_order == StartOrder::InOrder => {
                Some(PendingStep::StartInOrder)
            }
            (ChildState::Down, WantedState::Up) => Some(PendingStep::StartNow),
            (_, WantedState::Up) => Some(PendingStep::Starting),
        }
    }

    pub(super) fn set_state(&mut self, is: ChildState) {
        self.is = is;
        self.timeliness = Timeliness::InTime;
        self.step += 1;
    }
}
