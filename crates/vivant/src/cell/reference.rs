//! The two counted references to a cell: [`CellRef`] keeps its memory, [`AddressRef`] keeps its actor reachable.

use super::{
    ActorCell, Class, Facts, Guards, Header, Life, Lineage, Mute, Owner, RunWord, Signals, Told,
};
use crate::actor::Actor;
use crate::mailbox::{Chain, Inbox};
use crate::mute::Pressure;
use crate::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, OnceLock, Ordering};
use crate::system::Shared;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ops::Deref;
use std::ptr::NonNull;

/// More references than this can only be a leak in a loop; counting on would wrap.
const REFERENCES_MAX: usize = isize::MAX as usize;

/// A counted reference to the memory of a cell. Run queues, the registry and weak addresses hold these.
pub(crate) struct CellRef(NonNull<Header>);

/// A counted address: while one exists, the actor is reachable and does not end by itself.
pub(crate) struct AddressRef(NonNull<Header>);

// SAFETY: a cell is made for sharing: its header's fields are atomics or immutable, and `owner` and the state are
// reached only through `Held` (C1). The state is `Send` (a bound of `Actor`), so any thread may hold or drop it.
unsafe impl Send for CellRef {}
// SAFETY: as above.
unsafe impl Sync for CellRef {}
// SAFETY: as above.
unsafe impl Send for AddressRef {}
// SAFETY: as above.
unsafe impl Sync for AddressRef {}

/// What a new cell is made of.
pub(crate) struct Birth {
    pub(crate) system: Arc<Shared>,
    pub(crate) id: u64,
    pub(crate) parent: Option<Arc<Lineage>>,
    pub(crate) number: u32,
    pub(crate) seed: u64,
}

impl AddressRef {
    /// Makes a cell, with or without its state, and its first address.
    pub(crate) fn birth<A: Actor>(birth: Birth, state: Option<A>) -> AddressRef {
        let class = Class::of::<A>();
        birth.system.bytes.add(class.bytes);
        let cell = Box::new(ActorCell {
            header: Header {
                class,
                system: birth.system,
                id: birth.id,
                parent: birth.parent,
                number: birth.number,
                refs: AtomicUsize::new(1),
                addresses: AtomicUsize::new(1),
                run: RunWord::new(),
                inbox: Inbox::new(),
                pressure: Pressure::new(),
                facts: Facts::default(),
                children: AtomicU32::new(0),
                random: AtomicU64::new(birth.seed),
                lineage: OnceLock::new(),
                ended: OnceLock::new(),
                owner: UnsafeCell::new(Owner {
                    life: Life::Running,
                    backlog: Chain::new(),
                    waiting: VecDeque::new(),
                    guards: Guards::Looked,
                    mute: Mute::Free,
                }),
            },
            state: UnsafeCell::new(state),
        });
        // The pointer is made from the whole cell, so that it may be cast back to it.
        AddressRef(NonNull::from(Box::leak(cell)).cast())
    }

    /// A reference that keeps the memory only.
    pub(crate) fn cell(&self) -> CellRef {
        // SAFETY: by C3 this counted address keeps the cell alive.
        unsafe { CellRef::to(self.0) }
    }
}

impl CellRef {
    /// One more reference to a cell.
    ///
    /// # Safety
    ///
    /// `header` starts a cell made by [`AddressRef::birth`] that a reference of the caller's keeps alive meanwhile.
    unsafe fn to(header: NonNull<Header>) -> CellRef {
        // SAFETY: the cell is alive by the caller's promise.
        // Relaxed: a new reference is made from an existing one, as in `Arc`.
        let before = unsafe { header.as_ref() }
            .refs
            .fetch_add(1, Ordering::Relaxed);
        assert!(
            before < REFERENCES_MAX,
            "more than isize::MAX references to one actor"
        );
        CellRef(header)
    }

    /// An address, unless the actor has none any more (then it is ending or has ended).
    pub(crate) fn upgrade(&self) -> Option<AddressRef> {
        let mut count = self.addresses.load(Ordering::Relaxed);
        loop {
            if count == 0 {
                return None;
            }
            // Relaxed: the count itself is all that is decided here; C4 makes zero final for everybody but the holder.
            match self.addresses.compare_exchange_weak(
                count,
                count + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(AddressRef(self.0)),
                Err(now) => count = now,
            }
        }
    }

