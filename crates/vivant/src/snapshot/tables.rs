//! The tables that the actors of a system share, in an image: names, and actors that the system
//! keeps.

use super::restore::{Actors, NotRestored};
use crate::actor::{Shared, TableEntry};
use crate::api::SavedKinds;
use crate::patterns::Names;
use crate::sync::Arc;

/// The entries of the tables.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TablesRecord {
    pub(super) names: Vec<NameRecord>,
    /// The numbers of the actors that the system keeps.
    pub(super) kept: Vec<u64>,
}

/// A registered name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameRecord {
    pub(super) name: String,
    pub(super) actor: u64,
    /// Stable name of the actor's type, or of the interface, with which it was registered.
    pub(super) registered_as: String,
}

impl TablesRecord {
    pub(super) fn add(&mut self, entry: TableEntry<'_>) {
        match entry {
            TableEntry::Name {
                name,
                actor,
                registered_as,
            } => self.names.push(NameRecord {
                name: name.to_owned(),
                actor: actor.id,
                registered_as: registered_as.into(),
            }),
            TableEntry::Kept(actor) => self.kept.push(actor.id),
        }
    }

    /// The cut is complete: leaves out what belongs to actors that the image does not contain.
    pub(super) fn sort(&mut self, has_actor: impl Fn(u64) -> bool) {
        self.names.retain(|name| has_actor(name.actor));
        self.names.sort();
        self.kept.retain(|actor| has_actor(*actor));
        self.kept.sort_unstable();
    }

    pub(super) fn restore(
        &self,
        system: &Arc<Shared>,
        actors: &Actors,
        kinds: &SavedKinds,
    ) -> Result<(), NotRestored> {
        for record in &self.names {
            let actor = record.actor;
            let to = actors.get(&actor).ok_or(NotRestored::NoActor(actor))?;
            let target = kinds.target(to.class, &record.registered_as);
            let (registered_as, address) = target
                .and_then(|target| Some((target.name, (target.weak)(kinds, to.clone())?)))
                .ok_or_else(|| NotRestored::NoTarget {
                    actor,
                    target: record.registered_as.clone(),
                })?;
            Names::of(system).restore(system, &record.name, to, address, registered_as);
        }
        for actor in &self.kept {
            let to = actors.get(actor).ok_or(NotRestored::NoActor(*actor))?;
            system.keep(to.clone());
        }
        Ok(())
    }
}
