//! The tables of a system, which the coordinator looks through (L10).

use crate::actor::Shared;
use crate::patterns::Names;

/// Records the entries that were made before the line. No code before it is left.
pub(super) fn record_older_entries(system: &Shared) {
    Names::of(system).record_older(system);
    system.record_older_kept();
}