    /// An address of the actor that the caller holds (C4).
    pub(crate) fn address_of_held(&self) -> AddressRef {
        // Relaxed: as in `clone`; the holder is the only one who may raise it from zero.
        if self.addresses.fetch_add(1, Ordering::Relaxed) == 0 {
            // C3: the addresses together own one reference again.
            std::mem::forget(self.clone());
        }
        AddressRef(self.0)
    }

    /// How many addresses there are now.
    pub(crate) fn addresses(&self) -> usize {
        // Acquire: pairs with the Release of the last drop; what its thread did before is seen by a holder that reads zero.
        self.addresses.load(Ordering::Acquire)
    }

    pub(crate) fn as_ptr(&self) -> NonNull<Header> {
        self.0
    }

    /// Raises `signal` and puts the actor into a run queue if nobody else will. One that has ended has nothing to hear.
    pub(crate) fn signal(&self, signal: Signals) {
        if self.ended().is_some() {
            return;
        }
        if self.run.signal(signal) == Told::Enqueue {
            self.system.schedule(self.clone());
        }
    }

    /// Tells the actor that its empty inbox was pushed to.
    pub(crate) fn notify(&self) {
        if self.run.notify() == Told::Enqueue {
            self.facts
                .waiting_since
                .store(self.system.oracle.coarse_ms(), Ordering::Relaxed);
            self.system.schedule(self.clone());
        }
    }
}

impl Deref for CellRef {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: this reference is counted, so the cell is alive; the header is only ever shared.
        unsafe { self.0.as_ref() }
    }
}

impl Deref for AddressRef {
    type Target = Header;
    fn deref(&self) -> &Header {
        // SAFETY: by C3 a counted address keeps the cell alive.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for CellRef {
    fn clone(&self) -> Self {
        // SAFETY: this reference is counted, so the cell is alive.
        unsafe { CellRef::to(self.0) }
    }
}

impl Clone for AddressRef {
    fn clone(&self) -> Self {
        // Relaxed: a new address is made from an existing one.
        let before = self.addresses.fetch_add(1, Ordering::Relaxed);
        assert!(
            before < REFERENCES_MAX,
            "more than isize::MAX addresses of one actor"
        );
        AddressRef(self.0)
    }
}

impl Drop for CellRef {
    fn drop(&mut self) {
        // AcqRel: every drop releases its thread's uses of the cell, and the last one acquires them all before the cell is
        // freed. (Not a fence for the last alone, as in `Arc`: sanitizers do not follow fences.)
        if self.refs.fetch_sub(1, Ordering::AcqRel) == 1 {
            let class = self.class;
            // The system must outlive the cell: freeing the cell drops its reference to it.
            let system = self.system.clone();
            // SAFETY: the count was one and this was it: nobody else can reach the cell; `class` was made with it.
            unsafe { (class.free)(self.0) };
            system.bytes.subtract(class.bytes);
        }
    }
}

impl Drop for AddressRef {
    fn drop(&mut self) {
        // Release: pairs with the Acquire in `addresses`. Acquire: the common reference stands for the uses of all addresses,
        // so they happen before it is given up and the cell is freed. Nobody else may order them: no holder looks at the
        // count of a stopped actor.
        if self.addresses.fetch_sub(1, Ordering::AcqRel) == 1 {
            // C3: the reference that the addresses owned together passes to this value, which gives it up at the end.
            let cell = CellRef(self.0);
            cell.signal(Signals::UNREFERENCED);
        }
    }
}

/// Gives back the memory of a cell made by [`AddressRef::birth`] with the same `A`.
///
/// # Safety
///
/// The last reference is gone.
pub(super) unsafe fn free<A: Actor>(header: NonNull<Header>) {
    // SAFETY: `birth::<A>` leaked a box of exactly this type, and nobody else can reach it (the caller's promise).
    drop(unsafe { Box::from_raw(header.cast::<ActorCell<A>>().as_ptr()) });
}
