//! [`ImageWriter`]: collects the segments of an image and publishes it.

use crate::block::BlockEntry;
use crate::catalog::Catalog;
use crate::compression::Compression;
use crate::error::{Error, Operation};
use crate::image::Summary;
use crate::in_progress::ImageNumber;
use crate::journal::Upkeep;
use crate::layout::{METADATA_BYTES_MAX, SEGMENTS_MAX};
use crate::manifest::{Manifest, SegmentEntry};
use crate::names::FileName;
use crate::segment_writer::SegmentWriter;
use crate::settings::Settings;
use crate::store::Store;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes one image: any number of threads begin a [segment](ImageWriter::segment) each, and one
/// publishes the image when all segments are finished.
///
/// An image that is not published leaves no trace: its files are removed when the next image
/// begins, or when the store is opened again.
#[derive(Debug)]
pub struct ImageWriter {
    shared: Arc<Shared>,
    upkeep: Upkeep,
}

/// What the segments of an image share.
#[derive(Debug)]
pub(crate) struct Shared {
    number: ImageNumber,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) compression: Compression,
    pub(crate) block_bytes: u32,
    /// By number; `None` for one that is being written.
    segments: Mutex<Vec<Option<FinishedSegment>>>,
}

/// A segment that is durable.
#[derive(Debug)]
pub(crate) struct FinishedSegment {
    pub(crate) blocks: Vec<BlockEntry>,
    pub(crate) ids: Vec<u64>,
}

/// An image that exists: [`ImageWriter::publish`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Published {
    /// What [`Catalog::images`] lists.
    pub summary: Summary,
    /// Why older images could not be removed. They are tried again after the next image.
    pub not_removed: Option<Error>,
}

impl Shared {
    pub(crate) fn image(&self) -> u64 {
        self.number.number
    }

    pub(crate) fn add(&self, segment: u32, finished: FinishedSegment) {
        self.segments()[segment as usize] = Some(finished);
    }

    /// All segments. None can be added afterwards, because none is open.
    fn take_segments(&self) -> Result<Vec<Option<FinishedSegment>>, Error> {
        let mut segments = self.segments();
        match segments.iter().filter(|segment| segment.is_none()).count() as u32 {
            0 => Ok(std::mem::take(&mut *segments)),
            unfinished => Err(Error::SegmentsNotFinished {
                image: self.image(),
                unfinished,
            }),
        }
    }

    /// Nothing panics while it holds the lock.
    fn segments(&self) -> MutexGuard<'_, Vec<Option<FinishedSegment>>> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ImageWriter {
    pub(crate) fn new(number: ImageNumber, settings: &Settings, upkeep: Upkeep) -> ImageWriter {
        let shared = Shared {
            number,
            store: upkeep.catalog().store.clone(),
            compression: settings.compression,
            block_bytes: settings.block_bytes,
            segments: Mutex::new(Vec::new()),
        };
        ImageWriter {
            shared: Arc::new(shared),
            upkeep,
        }
    }

    /// The image's number.
    pub fn number(&self) -> u64 {
        self.shared.image()
    }

    /// Begins a segment. Records are found by their ids, whatever their segment.
    ///
    /// # Errors
    ///
    /// [`Error::Store`] if its file cannot be created, [`Error::TooManySegments`].
    pub fn segment(&self) -> Result<SegmentWriter, Error> {
        let segment = {
            let mut segments = self.shared.segments();
            if segments.len() == SEGMENTS_MAX as usize {
                return Err(Error::TooManySegments {
                    image: self.number(),
                    limit: SEGMENTS_MAX,
                });
            }
            segments.push(None);
            segments.len() as u32 - 1
        };
        SegmentWriter::create(self.shared.clone(), segment)
    }

    /// Publishes the image: when this returns, the image survives a loss of power. Then older
    /// images are removed as [`Retention`](crate::Retention) says.
    ///
    /// `metadata` is for the caller, and short: at most 64 KiB.
    ///
    /// # Errors
    ///
    /// [`Error::SegmentsNotFinished`], [`Error::DuplicateRecord`] and [`Error::MetadataTooLong`]
    /// before anything is published. After [`Error::Store`] the image may exist or not; the images
    /// before it are unchanged.
    pub fn publish(self, metadata: &[u8]) -> Result<Published, Error> {
        let manifest = self.manifest(metadata)?;
        let name = FileName::Manifest {
            image: self.number(),
        }
        .to_string();
        let store = &self.shared.store;
        store
            .publish(&name, &manifest.encode())
            .map_err(Error::store(Operation::Publish, &name))?;
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
        let segments = self.shared.take_segments()?;
        let mut ids = Vec::new();
        let mut entries = Vec::with_capacity(segments.len());
        for segment in segments.into_iter().flatten() {
            let records = segment.ids.len() as u64;
            entries.push(SegmentEntry {
                records,
                blocks: segment.blocks,
            });
            ids.extend(segment.ids);
        }
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::DuplicateRecord { image, id: pair[0] });
        }
        Ok(Manifest {
            image,
            block_bytes: self.shared.block_bytes,
            metadata: metadata.to_vec(),
            segments: entries,
        })
    }

    /// The images before this one.
    pub fn catalog(&self) -> &Catalog {
        self.upkeep.catalog()
    }
}
