//! The tables of a restored system.

use super::alarms::{AlarmRecord, Repeats};
use super::by_id::{Actors, ById};
use super::intervals::RestoredInterval;
use super::not_restored::NotRestored;
use super::tables::{NameRecord, NamedTimerRecord, TablesRecord};
use super::values::Values;
use crate::actor::{AddressRef, DelayedMessage, Delivery, Shared};
use crate::interned::Name;
use crate::patterns::{NamedTimers, Names};
use crate::services::{Action, Alarm, TimerId};
use crate::sync::Arc;
use std::any::Any;
use std::rc::Rc;
use vivant_codec::Decoder;

/// The loaded entries of the tables.
pub(super) struct RestoredTables<'r> {
    system: &'r Arc<Shared>,
    names: Vec<RestoredName<'r>>,
    kept: Vec<&'r AddressRef>,
    named_timers: Vec<(&'r AddressRef, &'r NamedTimerRecord)>,
    alarms: Vec<(&'r AlarmRecord, Alarm<DelayedMessage>)>,
}

struct RestoredName<'r> {
    name: &'r str,
    to: &'r AddressRef,
    /// A `WeakAddress`, of the type with this name.
    address: Box<dyn Any + Send + Sync>,
    target: Name,
}

impl<'r> RestoredTables<'r> {
    pub(super) fn load<'v>(
        tables: &'r TablesRecord,
        system: &'r Arc<Shared>,
        actors: &'r Actors,
        values: &Values<'v>,
        by_id: &Rc<ById>,
    ) -> Result<RestoredTables<'r>, NotRestored>
    where
        'r: 'v,
    {
        let actor = |id| actors.get(&id).ok_or(NotRestored::NoActor(id));
        let names = tables.names.iter();
        let names = names.map(|name| restored_name(name, actor(name.actor)?, values));
        let kept = tables.kept.iter().map(|id| actor(*id));
        let named_timers = tables.named_timers.iter();
        let named_timers = named_timers.map(|named| Ok((actor(named.actor)?, named)));
        let alarms = tables.alarms.iter();
        let alarms = alarms.map(|record| {
            let to = actor(record.message.actor)?;
            Ok((record, restored_alarm(record, to, values, by_id)?))
        });
        Ok(RestoredTables {
            system,
            names: names.collect::<Result<_, NotRestored>>()?,
            kept: kept.collect::<Result<_, NotRestored>>()?,
            named_timers: named_timers.collect::<Result<_, NotRestored>>()?,
            alarms: alarms.collect::<Result<_, NotRestored>>()?,
        })
    }

    /// Fills the tables of the system. Due alarms may fire before this returns.
    pub(super) fn fill(self) {
        let system = self.system;
        for it in self.names {
            Names::of(system).restore(system, it.name, it.to, it.address, it.target);
        }
        for actor in self.kept {
            system.keep(actor.clone());
        }
        for (actor, named) in self.named_timers {
            NamedTimers::of(system).restore(actor, &named.timer);
        }
        for (record, alarm) in self.alarms {
            let id = TimerId(record.number);
            system.timers.restore(id, record.at_ns, alarm, system);
        }
        if let Some(next_ns) = system.timers.next_ns() {
            system.scheduler.timer_is_nearer(next_ns);
        }
    }
}

fn restored_name<'r>(
    record: &'r NameRecord,
    to: &'r AddressRef,
    values: &Values<'_>,
) -> Result<RestoredName<'r>, NotRestored> {
    let (target, address) = values.target(to, &record.registered_as)?;
    Ok(RestoredName {
        name: &record.name,
        to,
        address,
        target,
    })
}

fn restored_alarm<'v>(
    record: &'v AlarmRecord,
    to: &AddressRef,
    values: &Values<'v>,
    by_id: &Rc<ById>,
) -> Result<Alarm<DelayedMessage>, NotRestored> {
    let envelope = values.message(to, &record.message.message)?;
    let send = |message| Alarm::Once(Action::Send(message));
    Ok(match record.repeats {
        Repeats::Once => send(DelayedMessage::Strong(Delivery {
            to: to.clone(),
            envelope,
        })),
        Repeats::OnceIfReferenced => send(DelayedMessage::Weak(to.cell(), envelope)),
        Repeats::Every { ns: period_ns } => {
            let interval = match period_ns {
                0 => Err(Decoder::new(&[]).error("an interval of no length")),
                _ => RestoredInterval::new(to, &envelope, values.kinds, by_id),
            };
            let interval = interval.map_err(|error| NotRestored::Value {
                actor: to.path(),
                what: format!("the message `{}` of an interval", envelope.kind().name),
                error,
            })?;
            Alarm::Every {
                period_ns,
                message: Box::new(interval),
            }
        }
    })
}
