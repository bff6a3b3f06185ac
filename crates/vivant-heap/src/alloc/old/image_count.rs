//! [`ImageCount`]: counts the images of a heap.

use crate::sync::Arc;

/// The number of an image among those of its heap, from 1 on.
pub(crate) type ImageNumber = u32;

/// Counts the images of a heap.
#[derive(Default)]
pub(crate) struct ImageCount {
    /// Number of images that have begun.
    pub(super) begun: ImageNumber,
    /// Tells the heap from all others. `None`: no image has begun.
    heap: Option<Arc<()>>,
}

impl ImageCount {
    /// The next image begins. Returns its number, and what tells the heap from all others.
    ///
    /// Costs nothing that depends on the heap. After four billion images no earlier one is found
    /// any more.
    pub(crate) fn begin(&mut self) -> (ImageNumber, Arc<()>) {
        if self.next() == ImageNumber::MAX {
            *self = ImageCount::default();
        }
        self.begun += 1;
        (self.begun, self.heap.get_or_insert_default().clone())
    }

    /// The first image that has what is changed now.
    #[inline]
    pub(crate) fn next(&self) -> ImageNumber {
        self.begun + 1
    }
}
