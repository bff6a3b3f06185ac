//! Addresses and references: who keeps an actor reachable, and who its memory (`crates/vivant/src/cell/README.md`).
//!
//! Proved, on a model of `cell/reference.rs` with the real run word and inbox: C3 the last address signals before it gives
//! its reference up, and memory is freed once, after its last use; C4 a holder that reads no addresses knows that none
//! comes back, so the actor ends after it has processed all that an address holder sent, and not while an address exists.
//!
//! | model | real |
//! |---|---|
//! | `CellRef`, its clone and drop | the same |
//! | `CellRef::upgrade`, `address_of_held`, `addresses`, `signal`, `notify` | the same |
//! | `AddressRef`, its clone and drop | the same |
//! | `System::serve`, `System::work` | `cell::run` |
//! | `System::is_forsaken`, `System::end` | the same of `Held` |
//! | `System::registry` | `Registry`, for one actor |
//! | `Cell::memory` | the memory of the cell: a use reads it, freeing changes it, so loom sees a use after or beside it |
//!
//! Every drop of a count is `AcqRel`, here as in the runtime.
//!
//! Left out: that the count may overflow; the cell's own reference to its system.

use crate::check::{Canary, holds};
use crate::letters::{Letter, Mailbox, Node, letter};
use crate::runtime::inbox::{Inbox, Pushed};
use crate::runtime::state::{Parked, RunWord, Signals, Told};
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use crate::tracked::Tracked;
use loom::thread::{self, JoinHandle};
// Unseen by loom, so that keeping the model itself alive orders nothing. `Rc` will do: loom runs all its threads on one.
use std::rc::Rc as Unseen;

/// The planted bugs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// The holder reads the count of addresses without `Acquire`.
    CountRelaxed,
    /// An address is dropped without `Release`.
    DropAcquire,
    /// `upgrade` raises the count from zero.
    UpgradeFromZero,
    /// `address_of_held` takes no reference when it raises the count from zero.
    RaiseWithoutReference,
    /// The last address gives its reference up before it signals.
    SignalLate,
    /// The last reference is dropped without `Acquire`.
    NoFence,
    /// The last address takes the common reference over without `Acquire`.
    NoFenceAtLastAddress,
}

#[derive(PartialEq, Eq, Debug)]
enum Memory {
    Used,
    Freed,
}

struct Cell {
    refs: AtomicUsize,
    addresses: AtomicUsize,
    word: RunWord,
    inbox: Inbox<Node>,
    memory: Tracked<Memory>,
    owner: Tracked<Owner>,
    system: Unseen<System>,
}

#[derive(Default)]
struct Owner {
    processed: Vec<Letter>,
    refused: Vec<Letter>,
    life: Life,
}

#[derive(Default, PartialEq, Eq, Debug, Clone, Copy)]
enum Life {
    #[default]
    Running,
    Ended,
}

/// A letter upon which the actor gives its own address away, as `turn.me()` does.
const GIVE: char = 'g';

struct System {
    queue: Mutex<Vec<CellRef>>,
    registry: Mutex<Option<CellRef>>,
    given: Mutex<Option<AddressRef>>,
    flaw: Flaw,
}

struct CellRef(Unseen<Cell>);

struct AddressRef(Unseen<Cell>);

impl Cell {
    fn or(&self, flaw: Flaw, weak: Ordering, right: Ordering) -> Ordering {
        if self.system.flaw == flaw {
            weak
        } else {
            right
        }
    }

    fn is_used(&self) {
        self.memory
            .read(|memory| assert_eq!(*memory, Memory::Used, "C3: used after it was freed"));
    }
}

impl CellRef {
    fn to(cell: &Unseen<Cell>) -> CellRef {
        cell.is_used();
        cell.refs.fetch_add(1, Ordering::Relaxed);
        CellRef(cell.clone())
    }

