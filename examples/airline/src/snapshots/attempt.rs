//! One snapshot that was requested.

use std::fmt;
use vivant::{SnapshotError, SnapshotReport};

/// A snapshot that was requested, and how it went.
#[derive(Debug)]
pub struct Attempt {
    /// The number of requests that had been answered since the process began.
    pub answered: u64,
    /// What the snapshot has, or why there is none.
    pub outcome: Result<SnapshotReport, SnapshotError>,
}

/// One line for people. Programs find the number of the image behind the first word, and the number
/// of requests in front of the last.
impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(report) => write!(f, "{report}")?,
            Err(error) => write!(f, "no snapshot: {error}")?,
        }
        write!(f, "; requested after {} requests", self.answered)
    }
}
