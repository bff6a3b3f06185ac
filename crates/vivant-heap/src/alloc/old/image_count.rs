//! [`ImageCount`]: counts the images of a heap, and notes in each span which is the first that has
//! its present contents (S13).

use super::{Old, span_of};
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::page::Span;
use crate::sync::Arc;
use std::ptr::NonNull;

/// The number of an image among those of its heap, from 1 on.
pub(crate) type ImageNumber = u32;

/// Counts the images of a heap.
#[derive(Default)]
pub(crate) struct ImageCount {
    /// Number of images that have begun.
    begun: ImageNumber,
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

impl Old {
    /// The contents of a span change: images that have begun do not have them.
    #[inline]
    pub(crate) fn note_change(&mut self, span: Span) {
        // SAFETY: a span of this heap, which the caller holds (X1).
        unsafe { span.page() }.first_image = self.images.next();
    }

    /// As [`Old::note_change`], for the spans of these objects. Nothing before the first image: each
    /// span has the first one's number since its birth.
    ///
    /// # Safety
    ///
    /// They are old objects of this heap.
    pub(crate) unsafe fn note_changes(&mut self, objects: &[NonNull<Header>]) {
        #[cfg(test)]
        if is_injected(InjectedFault::UnnotedChange) {
            return;
        }
        if self.images.begun == 0 {
            return;
        }
        for &object in objects {
            // SAFETY: the caller's contract (X1): the object lies in its span.
            let span = unsafe { span_of(object) };
            self.note_change(span);
        }
    }
}
