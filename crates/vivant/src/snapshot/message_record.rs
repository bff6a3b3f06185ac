//! [`MessageRecord`]: a message as data, and the values in records.

use crate::actor::WaitsAs;
use crate::api::{SavedForm, ValueName, ValueOf};
use crate::interned::Place;
use crate::saving::{saved_enum, saved_struct};
use vivant_codec::{Encoder, Saved, ShapeId};

/// A message, and the actor that gets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub(super) actor: u64,
    pub(super) message: MessageData,
}

/// A message as data.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageData {
    /// Its number in the image's table of kinds.
    pub(super) kind: u32,
    pub(super) waits_as: WaitsAs,
    pub(super) bytes: Vec<u8>,
}

/// What many messages have in common: an entry of the image's table of kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MessageKindRecord {
    pub(super) what: WaitingKind,
    /// Where they were made.
    pub(super) made: Place,
    /// Of their content.
    pub(super) shape: ShapeId,
}

/// What a waiting message is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WaitingKind {
    Message(KindRecord),
    /// It brings such a value to an open promise of the actor.
    Arrival(NameOfValue),
}

/// A kind of message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KindRecord {
    pub(super) form: SavedForm,
    /// Stable name of the behaviour or start.
    pub(super) name: String,
}

/// A value, and its shape in the table of the image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Encoded {
    pub(super) shape: ShapeId,
    pub(super) bytes: Vec<u8>,
}

/// The name of a type of values.
pub(super) type NameOfValue = ValueName<String>;

impl MessageData {
    /// Appends a message of these parts, as it is saved.
    pub(super) fn append(kind: u32, waits_as: WaitsAs, content: &[u8], bytes: &mut Vec<u8>) {
        let mut out = Encoder::new().append_to(std::mem::take(bytes));
        kind.save(&mut out);
        waits_as.save(&mut out);
        out.elements(content.len(), |out| u8::save_all(content, out));
        // Numbers and bytes can be saved.
        *bytes = out.finish().unwrap_or_default();
    }
}

saved_struct!(MessageRecord as "vivant::MessageRecord" {
    0 actor: u64,
    1 message: MessageData,
});

saved_struct!(MessageData as "vivant::MessageData" {
    0 kind: u32,
    1 waits_as: WaitsAs,
    2 bytes: Vec<u8>,
});

saved_enum!(WaitsAs as "vivant::WaitsAs" {
    0 Message,
    1 Arrival { 0: u64 },
    2 Offered { 0: u64 },
    3 Committed,
});

saved_struct!(MessageKindRecord as "vivant::MessageKindRecord" {
    0 what: WaitingKind,
    1 made: Place,
    2 shape: ShapeId,
});

saved_enum!(WaitingKind as "vivant::WaitingKind" {
    0 Message { 0: KindRecord },
    1 Arrival { 0: NameOfValue },
});

saved_struct!(KindRecord as "vivant::KindRecord" {
    0 form: SavedForm,
    1 name: String,
});

saved_struct!(NameOfValue as "vivant::NameOfValue" {
    0 of: ValueOf,
    1 behaviour: String,
});

saved_enum!(ValueOf as "vivant::ValueOf" {
    0 Reply,
    1 Hole,
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
    6 Published,
});
