//! The list of an actor's open slots, and the number of each (invariant Q7, see the README of
//! promises).
//!
//! The list is linked through the slots. Its newest slot has the highest number, so a new slot gets
//! the next one, and no two slots of one actor that are open at the same time have the same number.
//!
//! | event | by | effect |
//! |---|---|---|
//! | a promise is opened | the holder | the slot is linked, `LISTED` |
//! | both ends are done | the holder | the slot is unlinked, and its memory freed |
//! | the value comes before the promise's end is done | the holder | it is unlinked, `UNLISTED` |
//! | both ends are done | any other thread | a listed slot is `ABANDONED`, and stays; another is freed |
//! | the actor ends | the holder | each slot is `UNLISTED`; those abandoned before are freed |

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{AtomicU8, Ordering, fault};
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// In no list: it was opened while its owner was not held, or the owner has ended.
const UNLISTED: u8 = 0;
/// In the list of its owner, of which the holder alone accesses the links.
const LISTED: u8 = 1;
/// As `LISTED`, but both ends are done with the slot.
const ABANDONED: u8 = 2;

/// The highest number: with a new promise every microsecond and always one open, it is reached
/// after nine years. Later slots are not listed.
const NUMBER_MAX: u64 = (1 << 48) - 1;

/// The links of a slot. The address of the next newer slot, and that of the next older.
#[repr(C)]
pub(crate) struct SlotLink {
    newer: Cell<*mut SlotLink>,
    older: Cell<*mut SlotLink>,
    /// The number of the slot among the open ones of its owner; 0 if it is not listed. Its low and
    /// its high part, which never change.
    number_low: u32,
    number_high: u16,
    listing: AtomicU8,
    /// What the ends of the slot exchange. Here, because links and number leave one byte.
    pub(crate) state: AtomicU8,
}

/// Offset of the links in a slot.
pub(crate) const LINK_AT: usize = 80;

/// Frees a slot, of which the links are given.
pub(crate) type FreeSlot = unsafe fn(NonNull<SlotLink>);

/// What becomes of a slot that both ends are done with.
#[derive(PartialEq, Eq, Debug)]
#[must_use = "the caller frees the slot, or must not"]
pub(crate) enum Closed {
    /// It is in no list: the caller frees it.
    Free,
    /// The holder of its owner frees it, at the latest when the owner ends.
    Kept,
}

impl SlotLink {
    /// The links of a slot in no list. `state` is the first state of its ends.
    pub(crate) fn unlisted(state: u8) -> SlotLink {
        SlotLink::of(ptr::null_mut(), 0, (UNLISTED, state))
    }

    fn of(older: *mut SlotLink, number: u64, (listing, state): (u8, u8)) -> SlotLink {
        SlotLink {
            newer: Cell::new(ptr::null_mut()),
            older: Cell::new(older),
            number_low: number as u32,
            number_high: (number >> u32::BITS) as u16,
            listing: AtomicU8::new(listing),
            state: AtomicU8::new(state),
        }
    }

    /// The number of the slot among the open ones of its owner; 0 if it is in no list.
    pub(crate) fn number(&self) -> u64 {
        u64::from(self.number_high) << u32::BITS | u64::from(self.number_low)
    }

    /// Both ends are done with the slot, and the caller does not hold its owner.
    ///
    /// # Safety
    ///
    /// The slot was opened, the caller is the second end, and has taken everything out. Its memory
    /// begins `LINK_AT` bytes before `link`, and `free` frees it.
    pub(crate) unsafe fn abandon(link: NonNull<SlotLink>, free: FreeSlot) -> Closed {
        // SAFETY: the caller owns the slot but for its links (X1), and nothing is in it any more.
        // The first word is aligned, as the slot is.
        unsafe { free_of(link).write(free) };
        // SAFETY: the slot is there until it is freed, which is after this exchange (Q7).
        let listing = unsafe { &link.as_ref().listing };
        // AcqRel: Release pairs with the Acquire of `clear`, which reads `free`; Acquire pairs with
        // the Release there, after which the links are not accessed any more.
        let order = fault!(
            Ordering::AcqRel,
            AbandonAcquires => Ordering::Acquire,
            AbandonReleases => Ordering::Release,
        );
        match listing.swap(ABANDONED, order) {
            UNLISTED => Closed::Free,
            _ => Closed::Kept,
        }
    }
}

/// Where an abandoned slot has the function that frees it.
///
/// # Safety
///
/// `link` is in a slot, `LINK_AT` bytes behind its beginning.
unsafe fn free_of(link: NonNull<SlotLink>) -> NonNull<FreeSlot> {
    // SAFETY: the caller's contract (X1).
    unsafe { link.byte_sub(LINK_AT) }.cast()
}

/// The open slots of an actor. In its header; only the holder accesses it.
pub(crate) struct SlotList {
    newest: Cell<*mut SlotLink>,
}

impl SlotList {
    pub(crate) fn new() -> SlotList {
        SlotList {
            newest: Cell::new(ptr::null_mut()),
        }
    }

    /// Writes the links of a new slot, and adds it to the list. `state` is the first state of its
    /// ends.
    ///
    /// # Safety
    ///
    /// The caller holds the actor. It owns the memory of the slot, in which `link` is. That stays
    /// until `close` or `clear` has been called, or `abandon` has returned `Free`.
    #[inline(always)]
    pub(crate) unsafe fn open(&self, link: NonNull<SlotLink>, state: u8) {
        // SAFETY: the caller's contract (X1).
        unsafe { self.open_as(1, link, state) };
    }

