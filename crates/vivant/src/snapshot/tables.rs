//! The tables that the actors of a system share, in an image: names, actors that the system keeps,
//! alarms.

use super::alarms::AlarmRecord;
use super::memberships::{GroupRecord, TopicRecord};
use super::not_restored::NotRestored;
use super::synchronizers::SynchronizerRecord;
use crate::interned::Name;
use crate::patterns::{NamedTimerData, Schedule};
use crate::saving::{saved_enum, saved_struct};
use crate::services::TimerId;

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
    pub(super) named_timers: Vec<NamedTimerRecord>,
    /// By name.
    pub(super) groups: Vec<GroupRecord>,
    /// By name.
    pub(super) topics: Vec<TopicRecord>,
    /// No subscription has had this number, nor a higher one.
    pub(super) next_subscription: u64,
    /// The number of the next group or topic without a name.
    pub(super) next_table: u64,
    /// By number.
    pub(super) synchronizers: Vec<SynchronizerRecord>,
    /// The number of the next synchronizer.
    pub(super) next_synchronizer: u64,
}

/// A named timer of an actor: an entry in a table of the actor alone.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NamedTimerRecord {
    pub(super) actor: u64,
    pub(super) timer: NamedTimerData,
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
    /// A number that no alarm of the image has, and no alarm behind it.
    pub(super) fn number_behind_timers(&self) -> Result<u64, NotRestored> {
        let alarms = self.alarms.iter().map(|alarm| alarm.number);
        let named = self.named_timers.iter().map(|named| named.timer.timer);
        let last = alarms.chain(named).max();
        let behind_last = last.map_or(0, |last| last.saturating_add(1));
        let number = self.next_timer.max(behind_last);
        // So many timers behind it that no program reaches those of calls.
        match number < TimerId::CALLS.0 / 2 {
            true => Ok(number),
            false => Err(NotRestored::TimerNumber(number)),
        }
    }

    /// The number of the next subscription. So many are left behind it that no program needs more.
    pub(super) fn number_behind_subscriptions(&self) -> Result<u64, NotRestored> {
        let number = self.next_subscription;
        match number < 1 << 62 {
            true => Ok(number),
            false => Err(NotRestored::SubscriptionNumber(number)),
        }
    }

    /// The number of the next synchronizer, as that of the next subscription.
    pub(super) fn number_behind_synchronizers(&self) -> Result<u64, NotRestored> {
        let number = self.next_synchronizer;
        match number < 1 << 62 {
            true => Ok(number),
            false => Err(NotRestored::SynchronizerNumber(number)),
        }
    }

    /// The number of the next group or topic without a name, as that of the next subscription.
    pub(super) fn number_behind_tables(&self) -> Result<u64, NotRestored> {
        let number = self.next_table;
        match number < 1 << 62 {
            true => Ok(number),
            false => Err(NotRestored::TableNumber(number)),
        }
    }

    /// The cut is complete: leaves out what belongs to actors that the image does not contain.
    pub(super) fn sort(&mut self, has_actor: impl Fn(u64) -> bool) {
        self.names.retain(|name| has_actor(name.actor));
        self.names.sort();
        self.kept.retain(|actor| has_actor(*actor));
        self.kept.sort_unstable();
        self.kept.dedup();
        self.alarms.retain(|alarm| has_actor(alarm.message.actor));
        self.alarms.sort_by_key(|alarm| alarm.number);
        // An alarm from outside may have been set when all actors were captured.
        let behind_last = self.alarms.last().map_or(0, |alarm| alarm.number + 1);
        self.next_timer = self.next_timer.max(behind_last);
        self.named_timers.retain(|named| has_actor(named.actor));
        self.named_timers.sort();
    }
}

saved_struct!(TablesRecord as "vivant::TablesRecord" {
    0 names: Vec<NameRecord>,
    1 kept: Vec<u64>,
    2 alarms: Vec<AlarmRecord>,
    3 next_timer: u64,
    4 named_timers: Vec<NamedTimerRecord>,
    5 groups: Vec<GroupRecord>,
    6 topics: Vec<TopicRecord>,
    7 next_subscription: u64,
    8 next_table: u64,
    9 synchronizers: Vec<SynchronizerRecord>,
    10 next_synchronizer: u64,
});

saved_struct!(NameRecord as "vivant::NameRecord" {
    0 name: String,
    1 actor: u64,
    2 registered_as: String,
});

saved_struct!(NamedTimerRecord as "vivant::NamedTimerRecord" {
    0 actor: u64,
    1 timer: NamedTimerData,
});

saved_struct!(NamedTimerData as "vivant::NamedTimerData" {
    0 name: String,
    1 timer: u64,
    2 schedule: Schedule,
    3 message: String,
    4 to: u64,
});

saved_enum!(Schedule as "vivant::Schedule" {
    0 After { ns: u64 },
    1 Every { ns: u64 },
});
