//! The record of a request, which any thread reads at any time
//! (`crates/vivant/src/api/promise/README.md`).
//!
//! Proved, on the file of the runtime: Q6 all fields that a reader returns are those of one
//! request, as it was at one moment; a reader that reads again finds the same or a later moment; a
//! request that is closed or given up stays so, also if it is passed on meanwhile; a reader ends
//! when its writer does.
//!
//! | model | real |
//! |---|---|
//! | `Slot` | the slot of a promise: the record, and the word in which the ends meet |
//! | `Moment` | what an inspection shows of a slot |
//! | `watches` | an inspection |
//!
//! Left out: a second reader, because readers change nothing; the memory of slots, which stays as
//! long as a scan has it (`slab_tests.rs`); the owner of the address in a record (`promise`).

use crate::check::{canaries, models};
use crate::interned::{Name, Place};
use crate::pointer::while_stores_exchange;
use crate::services::{Asked, RequestProgress};
use crate::sync::{Arc, AtomicU32, Ordering};
use header::HEADERS;
use loom::thread;
use reference::AddressRef;
use request_record::RequestRecord;
use std::ptr;

#[allow(dead_code, reason = "no model scans a slab")]
#[allow(unsafe_code, reason = "as in the runtime")]
#[path = "../../../crates/vivant/src/actor/request_record.rs"]
mod request_record;

/// Stub of `actor::header`.
mod header {
    pub(super) struct Header {
        pub(super) system: System,
    }

    pub(super) struct System {
        pub(super) oracle: Oracle,
    }

    /// The number of the owner is its time.
    pub(super) struct Oracle(u64);

    impl Oracle {
        pub(super) fn coarse_ms(&self) -> u64 {
            self.0
        }
    }

    const fn of(number: u64) -> Header {
        Header {
            system: System {
                oracle: Oracle(number),
            },
        }
    }

    pub(super) static HEADERS: [Header; 3] = [of(0), of(1), of(2)];
}

/// Stub of `actor::reference`.
mod reference {
    use super::header::{HEADERS, Header};
    use std::ops::Deref;
    use std::ptr::{self, NonNull};

    /// Counts nothing.
    pub(super) struct AddressRef(&'static Header);

    impl AddressRef {
        pub(super) fn of(header: &'static Header) -> AddressRef {
            AddressRef(header)
        }

        pub(super) fn into_raw(self) -> NonNull<Header> {
            NonNull::from(self.0)
        }

        /// # Safety
        ///
        /// As in the runtime.
        pub(super) unsafe fn from_raw(header: NonNull<Header>) -> AddressRef {
            let of = |other: &&Header| ptr::eq(*other, header.as_ptr());
            AddressRef(HEADERS.iter().find(of).expect("a header"))
        }
    }

    impl Deref for AddressRef {
        type Target = Header;

        fn deref(&self) -> &Header {
            self.0
        }
    }
}

static BEHAVIOURS: [Name; 4] = [
    Name::new("none"),
    Name::new("first"),
    Name::new("second"),
    Name::new("third"),
];

/// The request with this number. Each of its fields tells the number.
fn asked(number: usize) -> Asked {
    Asked {
        system: number as u64,
        answerer: number as u64,
        behaviour: &BEHAVIOURS[number],
        place: place(number),
    }
}

fn place(number: usize) -> Place {
    let [none, first, second, third] = [
        Place::caller(),
        Place::caller(),
        Place::caller(),
        Place::caller(),
    ];
    [none, first, second, third][number]
}

/// The numbers of owner and request, and the progress.
type Open = (usize, usize, RequestProgress);

/// What a reader may find: an open request, or none.
type Moment = Option<Open>;

const BEGUN: RequestProgress = RequestProgress::Begun;
const QUEUED: RequestProgress = RequestProgress::Queued;

/// Reads the record. Fails if the fields are not those of one request.
fn read(record: &RequestRecord) -> Moment {
    let facts = record.read()?;
    let number = facts.asked.answerer as usize;
    let of_one = asked(number);
    assert_eq!(facts.asked.system, of_one.system, "Q6: system");
    assert!(
        ptr::eq(facts.asked.behaviour, of_one.behaviour),
        "Q6: behaviour"
    );
    assert_eq!(facts.asked.place, of_one.place, "Q6: place");
    let owner = facts.since_ms as usize;
    assert!(ptr::eq(facts.asker, &raw const HEADERS[owner]), "Q6: owner");
    Some((owner, number, facts.progress))
}

/// Reads the record `times` times: moments of `life`, in their order.
fn watches(slot: &Slot, life: &[Moment], times: usize) {
    let mut rest = life;
    for _ in 0..times {
        let moment = read(&slot.record);
        let Some(at) = rest.iter().position(|possible| *possible == moment) else {
            panic!("Q6: {moment:?} is not one of {rest:?}");
        };
        rest = &rest[at..];
    }
}

#[derive(Default)]
struct Slot {
    record: RequestRecord,
    /// One when an end has done its part.
    state: AtomicU32,
}

impl Slot {
    /// The slot is taken for a promise of this owner.
    fn open(&self, owner: usize, asked: Option<Asked>) {
        let owner = AddressRef::of(&HEADERS[owner]);
        // SAFETY: the models open a new record, or close it before (X1).
        unsafe { RequestRecord::open(ptr::from_ref(&self.record).cast_mut(), owner, asked) };
    }

    fn close(&self) {
        // SAFETY: the models open it before, and the caller is the end that closes it (X1).
        let _owner = unsafe { self.record.take_owner() };
    }

