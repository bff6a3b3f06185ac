//! [`SnapshotAttempt`]: one snapshot of a schedule, and how it went.

use crate::snapshot::error::SnapshotError;
use crate::snapshot::take::SnapshotReport;
use std::fmt;

/// What asks for a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SnapshotTrigger {
    /// The time of [`Snapshots::every`](crate::Snapshots::every) had passed.
    Time,
    /// The number of [`Snapshots::every_messages`](crate::Snapshots::every_messages) was reached.
    Messages,
    /// The program called [`SnapshotSchedule::request`](crate::SnapshotSchedule::request).
    Request,
}

/// The requests for snapshots of a schedule, and what became of them. A request that has not ended
/// is in `requested` alone.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct SnapshotCounts {
    /// Number of requests, whatever asked.
    pub requested: u64,
    /// Number of requests that another one's snapshot fulfilled, or failed: it had not begun its
    /// cut line when they came.
    pub joined: u64,
    /// Number of snapshots that exist.
    pub taken: u64,
    /// Number of snapshots that failed.
    pub failed: u64,
}

/// One snapshot of a schedule, and how it went.
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotAttempt {
    /// What asked for it first.
    pub trigger: SnapshotTrigger,
    /// Number of further requests that it stands for.
    pub joined: u64,
    /// What the snapshot has, or why there is none.
    pub outcome: Result<SnapshotReport, SnapshotError>,
    /// The counts of the schedule, with this snapshot.
    pub counts: SnapshotCounts,
}

/// One line for people.
impl fmt::Display for SnapshotAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(report) => write!(f, "{report}")?,
            Err(error) => write!(f, "no snapshot: {error}")?,
        }
        match self.joined {
            0 => Ok(()),
            joined => write!(f, "; for {} requests", joined + 1),
        }
    }
}

impl fmt::Display for SnapshotCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} snapshots requested, {} joined another, {} taken, {} failed",
            self.requested, self.joined, self.taken, self.failed
        )
    }
}
