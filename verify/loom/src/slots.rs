//! The list of an actor's open slots (`crates/vivant/src/api/promise/README.md`).
//!
//! Proved, on the file of the runtime: Q7 a slot with two ends that are done is freed once, by the
//! holder of its owner or by the thread of its second end, which see what the other has done with
//! it; no other slot of the list is accessed after it was freed.
//!
//! | model | real |
//! |---|---|
//! | `Slot` | the slot of a promise: its first word, and its links |
//! | `Slot::content` | what the ends have put into it |
//! | `Slot::links` | the accesses of the holder to its links |
//! | `is_settled_elsewhere` | `slot::opened`, for a thread that does not hold the owner |
//! | `Holder` | the run of the owner: `open`, `close`, and `clear` at its end |
//!
//! Left out: how the second end is found (`promise`).

use crate::check::{canaries, models};
use crate::tracked::Tracked;
use loom::alloc::Track;
use loom::thread::{self, JoinHandle};
use slot_list::{Closed, LINK_AT, SlotLink, SlotList};
use std::mem::offset_of;
use std::ptr::NonNull;

#[allow(dead_code, reason = "the models look at no number")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/actor/slot_list.rs"]
pub(crate) mod slot_list;

#[repr(C)]
struct Slot {
    _before: [usize; LINK_AT / size_of::<usize>()],
    link: SlotLink,
    content: Tracked<u32>,
    links: Tracked<u32>,
    /// Loom reports a slot that is freed never, or twice.
    _memory: Track<()>,
}

/// A slot that both ends may reach.
#[derive(Clone, Copy)]
struct At(NonNull<Slot>);

// SAFETY: the models give it to two threads, which access it as the protocol says (Q7).
unsafe impl Send for At {}

impl At {
    fn new() -> At {
        const { assert!(offset_of!(Slot, link) == LINK_AT) };
        let slot = Box::new(Slot {
            _before: [0; _],
            link: SlotLink::unlisted(0),
            content: Tracked::new(0),
            links: Tracked::new(0),
            _memory: Track::new(()),
        });
        At(NonNull::from(Box::leak(slot)))
    }

    fn link(self) -> NonNull<SlotLink> {
        // SAFETY: the slot is that large (X5).
        unsafe { self.0.byte_add(LINK_AT) }.cast()
    }

    fn slot(&self) -> &Slot {
        // SAFETY: the protocol under test: the slot is there (Q7).
        unsafe { self.0.as_ref() }
    }

    fn change_content(self) {
        self.slot().content.change(|content| *content += 1);
    }
}

/// Frees a slot. Its memory is no thread's any more, so all accesses were before this one.
///
/// # Safety
///
/// `link` is that of a slot of `At::new`, once.
unsafe fn free(link: NonNull<SlotLink>) {
    // SAFETY: the caller's contract (X1).
    let slot = unsafe { Box::from_raw(link.byte_sub(LINK_AT).cast::<Slot>().as_ptr()) };
    slot.content.change(|content| *content += 1);
    slot.links.change(|links| *links += 1);
}

fn is_settled_elsewhere(at: At) {
    at.change_content();
    // SAFETY: both ends are done, and `free` is for this slot (X1).
    if unsafe { SlotLink::abandon(at.link(), free) } == Closed::Free {
        // SAFETY: the other thread does not free it (Q7).
        unsafe { free(at.link()) };
    }
}

fn elsewhere(at: At) -> JoinHandle<()> {
    thread::spawn(move || {
        let at = at;
        is_settled_elsewhere(at);
    })
}

/// The holder of the owner.
struct Holder(SlotList);

impl Holder {
    fn new() -> Holder {
        Holder(SlotList::new())
    }

    fn opens(&self) -> At {
        let at = At::new();
        // SAFETY: this is the holder, and the slot stays (X1).
        unsafe { self.0.open(at.link(), 0) };
        at.slot().links.change(|links| *links += 1);
        at
    }

    fn settles(&self, at: At) {
        at.change_content();
        // SAFETY: this is the holder, and both ends are done (X1).
        unsafe { self.0.close(at.link()) };
        // SAFETY: it is in no list any more (Q7).
        unsafe { free(at.link()) };
    }

    /// The owner ends. `left` may still be there.
    fn ends(self, left: &[At]) {
        for at in left {
            at.slot().links.change(|links| *links += 1);
        }
        // SAFETY: this is the holder (X1).
        unsafe { self.0.clear() };
    }
}

/// A slot is settled elsewhere while its owner ends.
fn at_the_end() {
    let holder = Holder::new();
    let at = holder.opens();
    let other = elsewhere(at);
    holder.ends(&[at]);
    other.join().unwrap();
}

/// Its neighbours are settled by the holder meanwhile.
fn between_neighbours() {
    let holder = Holder::new();
    let (older, at) = (holder.opens(), holder.opens());
    let other = elsewhere(at);
    let newer = holder.opens();
    holder.settles(older);
    holder.settles(newer);
    holder.ends(&[at]);
    other.join().unwrap();
}

/// Two are settled elsewhere, by two threads.
fn two_at_the_end() {
    let holder = Holder::new();
    let (older, newer) = (holder.opens(), holder.opens());
    let others = [elsewhere(newer), elsewhere(older)];
    holder.ends(&[older, newer]);
    others.into_iter().for_each(|other| other.join().unwrap());
}

models! {
    /// The second end is elsewhere while the owner ends.
    a_slot_that_is_abandoned_is_freed_once: holds at_the_end;
    /// The holder opens and closes other slots meanwhile.
    a_slot_that_is_abandoned_keeps_its_neighbours: holds between_neighbours;
    /// A slot is freed while the holder walks to the next.
    two_slots_that_are_abandoned_are_freed_once: holds two_at_the_end;
}

canaries! {
    /// What the second end has done is not published to the holder, which frees the slot.
    an_abandoned_slot_that_is_not_released_is_caught:
        AbandonAcquires, "Causality violation" => at_the_end;
    /// The second end frees the slot, and does not see that the holder is done with it.
    an_abandoned_slot_that_is_not_acquired_is_caught:
        AbandonReleases, "Causality violation" => at_the_end;
    /// The holder neither publishes that it is done, nor sees what the second end has done.
    a_list_that_is_cleared_without_order_is_caught:
        ClearRelaxed, "Causality violation" => at_the_end;
    /// The holder only loads, and both leave the slot to the other.
    a_list_that_is_cleared_by_a_load_and_a_store_is_caught: ClearByALook, "" => at_the_end;
}
