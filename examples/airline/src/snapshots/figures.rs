//! The snapshots of a run, for its report.

use super::Attempt;
use example_load::{Latency, readable};
use serde_json::{Value, json};
use std::fmt;

/// Number of failures that are kept in words.
const FAILURES_KEPT_MAX: usize = 10;

/// The snapshots of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Those that exist, by the time from the beginning of each until it was on disk.
    pub completed: Latency,
    /// Number of those that failed.
    pub failed: u64,
    /// The first failures, in words.
    pub failures: Vec<String>,
    /// Number of bytes of all records, in the largest snapshot.
    pub bytes_max: u64,
    /// Number of bytes in the folder, of the snapshot that takes most.
    pub stored_bytes_max: u64,
}

impl Figures {
    /// Counts a snapshot.
    pub fn count(&mut self, attempt: &Attempt) {
        match &attempt.outcome {
            Ok(report) => {
                self.completed.record(report.took);
                self.bytes_max = self.bytes_max.max(report.bytes);
                self.stored_bytes_max = self.stored_bytes_max.max(report.stored_bytes);
            }
            Err(_) => {
                self.failed += 1;
                if self.failures.len() < FAILURES_KEPT_MAX {
                    self.failures.push(attempt.to_string());
                }
            }
        }
    }

    /// The number of snapshots that were requested. Each of them has ended.
    pub fn requested(&self) -> u64 {
        self.completed.count() + self.failed
    }

    /// The failures, as sentences.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = self.failures.clone();
        let more = self.failed - self.failures.len() as u64;
        if more > 0 {
            complaints.push(format!("{more} more snapshots failed"));
        }
        complaints
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let took = self.completed.summary();
        json!({
            "requested": self.requested(),
            "completed": took.count,
            "failed": self.failed,
            "failures": self.failures,
            "p50_us": took.p50_ns / 1000,
            "max_us": took.max_ns / 1000,
            "bytes_max": self.bytes_max,
            "stored_bytes_max": self.stored_bytes_max,
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let took = self.completed.summary();
        write!(
            f,
            "snapshots: {} requested, {} completed, {} failed; p50 {}, max {}; at most {} bytes, {} in the folder",
            self.requested(),
            took.count,
            self.failed,
            readable(took.p50_ns),
            readable(took.max_ns),
            self.bytes_max,
            self.stored_bytes_max,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::SnapshotError;

    #[test]
    fn a_failed_snapshot_is_counted_and_says_why() {
        let mut figures = Figures::default();
        for number in 1..=12 {
            figures.count(&Attempt {
                answered: number * 50,
                outcome: Err(SnapshotError::ShutDown),
            });
        }
        assert_eq!((figures.requested(), figures.failed), (12, 12));
        let complaints = figures.complaints();
        let first = "no snapshot: the system is shut down; requested after 50 requests";
        assert_eq!(complaints[0], first);
        assert_eq!(complaints.last().unwrap(), "2 more snapshots failed");
        assert_eq!(figures.json()["failed"], 12);
    }
}
