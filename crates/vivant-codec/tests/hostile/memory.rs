//! The memory that a function allocates.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The allocator counts for all threads: one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits until no other test runs.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that any value may take: what sequences reserve before their first element at a few
/// depths, elements without bytes, and the stack of a walk, as it grows.
const BYTES_MIN: usize = 1 << 20;
/// Bytes for each byte of a value: its largest element for each, in a vector that grows.
const BYTES_PER_BYTE: usize = 512;

/// Runs `body`, in a test that is [`alone`]. It may allocate in proportion to `size` in all, freed
/// again or not.
pub(super) fn bounded<T>(size: usize, body: impl FnOnce() -> T) -> T {
    let region = Region::new(COUNTED);
    let result = body();
    let change = region.change();
    let allocated = change.bytes_allocated + change.bytes_reallocated.max(0) as usize;
    let most = BYTES_MIN + size * BYTES_PER_BYTE;
    assert!(allocated <= most, "{allocated} bytes for a value of {size}");
    result
}

#[test]
#[should_panic(expected = "bytes for a value of 4")]
fn canary_a_length_that_is_believed_is_caught() {
    let _alone = alone();
    bounded(4, || {
        let announced = u32::from_le_bytes([0, 0, 1, 1]);
        Vec::<u64>::with_capacity(announced as usize)
    });
}
