//! A cell, its references and its holder, with a selectable fault.

use crate::letters::{Letter, Mailbox, Told};
use crate::phase::Parity;
use crate::runtime::inbox::{Notified, Parked};
use crate::runtime::signals::{SignalWord, Signals};
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use crate::tracked::Tracked;
use std::cell::{Cell as Own, RefCell};
// Hidden from loom, so that keeping the model itself alive orders nothing. `Rc` is enough: loom
// runs all its threads on one.
use std::rc::Rc as Unseen;

/// The injected faults.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    /// The holder reads the count of addresses without `Acquire`.
    CountRelaxed,
    /// An address is dropped without `Release`.
    DropAcquire,
    /// `upgrade` raises the count from zero.
    UpgradeFromZero,
    /// `address_of_held` takes no reference when it raises the count from zero.
    RaiseWithoutReference,
    /// The last address releases its reference before it notifications.
    NotifiedLate,
    /// The last address does not notify.
    NotNotified,
    /// The last reference is dropped without `Acquire`.
    NoFence,
    /// The last address takes the common reference over without `Acquire`.
    NoFenceAtLastAddress,
    /// Nothing keeps the cell of an actor that has not ended.
    NoLife,
    /// The life is released when the actor ends, and not last.
    LifeFirst,
    /// The holder reads the count of addresses while it has cached ones.
    SpareForgotten,
    /// The holder counts its cached addresses back after it has parked.
    SpareAfterParking,
    /// Counting back to zero leaves the addresses' common reference.
    SpareKeepsReference,
    /// Counting back does not acquire the drops before it.
    SpareRelaxed,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Memory {
    Used,
    Freed,
}

pub(super) struct Cell {
    refs: AtomicUsize,
    addresses: AtomicUsize,
    inbox: Mailbox,
    pub(super) signals: SignalWord,
    memory: Tracked<Memory>,
    owner: Tracked<Owner>,
    pub(super) system: Unseen<System>,
}

#[derive(Default)]
pub(super) struct Owner {
    backlog: Vec<Letter>,
    spare: usize,
    processed: Vec<Letter>,
    refused: Vec<Letter>,
    life: Life,
}

#[derive(Default, PartialEq, Eq, Debug, Clone, Copy)]
pub(super) enum Life {
    #[default]
    Running,
    Ended,
}

/// A letter upon which the actor gives its own address away, as `turn.me()` does.
pub(super) const GIVE: char = 'g';
/// A letter upon which the actor takes its own address and drops it.
pub(super) const KEEP: char = 'k';

pub(super) struct System {
    queue: Mutex<Vec<Runnable>>,
    registry: Mutex<Option<CellRef>>,
    given: Mutex<Option<AddressRef>>,
    flaw: Flaw,
}

pub(super) struct CellRef(Unseen<Cell>);

pub(super) struct AddressRef {
    pub(super) cell: Unseen<Cell>,
    /// Not so once it has been given away.
    counted: bool,
}

/// Counts nothing.
pub(super) struct Runnable(Unseen<Cell>);

/// The worker's data of the actor that it holds.
#[derive(Default)]
pub(super) struct Present {
    spare: Own<usize>,
    life: RefCell<Option<CellRef>>,
}

impl Cell {
    pub(super) fn or(&self, flaw: Flaw, weak: Ordering, right: Ordering) -> Ordering {
        if self.system.flaw == flaw {
            weak
        } else {
            right
        }
    }

    pub(super) fn is_used(&self) {
        self.memory
            .read(|memory| assert_eq!(*memory, Memory::Used, "C3: used after it was freed"));
    }
}

impl CellRef {
    pub(super) fn to(cell: &Unseen<Cell>) -> CellRef {
        cell.is_used();
        cell.refs.fetch_add(1, Ordering::Relaxed);
        CellRef(cell.clone())
    }

