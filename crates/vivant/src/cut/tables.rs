//! The tables of a system, which the coordinator looks through (L10).

use crate::actor::Shared;
use crate::constraints::Constraints;
use crate::patterns::{NamedRegistries, Names, RegistryKey};
use crate::sync::Arc;

/// How far a walk over all tables has come. It records the entries that were made before the line.
/// No code before it is left.
pub(super) enum TableWalk {
    /// Behind the alarm with this deadline and number.
    Alarms(Option<(u64, u64)>),
    /// Behind this group or topic.
    Registries(Option<RegistryKey>),
    /// Behind the synchronizer with this number.
    Synchronizers(Option<u64>),
}

impl Default for TableWalk {
    fn default() -> Self {
        TableWalk::Alarms(None)
    }
}

/// Whether all entries have been looked at.
#[derive(PartialEq, Eq)]
pub(super) enum Walked {
    Some,
    All,
}

impl TableWalk {
    /// Looks at the next alarms, `limit` of them at most, or at the next group, topic or
    /// synchronizer. The other tables are short.
    pub(super) fn walk_on(&mut self, system: &Arc<Shared>, limit: usize) -> Walked {
        if let TableWalk::Alarms(last) = self {
            *last = system.timers.record_older(*last, limit, system);
            if last.is_some() {
                return Walked::Some;
            }
            *self = TableWalk::Registries(None);
        }
        if let TableWalk::Registries(last) = self {
            *last = NamedRegistries::of(system).record_older(last.take(), system);
            if last.is_some() {
                return Walked::Some;
            }
            *self = TableWalk::Synchronizers(None);
        }
        if let TableWalk::Synchronizers(last) = self {
            *last = Constraints::of(system).record_older(*last, system);
            if last.is_some() {
                return Walked::Some;
            }
        }
        Names::of(system).record_older(system);
        system.record_older_kept();
        Walked::All
    }
}
