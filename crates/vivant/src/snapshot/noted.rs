//! [`Noted`]: to what encoded values lead.

use super::ended::EndedRecord;
use crate::actor::References;

/// To what encoded values lead.
#[derive(Default)]
pub(super) struct Noted {
    pub(super) references: References,
    /// The actors that the image lacks.
    pub(super) ended: Vec<EndedRecord>,
}
