//! What workers queue and sleep on, for runnable things of any type: the LIFO slot, run queues, and
//! the threads asleep. The protocols are in the README of `sched`.

mod idle_workers;
#[allow(
    unsafe_code,
    reason = "the slot holds its actor as a pointer, in one atomic word"
)]
mod lifo_slot;
mod offer_delay;
mod run_queue;
mod sleep;
pub(crate) use idle_workers::IdleWorkers;
pub(crate) use lifo_slot::{LifoSlot, Pointed};
pub(crate) use offer_delay::{OFFER_DELAY_MIN_NS, OfferDelay};
pub(crate) use run_queue::{QueueEntry, RunQueue};
pub(crate) use sleep::{CondvarParker, Park, Withdrawn};
