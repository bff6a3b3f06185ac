//! Copies of a node's slots with a change, in plain vectors, which
//! [`Mutator::val_slice`](vivant_heap::Mutator::val_slice) then takes whole.

/// The largest number of slots of a node.
pub(super) const WIDTH: usize = 32;

/// The number of bits of a position, or of a hash, that select a slot.
pub(super) const BITS: u32 = WIDTH.ilog2();

const _: () = assert!(WIDTH == 1 << BITS, "a slot is chosen by whole bits");
const _: () = assert!(WIDTH <= u32::BITS as usize, "a bitmap has a bit for each");

/// The slots with another one inserted before the one at `at`.
pub(super) fn with<T: Clone>(slots: &[T], at: usize, slot: T) -> Vec<T> {
    let mut copy = Vec::with_capacity(slots.len() + 1);
    copy.extend_from_slice(&slots[..at]);
    copy.push(slot);
    copy.extend_from_slice(&slots[at..]);
    copy
}

/// The slots with the one at `at` replaced.
pub(super) fn replaced<T: Clone>(slots: &[T], at: usize, slot: T) -> Vec<T> {
    let mut copy = Vec::with_capacity(slots.len());
    copy.extend_from_slice(&slots[..at]);
    copy.push(slot);
    copy.extend_from_slice(&slots[at + 1..]);
    copy
}

/// The slots without the one at `at`.
pub(super) fn without<T: Clone>(slots: &[T], at: usize) -> Vec<T> {
    let mut copy = Vec::with_capacity(slots.len() - 1);
    copy.extend_from_slice(&slots[..at]);
    copy.extend_from_slice(&slots[at + 1..]);
    copy
}
