//! A child in a plan: its current state, its wanted state, and the open step that follows.

use super::child::Manner;
use crate::actor::Terms;

/// A child's number: that of its creation. Children begin in this order.
pub(super) type Number = u64;

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
    Ending,
}

/// The wanted state of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wants {
    Up,
    /// Down first, then up.
    Fresh,
    Down,
    Gone,
}

/// Whether a child waits until all children made before it are up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    InOrder,
    AtOnce,
}

/// Whether it has carried out its order in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pace {
    InTime,
    Overdue,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) terms: Terms,
    pub(super) manner: Manner,
    pub(super) is: ChildState,
    pub(super) wants: Wants,
    pub(super) turn: Turn,
    pub(super) pace: Pace,
    pub(super) in_a_row: u32,
    pub(super) up_since_ns: Option<u64>,
    /// Changes with every state.
    pub(super) step: u64,
    /// Its position in [`Plan::open`], if it has an open step.
    pub(super) open: Option<Open>,
}

/// The open step of a child that is not in its wanted state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Open {
    /// It is to go down or to end.
    Falls,
    /// As `Falls`, but it is late, and the plan does not wait for it.
    Late,
    /// It is to come up, after all children before it.
    InLine,
    /// It is to come up, and can.
    Ready,
    /// It is coming up, or waits for its delay.
    Underway,
}

impl Slot {
    pub(super) fn open(&self) -> Option<Open> {
        match (self.is, self.wants) {
            (ChildState::Up, Wants::Up) | (ChildState::Down, Wants::Down) => None,
            (ChildState::Halting | ChildState::Ending, _) if self.pace == Pace::Overdue => {
                Some(Open::Late)
            }
            (ChildState::Halting | ChildState::Ending, _)
            | (_, Wants::Fresh | Wants::Down | Wants::Gone) => Some(Open::Falls),
            (_, Wants::Up) if self.turn == Turn::InOrder => Some(Open::InLine),
            (ChildState::Down, Wants::Up) => Some(Open::Ready),
            (_, Wants::Up) => Some(Open::Underway),
        }
    }

    pub(super) fn becomes(&mut self, is: ChildState) {
        self.is = is;
        self.pace = Pace::InTime;
        self.step += 1;
    }
}
