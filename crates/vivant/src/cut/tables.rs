//! The tables of a system, which the coordinator looks through (L10).

use crate::actor::Shared;
use crate::patterns::{NamedRegistries, Names, RegistryKey};
use crate::sync::Arc;

/// How far a walk over all tables has come. It records the entries that were made before the line.
/// No code before it is left.
#[derive(Default)]
pub(super) struct TableWalk {
    /// Deadline and number of the last alarm.
    alarm: Option<(u64, u64)>,
    /// The last group or topic.
    registry: Option<RegistryKey>,
}

/// Whether all entries have been looked at.
#[derive(PartialEq, Eq)]
pub(super) enum Walked {
    Some,
    All,
}

impl TableWalk {
    /// Looks at the next alarms, `limit` of them at most, or the next group or topic. The other
    /// tables are short.
    pub(super) fn walk_on(&mut self, system: &Arc<Shared>, limit: usize) -> Walked {
        let last = system.timers.record_older(self.alarm, limit, system);
        if last.is_some() {
            self.alarm = last;
            return Walked::Some;
        }
        let last = self.registry.take();
        if let Some(last) = NamedRegistries::of(system).record_older(last, system) {
            self.registry = Some(last);
            return Walked::Some;
        }
        Names::of(system).record_older(system);
        system.record_older_kept();
        Walked::All
    }
}
