//! Shutdown: every actor is signalled, every message accounted for, every thread stopped.
//!
//! 0. The supervision trees end in their order, the last root first, as far as the limit allows.
//! 1. The system closes: actors made from now on end before their first message; timers and keeps
//!    are dropped.
//! 2. Every living actor is recorded with the reason, and signalled. Ending actors may make or wake
//!    others, which end in the same way; so this is repeated until none is left or the limit has
//!    passed.
//! 3. The threads leave when they find nothing to run. A thread that makes an actor runnable later
//!    runs its end itself.
//! 4. Objects of ended actors that are still referenced stay (O9): from now on, the thread that
//!    releases them frees them.

use super::inspect::{ActorFacts, AliveBecause};
use crate::actor::{CellRef, Shared, Signals, Worker};
use crate::api::Address;
use crate::api::block_on;
use crate::cycles::Detector;
use crate::gc_state::DetachedHeaps;
use crate::sched::Threads;
use crate::supervision::{Supervisor, Trees};
use crate::sync::Arc;
use std::time::Duration;
use std::{fmt, thread};

/// How often step 2 tests whether all actors have ended.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// The result of a shutdown.
#[derive(Clone, Debug)]
pub struct ShutdownReport {
    /// The actors that were alive when it began, in the order of their creation, and why.
    pub alive: Vec<Survivor>,
    /// Those of them that did not end within the limit: their turns are still running.
    pub stuck: Vec<Survivor>,
    /// Number of threads that had not ended within the limit; each ends when the call that blocks
    /// it returns.
    pub threads_left_behind: usize,
    /// Number of messages that were not processed, in the whole life of the system.
    pub dead_letters: u64,
}

/// An actor that was alive at shutdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// Its path.
    pub actor: String,
    /// Why it was alive.
    pub because: AliveBecause,
}

impl ShutdownReport {
    /// Whether every actor ended and every thread left within the limit.
    pub fn is_complete(&self) -> bool {
        self.stuck.is_empty() && self.threads_left_behind == 0
    }
}

impl fmt::Display for ShutdownReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} actors were alive, {} are stuck",
            self.alive.len(),
            self.stuck.len()
        )?;
        for survivor in &self.stuck {
            write!(f, "\n{} is stuck: {}", survivor.actor, survivor.because)?;
        }
        Ok(())
    }
}

pub(super) fn shutdown(system: &Arc<Shared>, limit: Duration) -> ShutdownReport {
    assert!(
        !Worker::inside_turn_of(system),
        "shutdown was called within a turn of the system that it shuts down, and would wait for itself"
    );
    let before = system.actors();
    let alive = before.iter().map(survivor).collect();
    let deadline_ns = system
        .oracle
        .now_ns()
        .saturating_add(crate::services::ns(limit));
    if limit > Duration::ZERO {
        end_trees(system, deadline_ns);
    }
    system.begin_closing();
    system
        .timers
        .drop_messages(|caught| system.timer_panicked(caught));
    system.forget_kept();
    Detector::of(system).close(system);
    system.dead_letters.close_subscriptions();
    end_all_actors(system, deadline_ns);
    let mut threads_left_behind = 0;
    if let Some(threads) = Threads::of(system) {
        let remaining = Duration::from_nanos(deadline_ns.saturating_sub(system.oracle.now_ns()));
        threads_left_behind = threads.close(system, remaining);
    }
    system.timers.close(|caught| system.timer_panicked(caught));
    DetachedHeaps::close(system);
    let leaked = match threads_left_behind {
        0 => DetachedHeaps::leaked_objects(system),
        // One of them may run a group mark.
        _ => 0,
    };
    if leaked != 0 {
        system.reports.leaked(leaked);
    }
    for (place, name, marking) in system.config.collectors.unused() {
        let reports = &system.reports;
        reports.unused_collector(place, name.to_owned(), marking);
    }
    let dead_letters = system.dead_letters.total();
    let still_exists = |cell: &&CellRef| system.actor(cell.id, cell.place()).is_some();
    let stuck = before.iter().filter(still_exists).map(survivor).collect();
    ShutdownReport {
        alive,
        stuck,
        threads_left_behind,
        dead_letters,
    }
}

fn end_trees(system: &Arc<Shared>, deadline_ns: u64) {
    let trees = Trees::of(system);
    let Some(newest) = trees.newest() else {
        return;
    };
    // Trees made meanwhile end together with all other actors: each could leave another.
    while let Some(root) = trees.last(newest) {
        let root: Address<Supervisor> = Address::to_actor(root);
        let remaining_ns = deadline_ns.saturating_sub(system.oracle.now_ns());
        let ended = root
            .shut_down()
            .ask()
            .within(Duration::from_nanos(remaining_ns));
        // It ends in order, or is too slow and ends together with all other actors.
        let _ended = block_on(system, ended);
        trees.forget(Address::counted(&root).id);
    }
}

fn end_all_actors(system: &Arc<Shared>, deadline_ns: u64) {
    loop {
        let all = system.actors();
        if all.is_empty() {
            return;
        }
        for cell in &all {
            cell.signal(Signals::SHUTDOWN);
        }
        drop(all);
        if system.stage().is_some() {
            // Nothing in a simulation can block the loop: turns are finite, or the caller's thread
            // hangs in one.
            if system.scheduler.run_ready(system) == 0 {
                // Nothing runs any more: what is left waits for a run below this call.
                return;
            }
            continue;
        }
        while system.registry.len() > 0 {
            if system.oracle.now_ns() >= deadline_ns {
                return;
            }
            vivant_brc::detached(|| thread::park_timeout(POLL_INTERVAL));
        }
    }
}

fn survivor(cell: &CellRef) -> Survivor {
    ActorFacts::of(cell).into_survivor()
}

/// The last handle is dropped: signals all actors to end, without waiting for them.
pub(super) fn shut_down_in_background(system: &Arc<Shared>) {
    if system.is_closing() {
        return;
    }
    if system.stage().is_some() {
        // The driver's thread is this one: it runs the end itself, unless it is already within
        // a run.
        if !Worker::has_entered(system) {
            shutdown(system, Duration::ZERO);
        }
        return;
    }
    let shared = system.clone();
    let closing = move || drop(shutdown(&shared, Duration::from_secs(5)));
    // A thread, because the last handle may be dropped anywhere, also in a turn of this system.
    if thread::Builder::new()
        .name(format!("{}-shutdown", system.config.name))
        .spawn(closing)
        .is_err()
    {
        system.begin_closing();
    }
}
