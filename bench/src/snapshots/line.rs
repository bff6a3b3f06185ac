//! One program, measured.

use serde::Serialize;
use std::fmt;
use vivant::{SnapshotError, SnapshotReport};

pub(super) type Outcome = Result<SnapshotReport, SnapshotError>;

/// One program, measured.
#[derive(Debug, Default, Serialize)]
pub(super) struct Line {
    pub(super) program: &'static str,
    /// Seconds of an iteration in a run without snapshots and in one with, the medians of runs.
    pub(super) without_s: f64,
    pub(super) with_s: f64,
    /// The median of the ratios of pairs.
    pub(super) ratio: f64,
    pub(super) requested: u64,
    pub(super) completed: u64,
    /// Of all records, the median.
    pub(super) bytes: u64,
    pub(super) stored_bytes: u64,
    /// Seconds from the request until the snapshot is on disk, the median.
    pub(super) complete_s: f64,
    /// Why the first of the snapshots failed that did.
    pub(super) failure: Option<String>,
}

impl Line {
    pub(super) const HEAD: &str = "program                without        with   ratio  requested \
                                   completed        bytes      stored   complete";

    pub(super) fn of(program: &'static str, pairs: &[[f64; 2]], outcomes: &[Outcome]) -> Line {
        let side = |side: usize| median(pairs.iter().map(|pair| pair[side]));
        let completed: Vec<_> = outcomes.iter().flatten().collect();
        let of = |value: fn(&SnapshotReport) -> f64| median(completed.iter().map(|it| value(it)));
        let failure = outcomes.iter().find_map(|it| it.as_ref().err());
        Line {
            program,
            without_s: side(0),
            with_s: side(1),
            ratio: median(pairs.iter().map(|[without, with]| with / without)),
            requested: outcomes.len() as u64,
            completed: completed.len() as u64,
            bytes: of(|it| it.bytes as f64) as u64,
            stored_bytes: of(|it| it.stored_bytes as f64) as u64,
            complete_s: of(|it| it.took.as_secs_f64()),
            failure: failure.map(ToString::to_string),
        }
    }

    /// Whether each run with a snapshot has one.
    pub(super) fn is_complete(&self) -> bool {
        self.requested > 0 && self.completed == self.requested
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<20}{:>8.2} ms{:>9.2} ms{:>8.3}{:>11}{:>10}{:>12}{:>12}{:>8.2} ms",
            self.program,
            self.without_s * 1e3,
            self.with_s * 1e3,
            self.ratio,
            self.requested,
            self.completed,
            self.bytes,
            self.stored_bytes,
            self.complete_s * 1e3
        )?;
        match &self.failure {
            Some(failure) => write!(f, "  a snapshot failed: {failure}"),
            None => Ok(()),
        }
    }
}

/// The middle value; 0 if there is none.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        len => f64::midpoint(values[(len - 1) / 2], values[len / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canary_a_slower_run_with_a_snapshot_is_shown() {
        let failed = [Err(SnapshotError::ShutDown)];
        let line = Line::of("a", &[[1.0, 1.5], [2.0, 2.2], [1.0, 3.0]], &failed);
        assert_eq!((line.without_s, line.with_s, line.ratio), (1.0, 2.2, 1.5));
        assert_eq!((line.requested, line.completed), (1, 0));
        assert_eq!(line.failure.as_deref(), Some("the system is shut down"));
    }
}
