//! Notes in each span which image of the heap is the first that has its present contents (S13).

use super::{Old, span_of};
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::page::Span;
use std::ptr::NonNull;

impl Old {
    /// The contents of a span change: images that have begun do not have them.
    #[inline]
    pub(crate) fn note_change(&mut self, span: Span) {
        // SAFETY: a span of this heap, which the caller holds (X1).
        unsafe { span.page() }.first_image = self.images.next();
    }

    /// As [`Old::note_change`], for the spans of these objects. Before the first image nothing is
    /// to do: each span has its number since its birth.
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
