//! Taking a snapshot: a cut, recorded and written while the program runs.

use super::census::{ActorsOfType, Census, SavedAs, SlowEncoding, sum};
use super::chains::{Chains, HeapChains, snapshots_of};
use super::error::{SnapshotError, WaitedFor};
use super::file::{Header, ImageFile, NotWritten};
use super::last_state::image_exists;
use super::line::Line;
use super::pause::Pauses;
use super::recorder::{Completed, ImageRecorder};
use super::saved_program::SavedProgram;
use crate::actor::{Scope, Shared, release_recorders};
use crate::api::SavedKinds;
use crate::cut::{Coordinator, Outcome, Step};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::Arc;
use std::fmt;
use std::time::Duration;
use vivant_journal::{Journal, Published};

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
    /// The earlier snapshots that have objects of this one, which have not changed since: by their
    /// numbers in the store. They are kept as long as this one.
    pub needed: Vec<u64>,
    /// Time from the request until the snapshot existed.
    pub took: Duration,
    /// Number of cuts that were taken. All but the last were void: a turn learned something that
    /// happened behind the cut line.
    pub cuts: u32,
    /// For so long no turn began, in all. Zero unless three cuts were void.
    pub paused: Duration,
    /// Values that took over a millisecond to encode, at most 100 of them.
    pub slow: Vec<SlowEncoding>,
    /// Number of further such values.
    pub more_slow: usize,
    /// Why older images could not be removed. They are tried again after the next snapshot.
    pub not_removed: Option<vivant_journal::Error>,
}

/// A complete cut, written.
pub(super) struct Written {
    pub(super) file: ImageFile,
    pub(super) completed: Completed,
    pub(super) phase: u64,
}

/// What led to a complete cut.
#[derive(Default)]
struct Tries {
    /// Number of cuts.
    cuts: u32,
    /// For so long no turn began.
    paused: Duration,
}

/// Takes a snapshot on this thread, which is no worker of the system. Calls `before_line` before
/// the line of each of its cuts.
pub(crate) fn take(
    system: &Arc<Shared>,
    journal: &Journal,
    limit: Duration,
    scope: Scope,
    before_line: &mut dyn FnMut(),
) -> Result<SnapshotReport, SnapshotError> {
    let began_ns = system.oracle.now_ns();
    let kinds = SavedProgram::of(system).ok_or(SnapshotError::NothingListed)?;
    let mut pauses = Pauses::new(system, limit);
    let mut cuts = Cuts {
        system,
        kinds: &kinds,
        journal,
        pauses: &mut pauses,
        scope: scope.clone(),
        before_line,
        tries: Tries::default(),
    };
    let mut written = cuts.write_whole()?;
    let tries = cuts.tries;
    let heaps = std::mem::take(&mut written.completed.heaps);
    #[cfg(test)]
    let heaps = match is_planted(InjectedFault::UnpublishedCounts) {
        true => {
            // Its objects are looked for in the first one.
            Chains::published(system, journal, 1, heaps);
            Vec::new()
        }
        false => heaps,
    };
    let phase = written.phase;
    let (published, types, census) = written.publish(system)?;
    Chains::published(system, journal, published.summary.number, heaps);
    let image = (journal.catalog(), published.summary.number);
    image_exists(system, image, phase, &scope);
    let took = Duration::from_nanos(system.oracle.now_ns().saturating_sub(began_ns));
    Ok(SnapshotReport::new(published, types, census, tries, took))
}

impl Written {
    /// Adds what was complete last, and the header. When this returns, the snapshot exists.
    pub(super) fn publish(
        self,
        system: &Shared,
    ) -> Result<(Published, Vec<ActorsOfType>, Census), NotWritten> {
        let Completed {
            system: record,
            shapes,
            kinds,
            objects,
            shared,
            census,
            ..
        } = self.completed;
        let header = Header::new(
            system.config.name.clone(),
            self.phase,
            system.oracle.wall(),
            &record.types,
            census.messages,
        );
        let published = self
            .file
            .publish(&header, &record, shapes, &kinds, &objects, &shared)?;
        Ok((published, record.types, census))
    }
}

