//! The record of a request in the slot of its promise: what an inspection reads of it, at any time
//! and without the help of an actor (invariant Q6, see the README of promises).
//!
//! A sequence lock with one writer at a time. The fields are atomics, which on most processors are
//! written as plain memory is.

use super::header::Header;
use super::reference::AddressRef;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::interned::{Name, Place};
use crate::message::scan;
use crate::services::{Asked, RequestProgress};
use crate::sync::{AtomicPtr, AtomicU64, Ordering, fault, spin_loop, yield_now};
use std::panic::Location;
use std::ptr::{self, NonNull};

/// Number of low bits that hold the progress.
const PROGRESS_BITS: u32 = 2;
const PROGRESS: u64 = DEFERRED | BEGUN;
const QUEUED: u64 = 0;
const DEFERRED: u64 = 1;
/// With `DEFERRED` or without.
const BEGUN: u64 = 2;

/// Number of looks at a record that is being written before the reader yields its processor.
const SPINS: u32 = 64;

/// Stands for the behaviour of a request of which the promise was dropped.
static GIVEN_UP: Name = Name::new("given up");

/// In memory that has been zeroed or that a record has left: a closed record.
#[derive(Default)]
#[repr(C)]
pub(crate) struct RequestRecord {
    /// Odd while the request is passed on. Incremented before any other field changes, so a reader
    /// that finds the same even number before and after has read fields of one request.
    version: AtomicU64,
    /// An owned address of the asker, the owner of the promise. Null: the record is closed.
    owner: AtomicPtr<Header>,
    /// Null: no request has the resolver. `GIVEN_UP`: the promise was dropped.
    behaviour: AtomicPtr<Name>,
    place: AtomicPtr<Location<'static>>,
    system: AtomicU64,
    answerer: AtomicU64,
    /// Milliseconds, and in the low bits the progress.
    since: AtomicU64,
}

/// A request that was open when it was read.
#[derive(Clone, Copy)]
pub(crate) struct RequestFacts {
    /// The cell of the asker; not to be dereferenced.
    pub(crate) asker: *const Header,
    pub(crate) asked: Asked,
    /// Coarse time at which it was asked, in milliseconds.
    pub(crate) since_ms: u64,
    pub(crate) progress: RequestProgress,
}

impl RequestRecord {
    /// Opens the record at this place, for a promise of `owner`.
    ///
    /// # Safety
    ///
    /// There is a closed record, or zeroed memory, and the caller owns it.
    #[inline(always)]
    pub(crate) unsafe fn open(place: *mut RequestRecord, owner: AddressRef, asked: Option<Asked>) {
        // SAFETY: the caller's contract (X1); zeroes are a closed record. Other threads only read
        // its atomics.
        unsafe { (*place).opens(owner, asked) };
    }

    #[inline(always)]
    fn opens(&self, owner: AddressRef, asked: Option<Asked>) {
        // Relaxed, here and below: this record has one writer at a time.
        let version = self.version.load(Ordering::Relaxed);
        // Release, here and below: pairs with the Acquire of the same field in `read`. A reader
        // that finds a field of this request finds this version, or a later one, when it looks
        // again.
        let opened = version.wrapping_add(2);
        fault!(
            self.version.store(opened, Ordering::Release),
            OpenedUnversioned => (),
            OpenedVersionLate => (),
        );
        fault!(OwnerEarly => self.owner.store(ptr::from_ref(&*owner).cast_mut(), Ordering::Release));
        match asked {
            Some(asked) => {
                self.write(asked);
                let since = owner.system.oracle.coarse_ms() << PROGRESS_BITS;
                self.since.store(since, Ordering::Release);
                let behaviour = ptr::from_ref(asked.behaviour).cast_mut();
                self.behaviour.store(behaviour, Ordering::Release);
            }
            None => self.behaviour.store(ptr::null_mut(), Ordering::Release),
        }
        self.owner
            .store(owner.into_raw().as_ptr(), Ordering::Release);
        fault!(OpenedVersionLate => self.version.store(opened, Ordering::Release));
    }

    #[inline(always)]
    fn write(&self, asked: Asked) {
        let order = fault!(Ordering::Release, RecordRelaxed => Ordering::Relaxed);
        let place = ptr::from_ref(asked.place.location()).cast_mut();
        self.place.store(place, order);
        self.system.store(asked.system, order);
        self.answerer.store(asked.answerer, order);
    }

    /// Another actor has to answer. The caller is the resolver's end.
    pub(crate) fn pass_on(&self, asked: Asked) {
        #[cfg(test)]
        if is_planted(InjectedFault::RequestNotPassedOn) {
            return;
        }
        let before = self.behaviour.load(Ordering::Relaxed);
        if ptr::eq(before, &raw const GIVEN_UP) {
            return;
        }
        let version = self.version.load(Ordering::Relaxed);
        let passing = version.wrapping_add(1);
        fault!(
            self.version.store(passing, Ordering::Release),
            PassedOnVersionLate => (),
        );
        self.write(asked);
        let since = match before.is_null() {
            false => {
                let begun = fault!(PROGRESS, PassedOnAsBegun => 0);
                self.since.load(Ordering::Relaxed) & !begun
            }
            // The first request that has the resolver.
            // SAFETY: the caller is the resolver's end, which does not take the owner out here
            // (X1).
            true => unsafe { self.owner() }
                .map_or(0, |owner| owner.system.oracle.coarse_ms() << PROGRESS_BITS),
        };
        self.since.store(since, Ordering::Release);
        let behaviour = ptr::from_ref(asked.behaviour).cast_mut();
        // If the promise is dropped meanwhile, it stays so. Release, as in `opens`.
        let (release, relaxed) = (Ordering::Release, Ordering::Relaxed);
        let _before = fault!(
            self.behaviour.compare_exchange(before, behaviour, release, relaxed),
            PassedOnByStore => {
                self.behaviour.store(behaviour, release);
                Ok(before)
            },
        );
        self.version
            .store(version.wrapping_add(2), Ordering::Release);
    }

