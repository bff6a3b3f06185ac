//! Synchronizers in an image, with the states that they had at the line.

use super::handles::Handles;
use super::message_record::Encoded;
use super::noted::Noted;
use crate::actor::Lasts;
use crate::interned::Place;
use crate::saving::saved_struct;

/// A synchronizer. Its patterns follow from its arguments, by the code of its kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SynchronizerRecord {
    /// By which handles name it.
    pub(super) number: u64,
    /// Stable name of the type of its state.
    pub(super) kind: String,
    /// Where in the source it was declared.
    pub(super) declared: Place,
    pub(super) lasts: Lasts,
    /// Why it dispatches nothing any more: code of it has panicked.
    pub(super) broken: Option<String>,
    pub(super) state: Encoded,
    pub(super) args: Encoded,
}

/// A synchronizer that a cut has recorded. The image may not contain it: its handle may be in code
/// that the image lacks.
pub(super) struct RecordedSynchronizer {
    pub(super) record: SynchronizerRecord,
    /// To what its state leads.
    pub(super) noted: Noted,
}

impl RecordedSynchronizer {
    /// Whether an image with these handles contains it. Otherwise it ends.
    pub(super) fn is_in(&self, handles: &Handles) -> bool {
        self.record.lasts == Lasts::Forever || handles.has_synchronizer(self.record.number)
    }
}

saved_struct!(SynchronizerRecord as "vivant::SynchronizerRecord" {
    0 number: u64,
    1 kind: String,
    2 declared: Place,
    3 lasts: Lasts,
    4 broken: Option<String>,
    5 state: Encoded,
    6 args: Encoded,
});
