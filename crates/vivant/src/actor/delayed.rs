//! The alarms of actors: what a timer does with a message that it has to send.

use super::post::{To, post_or_bury};
use super::recorder::record;
use super::refusal::{DelayedMessage, Delivery};
use super::shared::Shared;
use super::table_entry::TableEntry;
use super::worker::Worker;
use crate::phase::{Passes, Phase};
use crate::services::{AlarmEntry, Delayed};
use crate::sync::Arc;

impl Delayed for DelayedMessage {
    type System = Arc<Shared>;

    fn begins(system: &Arc<Shared>) {
        Worker::of(system, Worker::enter_pass_between_runs);
    }

    fn send(self) {
        let (to, envelope) = match self {
            DelayedMessage::Strong(Delivery { to, envelope }) => (to, envelope),
            DelayedMessage::Weak(cell, envelope) => match cell.upgrade() {
                Some(to) => (to, envelope),
                None => return,
            },
        };
        post_or_bury(To::Owned(to), envelope);
    }

    fn is_of_runtime(&self) -> bool {
        let envelope = match self {
            DelayedMessage::Strong(delivery) => &delivery.envelope,
            DelayedMessage::Weak(_, envelope) => envelope,
        };
        let kind = envelope.kind();
        !kind.role.is_sent() && kind.codec.is_none()
    }

    fn change_table<R>(system: &Arc<Shared>, body: impl FnOnce(Phase) -> R) -> R {
        system.change_table(body)
    }

    fn passes(system: &Arc<Shared>) -> &Passes {
        &system.passes
    }

    fn record(system: &Arc<Shared>, entry: AlarmEntry<'_, DelayedMessage>) {
        record(system, |cut| cut.entry(TableEntry::Alarm(entry)));
    }
}
