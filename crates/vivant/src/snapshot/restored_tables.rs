//! The tables of a restored system.

use super::alarms::{AlarmRecord, Repeats};
use super::intervals::RestoredInterval;
use super::message_record::MessageRecord;
use super::not_restored::NotRestored;
use super::tables::{NameRecord, TablesRecord};
use crate::actor::{AddressRef, DelayedMessage, Delivery, Envelope, Shared};
use crate::api::{ActorsById, SavedKinds};
use crate::patterns::{NamedTimers, Names};
use crate::services::{Action, Alarm, TimerId};
use crate::sync::Arc;
use std::collections::BTreeMap;

/// What is needed to fill the tables.
pub(super) struct RestoredTables<'r> {
    pub(super) system: &'r Arc<Shared>,
    pub(super) actors: &'r BTreeMap<u64, AddressRef>,
    pub(super) by_id: Arc<dyn ActorsById>,
    pub(super) kinds: &'r Arc<SavedKinds>,
    pub(super) load: &'r dyn Fn(&MessageRecord) -> Result<Envelope, NotRestored>,
}

impl RestoredTables<'_> {
    /// Fills them. Due alarms may fire before this returns.
    pub(super) fn fill(&self, tables: &TablesRecord) -> Result<(), NotRestored> {
        let system = self.system;
        for record in &tables.names {
            self.name(record)?;
        }
        for actor in &tables.kept {
            system.keep(self.actor(*actor)?.clone());
        }
        for (actor, timer) in &tables.named_timers {
            NamedTimers::of(system).restore(self.actor(*actor)?, timer);
        }
        system.timers.set_next_number(tables.next_timer);
        for record in &tables.alarms {
            let alarm = self.alarm(record)?;
            let id = TimerId(record.number);
            system.timers.restore(id, record.at_ns, alarm, system);
        }
        if let Some(next_ns) = system.timers.next_ns() {
            system.scheduler.timer_is_nearer(next_ns);
        }
        Ok(())
    }

    fn actor(&self, id: u64) -> Result<&AddressRef, NotRestored> {
        self.actors.get(&id).ok_or(NotRestored::NoActor(id))
    }

    fn name(&self, record: &NameRecord) -> Result<(), NotRestored> {
        let to = self.actor(record.actor)?;
        let target = self.kinds.target(to.class, &record.registered_as);
        let address = target.and_then(|target| (target.weak)(self.kinds, to.clone()));
        let (Some(target), Some(address)) = (target, address) else {
            return Err(NotRestored::NoTarget {
                actor: record.actor,
                target: record.registered_as.clone(),
            });
        };
        Names::of(self.system).restore(self.system, &record.name, to, address, target.name);
        Ok(())
    }

    fn alarm(&self, record: &AlarmRecord) -> Result<Alarm<DelayedMessage>, NotRestored> {
        let message = &record.message;
        let (actor, to) = (message.actor, self.actor(message.actor)?);
        let envelope = (self.load)(message)?;
        let send = |message| Alarm::Once(Action::Send(message));
        Ok(match record.repeats {
            Repeats::Once => send(DelayedMessage::Strong(Delivery {
                to: to.clone(),
                envelope,
            })),
            Repeats::OnceIfReferenced => send(DelayedMessage::Weak(to.cell(), envelope)),
            Repeats::Every { ns } => {
                let kind = envelope.kind();
                let by_id = self.by_id.clone();
                let interval = RestoredInterval::new(to, kind, message, self.kinds, by_id);
                let interval = interval.map_err(|error| NotRestored::Value { actor, error })?;
                Alarm::Every {
                    period_ns: ns,
                    message: Box::new(interval),
                }
            }
        })
    }
}
