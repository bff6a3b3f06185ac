//! [`Upkeep`]: removes the files that no image needs, and images that are not kept.
//!
//! - **J1** A segment is removed only after the absence of its manifest is durable: an image is
//!   removed by its manifest, and a sweep syncs the names that it sees before it removes segments.
//! - **J2** The sweep spares images in progress.
//! - **J3** Images are removed only after a publication that is durable, and the newest that
//!   [`Retention`] keeps are counted by intact manifests.
//! - **J5** An image that a kept one needs is kept, and so is an image that is held.
//! - **J4** What was read after an opening was durable: an opening syncs the names that it sees.

use crate::error::{Error, Operation};
use crate::format::names::FileName;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::read::catalog::Catalog;
use crate::store::Store;
use crate::write::in_progress::{ImageNumber, InProgress};
use crate::write::settings::Retention;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Removes what is not needed.
#[derive(Clone, Debug)]
pub(crate) struct Upkeep {
    catalog: Catalog,
    in_progress: Arc<InProgress>,
    retention: Retention,
}

impl Upkeep {
    /// Reserves the store, and removes what crashed writers left (J4).
    pub(crate) fn open(catalog: Catalog, retention: Retention) -> Result<Upkeep, Error> {
        catalog
            .store
            .lock()
            .map_err(Error::store(Operation::Lock, ""))?;
        let names = catalog.lengths()?;
        let used = names
            .keys()
            .filter_map(|name| FileName::parse(name))
            .map(FileName::image);
        let next = used.max().map_or(1, |image| image.saturating_add(1));
        let in_progress = InProgress::new(next);
        let upkeep = Upkeep {
            catalog,
            in_progress,
            retention,
        };
        upkeep.sync()?;
        upkeep.sweep()?;
        Ok(upkeep)
    }

    /// Removes what was given up, and gives the number of the next image.
    pub(crate) fn begin(&self) -> Result<ImageNumber, Error> {
        self.sweep()?;
        self.in_progress.begin().ok_or(Error::NoNumberLeft)
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.catalog.store
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Removes images that are older than those to keep. Comes after a publication (J3).
    pub(crate) fn retain(&self) -> Result<(), Error> {
        let Retention::Last(keep) = self.retention else {
            return Ok(());
        };
        let images = self.catalog.images()?;
        let Some(oldest) = images.intact.get(keep.get() as usize - 1) else {
            return Ok(());
        };
        let kept = images.intact.iter().take(keep.get() as usize);
        let needed: BTreeSet<u64> = kept.flat_map(|kept| kept.needed.iter().copied()).collect();
        let intact = images.intact.iter().map(|summary| summary.number);
        let unreadable = images.unreadable.iter().map(|unreadable| unreadable.number);
        let old = intact.chain(unreadable).filter(|&number| {
            let is_needed = needed.contains(&number);
            #[cfg(test)]
            let is_needed = is_needed && !is_injected(InjectedFault::NeededNotKept);
            number < oldest.number && !is_needed
        });
        for image in old {
            let remove = || self.remove(FileName::Manifest { image });
            // An image that is held is kept with those that it needs.
            let keeps = |held| {
                let mut summaries = images.intact.iter();
                let held_one = summaries.find(|summary| summary.number == held);
                held == image || held_one.is_some_and(|it| it.needed.contains(&image))
            };
            self.catalog.held.unless_held(keeps, remove).transpose()?;
        }
        self.sweep()
    }

    /// Removes the files of images that are neither published nor in progress (J1, J2).
    fn sweep(&self) -> Result<(), Error> {
        // Before the files are listed: an image that is published meanwhile is in progress here.
        let in_progress = self.in_progress.now();
        let lengths = self.catalog.lengths()?;
        let files = || lengths.keys().filter_map(|name| FileName::parse(name));
        let published: BTreeSet<u64> = files()
            .filter(|file| matches!(file, FileName::Manifest { .. }))
            .map(FileName::image)
            .collect();
        let is_needed = |file: FileName| match file {
            FileName::Manifest { .. } => true,
            FileName::Segment { image, .. } => published.contains(&image) || in_progress.has(image),
            FileName::Aside { image } => in_progress.has(image),
        };
        let mut unneeded = files().filter(|&file| !is_needed(file)).peekable();
        if unneeded.peek().is_some() {
            // The removal of a manifest must not be lost after its segments are gone (J1).
            self.sync()?;
        }
        unneeded.try_for_each(|file| self.remove(file))
    }

    fn remove(&self, file: FileName) -> Result<(), Error> {
        self.store()
            .remove(&file.to_string())
            .map_err(Error::store(Operation::Remove, file))
    }

    fn sync(&self) -> Result<(), Error> {
        self.store()
            .sync()
            .map_err(Error::store(Operation::Sync, ""))
    }
}
