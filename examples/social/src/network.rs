//! [`Network`]: all shards.

use crate::person::PersonId;
use crate::planted::Planted;
use crate::shard::Shard;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant::prelude::*;

/// All shards. A person is in the shard that its number modulo their number gives.
#[derive(Clone, Debug)]
pub struct Network {
    shards: Arc<[Address<Shard>]>,
    next: Arc<AtomicUsize>,
}

impl Network {
    /// Starts a network without people.
    ///
    /// # Panics
    ///
    /// If `shards` is 0.
    #[must_use]
    pub fn open(system: &System, shards: usize) -> Network {
        Network::with(system, shards, Planted::Nothing)
    }

    /// As [`open`](Network::open), with a planted bug.
    #[doc(hidden)]
    #[must_use]
    pub fn with(system: &System, shards: usize, planted: Planted) -> Network {
        assert!(shards > 0, "people need a shard");
        let spawn = |number| Shard::spawn(system, number as u64, planted);
        let shards: Arc<[_]> = (0..shards).map(spawn).collect();
        // The shards have each other's addresses: a cycle, which ends with the system, or about a
        // second after the last address outside.
        for shard in &*shards {
            shard.meet(shards.to_vec()).send();
        }
        let next = Arc::default();
        Network { shards, next }
    }

    /// The shard of a person.
    #[must_use]
    pub fn of(&self, id: PersonId) -> &Address<Shard> {
        &self.shards[shard_of(id, self.shards.len())]
    }

    /// The shard for the next new person, or for a request that any shard can answer.
    #[must_use]
    pub fn any(&self) -> &Address<Shard> {
        // Only a choice: no other memory depends on this number.
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        &self.shards[next % self.shards.len()]
    }

    /// All of them.
    #[must_use]
    pub fn shards(&self) -> &[Address<Shard>] {
        &self.shards
    }
}

/// The number of a person's shard.
pub(crate) fn shard_of(id: PersonId, shards: usize) -> usize {
    (id.0 % shards as u64) as usize
}