    /// An end has done its part. The second one closes the record, and takes the slot for another
    /// promise.
    fn ends(&self) {
        // AcqRel: as in `api/promise/slot.rs`.
        if self.state.swap(1, Ordering::AcqRel) == 1 {
            self.close();
            self.open(2, Some(asked(2)));
        }
    }
}

/// A reader beside writers; in the end it is the last moment of `life`.
fn beside(slot: Slot, life: &'static [Moment], times: usize, writers: impl FnOnce(&Arc<Slot>)) {
    let slot = Arc::new(slot);
    let reader = thread::spawn({
        let slot = slot.clone();
        move || watches(&slot, life, times)
    });
    writers(&slot);
    reader.join().unwrap();
    assert_eq!(Some(&read(&slot.record)), life.last(), "Q6: the end");
}

fn opened() -> Slot {
    let slot = Slot::default();
    slot.open(1, Some(asked(1)));
    slot
}

/// A request is closed, and another opened.
fn opened_again(times: usize) {
    const LIFE: &[Moment] = &[Some((1, 1, QUEUED)), None, Some((2, 2, QUEUED))];
    beside(opened(), LIFE, times, |slot| {
        slot.close();
        slot.open(2, Some(asked(2)));
    });
}

/// A request begins, and is passed on to another actor.
fn passed_on(times: usize) {
    const LIFE: &[Moment] = &[
        Some((1, 1, QUEUED)),
        Some((1, 1, BEGUN)),
        Some((1, 3, QUEUED)),
    ];
    beside(opened(), LIFE, times, |slot| {
        slot.record.set(BEGUN);
        slot.record.pass_on(asked(3));
    });
}

/// A promise that is no request yet becomes one.
fn becomes_a_request() {
    const LIFE: &[Moment] = &[None, Some((1, 3, QUEUED)), None];
    // Another request was there before.
    let slot = Slot::default();
    slot.open(2, Some(asked(2)));
    slot.close();
    beside(slot, LIFE, 1, |slot| {
        slot.open(1, None);
        slot.record.pass_on(asked(3));
        slot.close();
    });
}

/// The promise is dropped while its request is passed on.
fn given_up() {
    const LIFE: &[Moment] = &[Some((1, 1, QUEUED)), Some((1, 3, QUEUED)), None];
    beside(while_stores_exchange(opened), LIFE, 1, |slot| {
        let promise = thread::spawn({
            let slot = slot.clone();
            move || slot.record.give_up()
        });
        slot.record.pass_on(asked(3));
        promise.join().unwrap();
    });
}

/// The promise is dropped beside the resolver, and the second end takes the slot for another
/// promise.
fn given_up_and_opened_again() {
    const LIFE: &[Moment] = &[Some((1, 1, QUEUED)), None, Some((2, 2, QUEUED))];
    beside(opened(), LIFE, 1, |slot| {
        let promise = thread::spawn({
            let slot = slot.clone();
            move || {
                slot.record.give_up();
                slot.ends();
            }
        });
        slot.ends();
        promise.join().unwrap();
    });
}

models! {
    /// Q6: a request is closed, and the next one takes its memory.
    a_reader_finds_one_request_of_two: holds || opened_again(2);
    /// Q6: a request that another actor has to answer.
    a_reader_finds_one_answerer_of_two: holds || passed_on(2);
    /// Q6: a promise without a request shows none, although its memory has an earlier one.
    a_promise_without_a_request_shows_none: holds becomes_a_request;
    /// Q6: a promise that was dropped shows no request, whichever end was first.
    a_request_that_is_given_up_stays_so: holds given_up;
    /// Q6: the memory of a request that was given up is taken for another.
    the_memory_of_a_request_that_was_given_up_is_taken_again: holds given_up_and_opened_again;
}

canaries! {
    /// A new request has the version of the last one.
    a_request_without_a_version_is_caught: OpenedUnversioned, "Q6" => || opened_again(1);
    /// A new request gets its version when its fields are written.
    a_version_after_the_fields_is_caught: OpenedVersionLate, "Q6" => || opened_again(1);
    /// A new request is open before its fields are written.
    an_owner_before_the_fields_is_caught: OwnerEarly, "Q6" => || opened_again(1);
    /// A request that was closed is open until the next one has its owner.
    an_owner_that_stays_is_caught: OwnerStays, "Q6" => || opened_again(1);
    /// A reader may find a field of the new request and the version of the old one.
    fields_that_do_not_release_are_caught: RecordRelaxed, "Q6" => || passed_on(1);
    /// The same, on the reader's side.
    a_reader_that_does_not_acquire_is_caught: ReadRelaxed, "Q6" => || passed_on(1);
    /// A reader does not look at the version again.
    a_reader_that_reads_once_is_caught: ReadOnce, "Q6" => || passed_on(1);
    /// A reader takes what is being written.
    a_reader_between_two_versions_is_caught: ReadWhilePassedOn, "Q6" => || passed_on(1);
    /// The version is not odd while a request is passed on.
    a_version_that_is_never_odd_is_caught: PassedOnVersionLate, "Q6" => || passed_on(1);
    /// The next actor seems to have begun.
    a_progress_that_is_passed_on_is_caught: PassedOnAsBegun, "Q6" => || passed_on(1);
    /// A request that was given up is open again.
    a_request_that_is_given_up_and_passed_on_is_caught: PassedOnByStore, "Q6" => given_up;
}
