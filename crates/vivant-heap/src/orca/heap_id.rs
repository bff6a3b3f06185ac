//! [`HeapId`]: the name of a heap. The page of an object names the heap that owns it (H4).

use crate::sync::{Mutex, PoisonError};
use std::collections::VecDeque;
use std::num::NonZeroU32;

/// Names a live heap of this process. After the heap's end the id is unused until many thousand
/// other heaps have ended.
///
/// Ids have no order: an id says nothing about the age of its heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeapId(NonZeroU32);

/// The ids of ended heaps are reused, the oldest first, when there are more of them than this.
const REUSE_DELAY: usize = if cfg!(miri) { 16 } else { 1 << 16 };

static IDS: Mutex<Ids> = Mutex::new(Ids {
    last: 0,
    ended: VecDeque::new(),
});

/// The ids without a heap; live heaps hold their own.
struct Ids {
    /// The highest id taken so far.
    last: u32,
    ended: VecDeque<HeapId>,
}

impl HeapId {
    /// Takes an id that no heap has.
    ///
    /// # Panics
    ///
    /// There are 2³² − 1 live heaps.
    pub(crate) fn take() -> HeapId {
        IDS.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the id of an ended heap.
    pub(crate) fn release(self) {
        let mut ids = IDS.lock().unwrap_or_else(PoisonError::into_inner);
        ids.ended.push_back(self);
    }
}

impl Ids {
    fn take(&mut self) -> HeapId {
        let next = self.last.checked_add(1).and_then(NonZeroU32::new);
        if (self.ended.len() > REUSE_DELAY || next.is_none())
            && let Some(id) = self.ended.pop_front()
        {
            return id;
        }
        let next = next.expect("no id for another heap: 2^32 heaps are live");
        self.last = next.get();
        HeapId(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_reused_after_a_delay() {
        let mut ids = Ids {
            last: 0,
            ended: VecDeque::new(),
        };
        let first = ids.take();
        ids.ended.push_back(first);
        for _ in 0..REUSE_DELAY {
            let id = ids.take();
            assert_ne!(id, first);
            ids.ended.push_back(id);
        }
        assert_eq!(ids.take(), first);
        assert_ne!(ids.take(), first);
    }

    #[test]
    fn an_old_id_is_reused_when_no_new_one_is_left() {
        let mut ids = Ids {
            last: u32::MAX - 1,
            ended: VecDeque::new(),
        };
        let last = ids.take();
        assert_eq!(last.0, NonZeroU32::MAX);
        ids.ended.push_back(last);
        assert_eq!(ids.take(), last);
    }
}
