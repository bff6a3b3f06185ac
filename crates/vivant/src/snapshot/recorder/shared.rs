//! Links, watches, steps and alarms that a cut records.

use super::super::alarms::{AlarmRecord, Repeats, send, with_message};
use super::super::death_watches::{DeathWatchRecord, NoticeRecord};
use super::super::ended::EndedRecord;
use super::super::image::SharedRecord;
use super::super::memberships::InImage;
use super::super::monitors::MonitorsRecord;
use super::super::stopping::StoppingRecord;
use super::super::supervised::{Branches, WaitingSignals};
use super::super::tables::TablesRecord;
use super::messages::form_of;
use super::supervised::{ORDER_FROM_OUTSIDE, orders_and_stops};
use super::{ImageRecorder, Record};
use crate::actor::{
    AfterStop, DelayedMessage, EachWatch, Envelope, Header, LinkedPeer, SavedClass, StateRef,
    StopWait,
};
use crate::api::{SavedForm, is_awaited_watch};
use crate::failures::StopReason;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
#[cfg(test)]
use crate::message::MessageRole;
use crate::services::AlarmEntry;
use crate::sync::lock;
use std::collections::BTreeMap;
impl ImageRecorder {
    /// An actor waits for the end of this one, if the message is a watch. The image may lack this
    /// actor.
    pub(super) fn watch(&self, actor: &Header, message: &Envelope) {
        if !is_awaited_watch(message) {
            return;
        }
        let Some(record) = self.message(actor, Some(SavedForm::Runtime), message) else {
            return;
        };
        let line = actor.system.passes.now().phase();
        let mut recorded = lock(&self.recorded);
        let ended = recorded.ended.entry(actor.id);
        ended.or_insert_with(|| EndedRecord::of(actor, line));
        recorded.monitors.watches.push(record);
    }

    pub(super) fn links(&self, actor: &Header, links: &[LinkedPeer]) {
        #[cfg(test)]
        if is_planted(InjectedFault::LinkUnrecorded) {
            return;
        }
        let line = actor.system.passes.now().phase();
        let mut recorded = lock(&self.recorded);
        for LinkedPeer { peer, .. } in links {
            if peer.ended().is_some() || !self.scope.is_saved(peer) {
                let ended = recorded.ended.entry(peer.id);
                ended.or_insert_with(|| EndedRecord::of(peer, line));
            }
        }
        recorded.monitors.add_links(actor, links);
    }

    /// The stop hook of the actor waits for its promise.
    pub(super) fn stopping(&self, actor: &Header, stop: &StopWait) {
        if matches!(self.scope.saved(actor), SavedClass::Start(_)) {
            return self.lacks(
                actor,
                "a stop hook that waits, while only its start is saved: it would start again",
            );
        }
        if stop.then == AfterStop::GoesDown && !self.has_supervisor(actor) {
            return self.lacks(actor, ORDER_FROM_OUTSIDE);
        }
        #[cfg(test)]
        if is_planted(InjectedFault::StopForgotten) {
            return;
        }
        lock(&self.recorded).stopping.push(StoppingRecord {
            actor: actor.id,
            reason: stop.reason.clone(),
            then: stop.then,
        });
    }

    /// A behaviour has a step to run yet. An actor that starts again forgets it.
    pub(super) fn next_step(&self, actor: &Header, step: &Envelope) {
        #[cfg(test)]
        if is_planted(InjectedFault::StepUnrecorded) {
            return;
        }
        if matches!(self.scope.saved(actor), SavedClass::State(_))
            && let Some(record) = self.message(actor, Some(SavedForm::NextStep), step)
        {
            lock(&self.recorded).records.push(Record::Step(record));
        }
    }

    /// The death watches of the heap of an actor, of which the image has just begun.
    pub(super) fn death_watches(
        &self,
        actor: &Header,
        state: &mut StateRef<'_>,
    ) -> Vec<DeathWatchRecord> {
        let mut records = Vec::new();
        let Some(heap) = &actor.class.heap else {
            return records;
        };
        #[cfg(test)]
        if is_planted(InjectedFault::WatchesUnrecorded) {
            return records;
        }
        let mut each = |watch, message: Option<&DelayedMessage>| {
            let mut notice = None;
            if let Some(message) = message {
                send(message, Repeats::Once, &mut |to, message, repeats| {
                    if self.scope.is_saved(to) {
                        let message = self.message(to, form_of(message.kind().role), message);
                        notice = message.map(|message| NoticeRecord { repeats, message });
                    }
                });
            }
            records.push(DeathWatchRecord { watch, notice });
        };
        (heap.watches)(state, EachWatch(&mut each));
        records
    }

    /// Called under the lock of the alarms.
    pub(super) fn alarm(&self, entry: &AlarmEntry<'_, DelayedMessage>) {
        let copied = with_message(entry.alarm, |to, message, repeats| {
            let kind = message.kind();
            let is_saved = kind.role.is_sent() || kind.codec.is_some();
            if !is_saved || !self.scope.is_saved(to) {
                return;
            }
            #[cfg(test)]
            if kind.role == MessageRole::Own && is_planted(InjectedFault::BackOffForgotten) {
                return;
            }
            if let Some(message) = self.message(to, form_of(kind.role), message) {
                lock(&self.recorded).tables.alarms.push(AlarmRecord {
                    number: entry.number,
                    at_ns: entry.at_ns,
                    repeats,
                    message,
                });
            }
        });
        lock(&self.recorded).copied.extend(copied);
    }
}

impl SharedRecord {
    /// The cut is complete: `ids` are the actors that the image contains, sorted.
    pub(super) fn of(
        ids: Vec<u64>,
        (mut tables, memberships): (TablesRecord, InImage),
        mut monitors: MonitorsRecord,
        (signals, branches): (BTreeMap<u64, WaitingSignals>, Branches),
        mut stopping: Vec<StoppingRecord>,
        mut ended: BTreeMap<u64, EndedRecord>,
        named_heaps: BTreeMap<u64, String>,
    ) -> SharedRecord {
        let has_actor = |id| ids.binary_search(&id).is_ok();
        for record in memberships.ended {
            ended.entry(record.id).or_insert(record);
        }
        // It has ended behind the line.
        ended.retain(|id, _| !has_actor(*id));
        tables.sort(has_actor);
        tables.groups = memberships.groups;
        tables.topics = memberships.topics;
        tables.next_subscription = memberships.next.subscription;
        tables.next_table = memberships.next.table;
        tables.synchronizers = memberships.synchronizers;
        let is_not_saved = |id| {
            let ended = ended.get(&id);
            ended.is_some_and(|ended| ended.reason == StopReason::NotSaved)
        };
        monitors.sort(has_actor, is_not_saved);
        let (orders, stops) = orders_and_stops(signals, &branches, has_actor);
        monitors.stops = stops;
        stopping.retain(|record| has_actor(record.actor));
        stopping.sort_by_key(|record| record.actor);
        SharedRecord {
            tables,
            monitors,
            orders,
            stopping,
            ended: ended.into_values().collect(),
            named_heaps: named_heaps.into_keys().collect(),
        }
    }
}
