//! One reference more, one less.

use super::current::{CURRENT, Current, look, me, safe_point};
use super::ending::Ending;
use super::handed::Handed;
use super::header::{Dropped, Header, NOBODY, OwnerDropped};
use super::slot::Relief;
use super::{notice, table};
use crate::counters;
use crate::sync::thread_local;
use std::cell::Cell;
use std::mem;

thread_local! {
    /// Destructors of others, that run because something was handed over, and lie in each other.
    static RELIEFS: Cell<u32> = const { Cell::new(0) };
}

/// How deep ends on behalf of an owner may lie in each other, by destructors that hand over in
/// their turn: each level takes of the stack.
const RELIEF_DEPTH: u32 = 8;

/// One more reference.
#[inline]
pub(crate) fn clone(header: &Header) {
    if header.is_owned_by(me()) {
        counters::biased(header);
        clone_owned(header);
    } else {
        unusual();
        counters::shared(header);
        header.clone_shared();
    }
}

/// One more reference, of the owner.
#[inline]
fn clone_owned(header: &Header) {
    if !header.clone_owned() {
        clone_of_many(header);
    }
}

/// The biased count is full. It may be that others have dropped most of what it counts (B1), so the
/// object is merged, and then one number says how many there are.
#[cold]
#[inline(never)]
fn clone_of_many(header: &Header) {
    header.disown();
    CURRENT.with(Current::unname);
    // One of them may lie in the queue.
    look();
    header.clone_shared();
}

/// Tells the compiler for whom to lay out the code: for the owner.
#[cold]
#[inline]
fn unusual() {}

/// One more reference, which the shared count has.
#[inline]
pub(crate) fn clone_out(header: &Header) {
    counters::shared(header);
    header.clone_shared();
}

/// One reference less, if that is all there is to do: it is the owner's, and not its last one.
/// Whether it was so; if not, nothing was done, and [`let_go`] does it.
#[inline]
pub(crate) fn let_go_owned(header: &Header) -> bool {
    let done = header.is_owned_by(me()) && header.drop_one_of_many();
    if done {
        counters::biased(header);
    }
    done
}

/// One reference less. Whether it was the last one, so that the caller ends the object.
#[inline]
pub(crate) fn let_go(header: &Header, hand: impl FnOnce() -> Handed) -> bool {
    if header.is_owned_by(me()) {
        counters::biased(header);
        match header.drop_owned() {
            OwnerDropped::Others => false,
            dropped => unnamed(dropped, hand),
        }
    } else {
        counters::shared(header);
        match header.drop_shared() {
            Dropped::Others => false,
            Dropped::Last => true,
            Dropped::Sole => ended_for(header.owner(), hand),
            Dropped::Queued => hand_over(header, hand()),
        }
    }
}

/// One object less names this owner. Whether it is to be ended.
#[inline]
fn unnamed(dropped: OwnerDropped, hand: impl FnOnce() -> Handed) -> bool {
    let is_last = dropped == OwnerDropped::Unnamed(Dropped::Last);
    let looks = CURRENT.with(Current::unname);
    if dropped == OwnerDropped::UnnamedQueued {
        // Its last reference may lie in the queue, and nobody would know where to look for it later
        // (B5).
        safe_point();
    } else if looks {
        let mut this = Ending::default();
        if is_last {
            // SAFETY: the last one. Ended here only if another one's destructor panics.
            unsafe { this.push(hand()) };
        }
        safe_point();
        mem::forget(this);
    }
    is_last
}

/// An object that names another owner is to be ended here (B8). Whether the caller does it.
#[inline]
fn ended_for(owner: u32, hand: impl FnOnce() -> Handed) -> bool {
    let mut ending = Ending::default();
    notice::note(owner, &mut ending);
    if ending.is_empty() {
        return true;
    }
    // SAFETY: the last reference. With the others, of which one may panic.
    unsafe { ending.push(hand()) };
    false
}

/// Gives a reference to its owner. Whether it was the last one after all.
#[cold]
fn hand_over(header: &Header, handed: Handed) -> bool {
    /// One level up again, also by a panic.
    struct Up(u32);
    impl Drop for Up {
        fn drop(&mut self) {
            RELIEFS.with(|reliefs| reliefs.set(self.0));
        }
    }

    counters::queued();
    let owner = header.owner();
    if owner == NOBODY {
        return header.drop_merged() == Dropped::Last;
    }
    let depth = RELIEFS.with(Cell::get);
    let relief = if depth < RELIEF_DEPTH {
        Relief::Given
    } else {
        Relief::Withheld
    };
    let mut ending = Ending::default();
    let left = table::slot(owner).hand_over(handed, relief, &mut ending);
    table::left(owner, left);
    RELIEFS.with(|reliefs| reliefs.set(depth + 1));
    let _up = Up(depth);
    drop(ending);
    false
}

/// A strong reference for a weak one, if there is still one.
pub(crate) fn upgrade(header: &Header) -> bool {
    if header.is_owned_by(me()) && header.is_queued() {
        // The one in the queue may be the last one.
        look();
    }
    if header.is_owned_by(me()) {
        counters::biased(header);
        // Alive: see B7.
        clone_owned(header);
        true
    } else {
        counters::shared(header);
        header.upgrade_shared()
    }
}
