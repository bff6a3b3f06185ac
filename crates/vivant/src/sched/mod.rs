//! The work-stealing scheduler: which actor runs on which worker, and when (T6). The protocols
//! are in `README.md`.
//!
//! - [`threads`]: the workers of a real system; [`worker_loop`]: the loop of one, with a queue of
//!   its own and stealing.
//! - [`round`]: for how many runs the actor woken last goes first; [`run_speed`]: the speed of a
//!   worker; [`steal_policy`]: what a worker steals.
//! - [`clock`]: the thread that advances the coarse clock, fires timers and watches for slow turns.
//! - [`memory`]: the thread that prefaults memory for heaps.
//! - [`replacement`]: surplus workers, which replace workers held up by a turn.
//! - [`thread_pool`]: threads for actors that are declared to block, and for actors with long
//!   turns.
//! - [`simulated`]: one thread that runs all actors in an order drawn from a seed.

mod clock;
mod memory;
mod replacement;
mod round;
mod run_speed;
mod simulated;
mod steal_policy;
mod thread_pool;
mod threads;
mod worker_loop;

#[cfg(all(test, feature = "macros"))]
pub(crate) use simulated::RUN_MAX;
pub(crate) use simulated::SimulatedScheduler;
pub(crate) use threads::Threads;

use crate::actor::{LastStates, Runnable, Shared};
use crate::cycles::Detector;
use crate::run::{Idle, Ran};
use crate::sync::Arc;

/// The actor, if it is to run again. Before, a group mark that waits for its heap visits it.
#[inline]
fn runs_again(ran: Ran, system: &Arc<Shared>) -> Option<Runnable> {
    match ran {
        Ran::Parked => None,
        Ran::Requeue(actor) => Some(actor),
        Ran::Visit(actor) => {
            let visited = Detector::of(system).visit(system, actor);
            let mut visited = Idle::between_runs(visited);
            let awaits_state = visited.awaits_last_state();
            let actor = visited.into_runnable();
            match awaits_state {
                true => load(actor),
                false => Some(actor),
            }
        }
        Ran::Load(actor) => load(actor),
    }
}

/// The last state of the actor is loaded. Then it runs again.
#[cold]
fn load(actor: Runnable) -> Option<Runnable> {
    let system = actor.system.clone();
    LastStates::of(&system).load(actor);
    None
}
