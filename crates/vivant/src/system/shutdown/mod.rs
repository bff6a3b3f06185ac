//! Shutdown: every actor is signalled, every message accounted for, every thread stopped.
//!
//! 0. If the queues are to be processed: the shutdown waits until they are empty.
//! 1. The supervision trees end in their order, the last root first, as far as the limit allows.
//!    If the queues are to be processed, so are the messages of their stop hooks.
//! 2. The system closes: actors made from now on end before their first message; timers and keeps
//!    are dropped. Futures of stop hooks still begin.
//! 3. Every living actor is recorded with the reason, and signalled. Ending actors may make or wake
//!    others, which end in the same way; so this is repeated until none is left or the limit has
//!    passed. Then actors end without the promises of their stop hooks, and so do the futures.
//! 4. The threads leave when they find nothing to run. A thread that makes an actor runnable later
//!    runs its end itself.
//! 5. Objects of ended actors that are still referenced stay (O9): from now on, the thread that
//!    releases them frees them.

mod queues;
mod report;

use super::inspect::ActorFacts;
use crate::actor::{CellRef, Shared, Signals, Worker};
use crate::api::Address;
use crate::api::block_on;
use crate::cycles::Detector;
use crate::edge::OpenFutures;
use crate::gc_state::DetachedHeaps;
use crate::interned::Name;
use crate::sched::Threads;
use crate::services::ns;
use crate::supervision::{Supervisor, Trees};
use crate::sync::Arc;
use report::Queues;
pub use report::{RemainingActor, Shutdown, ShutdownReport};
use std::thread;
use std::time::Duration;

/// How often step 3 tests whether all actors have ended.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// The limit of the ends of actors, if none is set.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// The longest time that is left for the ends of actors when the queues have taken the limit.
const LEFT_FOR_ENDS_MAX: Duration = Duration::from_secs(1);

/// Time for idle threads to leave, after the limit.
const THREADS_LEAVE: Duration = Duration::from_millis(100);

/// Time for the actors that wait for their stop hooks to end without them, after the limit.
const AFTER_LIMIT: Duration = Duration::from_millis(10);

pub(super) fn shutdown(system: &Arc<Shared>, how: Shutdown) -> ShutdownReport {
    assert_outside(system);
    let (unprocessed_before, ends) = (system.dead_letters.sent(), Ends::of(system, how));
    let before = ends.begin(system);
    let (remaining, deadline_ns) = (before.iter().map(remaining).collect(), ends.deadline_ns);
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
        threads_left_behind = threads.close(system, remaining.max(THREADS_LEAVE));
    }
    system
        .timers
        .close(system, |caught| system.timer_panicked(caught));
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
        reports.unused_collector(Name::new(place), name.to_owned(), marking);
    }
    let dead_letters = &system.dead_letters;
    let still_exists = |cell: &&CellRef| system.actor(cell.id, cell.place()).is_some();
    let still_running = before
        .iter()
        .filter(still_exists)
        .map(self::remaining)
        .collect();
    ShutdownReport {
        remaining,
        still_running,
        threads_left_behind,
        unprocessed: dead_letters.sent().saturating_sub(unprocessed_before),
        dead_letters: dead_letters.sum_of_letters(),
    }
}

pub(super) fn assert_outside(system: &Shared) {
    assert!(
        !Worker::inside_turn_of(system),
        "shutdown was called within a turn of the system that it shuts down, and would wait for itself"
    );
}

/// When the steps of a shutdown end.
struct Ends {
    queues: Queues,
    /// The end of the wait for empty queues.
    queues_ns: u64,
    deadline_ns: u64,
}

impl Ends {
    fn of(system: &Shared, how: Shutdown) -> Ends {
        let now_ns = system.oracle.now_ns();
        let after = |time: Duration| now_ns.saturating_add(ns(time));
        let (queues_ns, deadline_ns) = match (how.queues, how.limit) {
            (Queues::Refused, limit) => (now_ns, after(limit.unwrap_or(ENDS_WITHIN))),
            (Queues::Processed, None) => (u64::MAX, u64::MAX),
            (Queues::Processed, Some(limit)) => {
                let left = (limit / 10).min(LEFT_FOR_ENDS_MAX);
                (after(limit - left), after(limit))
            }
        };
        Ends {
            queues: how.queues,
            queues_ns,
            deadline_ns,
        }
    }

    /// Ends what ends in order. Returns the actors that are left.
    fn begin(&self, system: &Arc<Shared>) -> Vec<CellRef> {
        self.wait_for_queues(system);
        let left = system.actors();
        if system.oracle.now_ns() < self.deadline_ns {
            end_trees(system, self.deadline_ns);
        }
        self.wait_for_queues(system);
        left
    }

    fn wait_for_queues(&self, system: &Arc<Shared>) {
        if self.queues == Queues::Processed {
            queues::wait_until_empty(system, self.queues_ns);
        }
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
    signal_all(system, Signals::SHUTDOWN);
    wait_for_ends(system, deadline_ns);
    if system.registry.len() > 0 {
        OpenFutures::of(system).abort();
        signal_all(system, Signals::SHUTDOWN.and(Signals::ABORT));
        let until_ns = system.oracle.now_ns().saturating_add(ns(AFTER_LIMIT));
        wait_for_ends(system, until_ns);
    }
}

/// Signals the actors to end, but for the futures of stop hooks. An actor that is made later
/// signals itself.
fn signal_all(system: &Arc<Shared>, signals: Signals) {
    let futures = OpenFutures::of(system);
    for cell in &system.actors() {
        if !futures.is_of_stop_hook(cell.id) {
            cell.signal(signals);
        }
    }
}

fn wait_for_ends(system: &Arc<Shared>, deadline_ns: u64) {
    let driven = system.stage().is_some();
    while system.registry.len() > 0 {
        if driven {
            let ran = system.scheduler.run_ready(system) > 0;
            // What does not run, and waits for no time, waits for a run below this call.
            if !ran && !system.scheduler.step(system, deadline_ns) {
                return;
            }
        } else if system.oracle.now_ns() >= deadline_ns {
            return;
        } else {
            vivant_brc::detached(|| thread::park_timeout(POLL_INTERVAL));
        }
    }
}

fn remaining(cell: &CellRef) -> RemainingActor {
    ActorFacts::of(cell).into_remaining()
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
            shutdown(system, Shutdown::now().within(Duration::ZERO));
        }
        return;
    }
    let shared = system.clone();
    let closing = move || drop(shutdown(&shared, Shutdown::now()));
    // A thread, because the last handle may be dropped anywhere, also in a turn of this system.
    if thread::Builder::new()
        .name(format!("{}-shutdown", system.config.name))
        .spawn(closing)
        .is_err()
    {
        system.begin_closing();
    }
}
