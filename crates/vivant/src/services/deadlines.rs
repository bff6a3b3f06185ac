//! [`Deadlines`]: the alarms of a system in the order of their deadlines, and where the line of a
//! cut runs through them (L10).

use super::alarm::{Alarm, AlarmEntry, Delayed};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Phase, Stamp};
use std::collections::BTreeMap;
use std::ops::Bound;

/// Deadline and number of an alarm.
pub(super) type Key = (u64, u64);

/// The alarms that are set.
pub(super) struct Deadlines<M: Delayed> {
    pub(super) state: TimersState,
    /// Time limits, by deadline, then by the order in which they were set (R5). Each belongs to a
    /// promise, a future or a wait.
    pub(super) limits: BTreeMap<Key, Alarm<M>>,
    /// Messages, in the same order.
    messages: BTreeMap<Key, Stamped<M>>,
    /// By number. An interval that fires is here alone.
    pub(super) deadlines: BTreeMap<u64, u64>,
}

#[derive(PartialEq, Eq)]
pub(super) enum TimersState {
    Open,
    /// The system shuts down: no delayed message is sent any more.
    LimitsOnly,
    /// No thread fires timers any more.
    Closed,
}

/// A message, and the phase in which it was put here.
struct Stamped<M: Delayed> {
    alarm: Alarm<M>,
    stamp: Stamp,
}

/// Which alarms fire.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// They run no code of users but wakers.
    Limits,
    Messages,
    All,
}

impl<M: Delayed> Default for Deadlines<M> {
    fn default() -> Self {
        Deadlines {
            state: TimersState::Open,
            limits: BTreeMap::new(),
            messages: BTreeMap::new(),
            deadlines: BTreeMap::new(),
        }
    }
}

impl<M: Delayed> Deadlines<M> {
    /// Puts in an alarm that is set in this phase.
    pub(super) fn insert(&mut self, key: Key, alarm: Alarm<M>, stamp: Stamp) {
        match alarm {
            Alarm::Limit(_) => drop(self.limits.insert(key, alarm)),
            Alarm::Once(_) | Alarm::Every { .. } => {
                self.messages.insert(key, Stamped { alarm, stamp });
            }
        }
    }

    /// Takes an alarm out. Records it first, if it is a message of before the line and this code is
    /// behind it. Returns the phase of this code too.
    pub(super) fn remove(&mut self, key: Key, system: &M::System) -> Option<(Alarm<M>, Stamp)> {
        if let Some(limit) = self.limits.remove(&key) {
            return Some((limit, Stamp::default()));
        }
        let messages = &mut self.messages;
        M::change_table(system, |code| {
            let message = messages.remove(&key)?;
            if message.is_older(code, system) && !is_unrecorded() {
                M::record(system, message.entry(key));
            }
            Some((message.alarm, code.stamp()))
        })
    }

    /// L6: whether an alarm was set in a later phase than that of the code that asks.
    pub(super) fn is_newer(&self, key: Key, system: &M::System) -> bool {
        let Some(message) = self.messages.get(&key) else {
            return false;
        };
        M::change_table(system, |code| {
            message.stamp != code.stamp() && !message.is_older(code, system)
        })
    }

    /// The first key of the chosen alarms.
    pub(super) fn first(&self, which: Which) -> Option<Key> {
        let limit = self.limits.first_key_value().map(|(key, _)| *key);
        let message = self.messages.first_key_value().map(|(key, _)| *key);
        match which {
            Which::Limits => limit,
            Which::Messages => message,
            Which::All => limit.into_iter().chain(message).min(),
        }
    }

    pub(super) fn take_messages(&mut self) -> impl Iterator<Item = Alarm<M>> + use<M> {
        let messages = std::mem::take(&mut self.messages);
        messages.into_values().map(|message| message.alarm)
    }

    /// Records the messages of before the line among the next `limit` behind this key. No code of
    /// before the line is left. Returns the key of the last one; `None` if there are no more.
    pub(super) fn record_older(
        &mut self,
        behind: Option<Key>,
        limit: usize,
        system: &M::System,
    ) -> Option<Key> {
        let stamp = M::passes(system).now().phase().stamp();
        let from = behind.map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.messages.range_mut((from, Bound::Unbounded));
        let mut last = None;
        for (key, message) in next.take(limit) {
            if message.stamp != stamp || is_recorded_if_newer() {
                M::record(system, message.entry(*key));
                message.stamp = stamp;
            }
            last = Some(*key);
        }
        last
    }
}

impl<M: Delayed> Stamped<M> {
    fn is_older(&self, code: Phase, system: &M::System) -> bool {
        self.stamp != code.stamp() && code == M::passes(system).now().phase()
    }

    fn entry(&self, (at_ns, number): Key) -> AlarmEntry<'_, M> {
        let alarm = &self.alarm;
        AlarmEntry {
            number,
            at_ns,
            alarm,
        }
    }
}

/// Injected faults.
fn is_unrecorded() -> bool {
    #[cfg(test)]
    return is_planted(InjectedFault::EntryTakenUnrecorded);
    #[cfg(not(test))]
    false
}

fn is_recorded_if_newer() -> bool {
    #[cfg(test)]
    return is_planted(InjectedFault::NewerEntryRecorded);
    #[cfg(not(test))]
    false
}
