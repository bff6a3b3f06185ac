//! [`Held`]: the actors of a system that is being restored.

use super::by_id::Actors;
use super::not_restored::NotRestored;
use crate::actor::AddressRef;
use crate::run::Idle;
use std::collections::BTreeMap;

/// All actors, which do not run as long as they are held.
pub(super) struct Held(BTreeMap<u64, Idle>);

impl Held {
    pub(super) fn all(actors: &Actors) -> Held {
        let hold = |(id, address): (&u64, &AddressRef)| {
            let idle = address.cell().hold_idle().ok()?;
            Some((*id, idle))
        };
        Held(actors.iter().filter_map(hold).collect())
    }

    pub(super) fn actor(&mut self, id: u64) -> Result<&mut Idle, NotRestored> {
        self.0.get_mut(&id).ok_or(NotRestored::NoActor(id))
    }

    /// Whether the actor has a state.
    pub(super) fn has_state(&mut self, id: u64) -> Result<bool, NotRestored> {
        Ok(self.actor(id)?.state().has_state())
    }

    pub(super) fn each(&mut self) -> impl Iterator<Item = (u64, &mut Idle)> {
        self.0.iter_mut().map(|(id, idle)| (*id, idle))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for idle in std::mem::take(&mut self.0).into_values() {
            idle.park();
        }
    }
}
