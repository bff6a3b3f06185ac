//! [`Scheduled`]: takes the snapshots of one schedule, one after the other.

use super::attempt::{SnapshotAttempt, SnapshotCounts, SnapshotTrigger};
use super::requests::{Next, Requests, Taken};
use super::triggers::{Every, Now, Triggers};
use crate::actor::{Scope, Shared};
use crate::sched::Threads;
use crate::services::Stage;
use crate::snapshot::take::take;
use crate::sync::{Arc, Mutex, lock};
use std::time::Duration;
use vivant_journal::Journal;

/// After this time, at the latest, the thread notices that its system is shut down.
const WAIT_MAX: Duration = Duration::from_secs(1);

type Report = Box<dyn FnMut(&SnapshotAttempt) + Send>;

/// What takes the snapshots of one schedule.
pub(super) struct Scheduled {
    system: Arc<Shared>,
    journal: Arc<Journal>,
    limit: Duration,
    triggers: Mutex<Triggers>,
    requests: Requests,
    /// Called by the taker alone.
    report: Mutex<Report>,
}

impl Scheduled {
    pub(super) fn new(
        system: &Arc<Shared>,
        journal: Arc<Journal>,
        (every, limit): (Every, Duration),
        report: impl FnMut(&SnapshotAttempt) + Send + 'static,
    ) -> Scheduled {
        Scheduled {
            system: system.clone(),
            journal,
            limit,
            triggers: Mutex::new(Triggers::new(every, now(system))),
            requests: Requests::default(),
            report: Mutex::new(Box::new(report)),
        }
    }

    pub(super) fn request(&self) {
        self.requests.request(SnapshotTrigger::Request);
    }

    pub(super) fn end(&self) {
        self.requests.end();
    }

    pub(super) fn counts(&self) -> SnapshotCounts {
        self.requests.counts()
    }

    /// What is due is requested.
    fn look(&self) {
        let due = lock(&self.triggers).due(now(&self.system));
        due.for_each(|trigger| self.requests.request(trigger));
    }

    fn take(&self) {
        let mut join = || {
            self.look();
            self.requests.join();
        };
        let scope = Scope::System;
        let outcome = take(&self.system, &self.journal, self.limit, scope, &mut join);
        let taken = match outcome {
            Ok(_) => Taken::Yes,
            Err(_) => Taken::No,
        };
        if let Some(ended) = self.requests.ended(taken) {
            let attempt = SnapshotAttempt {
                trigger: ended.trigger,
                joined: ended.joined,
                outcome,
                counts: ended.counts,
            };
            lock(&self.report)(&attempt);
        }
    }

    pub(super) fn next_due_ns(&self) -> u64 {
        lock(&self.triggers).next_ns()
    }

    /// The thread of the schedule. It ends with the schedule or the system.
    pub(super) fn run(&self) {
        loop {
            self.look();
            let now_ns = self.system.oracle.now_ns();
            let wait = lock(&self.triggers).wait(now_ns).min(WAIT_MAX);
            match self.requests.wait(wait) {
                Next::Take => self.take(),
                Next::Look => {}
                Next::End => return,
            }
            if self.system.is_closing() {
                return;
            }
        }
    }

    /// Takes the snapshots that are due or requested, on this thread.
    pub(super) fn take_due(&self) {
        self.look();
        while self.requests.next() == Next::Take {
            self.take();
        }
    }
}

/// In a simulation all turns are counted; else those of workers.
fn now(system: &Shared) -> Now {
    let messages = match Threads::of(system) {
        Some(threads) => threads.turns(),
        None => system.stage().map_or(0, Stage::turns),
    };
    Now {
        ns: system.oracle.now_ns(),
        messages,
    }
}
