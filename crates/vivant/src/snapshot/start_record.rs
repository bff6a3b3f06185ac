//! [`StartRecord`]: the start of an actor as data.

use super::message_record::Encoded;
use crate::saving::saved_struct;

/// How an actor starts again.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StartRecord {
    /// Stable name of the start.
    pub(super) name: String,
    pub(super) args: Encoded,
}

saved_struct!(StartRecord as "vivant::StartRecord" {
    0 name: String,
    1 args: Encoded,
});
