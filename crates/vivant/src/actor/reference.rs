//! The two counted references to a cell: a [`CellRef`] keeps its memory, an [`AddressRef`] keeps
//! its actor reachable.

mod lost_address;

pub(crate) use lost_address::count_back;

use super::header::Header;
use super::reference_word;
use super::runnable::Runnable;
use super::worker::Worker;
use crate::message::Notified;
use crate::queues::Pointed;
use crate::statistics::HeapCounts;
use crate::sync::{Ordering, fence};
use std::ops::Deref;
use std::ptr::NonNull;

/// Limit of the references to a cell. More can only be a leak in a loop, and the count would wrap.
/// Half of what the count holds: one of the threads that pass it at once aborts before the wrap.
const REFERENCES_MAX: u32 = i32::MAX as u32;

/// Aborts the process. Counting on would wrap the count; unwinding would leave it too high for
/// ever, and then no count could be trusted.
#[cold]
fn too_many() -> ! {
    #[allow(clippy::print_stderr, reason = "the last words of the process")]
    {
        eprintln!(
            "vivant: more than 2^28 addresses of one actor, or 2^31 references to it: they leak"
        );
    }
    std::process::abort()
}

/// A counted reference to the memory of a cell. The registry and weak addresses hold these.
pub(crate) struct CellRef(NonNull<Header>);

/// A counted address: while one exists, the actor is reachable and does not end by itself.
#[repr(transparent)]
pub(crate) struct AddressRef(NonNull<Header>);

// SAFETY: the fields of the header are immutable or `Sync`, and only the holder accesses owner
// part, list of slots and state (C1). The state is `Send` by a bound of `StoreState`, and the owner
// part by its fields, so any thread may hold the actor or free the cell (X9).
unsafe impl Send for CellRef {}
// SAFETY: `&CellRef` gives access to the shared header only: fields that are immutable or `Sync`,
// and the list of slots, of which each function demands the holder (X9).
unsafe impl Sync for CellRef {}
// SAFETY: an `AddressRef` reaches owner part and state only by the `Runnable` of an actor that it
// has woken (C1). The state is `Send` by a bound of `StoreState`, and the owner part by its fields,
// so any thread may run the actor (X9).
unsafe impl Send for AddressRef {}
// SAFETY: `&AddressRef` gives access to the shared header only, as `&CellRef` does (X9).
unsafe impl Sync for AddressRef {}

impl AddressRef {
    /// Gives the address up as a plain pointer, for [`AddressRef::from_raw`].
    #[inline(always)]
    pub(super) fn into_raw(self) -> NonNull<Header> {
        let header = self.0;
        std::mem::forget(self);
        header
    }

    /// # Safety
    ///
    /// `header` came from `into_raw`, once.
    #[inline(always)]
    pub(super) unsafe fn from_raw(header: NonNull<Header>) -> AddressRef {
        AddressRef(header)
    }

    /// The first address of a new cell, which counts it.
    ///
    /// # Safety
    ///
    /// `header` starts a cell that nothing refers to yet. Its count says one address, and the
    /// pointer is that of the whole cell.
    pub(crate) unsafe fn first(header: NonNull<Header>) -> AddressRef {
        AddressRef(header)
    }

    pub(super) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// Returns a reference that keeps only the memory.
    pub(crate) fn cell(&self) -> CellRef {
        // SAFETY: this counted address keeps the cell alive (C3); the pointer is that of the whole
        // cell (C7).
        unsafe { CellRef::to(self.0) }
    }

    /// Returns an address of an actor that the caller holds (C4).
    ///
    /// # Safety
    ///
    /// `header` starts a cell made by `api::cell::new_cell` that is alive, the pointer is that of
    /// the whole cell, and this thread holds the actor.
    pub(crate) unsafe fn of_held(header: NonNull<Header>) -> AddressRef {
        if let Some(cached) = AddressRef::cached_address(header) {
            return cached;
        }
        // SAFETY: the caller's contract (X1).
        // Relaxed: as in `clone`; only the holder may raise the count from zero.
        let before = unsafe { header.as_ref() }
            .addresses
            .fetch_add(1, Ordering::Relaxed);
        if reference_word::count(before) == 0 {
            // C3: the addresses together own one reference again.
            // SAFETY: the caller's contract (X1).
            std::mem::forget(unsafe { CellRef::to(header) });
            // SAFETY: the caller's contract (X1).
            unsafe { header.as_ref() }.note_first_address(before);
        } else if reference_word::count(before) >= reference_word::ADDRESSES_MAX {
            too_many();
        }
        AddressRef(header)
    }

    /// Takes a cached address of the current actor (C6). `None` for another actor, or if none is
    /// cached.
    #[inline]
    fn cached_address(header: NonNull<Header>) -> Option<AddressRef> {
        let spares = Worker::with_current(|worker| worker.current.take_cached_address(header));
        (spares == Some(true)).then(|| AddressRef(header))
    }
}

impl CellRef {
    /// Returns the published statistics of the actor's heap, if it has one.
    pub(crate) fn heap_counts(&self) -> Option<&HeapCounts> {
        // SAFETY: this reference is counted, so the cell is alive, and the counts in it are (X7);
        // the pointer is that of the whole cell, and `class` is the table of its type (C7).
        unsafe { (self.class.heap_counts)(self.0).map(|counts| counts.as_ref()) }
    }