    fn upgrade(&self) -> Option<AddressRef> {
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
                Ok(_) => return Some(AddressRef(self.0.clone())),
                Err(now) => count = now,
            }
        }
    }

    fn address_of_held(&self) -> AddressRef {
        self.0.is_used();
        let before = self.0.addresses.fetch_add(1, Ordering::Relaxed);
        if before == 0 && self.0.system.flaw != Flaw::RaiseWithoutReference {
            // A clone that is forgotten: the addresses together own it.
            self.0.refs.fetch_add(1, Ordering::Relaxed);
        }
        AddressRef(self.0.clone())
    }

    fn addresses(&self) -> usize {
        self.0.is_used();
        let acquire = self
            .0
            .or(Flaw::CountRelaxed, Ordering::Relaxed, Ordering::Acquire);
        self.0.addresses.load(acquire)
    }

    fn signal(&self, signal: Signals) {
        self.0.is_used();
        self.enqueue_if(self.0.word.signal(signal));
    }

    fn notify(&self) {
        self.0.is_used();
        self.enqueue_if(self.0.word.notify());
    }

    fn enqueue_if(&self, told: Told) {
        if told == Told::Enqueue {
            let cell = self.clone();
            lock(&self.0.system.queue).push(cell);
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
    fn post(&self, letter: Letter) -> Result<(), Letter> {
        self.0.is_used();
        if Mailbox::push(&self.0.inbox, letter)? == Pushed::First {
            CellRef::to(&self.0).notify();
        }
        Ok(())
    }
}

impl Clone for AddressRef {
    fn clone(&self) -> AddressRef {
        self.0.is_used();
        self.0.addresses.fetch_add(1, Ordering::Relaxed);
        AddressRef(self.0.clone())
    }
}

impl Drop for AddressRef {
    fn drop(&mut self) {
        self.0.is_used();
        let both = self
            .0
            .or(Flaw::DropAcquire, Ordering::Acquire, Ordering::AcqRel);
        let both = self
            .0
            .or(Flaw::NoFenceAtLastAddress, Ordering::Release, both);
        if self.0.addresses.fetch_sub(1, both) == 1 {
            // The reference that the addresses owned together passes to this value.
            let cell = CellRef(self.0.clone());
            if self.0.system.flaw == Flaw::SignalLate {
                drop(cell);
                self.0.is_used();
                let told = self.0.word.signal(Signals::UNREFERENCED);
                if told == Told::Enqueue {
                    let late = CellRef::to(&self.0);
                    lock(&self.0.system.queue).push(late);
                }
                return;
            }
            cell.signal(Signals::UNREFERENCED);
        }
    }
}

impl System {
    /// A system of one actor, and that one's first address.
    fn birth(flaw: Flaw) -> (Unseen<System>, AddressRef) {
        let system = Unseen::new(System {
            queue: Mutex::new(Vec::new()),
            registry: Mutex::new(None),
            given: Mutex::new(None),
            flaw,
        });
        let address = AddressRef(Unseen::new(Cell {
            refs: AtomicUsize::new(1),
            addresses: AtomicUsize::new(1),
            word: RunWord::new(),
            inbox: Inbox::new(),
            memory: Tracked::new(Memory::Used),
            owner: Tracked::new(Owner::default()),
            system: system.clone(),
        }));
        *lock(&system.registry) = Some(CellRef::to(&address.0));
        (system, address)
    }

    /// One look at the queue, and a run if the actor was in it.
    fn serve(&self) -> bool {
        let next = lock(&self.queue).pop();
        let Some(cell) = next else {
            return false;
        };
        let mut signals = cell.0.word.hold();
        loop {
            cell.0
                .owner
                .change(|owner| self.work(&cell, owner, signals));
            match cell.0.word.park() {
                Parked::Yes => return true,
                Parked::Again(told) => signals = told,
            }
        }
    }

    fn work(&self, cell: &CellRef, owner: &mut Owner, signals: Signals) {
        if owner.life == Life::Running && signals.has(Signals::STOP) {
            self.end(cell, owner);
        }
        if owner.life == Life::Ended {
            return;
        }
        for letter in Mailbox::take(&cell.0.inbox) {
            owner.processed.push(letter);
            if letter.from == GIVE {
                *lock(&self.given) = Some(cell.address_of_held());
            }
        }
        if self.is_forsaken(cell) {
            self.end(cell, owner);
        }
    }

    fn is_forsaken(&self, cell: &CellRef) -> bool {
        cell.addresses() == 0 && Mailbox::is_empty(&cell.0.inbox)
    }

    fn end(&self, cell: &CellRef, owner: &mut Owner) {
        owner.life = Life::Ended;
        owner.refused = Mailbox::close(&cell.0.inbox);
        let registered = lock(&self.registry).take();
        drop(registered);
    }
}

/// Posts a letter through its address and drops the address.
fn send(address: AddressRef, from: char) -> u32 {
    let posted = address.post(letter(from, 0));
    assert_eq!(posted, Ok(()), "C4: it ended while an address existed");
    1
}

/// The threads that send, and a worker. Then everything is run to its end.
fn run(flaw: Flaw, senders: impl FnOnce(AddressRef) -> Vec<JoinHandle<u32>>) {
    let (system, address) = System::birth(flaw);
    let cell = address.0.clone();
    let senders = senders(address);
    let worker = thread::spawn({
        let system = system.clone();
        move || system.serve()
    });
    let sent = senders
        .into_iter()
        .map(|sender| sender.join().unwrap())
        .sum();
    worker.join().unwrap();
    system.when_quiet(&cell, sent);
}

impl System {
    fn when_quiet(&self, cell: &Cell, sent: u32) {
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
            assert_eq!(owner.refused, [], "C4: ended before all was processed");
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

/// Two address holders send and drop; the second drop is the last.
fn two_senders(flaw: Flaw) {
    run(flaw, |address| {
        let other = address.clone();
        vec![
            thread::spawn(move || send(address, 'a')),
            thread::spawn(move || send(other, 'b')),
        ]
    });
}

/// The only address goes while the holder makes a new one of its own.
fn gift(flaw: Flaw) {
    run(flaw, |address| {
        vec![thread::spawn(move || send(address, GIVE))]
    });
}

/// The only address goes while somebody who has none tries to get one.
fn upgrade(flaw: Flaw) {
    run(flaw, |address| {
        let weak = CellRef::to(&address.0);
        let upgrader = move || weak.upgrade().map_or(0, |address| send(address, 'u'));
        vec![
            thread::spawn(move || send(address, 'a')),
            thread::spawn(upgrader),
        ]
    });
}

/// Two address holders of an actor that has been stopped use it a last time and drop.
fn stopped(flaw: Flaw) {
    run(flaw, |address| {
        CellRef::to(&address.0).signal(Signals::STOP);
        address.0.system.serve();
        let leave = |address: AddressRef| {
            thread::spawn(move || {
                address.0.is_used();
                drop(address);
                0
            })
        };
        vec![leave(address.clone()), leave(address)]
    });
}

/// C3, of an actor that ended before its addresses were gone, so that no holder looks at their count any more.
pub fn a_stopped_actor_is_freed_after_its_last_use() {
    holds(|| stopped(Flaw::None));
}

/// C3, C4: two address holders send and drop.
pub fn the_last_of_two_drops_ends_the_actor() {
    holds(|| two_senders(Flaw::None));
}

/// C4: the holder raises the count from zero.
pub fn the_holder_raises_the_count_from_zero() {
    holds(|| gift(Flaw::None));
}

/// C4: nobody else does.
pub fn an_upgrade_fails_at_zero() {
    holds(|| upgrade(Flaw::None));
}

/// C4: both at once.
pub fn an_upgrade_races_with_the_holder() {
    holds(|| {
        run(Flaw::None, |address| {
            let weak = CellRef::to(&address.0);
            let upgrader = move || weak.upgrade().map_or(0, |address| send(address, 'u'));
            vec![
                thread::spawn(move || send(address, GIVE)),
                thread::spawn(upgrader),
            ]
        });
    });
}

/// Each planted bug is met by the very models above.
pub mod canaries {
    use super::*;

    /// The holder reads zero and does not see what was sent before.
    pub fn a_count_read_without_acquire_is_caught(canary: Canary) {
        canary.dies("C4", || two_senders(Flaw::CountRelaxed));
    }

    /// The other half of the same, and nothing orders a last use before the memory is freed.
    pub fn a_drop_without_release_is_caught(canary: Canary) {
        canary.dies("Causality violation", || two_senders(Flaw::DropAcquire));
    }

    /// Somebody gets an address of an actor that has ended for want of one.
    pub fn an_upgrade_from_zero_is_caught(canary: Canary) {
        canary.dies("C", || upgrade(Flaw::UpgradeFromZero));
    }

    /// The addresses own a reference that nobody counted.
    pub fn a_raise_without_a_reference_is_caught(canary: Canary) {
        canary.dies("C3", || gift(Flaw::RaiseWithoutReference));
    }

    /// The cell is freed while the last address still speaks to it.
    pub fn a_signal_after_the_reference_is_gone_is_caught(canary: Canary) {
        canary.dies("", || two_senders(Flaw::SignalLate));
    }

    /// The cell is freed beside a last use of it.
    pub fn freeing_without_acquire_is_caught(canary: Canary) {
        canary.dies("Causality violation", || two_senders(Flaw::NoFence));
    }

    /// The same, where only the addresses' own count could have ordered them.
    pub fn a_last_address_without_acquire_is_caught(canary: Canary) {
        canary.dies("Causality violation", || {
            stopped(Flaw::NoFenceAtLastAddress)
        });
    }
}
