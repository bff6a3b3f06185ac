//! The schedules of a simulation, which has no threads.

use super::scheduled::Scheduled;
use crate::actor::Shared;
use crate::sync::{Arc, Mutex, lock};
use std::sync::Weak;

/// The schedules of one system that is simulated.
#[derive(Default)]
struct SimulatedSchedules(Mutex<Vec<Weak<Scheduled>>>);

/// From here on [`take_due`] takes the snapshots of `schedule`, as long as it exists.
pub(super) fn add(system: &Shared, schedule: &Arc<Scheduled>) {
    let schedules: &SimulatedSchedules = system.extensions.part();
    lock(&schedules.0).push(Arc::downgrade(schedule));
}

/// The time at which the clock asks for the next snapshot, if it does.
pub(crate) fn next_due_ns(system: &Shared) -> Option<u64> {
    let alive = schedules(system);
    alive.iter().map(|schedule| schedule.next_due_ns()).min()
}

/// Takes the snapshots that are due or requested. Called between two steps of a simulation.
pub(crate) fn take_due(system: &Shared) {
    schedules(system)
        .iter()
        .for_each(|schedule| schedule.take_due());
}

fn schedules(system: &Shared) -> Vec<Arc<Scheduled>> {
    let schedules: &SimulatedSchedules = system.extensions.part();
    let mut schedules = lock(&schedules.0);
    schedules.retain(|schedule| schedule.strong_count() > 0);
    schedules.iter().filter_map(Weak::upgrade).collect()
}
