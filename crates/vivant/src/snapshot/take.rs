//! Taking a snapshot: a cut, recorded and written while the program runs.

use super::census::{ActorsOfType, Census, SavedAs, SlowEncoding, sum};
use super::error::SnapshotError;
use super::file::{Header, ImageFile};
use super::pause::Pauses;
use super::recorder::{Completed, ImageRecorder};
use super::saved_program::SavedProgram;
use crate::actor::Shared;
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Outcome, Step};
use crate::sync::Arc;
use std::fmt;
use std::time::Duration;
use vivant_journal::{Journal, Published};

/// The number of cuts of one snapshot that may be void.
const TRIES_MAX: u32 = 3;

/// A snapshot that exists: [`System::snapshot`](crate::System::snapshot).
#[derive(Debug)]
#[non_exhaustive]
pub struct SnapshotReport {
    /// Number of the image in its store.
    pub number: u64,
    /// The actors by type, in the order of the names.
    pub types: Vec<ActorsOfType>,
    /// Number of messages that waited at the cut.
    pub messages: u64,
    /// Number of bytes of all records.
    pub bytes: u64,
    /// Number of bytes in the store.
    pub stored_bytes: u64,
    /// Time from the request until the snapshot existed.
    pub took: Duration,
    /// Number of cuts that were taken; all but the last were void.
    pub cuts: u32,
    /// Values that took over a millisecond to encode, at most 100 of them.
    pub slow: Vec<SlowEncoding>,
    /// Number of further such values.
    pub more_slow: usize,
    /// Why older images could not be removed. They are tried again after the next snapshot.
    pub not_removed: Option<vivant_journal::Error>,
}

/// A complete cut, written.
struct Written {
    file: ImageFile,
    completed: Completed,
    phase: u64,
}

/// Takes a snapshot on this thread, which is no worker of the system.
pub(crate) fn take(
    system: &Arc<Shared>,
    journal: &Journal,
    limit: Duration,
) -> Result<SnapshotReport, SnapshotError> {
    let began_ns = system.oracle.now_ns();
    let kinds = SavedProgram::of(system).ok_or(SnapshotError::NothingListed)?;
    let mut pauses = Pauses::new(system, limit);
    let (written, cuts) = write_whole_cut(system, &kinds, journal, &mut pauses)?;
    let Completed {
        system: record,
        shapes,
        kinds,
        shared,
        census,
        ..
    } = written.completed;
    let header = Header::new(
        system.config.name.clone(),
        written.phase,
        system.oracle.wall(),
        &record.types,
        census.messages,
    );
    let published = written
        .file
        .publish(&header, &record, shapes, &kinds, &shared)?;
    let took = Duration::from_nanos(system.oracle.now_ns().saturating_sub(began_ns));
    Ok(SnapshotReport::new(
        published,
        record.types,
        census,
        cuts,
        took,
    ))
}

/// Takes cuts until one is not void. Also returns their number.
fn write_whole_cut(
    system: &Arc<Shared>,
    kinds: &Arc<SavedKinds>,
    journal: &Journal,
    pauses: &mut Pauses<'_>,
) -> Result<(Written, u32), SnapshotError> {
    let mut coordinator = loop {
        match Coordinator::of(system) {
            Some(coordinator) => break coordinator,
            None => pauses.pause()?,
        }
    };
    for cuts in 1..=TRIES_MAX {
        let cut = write_cut(system, &mut coordinator, kinds, journal, pauses);
        let cut = cut.inspect_err(|_| coordinator.give_up(system))?;
        if let Some(written) = cut {
            return Ok((written, cuts));
        }
    }
    Err(SnapshotError::Void(TRIES_MAX))
}

/// Takes a cut and writes its records. `None`: it was void.
fn write_cut(
    system: &Arc<Shared>,
    coordinator: &mut Coordinator,
    kinds: &Arc<SavedKinds>,
    journal: &Journal,
    pauses: &mut Pauses<'_>,
) -> Result<Option<Written>, SnapshotError> {
    // L1: the one before was given up.
    while !coordinator.is_over() {
        match coordinator.step(system) {
            Step::Waits => pauses.pause()?,
            Step::More | Step::Complete(_) => pauses.none()?,
        }
    }
    let mut file = ImageFile::begin(journal)?;
    let recorder = Arc::new(ImageRecorder::new(kinds.clone())?);
    coordinator.begin(system, recorder.clone());
    loop {
        let step = coordinator.step(system);
        file.append(recorder.drain()?)?;
        match step {
            Step::Waits => pauses.pause()?,
            Step::More => pauses.none()?,
            Step::Complete(Outcome::Void) => return Ok(None),
            Step::Complete(Outcome::Consistent) => break,
        }
    }
    // The ends of actors at a shutdown are in no cut.
    if system.is_closing() {
        return Err(SnapshotError::ShutDown);
    }
    let mut completed = recorder.complete(system.numbers())?;
    file.append(std::mem::take(&mut completed.records))?;
    let phase = coordinator.phase();
    Ok(Some(Written {
        file,
        completed,
        phase,
    }))
}

impl SnapshotReport {
    fn new(
        published: Published,
        types: Vec<ActorsOfType>,
        census: Census,
        cuts: u32,
        took: Duration,
    ) -> SnapshotReport {
        let summary = published.summary;
        SnapshotReport {
            number: summary.number,
            types,
            messages: census.messages,
            bytes: summary.value_bytes,
            stored_bytes: summary.stored_bytes,
            took,
            cuts,
            slow: census.slow,
            more_slow: census.more_slow,
            not_removed: published.not_removed,
        }
    }

    /// The number of actors of which the snapshot has this.
    pub fn actors(&self, saved_as: SavedAs) -> u64 {
        sum(&self.types, saved_as)
    }
}

/// One line for people.
impl fmt::Display for SnapshotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "snapshot {}: {} actors saved, {} to start again, {} not saved; {} messages; {} bytes, {} in the store; \
             took {:?}",
            self.number,
            self.actors(SavedAs::State),
            self.actors(SavedAs::Start),
            self.actors(SavedAs::Nothing),
            self.messages,
            self.bytes,
            self.stored_bytes,
            self.took
        )
    }
}
