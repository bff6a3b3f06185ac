//! The tables that the actors of a system share, in an image: names, actors that the system keeps,
//! alarms.

use super::alarms::AlarmRecord;
use crate::interned::Name;
use crate::patterns::NamedTimerData;

/// The entries of the tables.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TablesRecord {
    pub(super) names: Vec<NameRecord>,
    /// The numbers of the actors that the system keeps.
    pub(super) kept: Vec<u64>,
    /// By number.
    pub(super) alarms: Vec<AlarmRecord>,
    /// The number of the next alarm.
    pub(super) next_timer: u64,
    /// With the number of the actor. A table of the actor alone, so a part of its record.
    pub(super) named_timers: Vec<(u64, NamedTimerData)>,
}

/// A registered name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameRecord {
    pub(super) name: String,
    pub(super) actor: u64,
    /// Stable name of the actor's type, or of the interface, with which it was registered.
    pub(super) registered_as: String,
}

impl NameRecord {
    pub(super) fn new(name: &str, actor: u64, registered_as: Name) -> NameRecord {
        NameRecord {
            name: name.to_owned(),
            actor,
            registered_as: registered_as.into(),
        }
    }
}

impl TablesRecord {
    /// The cut is complete: leaves out what belongs to actors that the image does not contain.
    pub(super) fn sort(&mut self, has_actor: impl Fn(u64) -> bool) {
        self.names.retain(|name| has_actor(name.actor));
        self.names.sort();
        self.kept.retain(|actor| has_actor(*actor));
        self.kept.sort_unstable();
        self.alarms.retain(|alarm| has_actor(alarm.message.actor));
        self.alarms.sort_by_key(|alarm| alarm.number);
        // An alarm from outside may have been set when all actors were captured.
        let behind_last = self.alarms.last().map_or(0, |alarm| alarm.number + 1);
        self.next_timer = self.next_timer.max(behind_last);
        self.named_timers.retain(|(actor, _)| has_actor(*actor));
        self.named_timers.sort();
    }
}