/// The cuts of one snapshot.
struct Cuts<'s, 'p> {
    system: &'s Arc<Shared>,
    kinds: &'s Arc<SavedKinds>,
    journal: &'s Journal,
    pauses: &'p mut Pauses<'s>,
    scope: Scope,
    before_line: &'p mut dyn FnMut(),
    tries: Tries,
}

impl Cuts<'_, '_> {
    /// Takes cuts until one is not void.
    fn write_whole(&mut self) -> Result<Written, SnapshotError> {
        self.pauses.waits_for(WaitedFor::OtherSnapshot);
        let mut coordinator = loop {
            match Coordinator::of(self.system) {
                Some(coordinator) => break coordinator,
                None => self.pauses.pause()?,
            }
        };
        loop {
            let written = self.write(&mut coordinator);
            let written = written.inspect_err(|_| coordinator.give_up(self.system));
            release_recorders(self.system);
            let written = written?;
            if let Some(written) = written {
                return Ok(written);
            }
        }
    }

    /// Takes a cut and writes its records. `None`: it was void.
    fn write(&mut self, coordinator: &mut Coordinator) -> Result<Option<Written>, SnapshotError> {
        self.pauses.waits_for(WaitedFor::Turns);
        self.end_passes(coordinator)?;
        let mut file = ImageFile::begin(self.journal)?;
        let recorder = ImageRecorder::new(self.kinds.clone())?.within(self.scope.clone());
        let recorder = Arc::new(recorder.after(self.chains(&file)?));
        let line = Line::after(self.tries.cuts);
        let pause = line.wait(self.system, self.pauses)?;
        (self.before_line)();
        coordinator.begin(self.system, recorder.clone());
        self.tries.paused += pause.end();
        self.tries.cuts += 1;
        self.pauses.waits_for(WaitedFor::Turns);
        loop {
            let step = coordinator.step(self.system);
            let drained = recorder.drain()?;
            if coordinator.awaits_heaps() {
                self.pauses.waits_for_more(WaitedFor::Heaps, drained.len());
            }
            file.append(drained)?;
            match step {
                Step::Waits => self.pauses.pause()?,
                Step::More => self.pauses.none()?,
                Step::Complete(Outcome::Void) => return Ok(None),
                Step::Complete(Outcome::Consistent) => break,
            }
        }
        // The ends of actors at a shutdown are in no cut.
        if self.system.is_closing() {
            return Err(SnapshotError::ShutDown);
        }
        let mut completed = recorder.complete(self.system)?;
        file.append(std::mem::take(&mut completed.records))?;
        let phase = coordinator.phase();
        Ok(Some(Written {
            file,
            completed,
            phase,
        }))
    }

    /// The heaps of the last snapshot, if all that they need is there.
    fn chains(&self, file: &ImageFile) -> Result<HeapChains, NotWritten> {
        let chains = Chains::of_last(self.system, self.journal);
        match file.holds(&snapshots_of(&chains))? {
            true => Ok(chains),
            false => Ok(HeapChains::default()),
        }
    }

    /// L1: ends the passes of a cut that was given up.
    fn end_passes(&mut self, coordinator: &mut Coordinator) -> Result<(), SnapshotError> {
        while !coordinator.is_over() {
            match coordinator.step(self.system) {
                Step::Waits => self.pauses.pause()?,
                Step::More | Step::Complete(_) => self.pauses.none()?,
            }
        }
        Ok(())
    }
}

impl SnapshotReport {
    fn new(
        published: Published,
        types: Vec<ActorsOfType>,
        census: Census,
        tries: Tries,
        took: Duration,
    ) -> SnapshotReport {
        let summary = published.summary;
        SnapshotReport {
            number: summary.number,
            types,
            messages: census.messages,
            bytes: summary.value_bytes,
            stored_bytes: summary.stored_bytes,
            needed: summary.needed,
            took,
            cuts: tries.cuts,
            paused: tries.paused,
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
