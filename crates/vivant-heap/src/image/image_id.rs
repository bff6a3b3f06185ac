//! [`ImageId`]: an image of a heap, by which the next one finds what has changed since.

use super::object_codec::ObjectCodecs;
use crate::alloc::old::image_count::{ImageCount, ImageNumber};
use crate::sync::Arc;

/// An image of a heap. While its records are kept, the next image can leave out what has not
/// changed since ([`ImageSink::since`](crate::ImageSink::since)).
#[derive(Clone, Debug)]
pub struct ImageId {
    heap: Arc<()>,
    /// Its object types have these numbers.
    codecs: Arc<ObjectCodecs>,
    number: ImageNumber,
}

impl ImageId {
    /// The next image of a heap begins.
    pub(super) fn next(count: &mut ImageCount, codecs: &Arc<ObjectCodecs>) -> ImageId {
        let (number, heap) = count.begin();
        ImageId {
            heap,
            codecs: codecs.clone(),
            number,
        }
    }

    /// Its number among the images of its heap, from 1 on.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The number of an earlier image of the same heap, with the same object types; else 0.
    pub(super) fn since(&self, earlier: &ImageId) -> ImageNumber {
        let is_same = Arc::ptr_eq(&self.heap, &earlier.heap)
            && Arc::ptr_eq(&self.codecs, &earlier.codecs)
            && earlier.number < self.number;
        match is_same {
            true => earlier.number,
            false => 0,
        }
    }
}
