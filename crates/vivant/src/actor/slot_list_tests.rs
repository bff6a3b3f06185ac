//! Random operations on a list of slots, beside a list of numbers.

use super::super::{RECORD_AT, RequestRecord};
use super::*;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::split_mix;

/// A slot without a promise.
struct Slot {
    at: NonNull<SlotLink>,
    number: u64,
    /// Both ends are done, and the holder is not.
    is_abandoned: bool,
}

thread_local! {
    static FREED: Cell<usize> = const { Cell::new(0) };
}

/// The memory of slots, which stays as long as a test runs.
#[derive(Default)]
struct Memory(Vec<NonNull<[u64]>>);

impl Memory {
    fn slot(&mut self) -> NonNull<SlotLink> {
        let words = (LINK_AT + size_of::<SlotLink>()) / size_of::<u64>();
        let slot = NonNull::from(Vec::leak(vec![0; words]));
        self.0.push(slot);
        // SAFETY: the memory is that large (X5).
        unsafe { slot.byte_add(LINK_AT) }.cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for slot in self.0.drain(..) {
            // SAFETY: `slot` made it of a vector with no spare room, and gives it up once (X10).
            drop(unsafe { Box::from_raw(slot.as_ptr()) });
        }
    }
}

/// # Safety
///
/// None is demanded.
unsafe fn freed(_: NonNull<SlotLink>) {
    FREED.set(FREED.get() + 1);
}

fn opened(list: &SlotList, at: NonNull<SlotLink>) {
    // SAFETY: there is one thread, and the memory stays (X1).
    unsafe { list.open(at, 7) };
}

fn closed(list: &SlotList, at: NonNull<SlotLink>) {
    // SAFETY: there is one thread, and the slot is in this list (X1).
    unsafe { list.close(at) };
}

fn abandoned(at: NonNull<SlotLink>) -> Closed {
    // SAFETY: nothing is in the slot, which stays (X1).
    unsafe { SlotLink::abandon(at, freed) }
}

/// Returns whether the list was always that of the model.
fn runs(seed: u64) -> bool {
    let mut memory = Memory::default();
    let (list, mut open, mut state) = (SlotList::new(), Vec::<Slot>::new(), seed);
    let mut below = |bound: usize| {
        let (next, number) = split_mix(state);
        state = next;
        (number % bound as u64) as usize
    };
    for _ in 0..200 {
        match below(3) {
            0 | 1 if open.len() < 8 => {
                let (at, number) = (memory.slot(), open.last().map_or(1, |slot| slot.number + 1));
                opened(&list, at);
                open.push(Slot {
                    at,
                    number,
                    is_abandoned: false,
                });
            }
            2 if !open.is_empty() => {
                let which = below(open.len());
                if open[which].is_abandoned {
                    continue;
                }
                let at = open[which].at;
                match below(4) {
                    0 => {
                        assert_eq!(abandoned(at), Closed::Kept);
                        open[which].is_abandoned = true;
                    }
                    _ => {
                        closed(&list, at);
                        open.remove(which);
                    }
                }
            }
            _ => {}
        }
        let listed = open.iter().rev().filter(|slot| !slot.is_abandoned);
        let numbers: Vec<u64> = listed.map(|slot| slot.number).collect();
        if list.numbers() != numbers {
            return false;
        }
    }
    let left = open.iter().filter(|slot| slot.is_abandoned).count();
    FREED.set(0);
    // SAFETY: there is one thread (X1).
    unsafe { list.clear() };
    let rest = open.iter().filter(|slot| !slot.is_abandoned);
    let free = rest
        .filter(|slot| abandoned(slot.at) == Closed::Free)
        .count();
    free + left == open.len() && FREED.get() == left && list.numbers().is_empty()
}

#[test]
fn seeded_a_list_has_the_open_slots_in_order() {
    let seeds = if cfg!(miri) { 3 } else { 300 };
    assert!((0..seeds).all(runs));
}

#[test]
fn seeded_canary_a_slot_that_stays_listed_is_caught() {
    must_catch(InjectedFault::ClosedSlotStaysListed, || {
        assert!((0..50).all(runs));
    });
}

#[test]
fn the_links_of_a_slot_take_three_words() {
    assert_eq!(size_of::<SlotLink>(), 24);
    assert_eq!(RECORD_AT + size_of::<RequestRecord>(), LINK_AT);
}

#[test]
fn a_slot_after_the_highest_number_is_in_no_list() {
    let mut memory = Memory::default();
    let (list, [last, next]) = (SlotList::new(), [memory.slot(), memory.slot()]);
    opened(&list, last);
    // SAFETY: there is one thread, and the memory stays (X1).
    unsafe { last.write(SlotLink::of(ptr::null_mut(), NUMBER_MAX, (LISTED, 0))) };
    opened(&list, next);
    assert_eq!(list.numbers(), [NUMBER_MAX]);
    assert_eq!(abandoned(next), Closed::Free);
}
