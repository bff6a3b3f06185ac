//! Statistics of workers.

use std::time::Duration;

/// Statistics of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerFacts {
    /// Number of messages that it has taken up. A message that waits behind others for their common
    /// guard is not counted before the guard opens.
    pub turns: u64,
    /// Time since the system began that it was awake: in turns, or looking for work. Its growth
    /// between two snapshots, divided by that of [`Inspection::now`](crate::Inspection::now), is
    /// the worker's utilisation.
    pub busy: Duration,
}
