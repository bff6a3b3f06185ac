//! What is done with the value of an open promise, as data: kinds with stable names, and what they
//! lead to. A snapshot of an actor has this for each of its open promises.

use super::receiver::{ActorName, Receiver};
use crate::actor::WaitPurpose;
use crate::interned::Name;

/// A sink as data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SinkData {
    pub(crate) kind: SinkKind,
    /// What gets the value, what is made of it, or the reply of what gets it.
    pub(crate) to: Receiver,
}

/// What is done with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SinkKind {
    /// Nothing: the promise was dropped.
    Discard,
    /// It is the answer to another request.
    Answer,
    /// It fills the hole of a message.
    Then { target: ActorName, behaviour: Name },
    /// It is an argument of a closure, in a turn of this actor.
    ThenLocal { target: ActorName },
    /// It is an argument of a closure that makes a message to this actor.
    PassTo { target: ActorName, behaviour: Name },
    /// It is an argument of a closure that makes another value of it.
    Map,
    /// It is an address, for which closures wait that make messages to it: the behaviour of each,
    /// and what gets its reply.
    Pipeline { waiting: Vec<(Name, Receiver)> },
    /// It is in time until this time, in nanoseconds of the system's clock.
    Limit { until_ns: u64 },
    /// It is one of several.
    Join(JoinData),
    /// It ends an exclusive wait of the actor.
    Wait { purpose: WaitPurpose },
    /// It is the state with which the actor starts.
    StartState,
}

/// A join, as one of its promises has it. The others lead to the same receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JoinData {
    pub(crate) kind: JoinKind,
    /// The position of this promise in the join.
    pub(crate) at: usize,
    /// The number of values that have to arrive yet; 0 if the join is decided.
    pub(crate) missing: usize,
    /// The number of errors that may arrive yet.
    pub(crate) spare: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JoinKind {
    All,
    Any,
    Quorum,
    /// All, also those that are errors.
    AllSettled,
}

impl SinkKind {
    pub(crate) fn to(self, to: Receiver) -> SinkData {
        SinkData { kind: self, to }
    }

    /// The stable name of the kind.
    pub(crate) fn name(&self) -> Name {
        Name::new(match self {
            SinkKind::Discard => "discard",
            SinkKind::Answer => "answer",
            SinkKind::Then { .. } => "then",
            SinkKind::ThenLocal { .. } => "then_local",
            SinkKind::PassTo { .. } => "pass_to",
            SinkKind::Map => "map",
            SinkKind::Pipeline { .. } => "pipeline",
            SinkKind::Limit { .. } => "limit",
            SinkKind::Join(join) => join.kind.name(),
            SinkKind::Wait { purpose } => match purpose {
                WaitPurpose::Reply => "wait",
                WaitPurpose::Start => "wait_for_start",
                WaitPurpose::Stop => "wait_for_stop",
            },
            SinkKind::StartState => "start_state",
        })
    }
}

impl JoinKind {
    fn name(self) -> &'static str {
        match self {
            JoinKind::All => "all",
            JoinKind::Any => "any",
            JoinKind::Quorum => "quorum",
            JoinKind::AllSettled => "all_settled",
        }
    }
}

#[cfg(test)]
#[path = "sink_data_tests.rs"]
mod tests;
