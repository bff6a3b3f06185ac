//! [`LivingActors`]: the actors to which a state leads that is loaded into a running system.

use super::super::ended::{EndedActors, EndedRecord};
use crate::actor::{AddressRef, CellRef, Shared};
use crate::api::ActorsById;
use crate::sync::Arc;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The actors of a running system by their numbers. Those that have ended refuse messages.
pub(super) struct LivingActors {
    system: Arc<Shared>,
    /// Made with the first reference that is loaded. Costs a look at each actor.
    living: OnceLock<BTreeMap<u64, CellRef>>,
    ended: EndedActors,
}

impl LivingActors {
    /// `ended` are those that the image has of actors that had ended at its cut.
    pub(super) fn of(system: &Arc<Shared>, ended: &[EndedRecord]) -> LivingActors {
        LivingActors {
            system: system.clone(),
            living: OnceLock::new(),
            ended: EndedActors::new(system, ended, system.numbers().0),
        }
    }

    fn living(&self, id: u64) -> Option<AddressRef> {
        let living = self.living.get_or_init(|| {
            let all = self.system.registry.all().into_iter();
            all.map(|cell| (cell.id, cell)).collect()
        });
        living.get(&id)?.upgrade()
    }
}

impl ActorsById for Arc<LivingActors> {
    fn actor(&self, id: u64) -> Option<AddressRef> {
        self.living(id).or_else(|| self.ended.actor(id))
    }
}
