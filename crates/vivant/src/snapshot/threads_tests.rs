//! Snapshots of programs on threads.

use super::memory_store::MemoryStore;
use super::{SavedAs, SnapshotError, WaitedFor};
use crate::RestoredOr;
use crate::cut::{Coordinator, Over};
use crate::oracle::Dice;
use crate::prelude::*;
use crate::simulation::{Faults, Simulation};
use crate::sync::{Arc, AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use vivant_journal::{DirectoryStore, Image, Journal, Retention, Settings};

/// An account that pays others.
#[derive(Actor)]
#[actor(saved, id = "bank::Payer")]
struct Payer {
    balance: u64,
    known: Vec<Address<Payer>>,
}

#[behaviours(id = "bank::Payer")]
impl Payer {
    #[start]
    fn new(balance: u64) -> Payer {
        Payer {
            balance,
            known: Vec::new(),
        }
    }

    fn knows(&mut self, other: Address<Payer>) {
        self.known.push(other);
    }

    fn pay(&mut self, t: &Turn<Self>, amount: u64) {
        let amount = amount.min(self.balance);
        let others = self.known.len().max(1);
        if let Some(to) = self.known.get(amount as usize % others) {
            self.balance -= amount;
            t.send(to.receive(amount));
        }
    }

    fn receive(&mut self, amount: u64) {
        self.balance += amount;
    }

    fn balance(&self) -> u64 {
        self.balance
    }
}

const PAYERS: usize = 6;
const EACH: u64 = 1_000;

fn bank(system: &System) -> Vec<Address<Payer>> {
    let payers: Vec<_> = (0..PAYERS).map(|_| Payer::spawn(system, EACH)).collect();
    for one in &payers {
        for other in &payers {
            one.knows(other.clone()).send();
        }
    }
    payers
}

/// The sum of all balances of a restored bank, when all messages have come.
fn sum_of(image: &Image) -> u64 {
    let builder = System::builder().saved::<(Payer,)>();
    let restored = Simulation::restore(1, Faults::none(), builder, image);
    let (simulation, actors, _) = restored.expect("the program is the same");
    simulation.run();
    let balances = actors
        .actors::<Payer>()
        .map(|payer| payer.balance().ask_blocking());
    balances.map(|balance| balance.expect("it lives")).sum()
}

fn with_senders(payers: &[Address<Payer>], body: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for seed in 0..2 {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut dice = Dice::new(seed);
                while !is_over.load(Ordering::Relaxed) {
                    let amount = 1 + dice.below(99) as u64;
                    let payer = &payers[dice.below(payers.len())];
                    payer.pay(amount).send();
                    if dice.below(32) == 0 {
                        // So that no mailbox grows without a bound.
                        payer.balance().ask_blocking().expect("it lives");
                    }
                }
            });
        }
        let _over = Over(&is_over);
        body();
    });
}

/// Each snapshot that is taken under load has all of the money, in accounts and messages.
#[test]
fn snapshots_under_load_lose_nothing() {
    for workers in [2, 4, 8] {
        let waiting = lose_nothing_on(workers);
        assert!(
            waiting > 0,
            "{workers} workers: no snapshot was taken under load"
        );
    }
}

/// Takes snapshots one after the other. Returns the number of messages that waited in them.
fn lose_nothing_on(workers: usize) -> u64 {
    const SNAPSHOTS: u64 = if cfg!(miri) { 2 } else { 15 };
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings::default().retention(Retention::All);
    let journal = Journal::open(DirectoryStore::new(folder.path()), settings);
    let journal = journal.expect("no other journal is open");
    let builder = System::builder().workers(workers);
    let system = builder.saved::<(Payer,)>().build();
    let payers = bank(&system);
    let mut waiting = 0;
    with_senders(&payers, || {
        for _ in 0..SNAPSHOTS {
            let report = system.snapshot(&journal).expect("all is saved");
            assert_eq!(report.actors(SavedAs::State), PAYERS as u64);
            waiting += report.messages;
        }
    });
    drop((payers, system));
    let images = journal.catalog().images().expect("the folder can be read");
    assert_eq!(images.intact.len() as u64, SNAPSHOTS);
    for summary in images.intact {
        let number = summary.number;
        let image = journal.catalog().image(number).expect("it exists");
        let why = format!("{workers} workers, image {number}");
        assert_eq!(sum_of(&image), EACH * PAYERS as u64, "{why}");
    }
    waiting
}

