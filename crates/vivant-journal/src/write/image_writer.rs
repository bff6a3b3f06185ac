//! [`ImageWriter`]: begins the segments of an image and publishes it.

use crate::error::{Error, Operation};
use crate::format::layout::METADATA_BYTES_MAX;
use crate::format::manifest::Manifest;
use crate::format::names::FileName;
use crate::read::image::Summary;
use crate::write::in_progress::ImageNumber;
use crate::write::segment_writer::SegmentWriter;
use crate::write::segments::Segments;
use crate::write::settings::Settings;
use crate::write::upkeep::Upkeep;
use std::sync::Arc;

/// Writes one image: any number of threads begin a [segment](ImageWriter::segment) each, and one
/// publishes the image when all segments are finished.
///
/// An image that is not published leaves no trace: its files are removed when the next image
/// begins, or when the store is opened again.
#[derive(Debug)]
pub struct ImageWriter {
    segments: Arc<Segments>,
    upkeep: Upkeep,
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
        }
    }

    /// The image's number.
    pub fn number(&self) -> u64 {
        self.segments.image()
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
    /// [`Error::SegmentsNotFinished`], [`Error::DuplicateRecord`] and [`Error::MetadataTooLong`]
    /// before anything is published. After [`Error::Store`] the image may exist or not; the images
    /// before it are unchanged.
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
            segments,
        })
    }
}
