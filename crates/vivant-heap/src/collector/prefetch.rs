//! [`Ahead`]: asking for memory before it is looked at.

use crate::header::Header;
use crate::pages::chunk::state_of;
use crate::sync::AtomicU8;
use std::ptr::NonNull;

/// Objects of which the memory is asked for before they are looked at: as many as memory brings in the time that the work on them takes.
pub(super) const AHEAD: usize = 12;

/// A queue of objects whose memory is on its way.
#[derive(Default)]
pub(super) struct Ahead {
    objects: [Option<NonNull<Header>>; AHEAD],
    next: usize,
}

impl Ahead {
    /// Asks for the memory of one more, if there is one. The one that was asked for longest ago, if there were so many.
    ///
    /// # Safety
    ///
    /// It is there.
    #[inline]
    pub(super) unsafe fn replace(
        &mut self,
        object: Option<NonNull<Header>>,
    ) -> Option<NonNull<Header>> {
        if let Some(object) = object {
            // SAFETY: the caller's: an object lies in a chunk.
            prefetch(object, unsafe { state_of(object.cast()) });
        }
        let ready = std::mem::replace(&mut self.objects[self.next], object);
        self.next = (self.next + 1) % AHEAD;
        ready
    }

    /// All that are left.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = NonNull<Header>> {
        self.objects.iter_mut().filter_map(Option::take)
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
