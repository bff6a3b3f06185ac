//! [`MessageRecord`]: a message as data.

use crate::api::SavedForm;
use crate::interned::Place;

/// A message that waits, or that an alarm sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageRecord {
    pub(super) actor: u64,
    pub(super) form: SavedForm,
    /// Stable name of its behaviour or start.
    pub(super) name: &'static str,
    /// Where it was made.
    pub(super) made: Place,
    pub(super) content: Vec<u8>,
}
