//! Messages, subjects and synchronizers, for the model and the real actors.

/// A kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// These are constrained.
    Give,
    /// As `Give`, with a guard: the subject is open.
    Take,
    /// Opens a shut subject, and shuts an open one.
    Toggle,
    /// Waits exclusively, until `Event::Waited`.
    Wait,
    /// Panics.
    Crash,
    /// Stops the next subject.
    Stop,
}

/// What is seen of real actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The turn of the message with this number.
    Ran(usize),
    /// An exclusive wait of this subject is over.
    Waited(usize),
    /// This subject was stopped.
    Stopped(usize),
    /// This subject is restarted because another one has panicked.
    Restarted(usize),
}

/// What becomes of a subject that panics.
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
    Ended,
    Returned,
    Constrained,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) subject: usize,
    pub(super) kind: Kind,
    pub(super) value: u64,
}

/// The messages of one kind to one subject with this value, or with any.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) subject: usize,
    pub(super) kind: Kind,
    pub(super) value: Option<u64>,
}

impl Pattern {
    pub(super) fn matches(&self, it: &Message) -> bool {
        let is_of = (self.subject, self.kind) == (it.subject, it.kind);
        is_of && self.value.is_none_or(|value| value == it.value)
    }
}

/// A synchronizer. Its state is a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraint {
    pub(super) sets: Vec<Vec<Pattern>>,
    /// Shut while the state is at least `limit`.
    pub(super) gates: Vec<Pattern>,
    pub(super) limit: i64,
    pub(super) up: Vec<Pattern>,
    pub(super) down: Vec<Pattern>,
    pub(super) state: i64,
}

/// An actor, as the model has it.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) care: Care,
    pub(super) is_open: bool,
    pub(super) waits: bool,
    pub(super) has_ended: bool,
    /// S1: its next turn.
    pub(super) next: Option<usize>,
}

impl Subject {
    pub(super) fn new(care: Care) -> Subject {
        Subject {
            care,
            is_open: true,
            waits: false,
            has_ended: false,
            next: None,
        }
    }
}
