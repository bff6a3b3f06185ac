//! The observations of the turns on this thread, for tests. A thread records from its first
//! [`take`] on.

use super::kind::SourceData;
use super::{Answered, Observation};
use std::cell::RefCell;

/// An observation, its source and its answer.
pub(super) type Recorded = (Observation, SourceData, Answered);

thread_local! {
    static RECORD: RefCell<Option<Vec<Recorded>>> = const { RefCell::new(None) };
}

pub(super) fn add(kind: Observation, source: SourceData, answer: Answered) {
    RECORD.with_borrow_mut(|record| {
        if let Some(record) = record {
            record.push((kind, source, answer));
        }
    });
}

/// Takes the observations since the last call.
pub(super) fn take() -> Vec<Recorded> {
    RECORD.replace(Some(Vec::new())).unwrap_or_default()
}
