//! Entries of the tables that the actors of a system share, and the line of a cut (L10).

use super::header::Header;
use super::refusal::DelayedMessage;
use super::shared::Shared;
use super::worker::Worker;
use crate::interned::Name;
use crate::phase::{Phase, Stamp};
use crate::services::AlarmEntry;

/// An entry as the recorder of a cut gets it.
pub(crate) enum TableEntry<'a> {
    /// The actor has a name, registered with an address of this type.
    Name {
        name: &'a str,
        actor: &'a Header,
        registered_as: Name,
    },
    /// The system keeps the actor.
    Kept(&'a Header),
    /// An alarm is set.
    Alarm(AlarmEntry<'a, DelayedMessage>),
}

impl Shared {
    /// Calls `body`, which changes a table of this system, with the phase of what it does.
    pub(crate) fn change_table<R>(&self, body: impl FnOnce(Phase) -> R) -> R {
        Worker::send_to(self, body)
    }

    /// Whether an entry with this stamp is older than code of this phase, which takes it out or
    /// changes it. Then it is in the cut that is being taken.
    pub(crate) fn is_older(&self, entry: Stamp, code: Phase) -> bool {
        entry != code.stamp() && code == self.passes.now().phase()
    }
}