/// A bank that was restored on threads goes on, and can be saved again.
#[test]
fn a_restored_bank_runs_on_threads() {
    let journal = MemoryStore::default().journal();
    for life in 0..4 {
        let builder = System::builder().workers(2).saved::<(Payer,)>();
        let restored = builder.restore_or(journal.catalog(), bank);
        let (system, payers) = match restored.expect("the program is the same") {
            RestoredOr::Restored(restored) => {
                let payers: Vec<_> = restored.actors.actors().collect();
                (restored.system, payers)
            }
            RestoredOr::New(system, payers) => (system, payers),
        };
        assert_eq!(payers.len(), PAYERS, "life {life}");
        with_senders(&payers, || {
            system.snapshot(&journal).expect("all is saved");
        });
    }
    let latest = journal.catalog().latest().expect("memory does not fail");
    assert_eq!(
        sum_of(&latest.image.expect("four were taken")),
        EACH * PAYERS as u64
    );
}

/// Requests come one after the other, each with an image of its own.
#[test]
fn requests_of_several_threads_queue() {
    let journal = MemoryStore::default().journal();
    let system = System::builder().workers(2).saved::<(Payer,)>().build();
    let payers = bank(&system);
    with_senders(&payers, || {
        let numbers = thread::scope(|scope| {
            let take = || system.snapshot(&journal).map(|report| report.number);
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            let numbers = threads.into_iter().map(|it| it.join().expect("no panic"));
            numbers.collect::<Result<Vec<_>, _>>()
        });
        let mut numbers = numbers.expect("all is saved");
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 4);
    });
    let latest = journal.catalog().latest().expect("memory does not fail");
    assert_eq!(
        sum_of(&latest.image.expect("four were taken")),
        EACH * PAYERS as u64
    );
}

/// Waits in a turn, until it is told to go on.
#[derive(Actor)]
#[actor(id = "bank::Sleeper", blocking)]
struct Sleeper {
    begins: mpsc::Sender<()>,
    ends: mpsc::Receiver<()>,
}

#[behaviours(id = "bank::Sleeper")]
impl Sleeper {
    fn sleep(&mut self) {
        self.begins.send(()).expect("the test waits");
        self.ends.recv().expect("the test wakes it");
    }
}

/// The deadline fails the snapshot alone, and names the turn that does not end. The next snapshot
/// ends the passes of the one before first.
#[test]
fn a_turn_that_does_not_end_is_named_at_the_deadline() {
    let journal = MemoryStore::default().journal();
    let system = System::builder().workers(2).saved::<(Payer,)>().build();
    let payers = bank(&system);
    let ((begins, begun), (end, ends)) = (mpsc::channel(), mpsc::channel());
    let sleeper = system.spawn(Sleeper { begins, ends });
    for _ in 0..2 {
        sleeper.sleep().send();
        begun.recv().expect("the turn begins");
        for _ in 0..2 {
            let limit = Duration::from_millis(20);
            let error = system.snapshot_within(&journal, limit);
            let error = error.expect_err("the turn does not end");
            let SnapshotError::Deadline {
                waited_for, turns, ..
            } = &error
            else {
                panic!("{error:?}");
            };
            assert_eq!(*waited_for, WaitedFor::Turns);
            let said = error.to_string();
            let advice = "should send itself the rest of its work";
            assert!(
                said.contains("bank::Sleeper::sleep in bank::Sleeper/") && said.contains(advice),
                "{said}"
            );
            let is_sleeper = |turn: &super::RunningTurn| {
                turn.actor == Address::path(&sleeper) && turn.behaviour == "bank::Sleeper::sleep"
            };
            assert!(turns.iter().any(is_sleeper), "{error}");
            assert!(payers[0].balance().ask_blocking().is_ok(), "it goes on");
        }
        end.send(()).expect("the turn waits");
        let report = system.snapshot(&journal).expect("the turn has ended");
        assert_eq!(report.actors(SavedAs::Nothing), 1);
    }
    let latest = journal.catalog().latest().expect("memory does not fail");
    assert_eq!(
        sum_of(&latest.image.expect("two were taken")),
        EACH * PAYERS as u64
    );
}