    /// Returns one more reference to a cell.
    ///
    /// # Safety
    ///
    /// `header` starts a cell made by `api::cell::new_cell` that is alive: a reference or the
    /// actor's life (C5) keeps it. The pointer is that of the whole cell.
    pub(crate) unsafe fn to(header: NonNull<Header>) -> CellRef {
        // SAFETY: the caller's contract (X1).
        // Relaxed: a new reference is made from an existing one, as in `Arc`.
        let before = unsafe { header.as_ref() }
            .refs
            .fetch_add(1, Ordering::Relaxed);
        if before >= REFERENCES_MAX {
            too_many();
        }
        CellRef(header)
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// Returns an address, or `None` if the actor has none any more (it is ending or has ended).
    pub(crate) fn upgrade(&self) -> Option<AddressRef> {
        let mut word = self.addresses.load(Ordering::Relaxed);
        loop {
            if reference_word::is_dying(word) {
                word = self.await_commit()?;
            }
            if reference_word::count(word) == 0 {
                // L8: pairs with the Release of the last drop. What dropped it may be of behind the
                // line of a cut.
                fence(Ordering::Acquire);
                return None;
            }
            if reference_word::count(word) >= reference_word::ADDRESSES_MAX {
                too_many();
            }
            // Relaxed: only the count itself is decided here. C4 makes zero final for every thread
            // but the holder, and the word of a dying actor has another value (U4).
            match self.addresses.compare_exchange_weak(
                word,
                word + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(AddressRef(self.0)),
                Err(now) => word = now,
            }
        }
    }

    /// The actor is doomed: waits for the detector's decision. Returns the word after an abort.
    #[cold]
    fn await_commit(&self) -> Option<u32> {
        // Relaxed: the verdict's lock orders it.
        let look = || self.addresses.load(Ordering::Relaxed);
        let word = self.system.verdict.run_when_unlocked(look);
        (!reference_word::is_dying(word)).then_some(word)
    }

    /// Makes the actor check its signals and its address count.
    fn notify(&self) {
        self.notified(self.inbox.notify());
    }

    /// The inbox was notified.
    pub(super) fn notified(&self, notified: Notified) {
        if notified == Notified::Wakes {
            // SAFETY: the inbox was parked and this call has woken it, so it makes the one
            // `Runnable` (C1); the pointer is that of the whole cell (C7).
            let runnable = unsafe { Runnable::new(self.0) };
            self.system.schedule(runnable);
        }
    }
}

impl Deref for CellRef {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: this reference is counted, so the cell is alive (X7); the header is only ever
        // shared (C7).
        unsafe { self.0.as_ref() }
    }
}

impl Deref for AddressRef {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: a counted address keeps the cell alive (C3); the header is only ever shared (C7).
        unsafe { self.0.as_ref() }
    }
}

impl Clone for CellRef {
    fn clone(&self) -> Self {
        // SAFETY: this reference is counted, so the cell is alive (X7); the pointer is that of the
        // whole cell (C7).
        unsafe { CellRef::to(self.0) }
    }
}

impl Clone for AddressRef {
    fn clone(&self) -> Self {
        if let Some(cached) = AddressRef::cached_address(self.0) {
            return cached;
        }
        // Relaxed: a new address is made from an existing one.
        let before = self.addresses.fetch_add(1, Ordering::Relaxed);
        if reference_word::count(before) >= reference_word::ADDRESSES_MAX {
            too_many();
        }
        AddressRef(self.0)
    }
}

impl Drop for CellRef {
    fn drop(&mut self) {
        // AcqRel: every drop releases its thread's uses of the cell, and the last one acquires them
        // all before the cell is freed. (Not a fence for the last drop alone, as in `Arc`:
        // sanitizers do not follow fences.)
        if self.refs.fetch_sub(1, Ordering::AcqRel) == 1 {
            let class = self.class;
            // The system must outlive the cell: freeing the cell drops its reference to the system.
            let system = self.system.clone();
            // SAFETY: the count was one and this drop took it to zero, so no reference to the cell
            // is left, and no address (C3) and no life (C5). `class` is the table of the cell's
            // type (C7).
            unsafe { (class.free)(self.0) };
            system.account_less(class.bytes);
        }
    }
}

/// Whether a worker keeps an address that is dropped (C6).
#[derive(PartialEq, Eq)]
pub(crate) enum Cached {
    Yes,
    No,
}

/// An address that was dropped and is still counted (C6). Its own drop subtracts it.
pub(crate) struct Dropped(NonNull<Header>);

impl Dropped {
    /// The worker does not keep the address; the caller subtracts it.
    pub(crate) fn not_cached(self) -> Cached {
        std::mem::forget(self);
        Cached::No
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// The address is cached now: the run that has it subtracts it.
    pub(crate) fn into_cached(self) {
        std::mem::forget(self);
    }
}

// SAFETY: it stands for an `AddressRef`, which is `Send` (X9).
unsafe impl Send for Dropped {}
// SAFETY: it stands for an `AddressRef`, which is `Sync` (X9).
unsafe impl Sync for Dropped {}

// SAFETY: `from_ptr` undoes `into_ptr`, which forgets the value (X10); an address may be dropped on
// any thread, so the trait's promise holds (X11).
unsafe impl Pointed for Dropped {
    type Target = Header;
    fn into_ptr(self) -> NonNull<Header> {
        let header = self.0;
        std::mem::forget(self);
        header
    }
    unsafe fn from_ptr(header: NonNull<Header>) -> Dropped {
        Dropped(header)
    }
}
