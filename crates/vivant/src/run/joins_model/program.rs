//! Messages and turns, for the model and the real actors.

use crate::failures::Cause;

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// These wait for joins.
    A,
    B,
    C,
    D,
    E,
    F,
    /// Opens the gate if it is shut, and shuts it if it is open.
    Gate,
    /// Sets the level to its value.
    Level,
    /// Waits, by a guard, until the gate is open.
    Pass,
    /// Panics.
    Crash,
}

/// The joins, in the order in which they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Join {
    Ab,
    Bc,
    Def,
    De,
}

impl Join {
    pub(super) const ALL: [Join; 4] = [Join::Ab, Join::Bc, Join::Def, Join::De];

    pub(super) fn kinds(self) -> &'static [Kind] {
        match self {
            Join::Ab => &[Kind::A, Kind::B],
            Join::Bc => &[Kind::B, Kind::C],
            Join::Def => &[Kind::D, Kind::E, Kind::F],
            Join::De => &[Kind::D, Kind::E],
        }
    }
}

/// What becomes of an actor that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    Ends,
    Restarts,
    Returns,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Open,
    Done,
    Panicked,
    Dead(Cause),
}

/// A turn: of a message, or of a combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Ran(usize),
    Joined(Join, Vec<usize>),
}