    /// The promise was dropped: its value is not wanted. The caller is the promise's end.
    pub(crate) fn give_up(&self) {
        #[cfg(test)]
        if is_planted(InjectedFault::DroppedRequestStays) {
            return;
        }
        // Relaxed: no other field changes.
        self.behaviour
            .store((&raw const GIVEN_UP).cast_mut(), Ordering::Relaxed);
    }

    /// The message is deferred, or has begun. What has begun stays so. The caller is the resolver's
    /// end.
    #[inline(always)]
    pub(crate) fn set(&self, progress: RequestProgress) {
        // Relaxed: this end alone changes it. Release, as in `opens`.
        let since = self.since.load(Ordering::Relaxed);
        let progress = match progress {
            RequestProgress::Queued => QUEUED,
            RequestProgress::Deferred => DEFERRED,
            RequestProgress::Begun => BEGUN,
        };
        self.since.store(since | progress, Ordering::Release);
    }

    /// Returns the owner, unless it was taken out.
    ///
    /// # Safety
    ///
    /// The record was opened. The caller is the resolver's end, which does not take the owner out
    /// as long as the reference exists.
    #[inline(always)]
    pub(crate) unsafe fn owner(&self) -> Option<&AddressRef> {
        // SAFETY: an `Option<AddressRef>` has the layout of a pointer. The record owns this
        // address, and the caller, which alone changes the field, does not do so meanwhile (X1).
        // Other threads only read it, and a plain read beside theirs is no race.
        unsafe { (*self.owner.as_ptr().cast::<Option<AddressRef>>()).as_ref() }
    }

    /// Takes the owner out, which closes the record.
    ///
    /// # Safety
    ///
    /// The record was opened, and the caller is the resolver's end, or the second end.
    #[inline(always)]
    pub(crate) unsafe fn take_owner(&self) -> Option<AddressRef> {
        // Relaxed: this end alone changes it now.
        let owner = NonNull::new(self.owner.load(Ordering::Relaxed))?;
        fault!(
            self.owner.store(ptr::null_mut(), Ordering::Relaxed),
            OwnerStays => (),
        );
        // SAFETY: `open` gave the record this address, and it is taken out once (X10).
        Some(unsafe { AddressRef::from_raw(owner) })
    }

    /// Returns the request, if it is open.
    pub(crate) fn read(&self) -> Option<RequestFacts> {
        let mut rounds = 0;
        loop {
            // Acquire, here and below: pairs with the Release of the same field in `open` and
            // `pass_on`.
            let order = fault!(Ordering::Acquire, ReadRelaxed => Ordering::Relaxed);
            let version = self.version.load(Ordering::Acquire);
            let asker = self.owner.load(order);
            let behaviour = self.behaviour.load(order);
            let place = self.place.load(order);
            let system = self.system.load(order);
            let answerer = self.answerer.load(order);
            let since = self.since.load(order);
            // Relaxed: the loads above acquired.
            let again = fault!(self.version.load(Ordering::Relaxed), ReadOnce => version);
            let is_odd = fault!(version % 2 == 1, ReadWhilePassedOn => false);
            if again != version || is_odd {
                rounds += 1;
                match rounds % SPINS {
                    // The writer may have lost its processor.
                    0 => yield_now(),
                    _ => spin_loop(),
                }
                continue;
            }
            if asker.is_null() || ptr::eq(behaviour, &raw const GIVEN_UP) {
                return None;
            }
            let (behaviour, place) = (NonNull::new(behaviour)?, NonNull::new(place)?);
            return Some(RequestFacts {
                asker,
                asked: Asked {
                    system,
                    answerer,
                    // SAFETY: `opens` or `pass_on` stored it from a reference that lives for ever
                    // (X5).
                    behaviour: unsafe { behaviour.as_ref() },
                    // SAFETY: as for the behaviour: stored from a reference that lives for ever
                    // (X5).
                    place: Place::from(unsafe { place.as_ref() }),
                },
                since_ms: since >> PROGRESS_BITS,
                progress: match since & PROGRESS {
                    QUEUED => RequestProgress::Queued,
                    DEFERRED => RequestProgress::Deferred,
                    _ => RequestProgress::Begun,
                },
            });
        }
    }
}

/// Offset of the record in a slot.
pub(crate) const RECORD_AT: usize = 24;

/// Calls `each` with every request of an actor that is open, of all systems. A request that is
/// opened or closed meanwhile may be among them or not.
pub(crate) fn open_requests(mut each: impl FnMut(RequestFacts)) {
    scan(|block| {
        // SAFETY: the block is zeroed, or a slot was there (N5), of which the record begins here:
        // `slot` asserts it. So there is a closed record at least, which is made of atomics, and
        // which no thread accesses otherwise.
        let record = unsafe { block.add(RECORD_AT).cast::<RequestRecord>().as_ref() };
        if let Some(facts) = record.read() {
            each(facts);
        }
    });
}