/// A snapshot that cannot begin says so, and names no turn as the reason.
#[test]
fn a_snapshot_that_waits_for_another_says_so() {
    let journal = MemoryStore::default().journal();
    let system = System::builder().workers(1).saved::<(Payer,)>().build();
    let other = Coordinator::of(system.shared()).expect("there is no other");
    let error = system.snapshot_within(&journal, Duration::from_millis(2));
    let said = error.expect_err("it cannot begin").to_string();
    drop(other);
    assert!(
        said.contains("another snapshot of the system was still being taken"),
        "{said}"
    );
    assert!(system.snapshot(&journal).is_ok());
}

/// Also of an actor that blocks: no worker measures its turns.
#[test]
fn a_turn_that_blocks_is_named_at_the_deadline() {
    let journal = MemoryStore::default().journal();
    let system = System::builder().workers(1).saved::<(Payer,)>().build();
    let ((begins, begun), (end, ends)) = (mpsc::channel(), mpsc::channel());
    let reader = system.spawn(Reader { begins, ends });
    reader.read().send();
    begun.recv().expect("the turn begins");
    let error = system.snapshot_within(&journal, Duration::from_millis(2));
    let said = error.expect_err("the turn does not end").to_string();
    end.send(()).expect("the turn waits");
    assert!(
        said.contains("bank::Reader::read in bank::Reader/"),
        "{said}"
    );
}

/// Its turns end when the test wants it. They block.
#[derive(Actor)]
#[actor(id = "bank::Reader", blocking)]
struct Reader {
    begins: mpsc::Sender<()>,
    ends: mpsc::Receiver<()>,
}

#[behaviours(id = "bank::Reader")]
impl Reader {
    fn read(&mut self) {
        self.begins.send(()).expect("the test waits");
        self.ends.recv().expect("the test wakes it");
    }
}

/// Blocks, on a thread of its own.
#[derive(Actor)]
#[actor(saved, id = "bank::Book", blocking)]
struct Book {
    lines: Vec<u64>,
    next: Option<Address<Book>>,
}

#[behaviours(id = "bank::Book")]
impl Book {
    #[start]
    fn new() -> Book {
        let (lines, next) = (Vec::new(), None);
        Book { lines, next }
    }

    fn is_followed_by(&mut self, next: Address<Book>) {
        self.next = Some(next);
    }

    fn write(&mut self, t: &Turn<Self>, line: u64) {
        self.lines.push(line);
        if let Some(next) = &self.next {
            t.send(next.write(LINES + line));
        }
    }

    fn lines(&self) -> Vec<u64> {
        self.lines.clone()
    }
}

const LINES: u64 = if cfg!(miri) { 30 } else { 3_000 };

/// Messages that waited come before those that are sent after the restore, also where each actor
/// has a thread of its own.
#[test]
fn no_actor_runs_before_all_messages_are_back() {
    let builder = || System::builder().workers(2).saved::<(Book,)>();
    let journal = MemoryStore::default().journal();
    let simulation = Simulation::with(1, Faults::none(), builder());
    // The messages of the first actor are posted first.
    let first = Book::spawn(simulation.system());
    let last = Book::spawn(simulation.system());
    first.is_followed_by(last.clone()).send();
    simulation.run();
    (0..LINES).for_each(|line| last.write(line).send());
    (0..LINES).for_each(|line| first.write(line).send());
    let report = simulation.system().snapshot(&journal);
    let report = report.expect("all is saved");
    assert!(report.messages > LINES, "{report}");
    let image = journal.catalog().image(report.number).expect("it exists");
    let restored = builder().restore(&image).expect("the program is the same");
    let books: Vec<_> = restored.actors.actors::<Book>().collect();
    let [first, last] = &books[..] else {
        panic!("{} books", books.len());
    };
    let lines_of = |book: &Address<Book>| book.lines().ask_blocking().expect("it lives");
    assert!(lines_of(first).into_iter().eq(0..LINES), "the first");
    assert!(lines_of(last).into_iter().eq(0..2 * LINES), "the last");
}

/// A snapshot is there when its program is gone at once.
#[test]
fn a_snapshot_outlives_its_system() {
    let journal = Arc::new(MemoryStore::default().journal());
    let system = System::builder().workers(2).saved::<(Payer,)>().build();
    let payers = bank(&system);
    payers[0].pay(10).send();
    let report = system.snapshot(&journal).expect("all is saved");
    drop((payers, system));
    let image = journal.catalog().image(report.number).expect("it exists");
    assert_eq!(sum_of(&image), EACH * PAYERS as u64);
}
