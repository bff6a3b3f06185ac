//! [`Scheduler`]: what runs the actors of a system. There are two, threads and a simulation.

use super::runnable::Runnable;
use super::shared::Shared;
use crate::sync::Arc;
use std::any::Any;

pub(crate) trait Scheduler: Any + Send + Sync {
    /// Queues an actor that was woken, if no worker keeps it for itself.
    fn schedule(&self, actor: Runnable, system: &Arc<Shared>);

    /// A timer became the next one.
    fn timer_is_nearer(&self, at_ns: u64);

    /// An actor with a heap begins.
    fn heap_begins(&self, system: &Arc<Shared>);

    /// Takes one step on this thread, and time passes until `until_ns` at most. False: nothing is
    /// left to do, as always with threads, which take their steps by themselves.
    fn step(&self, system: &Arc<Shared>, until_ns: u64) -> bool;

    /// Runs all runnable actors on this thread, without time passing and regardless of delays by
    /// faults: for shutdown. Returns the number of steps.
    fn run_ready(&self, system: &Arc<Shared>) -> u64;
}
