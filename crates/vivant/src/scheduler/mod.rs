//! The work-stealing scheduler: which actor runs on which worker, and when (T5b, T6). The protocols
//! are in `README.md`.
//!
//! - [`threads`]: the workers of a real system; [`life`]: the worker loop, with a queue of its own
//!   and stealing.
//! - [`woken`]: the LIFO slot for the actor woken last; [`round`]: for how many runs it goes first;
//!   [`offer`]: when other workers are woken; [`thief`]: the steal policy.
//! - [`sleep`]: falling asleep and waking.
//! - [`clock`]: the thread that advances the coarse clock, fires timers and watches for slow turns.
//! - [`memory`]: the thread that prefaults memory for heaps.
//! - [`handover`]: surplus workers, which replace workers held up by a turn.
//! - [`thread_pool`]: threads for actors that are declared to block, and for actors with long
//!   turns.
//! - [`worker`]: the context in which turns run, also those of a simulation.

mod clock;
#[allow(
    unsafe_code,
    reason = "the slot holds its actor as a pointer, in one atomic word"
)]
mod lifo_slot;
mod memory;
mod offer;
mod replacement;
mod round;
mod run_queue;
mod sleep;
mod steal_policy;
mod thread_pool;
mod threads;
#[allow(
    unsafe_code,
    reason = "this thread's worker, by a pointer that its frame keeps valid"
)]
mod worker;
mod worker_loop;
mod worker_shared;

pub(crate) use lifo_slot::Pointed;
pub(crate) use run_queue::Waiting;
pub(crate) use threads::Threads;
pub(crate) use worker::Worker;

use crate::simulation::SimulatedScheduler;

/// The scheduler of a system: real threads, or a simulation.
#[allow(
    clippy::large_enum_variant,
    reason = "one for each system, and a box would be a step more at each wake"
)]
pub(crate) enum Scheduler {
    Threads(Threads),
    Simulated(SimulatedScheduler),
}
