//! The work-stealing scheduler: which actor runs on which worker, and when (T5b, T6). The protocols
//! are in `README.md`.
//!
//! - [`threads`]: the workers of a real system; [`worker_loop`]: the loop of one, with a queue of
//!   its own and stealing.
//! - [`lifo_slot`]: the slot for the actor woken last; [`round`]: for how many runs it goes first;
//!   [`offer`]: when other workers are woken; [`steal_policy`]: what a worker steals.
//! - [`sleep`]: falling asleep and waking.
//! - [`clock`]: the thread that advances the coarse clock, fires timers and watches for slow turns.
//! - [`memory`]: the thread that prefaults memory for heaps.
//! - [`replacement`]: surplus workers, which replace workers held up by a turn.
//! - [`thread_pool`]: threads for actors that are declared to block, and for actors with long
//!   turns.
//! - [`simulated`]: one thread that runs all actors in an order drawn from a seed.

mod clock;
mod faults;
mod memory;
mod offer;
mod replacement;
mod round;
mod simulated;
mod steal_policy;
mod thread_pool;
mod threads;
mod worker_loop;

#[cfg(all(test, feature = "macros"))]
pub(crate) use simulated::RUN_MAX;
pub(crate) use simulated::SimulatedScheduler;
pub(crate) use threads::Threads;

/// The scheduler of a system: real threads, or a simulation.
#[allow(
    clippy::large_enum_variant,
    reason = "one for each system, and a box would be a step more at each wake"
)]
pub(crate) enum Scheduler {
    Threads(Threads),
    Simulated(SimulatedScheduler),
}
pub use faults::Faults;
