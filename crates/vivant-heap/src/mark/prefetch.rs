//! [`PrefetchQueue`]: the prefetch queue. It requests the memory of objects before they are read.

use crate::alloc::header::Header;
use crate::pages::chunk::state_of;
use crate::sync::AtomicU8;
use std::ptr::NonNull;

/// Length of the queue: as many objects as memory delivers in the time that the work on them takes.
const PREFETCH_DISTANCE: usize = 12;

/// A queue of objects with prefetches in flight.
#[derive(Default)]
pub(crate) struct PrefetchQueue {
    objects: [Option<NonNull<Header>>; PREFETCH_DISTANCE],
    /// Index at which the next object is put.
    next: usize,
    len: usize,
}

impl PrefetchQueue {
    /// Prefetches an object and puts it into the queue. Returns the oldest object if the queue was
    /// full.
    ///
    /// # Safety
    ///
    /// The object is in its place.
    #[inline]
    pub(crate) unsafe fn push(&mut self, object: NonNull<Header>) -> Option<NonNull<Header>> {
        // SAFETY: the caller's contract: an object lies in a chunk.
        prefetch(object, unsafe { state_of(object.cast()) });
        let first = self.objects[self.next].replace(object);
        self.next = (self.next + 1) % PREFETCH_DISTANCE;
        self.len += usize::from(first.is_none());
        first
    }

    /// Removes the oldest object.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<NonNull<Header>> {
        let first =
            self.objects[(self.next + PREFETCH_DISTANCE - self.len) % PREFETCH_DISTANCE].take()?;
        self.len -= 1;
        Some(first)
    }
}

/// Prefetches the cache lines of an object's header and its state byte. Changes nothing.
#[inline]
fn prefetch(object: NonNull<Header>, state: &AtomicU8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, valid for any address; each processor of this kind has the instruction.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.as_ptr().cast());
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(state).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (object, state);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::chunk::CHUNK;

    #[test]
    fn the_prefetch_queue_is_first_in_first_out() {
        // Cache lines of this chunk are prefetched; nothing is read.
        let layout = std::alloc::Layout::from_size_align(CHUNK, CHUNK).expect("a layout");
        // SAFETY: the layout is not empty.
        let chunk = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).expect("memory");
        // SAFETY: within the chunk.
        let object = |number: usize| unsafe { chunk.add(CHUNK / 2 + number * 16).cast::<Header>() };
        let mut prefetch = PrefetchQueue::default();
        assert_eq!(prefetch.pop(), None);
        for round in 0..3 {
            for number in 0..PREFETCH_DISTANCE + 5 {
                // SAFETY: the object lies in a chunk.
                let first = unsafe { prefetch.push(object(number)) };
                assert_eq!(
                    first,
                    number.checked_sub(PREFETCH_DISTANCE).map(object),
                    "{round}"
                );
            }
            (5..PREFETCH_DISTANCE + 5)
                .for_each(|number| assert_eq!(prefetch.pop(), Some(object(number))));
            assert_eq!(prefetch.pop(), None);
        }
        // SAFETY: allocated above with this layout.
        unsafe { std::alloc::dealloc(chunk.as_ptr(), layout) };
    }
}