    /// As `open`: with this number, or a higher one if that is not higher than those of the list.
    ///
    /// # Safety
    ///
    /// As for `open`.
    #[inline(always)]
    pub(crate) unsafe fn open_as(&self, mut number: u64, link: NonNull<SlotLink>, state: u8) {
        let newest = self.newest.get();
        if let Some(newest) = NonNull::new(newest) {
            // SAFETY: a slot in the list is there (Q7), and the holder alone accesses its links
            // (X2).
            let newest = unsafe { newest.as_ref() };
            number = number.max(newest.number() + 1);
        }
        if number > NUMBER_MAX {
            // SAFETY: the caller owns this memory (X1).
            return unsafe { link.write(SlotLink::unlisted(state)) };
        }
        if let Some(newest) = NonNull::new(newest) {
            // SAFETY: it is in the list (Q7), and the holder alone accesses its links (X2).
            unsafe { newest.as_ref() }.newer.set(link.as_ptr());
        }
        // SAFETY: the caller owns this memory (X1).
        unsafe { link.write(SlotLink::of(newest, number, (LISTED, state))) };
        self.newest.set(link.as_ptr());
    }

    /// Takes a slot out of the list: its value has come before its promise's end is done, which was
    /// carried out of its turn and may come in any other.
    ///
    /// # Safety
    ///
    /// As for `close`, but the caller is the first end.
    #[cold]
    pub(crate) unsafe fn unlist(&self, link: NonNull<SlotLink>) {
        // SAFETY: the caller's contract (X1).
        unsafe { self.close(link) };
        // SAFETY: the slot is there until both ends are done (Q7).
        let listing = unsafe { &link.as_ref().listing };
        // Relaxed: the second end acquires what the first has done by the exchange of the state.
        listing.store(UNLISTED, Ordering::Relaxed);
    }

    /// Both ends are done with a slot of this actor. The caller frees it.
    ///
    /// # Safety
    ///
    /// The caller holds the actor, and is the second end of the slot. If the slot is in a list, it
    /// is in this one.
    #[inline(always)]
    pub(crate) unsafe fn close(&self, link: NonNull<SlotLink>) {
        // SAFETY: the caller owns the slot (X1).
        let link = unsafe { link.as_ref() };
        // Relaxed: no other thread changes it: the second end is the caller, or comes later.
        if link.listing.load(Ordering::Relaxed) == UNLISTED {
            return;
        }
        #[cfg(test)]
        if is_planted(InjectedFault::ClosedSlotStaysListed) {
            return;
        }
        let (newer, older) = (link.newer.get(), link.older.get());
        match NonNull::new(newer) {
            // SAFETY: a slot in the list is there (Q7), and the holder alone accesses its links
            // (X2).
            Some(newer) => unsafe { newer.as_ref() }.older.set(older),
            None => self.newest.set(older),
        }
        if let Some(older) = NonNull::new(older) {
            // SAFETY: it is in the list too (Q7), and its links are the holder's (X2).
            unsafe { older.as_ref() }.newer.set(newer);
        }
    }

    /// Empties the list. Frees the slots that were abandoned.
    ///
    /// # Safety
    ///
    /// The caller holds the actor, or has its cell alone.
    pub(crate) unsafe fn clear(&self) {
        let mut next = self.newest.take();
        while let Some(link) = NonNull::new(next) {
            // SAFETY: a slot in the list is there (Q7), and its links are the holder's (X2), until
            // the exchange below.
            next = unsafe { link.as_ref() }.older.get();
            // AcqRel: pairs with the exchange in `abandon`.
            let order = fault!(Ordering::AcqRel, ClearRelaxed => Ordering::Relaxed);
            // SAFETY: the slot is there until the exchange, and after it if it was abandoned (Q7).
            let listing = unsafe { &link.as_ref().listing };
            let before = fault!(listing.swap(UNLISTED, order), ClearByALook => {
                let before = listing.load(Ordering::Acquire);
                listing.store(UNLISTED, Ordering::Release);
                before
            });
            if before == ABANDONED {
                // SAFETY: `abandon` has written the function into this slot, and returned `Kept`;
                // the slot is in no list any more (X10).
                unsafe { free_of(link).read()(link) };
            }
        }
    }

    /// Calls `body` with the number and the links of each open slot, the newest first. An abandoned
    /// one is skipped: nothing waits for it.
    ///
    /// # Safety
    ///
    /// The caller holds the actor, and `body` closes no slot of it.
    pub(crate) unsafe fn each(&self, mut body: impl FnMut(u64, NonNull<SlotLink>)) {
        let mut next = self.newest.get();
        while let Some(at) = NonNull::new(next) {
            // SAFETY: a slot in the list is there (Q7), and its links are the holder's (X2).
            let link = unsafe { at.as_ref() };
            next = link.older.get();
            // Relaxed: of an abandoned slot nothing else is read.
            if link.listing.load(Ordering::Relaxed) != ABANDONED {
                body(link.number(), at);
            }
        }
    }

    /// The numbers of the open slots, the newest first. For tests while no actor runs.
    #[cfg(test)]
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let mut numbers = Vec::new();
        // SAFETY: no actor runs, so no other thread holds this one (X1).
        unsafe { self.each(|number, _| numbers.push(number)) };
        numbers
    }
}

impl Drop for SlotList {
    fn drop(&mut self) {
        // SAFETY: the cell is being freed, so no other thread has it (X3).
        unsafe { self.clear() };
    }
}

#[cfg(test)]
#[path = "slot_list_tests.rs"]
mod tests;
