//! Snapshots that are taken while a bench is timed.

use crate::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use vivant::System;
use vivant::journal::{DirectoryStore, Journal, Settings};

/// How many, one after the other, from the beginning of the window on.
pub(super) const SNAPSHOTS: Param = Param::count(
    "snapshots",
    0,
    0,
    "snapshots that are taken while it is timed",
)
.at_least(0);

/// What the snapshots of a window were.
#[derive(Default)]
pub(super) struct Taken {
    taken: u64,
    seconds: f64,
    bytes: u64,
}

impl Taken {
    pub(super) fn add_to(&self, figures: &mut Figures) {
        figures.add("snapshots_taken", self.taken);
        figures.add("snapshots_s", self.seconds);
        figures.add("snapshots_mib", self.bytes as f64 / f64::from(1 << 20));
    }
}

/// Runs `timed`, and takes up to `count` snapshots of the system meanwhile: by another thread, into
/// a folder of the system for temporary files.
pub(super) fn while_taking<T>(
    count: u64,
    system: &System,
    timed: impl FnOnce() -> Result<T, Failure>,
) -> Result<(T, Taken), Failure> {
    if count == 0 {
        return Ok((timed()?, Taken::default()));
    }
    let folder = tempfile::tempdir()?;
    let journal = Journal::open(DirectoryStore::new(folder.path()), Settings::default())?;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let taking = scope.spawn(|| {
            let mut taken = Taken::default();
            let limit = Duration::from_secs(60);
            while taken.taken < count && !is_over.load(Ordering::Relaxed) {
                let report = system.snapshot_within(&journal, limit)?;
                taken.taken += 1;
                taken.seconds += report.took.as_secs_f64();
                taken.bytes += report.stored_bytes;
            }
            Ok::<Taken, vivant::SnapshotError>(taken)
        });
        let timed = timed();
        is_over.store(true, Ordering::Relaxed);
        let taken = taking.join().expect("it does not panic");
        Ok((timed?, taken?))
    })
}
