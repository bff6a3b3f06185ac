//! Common code of several tests: simulations, actors and listeners.

use std::sync::{Arc, Barrier, Mutex};
use vivant::heap::{Stress, When};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Pacing, Report};

/// The mailbox limit of [`Sender`].
pub(crate) const LIMIT: usize = 8;

/// A simulation with heaps that collect everything after each turn and verify themselves.
pub(crate) fn stressed(seed: u64) -> Simulation {
    let pacing = Pacing::new().stressed(Stress::new(When::All, seed));
    Simulation::with(seed, Faults::none(), System::builder().pacing(pacing))
}

/// The bytes of old objects in all heaps.
pub(crate) fn live_bytes(system: &System) -> u64 {
    let actors = system.inspect().actors;
    let heaps = actors.iter().filter_map(|actor| actor.heap);
    heaps.map(|heap| heap.live).sum()
}

/// Returns a list of reports and a listener that adds to it.
pub(crate) fn reports() -> (Arc<Mutex<Vec<Report>>>, impl Fn(&Report) + Send + Sync) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let listener = reports.clone();
    (reports, move |report: &Report| {
        listener.lock().unwrap().push(report.clone())
    })
}

/// Waits inside a turn for the test, so that its mailbox fills.
#[derive(Actor)]
pub(crate) struct Slow {
    pub(crate) gate: Arc<Barrier>,
}

#[behaviours]
impl Slow {
    pub(crate) fn take(&mut self) {}

    pub(crate) fn wait(&mut self) {
        self.gate.wait();
    }
}

/// Sends so many messages in a turn that a mailbox with the limit mutes it.
#[derive(Actor)]
pub(crate) struct Sender {
    pub(crate) slow: Address<Slow>,
}

#[behaviours]
impl Sender {
    pub(crate) fn pour(&mut self, t: &Turn<Self>) {
        for _ in 0..=LIMIT {
            t.send(self.slow.take());
        }
    }
}
