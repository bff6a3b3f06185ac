//! The two counted references to a cell: a [`CellRef`] keeps its memory, an [`AddressRef`] keeps
//! its actor reachable.

use super::bounded_queue::BoundedQueue;
use super::envelope::Head;
use super::header::Header;
use super::reference_word::{self, Left};
use super::runnable::Runnable;
use super::signals::Signals;
use super::worker::Worker;
use crate::message::Notified;
use crate::queues::Pointed;
use crate::statistics::HeapFacts;
use crate::sync::Ordering;
use std::mem::ManuallyDrop;
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
pub(crate) struct AddressRef(NonNull<Header>);

// SAFETY: the fields of the header are immutable or `Sync`, and only the holder accesses owner part
// and state (C1). The state is `Send` by a bound of `StoreState`, and the owner part by its fields,
// so any thread may hold the actor or free the cell (X9).
unsafe impl Send for CellRef {}
// SAFETY: `&CellRef` gives access to the shared header only: fields that are immutable or `Sync`
// (X9).
unsafe impl Sync for CellRef {}
// SAFETY: an `AddressRef` reaches owner part and state only by the `Runnable` of an actor that it
// has woken (C1). The state is `Send` by a bound of `StoreState`, and the owner part by its fields,
// so any thread may run the actor (X9).
unsafe impl Send for AddressRef {}
// SAFETY: `&AddressRef` gives access to the shared header only: fields that are immutable or `Sync`
// (X9).
unsafe impl Sync for AddressRef {}

impl AddressRef {
    /// The first address of a new cell, which counts it.
    ///
    /// # Safety
    ///
    /// `header` starts a cell that nothing refers to yet. Its count says one address, and the
    /// pointer is that of the whole cell.
    pub(crate) unsafe fn first(header: NonNull<Header>) -> AddressRef {
        AddressRef(header)
    }

    /// Returns the ring, if the actor's mailbox has a bound.
    pub(crate) fn ring(&self) -> Option<&BoundedQueue> {
        // SAFETY: this counted address keeps the cell alive (C3); the pointer is that of the whole
        // cell (C7).
        unsafe { ring(self.0) }
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
    /// `header` starts a cell made by `api::cell::birth` that is alive, the pointer is that of the
    /// whole cell, and this thread holds the actor.
    pub(crate) unsafe fn of_held(header: NonNull<Header>) -> AddressRef {
        if let Some(spare) = AddressRef::spare(header) {
            return spare;
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
            unsafe { header.as_ref() }.is_raised(before);
        } else if reference_word::count(before) >= reference_word::ADDRESSES_MAX {
            too_many();
        }
        AddressRef(header)
    }

    /// Puts the message that has just woken the actor into the backlog, and returns the right to
    /// run it. Until then this thread is the holder.
    ///
    /// # Safety
    ///
    /// The inbox of this actor returned `Pushed::Wakes` for this node, and this is called once for
    /// that.
    pub(crate) unsafe fn woken_by(&self, node: NonNull<Head>) -> Runnable {
        // SAFETY: the caller's contract for `node` (X1). This counted address keeps the cell alive
        // (C3); the pointer is that of the whole cell (C7).
        unsafe { AddressRef::woken(self.0, node) }
    }

    /// As `woken_by`, and gives this address to the actor itself (C6), so it need not be
    /// subtracted.
    ///
    /// # Safety
    ///
    /// As for `woken_by`.
    pub(crate) unsafe fn woken_with(self, node: NonNull<Head>) -> Runnable {
        let header = self.0;
        std::mem::forget(self);
        // SAFETY: the inbox was parked and this thread has woken it, so it alone accesses the owner
        // part (C1); the forgotten address is still counted and keeps the cell alive (C3).
        unsafe { (*header.as_ref().owner.get()).spare += 1 };
        // SAFETY: the caller's contract for `node` (X1). The forgotten address keeps the cell alive
        // (C3); the pointer is that of the whole cell (C7).
        unsafe { AddressRef::woken(header, node) }
    }

    /// # Safety
    ///
    /// As for `woken_by`; `header` starts a cell made by `birth` that is alive, and the pointer is
    /// that of the whole cell.
    unsafe fn woken(header: NonNull<Header>, node: NonNull<Head>) -> Runnable {
        // SAFETY: the inbox was parked, so no other thread held the actor or could run it. This
        // thread woke it, so it alone accesses the owner part until the `Runnable` below is given
        // away (C1). The exchange that woke the actor acquired the last holder's writes.
        let owner = unsafe { &mut *header.as_ref().owner.get() };
        // SAFETY: the caller's contract (X1).
        owner.expect_batch(unsafe { &header.as_ref().pressure });
        // SAFETY: the push that woke the actor gave the node back, so it is the caller's, which
        // gives it up (M1).
        unsafe { owner.backlog.push(node) };
        // SAFETY: this thread has made the inbox active, and makes the one `Runnable` for that
        // (C1); the pointer is that of the whole cell (C7).
        unsafe { Runnable::new(header) }
    }

    /// Takes a spare address of the current actor (C6). `None` for another actor, or if none is
    /// spare.
    #[inline]
    fn spare(header: NonNull<Header>) -> Option<AddressRef> {
        let spares = Worker::with_current(|worker| worker.current.spares(header));
        (spares == Some(true)).then(|| AddressRef(header))
    }
}

/// Subtracts the unused spare addresses of a run from the count (C6). Only the holder calls this,
/// so no nudge is needed when none is left.
///
/// # Safety
///
/// `header` starts a cell that stays alive for the call, the pointer is that of the whole cell, and
/// the caller owns `spare` counted addresses of it, which it gives up.
pub(crate) unsafe fn count_back(header: NonNull<Header>, spare: u32) {
    // SAFETY: the caller's contract (X1).
    if unsafe { header.as_ref() }.lose(spare) == Left::None {
        // C3: the reference that the addresses owned together.
        drop(CellRef(header));
    }
}

/// Returns the ring of a cell, if it has one.
///
/// # Safety
///
/// `header` starts a cell made by `api::cell::birth` that is alive for `'a`, and the pointer is
/// that of the whole cell.
pub(crate) unsafe fn ring<'a>(header: NonNull<Header>) -> Option<&'a BoundedQueue> {
    // SAFETY: the caller's contract (X1).
    let at = unsafe { header.as_ref() }.class.ring_at?;
    // SAFETY: `class` is the table of the cell's type, so the ring lies at this offset (C7). It is
    // only ever shared (X6).
    Some(unsafe { header.byte_add(at).cast::<BoundedQueue>().as_ref() })
}

impl CellRef {
    /// Returns the ring, if the actor's mailbox has a bound.
    pub(crate) fn ring(&self) -> Option<&BoundedQueue> {
        // SAFETY: this reference is counted, so the cell is alive (X7); the pointer is that of the
        // whole cell (C7).
        unsafe { ring(self.0) }
    }

