//! [`Pauses`]: what the thread that takes a snapshot does while it waits for others.

use super::error::{RunningTurn, SnapshotError, WaitedFor};
use crate::actor::{LastStates, Shared};
use crate::interned::Name;
use crate::sched::Threads;
use crate::services::ns;
use crate::sync::{Arc, yield_now};
use std::cmp::Reverse;
use std::thread;
use std::time::Duration;

/// The number of pauses that only yield.
const YIELDS: u32 = 20;

const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

/// The number of pauses without a step of a simulation: of about ten seconds.
const IN_SIMULATION_MAX: u32 = 10_000;

/// The pauses of one snapshot, up to its deadline. In a simulation the program runs in them.
pub(super) struct Pauses<'s> {
    system: &'s Arc<Shared>,
    limit: Duration,
    deadline_ns: u64,
    waits_for: WaitedFor,
    /// Pauses since something was done.
    count: u32,
}

impl<'s> Pauses<'s> {
    pub(super) fn new(system: &'s Arc<Shared>, limit: Duration) -> Pauses<'s> {
        let deadline_ns = system.oracle.now_ns().saturating_add(ns(limit));
        Pauses {
            system,
            limit,
            deadline_ns,
            waits_for: WaitedFor::OtherSnapshot,
            count: 0,
        }
    }

    /// What is waited for from here on, which an error at the deadline says. The first pauses are
    /// short again.
    pub(super) fn waits_for(&mut self, what: WaitedFor) {
        self.waits_for = what;
        self.count = 0;
    }

    /// As `waits_for`, for what comes in pieces. The limit is that of one piece.
    pub(super) fn waits_for_more(&mut self, what: WaitedFor, pieces: usize) {
        self.waits_for = what;
        if pieces != 0 {
            self.count = 0;
            self.deadline_ns = self.system.oracle.now_ns().saturating_add(ns(self.limit));
        }
    }

    /// There was something to do. A worker without a processor gets that of this thread. In a
    /// simulation the seed chooses whether the program takes a step before the next thing is done.
    pub(super) fn none(&mut self) -> Result<(), SnapshotError> {
        self.count = 0;
        self.check()?;
        if let Some(chance) = self.system.oracle.simulation()
            && chance.choose(2) == 0
        {
            // No time passes.
            let now_ns = self.system.oracle.now_ns();
            let _ran = self.system.scheduler.step(self.system, now_ns);
        }
        yield_now();
        Ok(())
    }

    /// Waits until others may have done something.
    pub(super) fn pause(&mut self) -> Result<(), SnapshotError> {
        self.check()?;
        self.count = self.count.saturating_add(1);
        if self.system.stage().is_some() {
            let until_ns = match self.count > IN_SIMULATION_MAX {
                false => self.system.oracle.now_ns(),
                // The cut can wait for time alone.
                true => self.deadline_ns,
            };
            if self.system.scheduler.step(self.system, until_ns) {
                self.count = 0;
                return Ok(());
            }
            // What is left to wait for is a thread of another system that sends, in real time.
            if self.count > IN_SIMULATION_MAX {
                return Err(self.too_late());
            }
        }
        match self.count.checked_sub(YIELDS) {
            None => yield_now(),
            Some(waited) => {
                let pause = (SHORTEST * (1 << waited.min(10))).min(LONGEST);
                vivant_brc::detached(|| thread::park_timeout(pause));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), SnapshotError> {
        if self.system.is_closing() {
            return Err(SnapshotError::ShutDown);
        }
        match self.system.oracle.now_ns() >= self.deadline_ns {
            true => Err(self.too_late()),
            false => Ok(()),
        }
    }

    #[cold]
    fn too_late(&self) -> SnapshotError {
        SnapshotError::Deadline {
            limit: self.limit,
            waited_for: self.waits_for,
            turns: running_turns(self.system),
        }
    }
}

/// The turns that run now, the longest first.
fn running_turns(system: &Shared) -> Vec<RunningTurn> {
    let times = Threads::of(system).map(|threads| threads.running(system.oracle.coarse_ms()));
    let actors = system.actors().into_iter();
    let turns = actors.filter_map(|cell| {
        let behaviour = cell.facts.current()?.name;
        let time = times.as_ref().and_then(|times| times.get(&cell.id));
        Some(RunningTurn {
            actor: cell.path(),
            behaviour,
            running_for: time.copied().map(Duration::from_millis),
        })
    });
    let loading = LastStates::of(system).loading().into_iter();
    let loading = loading.map(|actor| RunningTurn {
        actor,
        behaviour: Name::new("the restore of the last state"),
        running_for: None,
    });
    let mut turns: Vec<_> = turns.chain(loading).collect();
    turns.sort_by_key(|turn| Reverse(turn.running_for));
    turns
}
