//! The merge of two old generations, page by page (O8).

use super::{FreeBlocks, Old};
use crate::alloc::poison::poison;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::pages::chunk::{Owner, PAGE, set_owner, set_states};
use crate::pages::page::{PageKind, Span};
use crate::pages::size_class::{block_size, blocks};
use std::mem;
use std::ptr::NonNull;

impl Old {
    /// Takes over all spans of another old generation. Its objects become marked by this one's last
    /// mark, and belong to `owner`. Costs some stores for each page, independent of its contents.
    ///
    /// # Safety
    ///
    /// The caller is the holder of both heaps, which have the same source.
    pub(crate) unsafe fn absorb(&mut self, other: &mut Old, owner: NonNull<Owner>) {
        debug_assert_eq!(other.unswept, 0, "what is dead there would live here");
        other.flush_caches();
        let other = mem::replace(other, Old::new(other.free_blocks));
        for span in other.spans() {
            // SAFETY: the span is the other generation's, and the caller's.
            unsafe {
                let page = span.page();
                page.swept = self.marked.0;
                // Of a span longer than a chunk only the first page has a state and an owner that
                // are read.
                let described = match page.kind {
                    PageKind::Large => 1,
                    _ => page.pages as usize,
                };
                for number in 0..described {
                    let start = span.start().add(number * PAGE);
                    set_owner(start, Some(owner));
                    set_states(start, self.epoch.0);
                }
                if self.free_blocks == FreeBlocks::Poisoned {
                    poison_free(span);
                }
            }
        }
        self.bytes_allocated += other.bytes_allocated;
        // The merge costs next to nothing, so no sweep is due for it at once.
        self.live_at_step += other.bytes_allocated;
        self.pages += other.pages;
        self.spans += other.spans;
        self.panics += other.panics;
        self.destructors += other.destructors;
        for span in other.spans() {
            // SAFETY: the span is the caller's, swept, and on no list of this generation.
            unsafe {
                assert!(
                    self.numbers.number(span),
                    "a heap of more spans than it can number"
                );
                self.put(span);
                #[cfg(test)]
                if is_injected(InjectedFault::UnnotedMerge) {
                    continue;
                }
                self.note_change(span);
            }
        }
    }
}

/// Poisons the free blocks of a span, as its new owner expects it.
///
/// # Safety
///
/// The span is the caller's.
unsafe fn poison_free(span: Span) {
    // SAFETY: the caller's contract; blocks lie in their span, and free ones are not used.
    unsafe {
        let page = span.page();
        if page.kind != PageKind::Blocks {
            return;
        }
        let size = block_size(page.class as usize);
        for number in 0..blocks(page.class as usize) {
            if page.occupied[number / 64] >> (number % 64) & 1 == 0 {
                poison(span.start().add(number * size), size);
            }
        }
    }
}