    pub(super) fn upgrade(&self) -> Option<AddressRef> {
        self.0.is_used();
        let mut count = self.0.addresses.load(Ordering::Relaxed);
        loop {
            if count == 0 && self.0.system.flaw != Flaw::UpgradeFromZero {
                return None;
            }
            let raised = self.0.addresses.compare_exchange_weak(
                count,
                count + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match raised {
                Ok(_) => return Some(AddressRef::to(&self.0)),
                Err(now) => count = now,
            }
        }
    }

    pub(super) fn signal(&self, signal: Signals) {
        self.0.is_used();
        self.0.signals.raise(signal, Parity::Even);
        self.notify();
    }

    pub(super) fn notify(&self) {
        self.0.is_used();
        if self.0.inbox.notify() == Notified::Wakes {
            lock(&self.0.system.queue).push(Runnable(self.0.clone()));
        }
    }
}

impl Clone for CellRef {
    fn clone(&self) -> CellRef {
        CellRef::to(&self.0)
    }
}

impl Drop for CellRef {
    fn drop(&mut self) {
        self.0.is_used();
        let both = self
            .0
            .or(Flaw::NoFence, Ordering::Release, Ordering::AcqRel);
        if self.0.refs.fetch_sub(1, both) == 1 {
            self.0.memory.change(|memory| {
                assert_eq!(*memory, Memory::Used, "C3: freed twice");
                *memory = Memory::Freed;
            });
        }
    }
}

impl AddressRef {
    /// The address that was just counted.
    pub(super) fn to(cell: &Unseen<Cell>) -> AddressRef {
        AddressRef {
            cell: cell.clone(),
            counted: true,
        }
    }

    /// Sends, and drops the address, or gives it to the actor that this wakes.
    pub(super) fn post(self, letter: Letter, lent: Lent) {
        self.cell.is_used();
        match self.cell.inbox.push(letter) {
            Ok(Told::Wakes(letter)) => self.woken(letter, lent),
            Ok(_) => {}
            Err(_) => panic!("C4: it ended while an address existed"),
        }
    }

    pub(super) fn woken(mut self, letter: Letter, lent: Lent) {
        self.counted = lent == Lent::Back;
        self.cell.owner.change(|owner| {
            owner.spare += usize::from(lent == Lent::Given);
            owner.backlog.push(letter);
        });
        lock(&self.cell.system.queue).push(Runnable(self.cell.clone()));
    }

    /// Dropped in the actor's own run, if it holds it.
    pub(super) fn keep(mut self, present: &Present) {
        self.counted = false;
        present.spare.set(present.spare.get() + 1);
    }
}

/// What happens to the address through which a message is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lent {
    /// Its sender drops it.
    Back,
    /// It goes to the actor with the letter, if that wakes it; else its sender drops it.
    Given,
}

impl Clone for AddressRef {
    fn clone(&self) -> AddressRef {
        self.cell.is_used();
        self.cell.addresses.fetch_add(1, Ordering::Relaxed);
        AddressRef::to(&self.cell)
    }
}

impl Drop for AddressRef {
    fn drop(&mut self) {
        if !self.counted {
            return;
        }
        let cell = &self.cell;
        cell.is_used();
        let both = cell.or(Flaw::DropAcquire, Ordering::Acquire, Ordering::AcqRel);
        let both = cell.or(Flaw::NoFenceAtLastAddress, Ordering::Release, both);
        if cell.addresses.fetch_sub(1, both) == 1 {
            // The reference that the addresses owned together passes to this value.
            let last = CellRef(cell.clone());
            match cell.system.flaw {
                Flaw::NotNotified => {}
                Flaw::NotifiedLate => {
                    drop(last);
                    std::mem::ManuallyDrop::new(CellRef(cell.clone())).notify();
                }
                _ => last.notify(),
            }
        }
    }
}

/// Only the holder calls this.
pub(super) fn count_back(cell: &Unseen<Cell>, spare: usize) {
    if spare == 0 {
        return;
    }
    cell.is_used();
    let both = cell.or(Flaw::SpareRelaxed, Ordering::Relaxed, Ordering::AcqRel);
    let before = cell.addresses.fetch_sub(spare, both);
    if before == spare && cell.system.flaw != Flaw::SpareKeepsReference {
        drop(CellRef(cell.clone()));
    }
}

impl Runnable {
    /// The holder's own address: a cached one, or a new one.
    pub(super) fn address_of_held(&self, present: &Present) -> AddressRef {
        self.0.is_used();
        if let Some(left) = present.spare.get().checked_sub(1) {
            present.spare.set(left);
            return AddressRef::to(&self.0);
        }
        let before = self.0.addresses.fetch_add(1, Ordering::Relaxed);
        if before == 0 && self.0.system.flaw != Flaw::RaiseWithoutReference {
            // A reference that is leaked: the addresses together own it.
            self.0.refs.fetch_add(1, Ordering::Relaxed);
        }
        AddressRef::to(&self.0)
    }

