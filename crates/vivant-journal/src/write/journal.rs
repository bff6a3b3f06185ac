//! [`Journal`]: the images of a store, for the one program that writes them.

use crate::error::Error;
use crate::read::catalog::Catalog;
use crate::store::Store;
use crate::write::image_writer::ImageWriter;
use crate::write::settings::Settings;
use crate::write::upkeep::Upkeep;
use std::sync::Arc;

/// The images of a store, for the one program that writes them. Reading is by its
/// [`catalog`](Journal::catalog).
///
/// ```
/// use vivant_journal::{DirectoryStore, Journal, Settings};
///
/// # fn main() -> Result<(), vivant_journal::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path();
/// let journal = Journal::open(DirectoryStore::new(path), Settings::default())?;
///
/// let image = journal.begin()?;
/// let mut segment = image.segment()?;
/// segment.append(7, 1, b"a state")?;
/// segment.append(8, 2, b"a message")?;
/// segment.finish()?;
/// image.publish(b"after 1,000 requests")?;
///
/// let latest = journal.catalog().latest()?.image.expect("one was published");
/// assert_eq!(latest.metadata(), b"after 1,000 requests");
/// assert_eq!(latest.reader().value(7)?, b"a state");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Journal {
    settings: Settings,
    upkeep: Upkeep,
}

impl Journal {
    /// Opens a store for writing, and removes what crashed writers left.
    ///
    /// **One program at a time may write to a store**: an opening would remove the files of
    /// another that is writing. A [`DirectoryStore`](crate::DirectoryStore) refuses a second one;
    /// a bucket cannot. A [`Catalog`] removes nothing, and any number of them may be open.
    ///
    /// # Errors
    ///
    /// [`Error::Store`], with [`Operation::Lock`](crate::Operation::Lock) if a journal of this
    /// store is open.
    pub fn open(store: impl Store + 'static, settings: Settings) -> Result<Journal, Error> {
        let catalog = Catalog {
            store: Arc::new(store),
            memory: settings.memory,
            held: Arc::default(),
        };
        let upkeep = Upkeep::open(catalog, settings.retention)?;
        Ok(Journal { settings, upkeep })
    }

    /// The images of the store, for reading.
    pub fn catalog(&self) -> &Catalog {
        self.upkeep.catalog()
    }

    /// How many earlier images an image may need ([`Settings::needed_max`]).
    pub fn needed_max(&self) -> u32 {
        self.settings.needed_max
    }

    /// Begins an image. Several may be in progress at once; the latest is the one with the
    /// greatest number.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if files of an image that was given up cannot be removed;
    /// [`Error::NoNumberLeft`].
    pub fn begin(&self) -> Result<ImageWriter, Error> {
        let number = self.upkeep.begin()?;
        Ok(ImageWriter::new(
            number,
            &self.settings,
            self.upkeep.clone(),
        ))
    }
}
