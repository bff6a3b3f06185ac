//! Synchronizers in an image, with the states that they had at the line.

use super::message_record::Encoded;
use crate::actor::Lasts;
use crate::interned::Place;
use crate::saving::saved_struct;
use std::collections::BTreeSet;

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

/// The synchronizers that a cut has recorded, in any order.
#[derive(Debug, Default)]
pub(super) struct Synchronizers {
    pub(super) records: Vec<SynchronizerRecord>,
    /// The numbers of those of which the image has the handle.
    pub(super) handles: BTreeSet<u64>,
}

impl Synchronizers {
    /// The cut is complete: those of which it has no handle end, because code has it that the image
    /// does not contain.
    pub(super) fn into_records(self) -> Vec<SynchronizerRecord> {
        let Synchronizers {
            mut records,
            handles,
        } = self;
        records.retain(|it| it.lasts == Lasts::Forever || handles.contains(&it.number));
        records.sort_by_key(|it| it.number);
        records
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