    pub(super) fn addresses(&self) -> usize {
        self.0.is_used();
        let acquire = self
            .0
            .or(Flaw::CountRelaxed, Ordering::Relaxed, Ordering::Acquire);
        self.0.addresses.load(acquire)
    }
}

impl System {
    /// A system of one actor, and that one's first address.
    pub(super) fn birth(flaw: Flaw) -> (Unseen<System>, AddressRef) {
        let system = Unseen::new(System {
            queue: Mutex::new(Vec::new()),
            registry: Mutex::new(None),
            given: Mutex::new(None),
            flaw,
        });
        let address = AddressRef::to(&Unseen::new(Cell {
            refs: AtomicUsize::new(1),
            addresses: AtomicUsize::new(1),
            inbox: Mailbox::new(),
            signals: SignalWord::new(),
            memory: Tracked::new(Memory::Used),
            owner: Tracked::new(Owner::default()),
            system: system.clone(),
        }));
        if flaw != Flaw::NoLife {
            *lock(&system.registry) = Some(CellRef::to(&address.cell));
        }
        (system, address)
    }

    /// One check of the queue, and a run if the actor was in it.
    pub(super) fn serve(&self) -> bool {
        let next = lock(&self.queue).pop();
        let Some(held) = next else {
            return false;
        };
        held.0.is_used();
        let present = Present::default();
        present.spare.set(
            held.0
                .owner
                .change(|owner| std::mem::take(&mut owner.spare)),
        );
        loop {
            let life = held.0.owner.change(|owner| {
                self.work(&held, &present, owner);
                owner.life
            });
            if life == Life::Ended {
                held.0.is_used();
                count_back(&held.0, present.spare.take());
                present.life.take();
                return true;
            }
            if self.flaw != Flaw::SpareAfterParking {
                count_back(&held.0, present.spare.take());
            }
            let parked = held.0.inbox.park();
            if self.flaw == Flaw::SpareAfterParking {
                count_back(&held.0, present.spare.take());
            }
            if parked == Parked::Yes {
                return true;
            }
        }
    }

    pub(super) fn work(&self, held: &Runnable, present: &Present, owner: &mut Owner) {
        if held.0.signals.take().of(Parity::Even).has(Signals::STOP) {
            self.end(held, present, owner);
            return;
        }
        owner.backlog.extend(held.0.inbox.take());
        for letter in owner.backlog.drain(..) {
            owner.processed.push(letter);
            match letter.from {
                GIVE => *lock(&self.given) = Some(held.address_of_held(present)),
                KEEP => held.address_of_held(present).keep(present),
                _ => {}
            }
        }
        if self.is_unreferenced(held, present) {
            self.end(held, present, owner);
        }
    }

    pub(super) fn is_unreferenced(&self, held: &Runnable, present: &Present) -> bool {
        if !matches!(self.flaw, Flaw::SpareForgotten | Flaw::SpareAfterParking) {
            count_back(&held.0, present.spare.take());
        }
        held.addresses() == 0 && held.0.inbox.is_empty()
    }

    pub(super) fn end(&self, held: &Runnable, present: &Present, owner: &mut Owner) {
        owner.life = Life::Ended;
        owner.refused.append(&mut owner.backlog);
        owner.refused.extend(held.0.inbox.close());
        let life = lock(&self.registry).take();
        if self.flaw != Flaw::LifeFirst {
            present.life.replace(life);
        }
    }
}

impl System {
    pub(super) fn when_quiet(&self, cell: &Cell, sent: u32) {
        while self.serve() {}
        let given = lock(&self.given).take();
        if let Some(address) = given {
            cell.owner.read(|owner| {
                assert_eq!(
                    owner.life,
                    Life::Running,
                    "C4: it ended though it has an address"
                )
            });
            drop(address);
            while self.serve() {}
        }
        cell.owner.read(|owner| {
            assert_eq!(
                owner.life,
                Life::Ended,
                "C3: nobody told it that the last address is gone"
            );
            assert_eq!(
                owner.processed.len() as u32,
                sent,
                "C4: ended before all was processed"
            );
        });
        assert_eq!(
            cell.refs.load(Ordering::Relaxed),
            0,
            "C3: a reference too many or too few"
        );
        cell.memory
            .read(|memory| assert_eq!(*memory, Memory::Freed, "C3: not freed"));
    }
}
