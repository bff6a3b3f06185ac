//! [`MessageRecord`]: a message as data, and the values in records.

use crate::api::{SavedForm, ValueName, ValueOf};
use crate::interned::Place;
use crate::saving::{saved_enum, saved_struct};
use vivant_codec::ShapeId;

/// A message that waits, or that an alarm sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub(super) actor: u64,
    pub(super) kind: WaitingKind,
    /// Where it was made.
    pub(super) made: Place,
    pub(super) content: Encoded,
}

/// What a waiting message is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WaitingKind {
    Message(KindRecord),
    /// It brings a value to an open promise of the actor.
    Arrival(ArrivalRecord),
}

/// A kind of message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KindRecord {
    pub(super) form: SavedForm,
    /// Stable name of the behaviour or start.
    pub(super) name: String,
}

/// The promise to which a message brings a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArrivalRecord {
    pub(super) promise: u64,
    pub(super) value: NameOfValue,
}

/// A value, and its shape in the table of the image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Encoded {
    pub(super) shape: ShapeId,
    pub(super) bytes: Vec<u8>,
}

/// The name of a type of values.
pub(super) type NameOfValue = ValueName<String>;

saved_struct!(MessageRecord as "vivant::MessageRecord" {
    0 actor: u64,
    1 kind: WaitingKind,
    2 made: Place,
    3 content: Encoded,
});

saved_enum!(WaitingKind as "vivant::WaitingKind" {
    0 Message { 0: KindRecord },
    1 Arrival { 0: ArrivalRecord },
});

saved_struct!(KindRecord as "vivant::KindRecord" {
    0 form: SavedForm,
    1 name: String,
});

saved_struct!(ArrivalRecord as "vivant::ArrivalRecord" {
    0 promise: u64,
    1 value: NameOfValue,
});

saved_struct!(NameOfValue as "vivant::NameOfValue" {
    0 of: ValueOf,
    1 behaviour: String,
});

saved_enum!(ValueOf as "vivant::ValueOf" {
    0 Reply,
    1 Hole,
    2 ReplyOutcome,
    3 HoleOutcome,
});

saved_struct!(Encoded as "vivant::Encoded" {
    0 shape: ShapeId,
    1 bytes: Vec<u8>,
});

saved_enum!(SavedForm as "vivant::SavedForm" {
    0 Message,
    1 NextStep,
    2 Continuation,
    3 Start,
    4 Join,
    5 Runtime,
});
