//! The actors of a restored system by their numbers.

use super::ended::EndedActors;
use crate::actor::AddressRef;
use crate::api::ActorsById;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// The actors of a restored system, by their ids. They keep the actors alive.
pub(super) type Actors = BTreeMap<u64, AddressRef>;

/// The actors of the restored system, also those that have ended, in the cut or by it.
pub(super) struct ById {
    pub(super) actors: Arc<Actors>,
    pub(super) ended: EndedActors,
}

impl ActorsById for ById {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        let living = self.actors.get(&id).cloned();
        living.or_else(|| self.ended.actor(id))
    }
}
