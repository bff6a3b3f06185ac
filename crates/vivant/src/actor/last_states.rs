//! [`LastStates`]: where the last states of failed actors come from.

use super::runnable::Runnable;
use super::shared::Shared;
use crate::sync::{Mutex, lock};
#[cfg(feature = "snapshots")]
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Loads the last state of an actor that is down, and schedules the actor again.
type LoadLastState = fn(Runnable);

/// A load of a simulation.
type Load = Box<dyn FnOnce() + Send>;

/// What loads the last states of actors. Unset as long as the system has no image.
#[derive(Default)]
pub(crate) struct LastStates {
    load: OnceLock<LoadLastState>,
    /// The loads of a simulation, which has no threads.
    waiting: Mutex<Vec<Load>>,
    /// The actors of which states are being loaded, by their numbers: their paths.
    #[cfg(feature = "snapshots")]
    loading: Mutex<BTreeMap<u64, String>>,
}

impl LastStates {
    pub(crate) fn of(system: &Shared) -> &LastStates {
        system.extensions.part()
    }

    /// From here on, images of the system have states.
    #[cfg(feature = "snapshots")]
    pub(crate) fn set(&self, load: LoadLastState) {
        let _first = self.load.set(load);
    }

    /// Whether there is an image.
    pub(crate) fn are_known(&self) -> bool {
        self.load.get().is_some()
    }

    /// Loads the last state of an actor, which is down, and schedules the actor again.
    pub(crate) fn load(&self, actor: Runnable) {
        match self.load.get() {
            Some(load) => load(actor),
            // None awaits its last state: `are_known` is asked first.
            None => {
                let system = actor.system.clone();
                system.schedule(actor);
            }
        }
    }

    /// The state of this actor is being loaded.
    #[cfg(feature = "snapshots")]
    pub(crate) fn begins(&self, actor: u64, path: String) {
        lock(&self.loading).insert(actor, path);
    }

    /// That is over.
    #[cfg(feature = "snapshots")]
    pub(crate) fn ends(&self, actor: u64) {
        lock(&self.loading).remove(&actor);
    }

    /// The paths of the actors of which states are being loaded.
    #[cfg(feature = "snapshots")]
    pub(crate) fn loading(&self) -> Vec<String> {
        lock(&self.loading).values().cloned().collect()
    }

    /// The simulation has this load to do.
    #[cfg(feature = "snapshots")]
    pub(crate) fn waits(&self, load: Load) {
        lock(&self.waiting).push(load);
    }

    /// Takes out the next load of the simulation.
    pub(crate) fn next_waiting(&self, choose: impl FnOnce(usize) -> usize) -> Option<Load> {
        let mut waiting = lock(&self.waiting);
        let count = waiting.len();
        (count > 0).then(|| waiting.swap_remove(choose(count)))
    }

    /// Whether the simulation has a load to do.
    pub(crate) fn any_waits(&self) -> bool {
        !lock(&self.waiting).is_empty()
    }
}
