//! Snapshots of graphs that are written while turns change them.

use super::memory_store::MemoryStore;
use super::{SnapshotError, Unsaved};
use crate::RestoredActors;
use crate::failures::catch;
use crate::injected_fault::{InjectedFault, caught};
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::{Arc, AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use vivant_codec::{Decoder, Encoder, LoadError, Saved, Shape};
use vivant_heap::{Gc, ImageError, Mut, Object};
use vivant_journal::{Image, Journal};

/// A value that the tests say cannot be saved.
struct Note(u64);
vivant_heap::leaf!([] Note);

impl<'gc> Saved<'gc> for Note {
    const SHAPE: &'static Shape = <u64 as Saved<'gc>>::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        match self.0 {
            WRONG => out.error("a wrong note"),
            PANICS => panic!("a note that panics"),
            number => number.save(out),
        }
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Note, LoadError> {
        u64::load(input).map(Note)
    }
}

const WRONG: u64 = u64::MAX;
const PANICS: u64 = u64::MAX - 1;

#[derive(Object, Saved)]
struct Account<'gc> {
    balance: u64,
    transfers: u64,
    owner: Gc<'gc, str>,
    note: Note,
}

#[derive(Actor)]
#[actor(saved, id = "large::Ledger")]
struct LedgerState<'gc> {
    accounts: Vec<Gc<'gc, Mut<Account<'gc>>>>,
    transfers: u64,
    opened: u64,
}

const EACH: u64 = 1_000;

#[behaviours(id = "large::Ledger")]
impl<'gc> LedgerState<'gc> {
    #[start]
    fn new() -> Self {
        LedgerState {
            accounts: Vec::new(),
            transfers: 0,
            opened: 0,
        }
    }

    fn open(&mut self, t: &Turn<'gc, Ledger>, count: u64) {
        for _ in 0..count {
            let owner = t.alloc_str(&format!("the owner of account {}", self.opened));
            self.accounts.push(t.alloc(Mut::new(Account {
                balance: EACH,
                transfers: 0,
                owner,
                note: Note(self.opened),
            })));
            self.opened += 1;
        }
    }

    /// Of some accounts others take the place.
    fn close(&mut self, t: &Turn<'gc, Ledger>, seed: u64) {
        for number in 0..20 {
            let at = (seed.wrapping_mul(31).wrapping_add(number * 7919)) as usize;
            let at = at % self.accounts.len();
            let before = self.accounts[at];
            let before = before.borrow();
            self.accounts[at] = t.alloc(Mut::new(Account {
                balance: before.balance,
                transfers: before.transfers,
                owner: before.owner,
                note: Note(before.note.0),
            }));
        }
    }

    fn transfer(&mut self, t: &Turn<'gc, Ledger>, seed: u64) {
        for number in 0..20 {
            let any = seed
                .wrapping_mul(0x9e37_79b9)
                .wrapping_add(number * 104_729) as usize;
            let from = self.accounts[any % self.accounts.len()];
            let to = self.accounts[(any / 7 + 1) % self.accounts.len()];
            if Gc::ptr_eq(from, to) {
                continue;
            }
            let (mut from, mut to) = (from.borrow_mut(t), to.borrow_mut(t));
            let amount = from.balance.min(number);
            from.balance -= amount;
            to.balance += amount;
            from.transfers += 1;
            to.transfers += 1;
            self.transfers += 1;
        }
    }

    fn note(&mut self, t: &Turn<'gc, Ledger>, at: u64, note: u64) {
        self.accounts[at as usize].borrow_mut(t).note = Note(note);
    }

    fn slow(&mut self) {
        thread::park_timeout(Duration::from_micros(500));
    }

    fn finish(&mut self, t: &Turn<'gc, Ledger>) {
        t.stop();
    }

    /// The accounts, all balances, and whether the accounts know of all transfers.
    fn audit(&self) -> (u64, u64, bool) {
        let accounts = self.accounts.iter().map(|account| account.borrow());
        let (mut balances, mut transfers) = (0, 0);
        for account in accounts {
            assert!(account.owner.starts_with("the owner of account "));
            balances += account.balance;
            transfers += account.transfers;
        }
        let count = self.accounts.len() as u64;
        (count, balances, transfers == 2 * self.transfers)
    }
}

/// More than 256 KiB, so that it is not written at once.
const MANY: u64 = if cfg!(miri) { 5_000 } else { 30_000 };

fn ledger(workers: usize) -> (System, Address<Ledger>) {
    let builder = System::builder().workers(workers);
    let system = builder.saved::<(Ledger,)>().build();
    let ledger = Ledger::spawn(&system);
    ledger.open(MANY).ask_blocking().expect("it lives");
    (system, ledger)
}

fn restored(image: &Image) -> (Simulation, RestoredActors) {
    let builder = System::builder().saved::<(Ledger,)>();
    let restored = Simulation::restore(1, Faults::none(), builder, image);
    let (simulation, actors, _) = restored.expect("the program is the same");
    (simulation, actors)
}

/// Each transfer is in all of the image, or in nothing of it.
fn check(image: &Image) {
    let (simulation, actors) = restored(image);
    let ledger = actors.actors::<Ledger>().next().expect("one is saved");
    let audit = ledger.audit().ask_blocking();
    simulation.run();
    let (accounts, balances, is_whole) = match audit {
        // The order to finish was before the line.
        Err(AskError::Stopped(_)) => return,
        audit => audit.expect("it lives"),
    };
    assert!(accounts >= MANY);
    assert_eq!(balances, accounts * EACH, "money is made or lost");
    assert!(is_whole, "a transfer is in the image by halves");
}

