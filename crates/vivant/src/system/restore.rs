//! Systems that go on from an image.

use super::{System, SystemBuilder};
use crate::api::{SavedActors, SavedKinds};
use crate::snapshot::{RestoreError, RestoreReport, RestoredActors, restore_image};
use crate::supervision::AndSupervisor;
use crate::sync::Arc;
use vivant_journal::{Catalog, Image};

/// A system that goes on from an image: [`SystemBuilder::restore`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Restored {
    /// The system. Its actors run.
    pub system: System,
    /// The actors. They live at least as long as this value.
    pub actors: RestoredActors,
    /// What was restored.
    pub report: RestoreReport,
}

/// A system that goes on from the latest image of a store, or a new one:
/// [`SystemBuilder::restore_or`].
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a program has one, for a moment")]
pub enum RestoredOr<R> {
    /// The store has an image.
    Restored(Restored),
    /// The store is empty. What the function has returned.
    New(System, R),
}

impl SystemBuilder {
    /// Names the saved actors of the program and its [kinds of
    /// synchronizers](crate::SynchronizerKind), a tuple of up to twelve types: what
    /// [`System::snapshot`] saves and a restore finds by name. Actors that these have addresses of
    /// are named too. A later call replaces an earlier one.
    ///
    /// # Panics
    ///
    /// Two of the types, or two kinds of their messages, have one stable name:
    /// [`EqualNames`](crate::EqualNames).
    #[track_caller]
    pub fn saved<A: SavedActors>(mut self) -> Self {
        match SavedKinds::of::<AndSupervisor<A>>() {
            Ok(kinds) => self.saved = Some(Arc::new(kinds)),
            Err(error) => panic!("{error}"),
        }
        self
    }

    /// Builds a system that goes on from this image: with the same actors, paths, random streams,
    /// and waiting messages in their order. Types of the program may have changed as
    /// [`Saved`](crate::Saved) allows. No actor runs before all of it is there.
    ///
    /// Costs a pass over the image, which is in memory meanwhile.
    ///
    /// # Errors
    ///
    /// The image is damaged, or the program has changed in a way that needs a word from its author;
    /// the error names actor, type and field. No actor has run.
    pub fn restore(self, image: &Image) -> Result<Restored, RestoreError> {
        let shared = self.on_threads();
        let restored = restore_image(&shared, image);
        // Also after an error: the threads end the actors that were made.
        let system = SystemBuilder::open(shared);
        let (actors, report) = restored?;
        Ok(Restored {
            system,
            actors,
            report,
        })
    }

    /// Builds a system that goes on from the latest image of a store. If the store has none, builds
    /// a new system and calls `begin` with it. [`System::snapshot`] has an example.
    ///
    /// Images that are damaged are passed over, and [reported](RestoreReport::damaged).
    ///
    /// # Errors
    ///
    /// As [`restore`](SystemBuilder::restore), for the newest image that is not damaged; or each
    /// image is damaged.
    pub fn restore_or<R>(
        self,
        catalog: &Catalog,
        begin: impl FnOnce(&System) -> R,
    ) -> Result<RestoredOr<R>, RestoreError> {
        let latest = catalog.latest()?;
        let Some(image) = latest.image else {
            if !latest.damaged.is_empty() {
                return Err(RestoreError::AllDamaged(latest.damaged));
            }
            let system = self.build();
            let begun = begin(&system);
            return Ok(RestoredOr::New(system, begun));
        };
        let mut restored = self.restore(&image)?;
        restored.report.damaged = latest.damaged;
        Ok(RestoredOr::Restored(restored))
    }
}
