//! [`Snapshots`] and [`SnapshotSchedule`]: a schedule as a program builds and has it.

use super::attempt::{SnapshotAttempt, SnapshotCounts};
use super::scheduled::Scheduled;
use super::simulated;
use super::triggers::Every;
use crate::actor::{Shared, Worker};
use crate::services::ns;
use crate::snapshot::error::SnapshotError;
use crate::sync::Arc;
use std::num::NonZeroU64;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fmt, panic};
use vivant_journal::Journal;

/// Builds a schedule of snapshots: [`System::snapshots`](crate::System::snapshots).
#[must_use = "no snapshot is taken before `start`"]
pub struct Snapshots {
    system: Arc<Shared>,
    journal: Arc<Journal>,
    every: Every,
    limit: Duration,
}

/// A schedule that takes snapshots. Dropping it ends it, without waiting: a snapshot that is being
/// taken is completed.
#[must_use = "dropping it ends the schedule"]
pub struct SnapshotSchedule {
    scheduled: Arc<Scheduled>,
    /// `None` in a simulation, and once it was waited for.
    thread: Option<JoinHandle<()>>,
}

impl Snapshots {
    pub(crate) fn new(system: &Arc<Shared>, journal: Arc<Journal>, limit: Duration) -> Snapshots {
        Snapshots {
            system: system.clone(),
            journal,
            every: Every::default(),
            limit,
        }
    }

    /// Takes a snapshot each time this has passed on the clock of the system, since the schedule
    /// began. If it passes twice before a snapshot begins, there is one snapshot for both.
    ///
    /// # Panics
    ///
    /// If it is zero.
    pub fn every(mut self, period: Duration) -> Snapshots {
        let period = NonZeroU64::new(ns(period)).expect("the time between two snapshots is zero");
        self.every.period = Some(period);
        self
    }

    /// Takes a snapshot each time the workers have processed this number of messages. The number is
    /// read every 10 ms, from statistics that exist anyway: a message costs no more than without.
    /// Messages of actors that block, and of actors with long turns on threads of their own, are
    /// not counted.
    ///
    /// # Panics
    ///
    /// If it is zero.
    pub fn every_messages(mut self, messages: u64) -> Snapshots {
        let messages = NonZeroU64::new(messages).expect("the messages between two snapshots are 0");
        self.every.messages = Some(messages);
        self
    }

    /// Limit of the time of each snapshot until its cut is complete; ten seconds by default.
    pub fn within(mut self, limit: Duration) -> Snapshots {
        self.limit = limit;
        self
    }

    /// Begins, on a thread of its own. `report` is called there after each snapshot, also after one
    /// that has failed; the next one waits until it returns. The schedule ends when the value that
    /// this returns is dropped, and with the system. If `report` panics, it ends too, and
    /// [`SnapshotSchedule::end`] panics.
    ///
    /// In a simulation there is no thread: a snapshot that is due is taken between two steps of
    /// [`Simulation::run`](crate::simulation::Simulation::run) and its like, so the seed decides
    /// when. In [`run_for`](crate::simulation::Simulation::run_for) it is taken when its time
    /// comes, otherwise at the first event behind that time.
    ///
    /// # Errors
    ///
    /// The operating system gives no thread.
    pub fn start(
        self,
        report: impl FnMut(&SnapshotAttempt) + Send + 'static,
    ) -> Result<SnapshotSchedule, SnapshotError> {
        let settings = (self.every, self.limit);
        let scheduled = Scheduled::new(&self.system, self.journal, settings, report);
        let scheduled = Arc::new(scheduled);
        if self.system.stage().is_some() {
            simulated::add(&self.system, &scheduled);
            return Ok(SnapshotSchedule {
                scheduled,
                thread: None,
            });
        }
        let taker = scheduled.clone();
        let name = format!("{}-snapshots", self.system.config.name);
        let thread = thread::Builder::new().name(name);
        let thread = thread.spawn(move || taker.run());
        Ok(SnapshotSchedule {
            scheduled,
            thread: Some(thread.map_err(SnapshotError::NoThread)?),
        })
    }
}

impl SnapshotSchedule {
    /// Asks for a snapshot, and does not wait for it. What has happened before is in it. The
    /// request joins the snapshot that is being taken if that has not begun its cut line; otherwise
    /// it waits for the next, together with other requests. In a simulation it waits for the next
    /// step.
    pub fn request(&self) {
        self.scheduled.request();
    }

    /// The requests until now, and what became of them.
    pub fn counts(&self) -> SnapshotCounts {
        self.scheduled.counts()
    }

    /// Ends the schedule, when the snapshots that are requested now have been taken or have failed.
    /// For a last snapshot, call [`request`](SnapshotSchedule::request) before.
    ///
    /// # Panics
    ///
    /// If the function that gets the reports has panicked. Within a turn of the system, because a
    /// snapshot would wait for it.
    pub fn end(mut self) -> SnapshotCounts {
        if let Some(inside) = Worker::inside() {
            panic!(
                "a schedule of snapshots was ended in {} of {}, and a snapshot would wait for this turn; drop the \
                 schedule, or end it on a thread outside",
                inside.behaviour, inside.actor
            );
        }
        self.scheduled.end();
        match self.thread.take() {
            Some(thread) => {
                let ended = vivant_brc::detached(|| thread.join());
                ended.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
            }
            None => self.scheduled.take_due(),
        }
        self.counts()
    }
}

impl Drop for SnapshotSchedule {
    fn drop(&mut self) {
        self.scheduled.end();
    }
}

impl fmt::Debug for Snapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshots({:?}, within {:?})", self.every, self.limit)
    }
}

impl fmt::Debug for SnapshotSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SnapshotSchedule({})", self.counts())
    }
}
