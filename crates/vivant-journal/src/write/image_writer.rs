//! [`ImageWriter`]: begins the segments of an image and publishes it.

use crate::error::{Error, Operation};
use crate::format::layout::METADATA_BYTES_MAX;
use crate::format::manifest::{Manifest, NeededImage};
use crate::format::names::FileName;
use crate::read::held_images::HeldImage;
use crate::read::image::{Summary, read_manifest};
use crate::write::in_progress::ImageNumber;
use crate::write::segment_writer::SegmentWriter;
use crate::write::segments::Segments;
use crate::write::settings::Settings;
use crate::write::upkeep::Upkeep;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Writes one image: any number of threads begin a [segment](ImageWriter::segment) each, and one
/// publishes the image when all segments are finished.
///
/// An image that is not published leaves no trace: its files are removed when the next image
/// begins, or when the store is opened again.
#[derive(Debug)]
pub struct ImageWriter {
    segments: Arc<Segments>,
    upkeep: Upkeep,
    needed: BTreeSet<u64>,
    needed_max: u32,
    /// Earlier images that stay until the image is published or given up.
    held: Mutex<BTreeMap<u64, HeldImage>>,
}

/// An image that exists: [`ImageWriter::publish`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Published {
    /// What [`Catalog::images`](crate::Catalog::images) lists.
    pub summary: Summary,
    /// Why older images could not be removed. They are tried again after the next image.
    pub not_removed: Option<Error>,
}

impl ImageWriter {
    pub(crate) fn new(number: ImageNumber, settings: &Settings, upkeep: Upkeep) -> ImageWriter {
        let store = upkeep.store().clone();
        let segments = Segments::new(number, store, settings.compression, settings.block_bytes);
        ImageWriter {
            segments: Arc::new(segments),
            upkeep,
            needed: BTreeSet::new(),
            needed_max: settings.needed_max,
            held: Mutex::default(),
        }
    }

    /// The image's number.
    pub fn number(&self) -> u64 {
        self.segments.image()
    }

    /// Earlier images stay until this one is published or given up, whatever
    /// [`Retention`](crate::Retention) says. They can be [needed](ImageWriter::need) then.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchImage`], or why one of them cannot be read.
    pub fn hold(&self, earlier: &[u64]) -> Result<(), Error> {
        // First, so that they stay from here on.
        earlier.iter().for_each(|&image| self.keep(image));
        self.read(earlier.iter().copied()).map(drop)
    }

    /// The image needs the records of an earlier one: it cannot be read without that one, and
    /// [`Retention`](crate::Retention) keeps that one as long as it keeps this image.
    pub fn need(&mut self, earlier: u64) {
        self.keep(earlier);
        self.needed.insert(earlier);
    }

    fn keep(&self, image: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let catalog = self.upkeep.catalog();
        held.entry(image).or_insert_with(|| catalog.hold(image));
    }

    /// Earlier images as they are now.
    fn read(&self, images: impl IntoIterator<Item = u64>) -> Result<Vec<NeededImage>, Error> {
        let mut images = images.into_iter().peekable();
        if images.peek().is_none() {
            return Ok(Vec::new());
        }
        let catalog = self.upkeep.catalog();
        let lengths = catalog.lengths()?;
        let read = images.map(|image| {
            let store = &*self.segments.store;
            let (_, hash) = read_manifest(store, &lengths, image, catalog.memory)?;
            Ok(NeededImage { image, hash })
        });
        read.collect()
    }

    /// The images that this one needs.
    fn needed(&self) -> Result<Vec<NeededImage>, Error> {
        if self.needed.len() > self.needed_max as usize {
            let (image, limit) = (self.number(), self.needed_max);
            return Err(Error::TooManyNeeded { image, limit });
        }
        self.read(self.needed.iter().copied())
    }

    /// Begins a segment. Records are found by their ids, whatever their segment.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if its file cannot be created, [`Error::TooManySegments`].
    pub fn segment(&self) -> Result<SegmentWriter, Error> {
        SegmentWriter::create(self.segments.clone(), self.segments.begin()?)
    }

    /// Publishes the image: when this returns, the image survives a loss of power. Then older
    /// images are removed as [`Retention`](crate::Retention) says.
    ///
    /// `metadata` is for the caller, and short: at most 64 KiB.
    ///
    /// # Errors
    ///
    /// [`Error::SegmentsNotFinished`], [`Error::DuplicateRecord`], [`Error::MetadataTooLong`] and
    /// [`Error::TooManyNeeded`] before anything is published, and why an image that it needs cannot
    /// be read. After [`Error::Store`] the image may exist or not; the images before it are
    /// unchanged.
    pub fn publish(self, metadata: &[u8]) -> Result<Published, Error> {
        let manifest = self.manifest(metadata)?;
        let name = FileName::Manifest {
            image: manifest.image,
        };
        self.segments
            .store
            .publish(&name.to_string(), &manifest.encode())
            .map_err(Error::store(Operation::Publish, name))?;
        let not_removed = self.upkeep.retain().err();
        Ok(Published {
            summary: Summary::of(&manifest),
            not_removed,
        })
    }

    fn manifest(&self, metadata: &[u8]) -> Result<Manifest, Error> {
        let image = self.number();
        let limit = METADATA_BYTES_MAX as usize;
        if metadata.len() > limit {
            return Err(Error::MetadataTooLong {
                bytes: metadata.len(),
                limit,
            });
        }
        let (mut segments, mut ids) = (Vec::new(), Vec::new());
        for segment in self.segments.take()? {
            segments.push(segment.entry);
            ids.extend(segment.ids);
        }
        // A reader refuses such an image.
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateRecord { image, id: pair[0] });
        }
        let block_bytes = self.segments.block_bytes;
        Ok(Manifest {
            image,
            block_bytes,
            metadata: metadata.to_vec(),
            needed: self.needed()?,
            segments,
        })
    }
}
