//! The records of an image.

use super::ended::EndedRecord;
pub(super) use super::message_record::MessageRecord;
use super::monitors::MonitorsRecord;
use super::tables::TablesRecord;

/// What a cut contains.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Image {
    pub(super) system: SystemRecord,
    pub(super) actors: Vec<ActorRecord>,
    /// By actor; those of one actor in the order in which it would have taken them out.
    pub(super) waiting: Vec<MessageRecord>,
    /// The steps that behaviours have to run yet. By actor, one for an actor at most.
    pub(super) steps: Vec<MessageRecord>,
    pub(super) tables: TablesRecord,
    pub(super) monitors: MonitorsRecord,
    /// The actors that the image does not contain, as far as it has addresses of them. By number.
    pub(super) ended: Vec<EndedRecord>,
}

/// What a system has besides its actors.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SystemRecord {
    /// The creation number of the next actor, and the number of the next actor without a parent.
    pub(super) numbers: (u64, u32),
    /// The clock of the system, in nanoseconds: no turn in the cut was later.
    pub(super) clock_ns: u64,
}

/// One captured actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ActorRecord {
    pub(super) id: u64,
    /// Stable name of its type.
    pub(super) class: &'static str,
    /// Its numbers among the children of its parents, the oldest first.
    pub(super) path: Vec<u32>,
    pub(super) children: u32,
    pub(super) random: u64,
    pub(super) content: Content,
}

/// What the image has of an actor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Its state, encoded.
    State(Vec<u8>),
    /// It has no state yet: its start waits.
    Unstarted,
    /// The name of its start, and the arguments, encoded.
    Start(String, Vec<u8>),
}
