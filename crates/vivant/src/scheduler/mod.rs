//! The scheduler: which actor runs where, and when (T5b, T6). The protocols are in `README.md`.
//!
//! - [`threads`]: the workers of a real system; [`life`]: what each does, with queues of its own
//!   and stealing.
//! - [`woken`]: the slot for the actor just woken; [`round`]: how long it goes first; [`offer`]:
//!   when others are woken; [`thief`]: whether that paid.
//! - [`sleep`]: falling asleep and waking.
//! - [`clock`]: the thread that keeps the coarse clock, fires timers and watches for slow turns.
//! - [`memory`]: the thread that sees to memory for heaps.
//! - [`handover`]: surplus workers for those that a turn holds up.
//! - [`thread_pool`]: threads for actors that are declared to block, and for those whose turns are
//!   long.
//! - [`worker`]: the context in which turns run, also those of a simulation.

mod clock;
mod handover;
mod life;
mod memory;
mod offer;
mod round;
mod run_queue;
mod seat;
mod sleep;
mod thief;
mod thread_pool;
mod threads;
#[allow(
    unsafe_code,
    reason = "the slot holds its actor as a pointer, in one atomic word"
)]
mod woken;
#[allow(
    unsafe_code,
    reason = "this thread's worker, by a pointer that its frame keeps valid"
)]
mod worker;

pub(crate) use run_queue::Waiting;
pub(crate) use threads::Threads;
pub(crate) use woken::Pointed;
pub(crate) use worker::Worker;

use crate::simulation::Stage;

/// Who runs the actors of a system.
#[allow(
    clippy::large_enum_variant,
    reason = "one for each system, and a box would be a step more at each wake"
)]
pub(crate) enum Scheduler {
    Threads(Threads),
    Simulated(Stage),
}
