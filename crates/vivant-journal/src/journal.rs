//! [`Journal`]: the images of a store, for the one program that writes them.
//!
//! - **J1** A file is removed only if no manifest refers to it: an image is removed by its
//!   manifest, then the names are synced, then the sweep finds segments without a manifest.
//! - **J2** The sweep spares images in progress.
//! - **J3** Images are removed only after a publication that is durable, and the newest that
//!   [`Retention`] keeps are counted by intact manifests.
//! - **J4** What was read after an opening was durable: an opening syncs the names that it sees.

use crate::catalog::Catalog;
use crate::error::{Error, Operation};
use crate::image_writer::ImageWriter;
use crate::in_progress::InProgress;
use crate::names::FileName;
use crate::settings::{Retention, Settings};
use crate::store::Store;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

/// The images of a store, for the one program that writes them. Reading is by its [`Catalog`].
///
/// ```
/// use vivant_journal::{DirectoryStore, Journal, Settings};
///
/// # fn main() -> Result<(), vivant_journal::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path();
/// let journal = Journal::open(DirectoryStore::new(path)?, Settings::default())?;
///
/// let image = journal.begin()?;
/// let mut segment = image.segment()?;
/// segment.append(7, 1, b"a state")?;
/// segment.append(8, 2, b"a message")?;
/// segment.finish()?;
/// image.publish(b"after 1,000 requests")?;
///
/// let latest = journal.latest()?.image.expect("one was published");
/// assert_eq!(latest.metadata(), b"after 1,000 requests");
/// assert_eq!(latest.reader().value(7)?, b"a state");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Journal {
    settings: Settings,
    upkeep: Upkeep,
}

impl Deref for Journal {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.upkeep.catalog
    }
}

impl Journal {
    /// Opens a store for writing, and removes what crashed writers left.
    ///
    /// **One program at a time may write to a store**: the files of another one that is writing
    /// would be removed. A [`DirectoryStore`](crate::DirectoryStore) refuses a second one; a
    /// bucket cannot. A [`Catalog`] removes nothing, and any number of them may be open.
    ///
    /// # Errors
    ///
    /// [`Error::Store`], with [`Operation::Lock`] if a journal of this store is open.
    pub fn open(store: impl Store + 'static, settings: Settings) -> Result<Journal, Error> {
        let catalog = Catalog {
            store: Arc::new(store),
            memory: settings.memory,
        };
        catalog
            .store
            .lock()
            .map_err(Error::store(Operation::Lock, "lock"))?;
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
            retention: settings.retention,
        };
        upkeep.sweep()?;
        upkeep.sync()?;
        Ok(Journal { settings, upkeep })
    }

    /// Begins an image. Several may be in progress at once; the latest is the one with the
    /// greatest number.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if files of an image that was given up cannot be removed;
    /// [`Error::NoNumberLeft`].
    pub fn begin(&self) -> Result<ImageWriter, Error> {
        self.upkeep.sweep()?;
        let number = self.upkeep.in_progress.begin().ok_or(Error::NoNumberLeft)?;
        Ok(ImageWriter::new(
            number,
            &self.settings,
            self.upkeep.clone(),
        ))
    }
}

/// Removes what is not needed.
#[derive(Clone, Debug)]
pub(crate) struct Upkeep {
    catalog: Catalog,
    in_progress: Arc<InProgress>,
    retention: Retention,
}

impl Upkeep {
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
        let intact = images.intact.iter().map(|summary| summary.number);
        let unreadable = images.unreadable.iter().map(|unreadable| unreadable.number);
        let old = intact
            .chain(unreadable)
            .filter(|&number| number < oldest.number);
        let old: Vec<u64> = old.collect();
        if old.is_empty() {
            return Ok(());
        }
        for image in old {
            self.remove(FileName::Manifest { image })?;
        }
        self.sync()?;
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
        for file in files() {
            let is_needed = match file {
                FileName::Manifest { .. } => true,
                FileName::Segment { image, .. } => {
                    published.contains(&image) || in_progress.has(image)
                }
                FileName::Aside { image } => in_progress.has(image),
            };
            if !is_needed {
                self.remove(file)?;
            }
        }
        Ok(())
    }

    fn remove(&self, file: FileName) -> Result<(), Error> {
        let name = file.to_string();
        self.catalog
            .store
            .remove(&name)
            .map_err(Error::store(Operation::Remove, &name))
    }

    fn sync(&self) -> Result<(), Error> {
        self.catalog
            .store
            .sync()
            .map_err(Error::store(Operation::Sync, ""))
    }
}
