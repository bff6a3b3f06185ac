//! [`Segments`]: the segments of one image, as its writers share them.

use crate::error::Error;
use crate::format::compression::Compression;
use crate::format::layout::SEGMENTS_MAX;
use crate::format::manifest::SegmentEntry;
use crate::store::Store;
use crate::write::in_progress::ImageNumber;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The segments of an image that is being written.
#[derive(Debug)]
pub(crate) struct Segments {
    number: ImageNumber,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) compression: Compression,
    pub(crate) block_bytes: u32,
    /// By number; `None` while a segment is being written, and after it was given up.
    finished: Mutex<Vec<Option<FinishedSegment>>>,
}

/// A segment that is durable.
#[derive(Debug)]
pub(crate) struct FinishedSegment {
    pub(crate) entry: SegmentEntry,
    /// The ids of its records.
    pub(crate) ids: Vec<u64>,
}

impl Segments {
    pub(crate) fn new(
        number: ImageNumber,
        store: Arc<dyn Store>,
        compression: Compression,
        block_bytes: u32,
    ) -> Segments {
        let finished = Mutex::new(Vec::new());
        Segments {
            number,
            store,
            compression,
            block_bytes,
            finished,
        }
    }

    /// The number of the image.
    pub(crate) fn image(&self) -> u64 {
        self.number.number
    }

    /// Gives the number of the next segment.
    pub(crate) fn begin(&self) -> Result<u32, Error> {
        let mut finished = self.finished();
        match finished.len() as u32 {
            SEGMENTS_MAX => Err(Error::TooManySegments {
                image: self.image(),
                limit: SEGMENTS_MAX,
            }),
            segment => {
                finished.push(None);
                Ok(segment)
            }
        }
    }

    pub(crate) fn finish(&self, segment: u32, finished: FinishedSegment) {
        self.finished()[segment as usize] = Some(finished);
    }

    /// All segments. None can be added afterwards, because none is open.
    pub(crate) fn take(&self) -> Result<impl Iterator<Item = FinishedSegment>, Error> {
        let mut finished = self.finished();
        match finished.iter().filter(|segment| segment.is_none()).count() as u32 {
            0 => Ok(std::mem::take(&mut *finished).into_iter().flatten()),
            unfinished => Err(Error::SegmentsNotFinished {
                image: self.image(),
                unfinished,
            }),
        }
    }

    /// Nothing panics while it holds the lock.
    fn finished(&self) -> MutexGuard<'_, Vec<Option<FinishedSegment>>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
