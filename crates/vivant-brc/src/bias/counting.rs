//! Increment and decrement of an object's counts.

use super::current::{CURRENT, Current, current_id, merge_counts, safe_point};
use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, MERGED_OWNER, OwnerDropped};
use super::owner_entry::Relief;
use super::{notice, table};
use crate::counters;
use crate::sync::thread_local;
use std::cell::Cell;
use std::mem;

thread_local! {
    /// Nesting depth of destructors that this thread runs for another owner because it handed a
    /// reference over.
    static RELIEF_LEVEL: Cell<u32> = const { Cell::new(0) };
}

/// Limit of [`RELIEF_LEVEL`]: a destructor that runs for another owner may hand references over
/// itself, and each level takes stack.
const RELIEF_DEPTH: u32 = 8;

/// Increment.
#[inline]
pub(crate) fn clone(header: &Header) {
    if header.is_owned_by(current_id()) {
        counters::biased(header.is_used());
        clone_owned(header);
    } else {
        cold_path();
        counters::shared(header.note_use());
        header.clone_shared();
    }
}

/// Increment by the owner.
#[inline]
fn clone_owned(header: &Header) {
    if !header.clone_owned() {
        clone_full(header);
    }
}

/// Increment when the biased count is full. Other threads may have dropped most of the references
/// that it counts (B1), so the object is merged: then one number is the exact count.
#[cold]
#[inline(never)]
fn clone_full(header: &Header) {
    header.disown();
    CURRENT.with(Current::unname);
    // One of the references may lie in the queue.
    merge_counts();
    header.clone_shared();
}

/// Tells the compiler to lay out the code for the common case, the owner.
#[cold]
#[inline]
fn cold_path() {}

/// Increment of the shared count.
#[inline]
pub(crate) fn clone_out(header: &Header) {
    counters::shared(header.note_use());
    header.clone_shared();
}

/// Fast path of a decrement: the reference is the owner's, and not its last one. Returns true if
/// that was so. Otherwise nothing was done, and the caller calls [`decrement`].
#[inline]
pub(crate) fn decrement_owned(header: &Header) -> bool {
    let done = header.is_owned_by(current_id()) && header.drop_one_of_many();
    if done {
        counters::biased(header.is_used());
    }
    done
}

/// Decrement. Returns true if it was the last reference: then the caller ends the object.
#[inline]
pub(crate) fn decrement(header: &Header, hand: impl FnOnce() -> Handed) -> bool {
    if header.is_owned_by(current_id()) {
        counters::biased(header.is_used());
        match header.drop_owned() {
            OwnerDropped::Others => false,
            dropped => after_unname(dropped, hand),
        }
    } else {
        counters::shared(header.note_use());
        match header.drop_shared() {
            Dropped::Others => false,
            Dropped::Last => true,
            Dropped::Sole => end_for_owner(header.owner(), hand),
            Dropped::Queued => hand_over(header, hand()),
        }
    }
}

/// One object less names this owner. Returns true if the caller is to end the object.
#[inline]
fn after_unname(dropped: OwnerDropped, hand: impl FnOnce() -> Handed) -> bool {
    let is_last = dropped == OwnerDropped::Unnamed(Dropped::Last);
    let is_due = CURRENT.with(Current::unname);
    if dropped == OwnerDropped::UnnamedQueued {
        // The object's last reference may lie in the queue, and no later step would look there for
        // it (B5).
        safe_point();
    } else if is_due {
        let mut this = Ending::default();
        if is_last {
            // SAFETY: `hand` gives the last reference. The list ends it only if the destructor of
            // another object panics.
            unsafe { this.push(hand()) };
        }
        safe_point();
        mem::forget(this);
    }
    is_last
}

/// Another owner's object is to be ended here (B8). Returns true if the caller ends it.
#[inline]
fn end_for_owner(owner: u32, hand: impl FnOnce() -> Handed) -> bool {
    let mut ending = Ending::default();
    notice::note(owner, &mut ending);
    if ending.is_empty() {
        return true;
    }
    // SAFETY: `hand` gives the last reference. It joins the other objects, because one of their
    // destructors may panic.
    unsafe { ending.push(hand()) };
    false
}

/// Hands a reference over to its owner. Returns true if it was the last one after all.
#[cold]
fn hand_over(header: &Header, handed: Handed) -> bool {
    /// Restores [`RELIEF_LEVEL`], also after a panic.
    struct RestoreLevel(u32);
    impl Drop for RestoreLevel {
        fn drop(&mut self) {
            RELIEF_LEVEL.with(|level| level.set(self.0));
        }
    }

    counters::queued();
    let owner = header.owner();
    if owner == MERGED_OWNER {
        return header.drop_merged() == Dropped::Last;
    }
    let depth = RELIEF_LEVEL.with(Cell::get);
    let relief = if depth < RELIEF_DEPTH {
        Relief::Given
    } else {
        Relief::Withheld
    };
    let mut ending = Ending::default();
    let left = table::entry(owner).hand_over(handed, relief, &mut ending);
    table::after_leave(owner, left);
    RELIEF_LEVEL.with(|level| level.set(depth + 1));
    let _restore = RestoreLevel(depth);
    drop(ending);
    false
}

/// Makes a strong reference of a weak one. Returns false if the object has ended.
pub(crate) fn upgrade(header: &Header) -> bool {
    if header.is_owned_by(current_id()) && header.is_queued() {
        // The reference in the queue may be the last one.
        merge_counts();
    }
    if header.is_owned_by(current_id()) {
        counters::biased(header.is_used());
        // The object is live: B7.
        clone_owned(header);
        true
    } else {
        counters::shared(header.note_use());
        header.upgrade_shared()
    }
}