fn image(journal: &Journal, number: u64) -> Image {
    journal.catalog().image(number).expect("it exists")
}

#[test]
fn a_snapshot_is_of_one_time_whatever_turns_change() {
    for workers in [1, 2, 4] {
        let (system, ledger) = ledger(workers);
        let journal = MemoryStore::default().journal();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut seed = workers as u64;
                while !is_over.load(Ordering::Relaxed) {
                    seed += 1;
                    ledger.transfer(seed).send();
                    if seed.is_multiple_of(4) {
                        ledger.close(seed).send();
                        ledger.open(3).ask_blocking().expect("it lives");
                    }
                }
            });
            let snapshots = if cfg!(miri) { 1 } else { 4 };
            let snapshots = (0..snapshots).map(|_| system.snapshot(&journal));
            let numbers = snapshots.map(|taken| taken.map(|report| report.number));
            let checked =
                numbers.map(|number| check(&image(&journal, number.expect("all is saved"))));
            let checked = catch(|| checked.count());
            is_over.store(true, Ordering::Relaxed);
            assert!(checked.is_ok());
        });
    }
}

#[test]
fn a_graph_of_an_idle_actor_is_written() {
    let (system, ledger) = ledger(2);
    let journal = MemoryStore::default().journal();
    let report = system.snapshot(&journal).expect("all is saved");
    check(&image(&journal, report.number));
    drop(ledger);
}

#[test]
fn a_graph_of_an_actor_that_ends_is_written() {
    let (system, ledger) = ledger(2);
    let journal = MemoryStore::default().journal();
    for seed in 0..20 {
        ledger.transfer(seed).send();
    }
    let report = thread::scope(|scope| {
        let taken = scope.spawn(|| system.snapshot(&journal));
        thread::park_timeout(Duration::from_millis(1));
        ledger.finish().send();
        taken.join().expect("no panic")
    });
    let report = report.expect("all is saved");
    let image = image(&journal, report.number);
    // It may have ended before the line.
    if report.actors(super::SavedAs::State) == 1 {
        check(&image);
    }
}

#[test]
fn an_object_that_cannot_be_saved_is_named() {
    let (system, ledger) = ledger(2);
    let journal = MemoryStore::default().journal();
    ledger
        .note(MANY - 1, WRONG)
        .ask_blocking()
        .expect("it lives");
    let error = system.snapshot(&journal).expect_err("a note is wrong");
    let SnapshotError::Unsaved(Unsaved::Heap { error: heap, .. }) = &error else {
        panic!("{error}");
    };
    assert!(matches!(heap, ImageError::NotSaved(_)));
    let text = error.to_string();
    assert!(
        text.contains("a wrong note") && text.contains("Account"),
        "{text}"
    );
    assert!(text.contains("Ledger/"), "{text}");

    ledger
        .note(MANY - 1, PANICS)
        .ask_blocking()
        .expect("it lives");
    let error = system.snapshot(&journal).expect_err("a note panics");
    let text = error.to_string();
    assert!(
        text.contains("a note that panics") && text.contains("Account"),
        "{text}"
    );

    // The program goes on, and the next snapshot is whole.
    ledger.note(MANY - 1, 7).ask_blocking().expect("it lives");
    let report = system.snapshot(&journal).expect("all is saved");
    check(&image(&journal, report.number));
}

/// Messages always wait, and the heap does not grow.
#[test]
fn a_graph_of_an_actor_with_a_long_mailbox_is_written() {
    let (system, ledger) = ledger(2);
    let journal = MemoryStore::default().journal();
    for _ in 0..if cfg!(miri) { 50 } else { 4_000 } {
        ledger.slow().send();
    }
    let report = system.snapshot(&journal).expect("all is saved");
    check(&image(&journal, report.number));
}

/// Writing goes on where a snapshot that was given up ended.
#[test]
fn a_snapshot_after_one_that_failed_is_whole() {
    let (system, ledger) = ledger(2);
    let store = MemoryStore::default();
    let journal = store.journal();
    store.set_full(true);
    let error = system.snapshot(&journal).expect_err("the store is full");
    assert!(matches!(error, SnapshotError::Store(_)), "{error}");
    for seed in 0..100 {
        ledger.transfer(seed).send();
    }
    store.set_full(false);
    let report = system.snapshot(&journal).expect("all is saved");
    check(&image(&journal, report.number));
}

#[test]
fn graphs_in_a_simulation_are_written() {
    snapshot_in_a_simulation();
}

#[test]
fn canary_a_cut_that_does_not_await_heaps_is_caught() {
    caught(InjectedFault::HeapNotAwaited, snapshot_in_a_simulation);
}

fn snapshot_in_a_simulation() {
    let builder = System::builder().saved::<(Ledger,)>();
    let simulation = Simulation::with(3, Faults::none(), builder);
    let ledger = Ledger::spawn(simulation.system());
    ledger.open(MANY).send();
    simulation.run();
    let journal = Arc::new(MemoryStore::default().journal());
    for seed in 0..200 {
        ledger.transfer(seed).send();
        if seed.is_multiple_of(3) {
            simulation.step();
        }
    }
    let report = simulation.system().snapshot(&journal);
    check(&image(&journal, report.expect("all is saved").number));
}
