//! [`Ahead`]: asking for memory before it is looked at.

use crate::header::Header;
use crate::pages::chunk::state_of;
use crate::sync::AtomicU8;
use std::ptr::NonNull;

/// So many objects: as many as memory brings in the time that the work on them takes.
const AHEAD: usize = 12;

/// A queue of objects whose memory was asked for, and is on its way.
#[derive(Default)]
pub(super) struct Ahead {
    objects: [Option<NonNull<Header>>; AHEAD],
    /// Where the next one comes.
    next: usize,
    len: usize,
}

impl Ahead {
    /// Asks for the memory of one more. The one that was asked for first, if there is no room for
    /// both.
    ///
    /// # Safety
    ///
    /// It is there.
    #[inline]
    pub(super) unsafe fn push(&mut self, object: NonNull<Header>) -> Option<NonNull<Header>> {
        // SAFETY: the caller's: an object lies in a chunk.
        prefetch(object, unsafe { state_of(object.cast()) });
        let first = self.objects[self.next].replace(object);
        self.next = (self.next + 1) % AHEAD;
        self.len += usize::from(first.is_none());
        first
    }

    /// The one that was asked for first.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<NonNull<Header>> {
        let first = self.objects[(self.next + AHEAD - self.len) % AHEAD].take()?;
        self.len -= 1;
        Some(first)
    }
}

/// Asks for the lines in which an object and its state lie. Changes nothing.
#[inline]
fn prefetch(object: NonNull<Header>, state: &AtomicU8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, of any address; each processor of this kind has the instruction.
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
    fn who_came_first_goes_first() {
        // Lines of this chunk are asked for, and nothing is read.
        let layout = std::alloc::Layout::from_size_align(CHUNK, CHUNK).expect("a layout");
        // SAFETY: not empty.
        let chunk = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).expect("memory");
        // SAFETY: within the chunk.
        let object = |number: usize| unsafe { chunk.add(CHUNK / 2 + number * 16).cast::<Header>() };
        let mut ahead = Ahead::default();
        assert_eq!(ahead.pop(), None);
        for round in 0..3 {
            for number in 0..AHEAD + 5 {
                // SAFETY: it lies in a chunk.
                let first = unsafe { ahead.push(object(number)) };
                assert_eq!(first, number.checked_sub(AHEAD).map(object), "{round}");
            }
            (5..AHEAD + 5).for_each(|number| assert_eq!(ahead.pop(), Some(object(number))));
            assert_eq!(ahead.pop(), None);
        }
        // SAFETY: as it was allocated.
        unsafe { std::alloc::dealloc(chunk.as_ptr(), layout) };
    }
}