    /// Returns the published statistics of the actor's heap, if it has one.
    pub(crate) fn heap_facts(&self) -> Option<HeapFacts> {
        // SAFETY: this reference is counted, so the cell is alive (X7); the pointer is that of the
        // whole cell, and `class` is the table of its type (C7).
        unsafe { (self.class.heap_facts)(self.0) }
    }

    /// Counts a message lost to the bound of the mailbox.
    pub(crate) fn counts_loss(&self) {
        if let Some(ring) = self.ring() {
            ring.count_loss();
        }
    }

    /// Returns one more reference to a cell.
    ///
    /// # Safety
    ///
    /// `header` starts a cell made by `api::cell::birth` that is alive: a reference or the actor's
    /// life (C5) keeps it. The pointer is that of the whole cell.
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
                word = self.heard()?;
            }
            if reference_word::count(word) == 0 {
                return None;
            }
            if reference_word::count(word) >= reference_word::ADDRESSES_MAX {
                too_many();
            }
            // Relaxed: only the count itself is decided here. C4 makes zero final for every thread
            // but the holder, and a condemned word has another value (U4).
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
    fn heard(&self) -> Option<u32> {
        // Relaxed: the verdict's lock orders it.
        let look = || self.addresses.load(Ordering::Relaxed);
        let word = self.system.verdict.run_when_unlocked(look);
        (!reference_word::is_dying(word)).then_some(word)
    }

    /// Raises `signal`; a parked actor goes into a run queue. No effect on an actor that has ended.
    pub(crate) fn signal(&self, signal: Signals) {
        self.signals.raise(signal);
        self.notify();
    }

    /// Makes the actor check its signals and its address count.
    fn notify(&self) {
        if self.inbox.notify() == Notified::Wakes {
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
        if let Some(spare) = AddressRef::spare(self.0) {
            return spare;
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

impl Drop for AddressRef {
    fn drop(&mut self) {
        let kept = |worker: &Worker| worker.keeps_address(self, Dropped(self.0));
        if Worker::with_current(kept) == Some(Kept::Yes) {
            return;
        }
        self.count_down();
    }
}

/// Whether a worker keeps an address that is dropped (C6).
#[derive(PartialEq, Eq)]
pub(crate) enum Kept {
    Yes,
    No,
}

/// An address that was dropped and is still counted (C6). Its own drop subtracts it.
pub(crate) struct Dropped(NonNull<Header>);

impl Dropped {
    /// The worker does not keep the address; the caller subtracts it.
    pub(crate) fn refused(self) -> Kept {
        std::mem::forget(self);
        Kept::No
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// The address is spare now: the run that has it subtracts it.
    pub(crate) fn spared(self) {
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

impl Drop for Dropped {
    fn drop(&mut self) {
        // The subtraction of this address was deferred until now.
        ManuallyDrop::new(AddressRef(self.0)).count_down();
    }
}

impl AddressRef {
    fn count_down(&mut self) {
        if self.lose(1) == Left::None {
            // C3: the reference that the addresses owned together passes to this value, which drops
            // it at the end.
            let cell = CellRef(self.0);
            cell.notify();
        }
    }
}
