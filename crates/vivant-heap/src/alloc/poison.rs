//! Poison: the pattern of free memory in heaps under stress.

use crate::pages::chunk::PAGE;
use std::ptr::NonNull;

/// The fill pattern of free memory. As a header's word it has the lowest bit set, and leads
/// nowhere.
const POISON: u8 = 0xDF;

/// Poisons free memory.
///
/// # Safety
///
/// The memory is the caller's alone.
pub(crate) unsafe fn poison(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { start.write_bytes(POISON, bytes) };
}

/// The first place at which poisoned memory was written; `None` if it is intact.
///
/// # Safety
///
/// The memory was poisoned, and is the caller's alone.
pub(crate) unsafe fn written(start: NonNull<u8>, bytes: usize) -> Option<NonNull<u8>> {
    let intact = |offset: &usize| {
        // SAFETY: the caller's contract; `offset` is below `bytes`.
        unsafe { start.add(*offset).read() == POISON }
    };
    // Under an interpreter only some of the bytes are checked.
    let step = if cfg!(miri) { PAGE / 64 } else { 1 };
    let mut offsets = (0..bytes).step_by(step);
    // SAFETY: within the poisoned memory.
    let at = |offset| unsafe { start.add(offset) };
    offsets.find(|offset| !intact(offset)).map(at)
}
