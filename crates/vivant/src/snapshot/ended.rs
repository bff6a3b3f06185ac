//! Actors that an image does not contain, and of which it has addresses: they have ended after a
//! restore.

use super::paths::Paths;
use crate::actor::{AddressRef, Birth, Header, Shared};
use crate::api::ended_actor;
use crate::failures::StopReason;
use crate::interned::Name;
use crate::phase::Phase;
use crate::saving::saved_struct;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;

/// An actor that an image does not contain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EndedRecord {
    pub(super) id: u64,
    /// Stable name of its type.
    pub(super) class: String,
    /// Its numbers among the children of its parents, the oldest first.
    pub(super) path: Vec<u32>,
    /// Why it has ended. `NotSaved`: it had not.
    pub(super) reason: StopReason,
}

impl EndedRecord {
    /// The actor at the line of this phase.
    pub(super) fn of(actor: &Header, line: Phase) -> EndedRecord {
        let ended_before = actor.ended_in().is_some_and(|phase| phase < line);
        let reason = actor.ended().filter(|_| ended_before).cloned();
        EndedRecord {
            id: actor.id,
            class: actor.class.name.to_owned(),
            path: actor.numbers(),
            reason: reason.unwrap_or(StopReason::NotSaved),
        }
    }
}

/// The ended actors of a restored system, by their ids.
pub(super) struct EndedActors {
    system: Arc<Shared>,
    /// Each has one cell: by that a link is found.
    actors: Mutex<BTreeMap<u64, AddressRef>>,
    /// The number of the next actor that the system makes.
    next: u64,
}

impl EndedActors {
    /// Makes those of `records`. The system makes actors with numbers from `next` on.
    pub(super) fn new(system: &Arc<Shared>, records: &[EndedRecord], next: u64) -> EndedActors {
        let mut paths = Paths::default();
        let made = records.iter().map(|record| {
            let (number, above) = match record.path.split_last() {
                Some((number, above)) => (*number, above),
                None => (0, &[][..]),
            };
            let parent = paths.path_of(above);
            let birth = Birth {
                pass: system.passes.now(),
                system: system.clone(),
                id: record.id,
                parent,
                number,
                seed: 0,
                cold: None,
            };
            let name = Some(Name::intern(&record.class));
            (record.id, ended(name, birth, record.reason.clone()))
        });
        EndedActors {
            system: system.clone(),
            actors: Mutex::new(made.collect()),
            next,
        }
    }

    /// An address of the actor with this number. An actor without a record ended while the line ran
    /// through the system; only its number is known.
    pub(super) fn actor(&self, id: u64) -> Option<AddressRef> {
        if id >= self.next {
            return None;
        }
        let mut actors = lock(&self.actors);
        let known = actors.entry(id).or_insert_with(|| {
            let birth = Birth {
                pass: self.system.passes.now(),
                system: self.system.clone(),
                id,
                parent: None,
                number: 0,
                seed: 0,
                cold: None,
            };
            ended(None, birth, StopReason::Stopped)
        });
        Some(known.clone())
    }
}

/// Makes an actor that has ended. The system does not list it.
fn ended(name: Option<Name>, birth: Birth, reason: StopReason) -> AddressRef {
    let address = ended_actor(name, birth);
    if let Ok(idle) = address.cell().hold_idle() {
        idle.has_ended(reason);
    }
    address
}

saved_struct!(EndedRecord as "vivant::EndedRecord" {
    0 id: u64,
    1 class: String,
    2 path: Vec<u32>,
    3 reason: StopReason,
});
