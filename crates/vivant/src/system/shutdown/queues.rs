//! The wait for empty queues: until no actor has anything to process.
//!
//! No counter of messages in flight exists: it would cost each message an atomic. Instead all
//! actors are scanned twice. If in both scans every actor is parked without a message that it can
//! process, and none had a turn in between, then between the scans nothing was running and nothing
//! was queued: a message that an actor sends is in a mailbox before its turn ends. This is the
//! double scan of Mattern's termination detection.

use crate::actor::{CellRef, Shared};
use crate::edge::OpenFutures;
use crate::sync::Arc;
use std::thread;
use std::time::Duration;

/// The shortest time between two scans.
const SCAN_INTERVAL: Duration = Duration::from_micros(200);

/// Waits until nothing is left to process, or the time has come. Messages that wait for their
/// guards, and timers, do not count.
pub(super) fn wait_until_empty(system: &Arc<Shared>, deadline_ns: u64) {
    if system.stage().is_some() {
        while system.scheduler.run_ready(system) > 0 || !is_empty(system) {
            if system.oracle.now_ns() >= deadline_ns || !system.scheduler.step(system, deadline_ns)
            {
                return;
            }
        }
        return;
    }
    let mut pause = SCAN_INTERVAL;
    loop {
        let began_ns = system.oracle.now_ns();
        if is_empty(system) {
            return;
        }
        let now_ns = system.oracle.now_ns();
        if now_ns >= deadline_ns {
            return;
        }
        // Scans take a fifth of a processor at most.
        let scan = Duration::from_nanos(now_ns - began_ns);
        pause = pause.max(scan * 4);
        let left = Duration::from_nanos(deadline_ns - now_ns);
        vivant_brc::detached(|| thread::park_timeout(pause.min(left)));
    }
}

fn is_empty(system: &Shared) -> bool {
    if OpenFutures::of(system).count() > 0 {
        return false;
    }
    let Some(before) = turns_if_idle(system) else {
        return false;
    };
    turns_if_idle(system) == Some(before)
}

/// Returns the number of turns of each actor, if all actors are idle.
fn turns_if_idle(system: &Shared) -> Option<Vec<(u64, u64)>> {
    let turns = |cell: &CellRef| is_idle(cell).then(|| (cell.id, cell.facts.turns()));
    system.actors().iter().map(turns).collect()
}

/// Returns true if the actor is parked and no message waits that it can process. A muted actor
/// keeps its messages, and so does an actor that its supervisor has not started yet.
fn is_idle(cell: &CellRef) -> bool {
    !cell.inbox.is_active() && cell.depth() == 0
}

#[cfg(all(test, feature = "macros"))]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::simulation::Simulation;

    #[derive(Actor)]
    struct Idle;

    #[behaviours]
    impl Idle {
        fn turn(&mut self) {}

        #[when(false)]
        fn never(&mut self) {}
    }

    /// Messages that their guards defer are not waited for.
    #[test]
    fn an_actor_is_idle_when_it_can_process_nothing() {
        let simulation = Simulation::new(1);
        let idle = simulation.system().spawn(Idle);
        let cell = Address::counted(&idle).cell();
        assert!(is_idle(&cell));
        for messages in 0..20 {
            idle.turn().send();
            idle.never().send();
            assert!(!is_idle(&cell));
            simulation.run();
            assert!(is_idle(&cell), "{messages}");
        }
    }
}
