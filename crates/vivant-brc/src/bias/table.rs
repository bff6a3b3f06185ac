//! All owners of the process: ids, their entries, and the pool of free ids.

use super::owner_entry::{AfterLeave, OwnerEntry};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Slots of the first segment; each further one has twice as many.
const FIRST: u32 = 64;

/// Enough for sixteen million owners at a time. When all are taken, objects are made without owner.
const SEGMENTS: usize = 18;

/// Slots do not move, and are never freed: a thread may read the entry of an owner that has ended.
static ENTRIES: [OnceLock<Box<[OwnerEntry]>>; SEGMENTS] = [const { OnceLock::new() }; SEGMENTS];

static POOL: Mutex<Pool> = Mutex::new(Pool {
    free: Vec::new(),
    used: 0,
});

struct Pool {
    free: Vec<u32>,
    /// Ids up to this one have been given.
    used: u32,
}

/// Segment and index of an id. Ids begin with one.
fn place(id: u32) -> (usize, usize) {
    let number = id - 1 + FIRST;
    let segment = number.ilog2() - FIRST.ilog2();
    (segment as usize, (number - (FIRST << segment)) as usize)
}

/// The entry of an id that was given before.
pub(crate) fn entry(id: u32) -> &'static OwnerEntry {
    let (segment, place) = place(id);
    let entries = ENTRIES[segment].get();
    &entries.expect("an id has an entry before it is given")[place]
}

/// An id for a new owner; `None` if there are too many.
pub(crate) fn take() -> Option<u32> {
    let mut pool = pool();
    if let Some(id) = pool.free.pop() {
        return Some(id);
    }
    let id = pool.used + 1;
    let (segment, _) = place(id);
    let first = FIRST << segment;
    ENTRIES.get(segment)?.get_or_init(|| {
        let ids = first - FIRST + 1..=first - FIRST + first;
        ids.map(OwnerEntry::new).collect()
    });
    pool.used = id;
    Some(id)
}

/// Puts an id that no object names any more back into the pool.
pub(crate) fn after_leave(id: u32, left: AfterLeave) {
    match left {
        AfterLeave::KeepId => {}
        AfterLeave::FreeId => pool().free.push(id),
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fill_segments_without_a_gap() {
        let mut expected = (0, 0);
        for id in 1..10_000 {
            assert_eq!(place(id), expected);
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn a_slot_has_its_id() {
        let ids: Vec<u32> = (0..300).map(|_| take().unwrap()).collect();
        for &id in &ids {
            assert!(entry(id).has_id(id));
            after_leave(id, AfterLeave::FreeId);
        }
    }
}
