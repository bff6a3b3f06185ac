//! Recycled memory: pools of workers and the depot between them (`crates/vivant/src/mailbox/README.md`).
//!
//! Proved, on the file of the runtime: N1 a block is owned by one at a time; N2 what one user did to it happens before what
//! the next one does, also if that one is on another worker; N3 none is lost or doubled: when all is quiet the pools and the
//! depot have each block once.
//!
//! | model | real |
//! |---|---|
//! | `Ledger` | nothing: who uses a block is written down, so that loom follows it |
//! | `shift` | a worker that consumes many messages, and one that sends many |
//!
//! Left out: that the depot gives blocks back to the allocator when it is full, and that pools and depot do so in the end;
//! threads that are no workers.

mod broken;

use crate::check::{Canary, holds, holds_long};
use crate::runtime::pool::{Depot, MAGAZINE, Pool, give, take};
use crate::scheduler::Worker;
use crate::sync::Arc;
use crate::tracked::Tracked;
use loom::thread;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::rc::Rc;

/// Something of the smallest class.
type Message = [u64; 4];

const CLASS: usize = 0;

/// Pools and a depot: the real ones, or some with a planted bug.
pub(crate) trait Memory: Clone + 'static {
    /// How many blocks a magazine has.
    const FULL: u32;
    /// The pool of a new worker, which is this thread.
    type Bench: 'static;
    fn enter(&self) -> Self::Bench;
    fn take(&self, bench: &Self::Bench) -> NonNull<u8>;
    fn give(&self, bench: &Self::Bench, block: NonNull<u8>);
    /// One of those that wait in the pool, or in the depot. This thread plays its worker.
    fn rest(&self, bench: &Self::Bench) -> Option<NonNull<u8>>;
}

#[derive(Clone)]
struct Real(Arc<Depot>);

impl Memory for Real {
    const FULL: u32 = MAGAZINE;
    type Bench = Rc<Worker>;

    fn enter(&self) -> Rc<Worker> {
        let worker = Rc::new(Worker {
            pool: Pool::new(Some(self.0.clone())),
        });
        Worker::enter(&worker);
        worker
    }

    fn take(&self, _: &Rc<Worker>) -> NonNull<u8> {
        take::<Message>().cast()
    }

    fn give(&self, _: &Rc<Worker>, block: NonNull<u8>) {
        // SAFETY: the ledger has seen that it was taken and is given back once.
        unsafe { give::<Message>(block.cast()) };
    }

    fn rest(&self, worker: &Rc<Worker>) -> Option<NonNull<u8>> {
        Worker::exit();
        worker
            .pool
            .take(CLASS)
            .or_else(|| worker.pool.take_refilled(CLASS))
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Use {
    Free,
    Taken,
}

/// Every block there has been. None goes back to the allocator while the model runs, so an address is a block.
type Ledger = Rc<RefCell<BTreeMap<NonNull<u8>, Rc<Tracked<Use>>>>>;

/// The block changes hands.
fn turns(ledger: &Ledger, block: NonNull<u8>, from: Use, to: Use) {
    let new = || Rc::new(Tracked::new(Use::Free));
    let entry = ledger.borrow_mut().entry(block).or_insert_with(new).clone();
    entry.change(|now| {
        assert_eq!(*now, from, "N1: it belongs to another");
        *now = to;
    });
}

/// Gives `blocks` back, and takes and gives `more` times after that.
fn shift<M: Memory>(memory: &M, ledger: &Ledger, blocks: Vec<NonNull<u8>>, more: u32) -> M::Bench {
    let bench = memory.enter();
    for block in blocks {
        turns(ledger, block, Use::Taken, Use::Free);
        memory.give(&bench, block);
    }
    let mut taken = Vec::new();
    for _ in 0..more {
        let block = memory.take(&bench);
        turns(ledger, block, Use::Free, Use::Taken);
        taken.push(block);
    }
    for block in taken {
        turns(ledger, block, Use::Taken, Use::Free);
        memory.give(&bench, block);
    }
    bench
}

/// How many magazines' worth of messages a worker consumes, and then sends.
type Shift = (u32, u32);

/// Two workers at once.
fn two_workers<M: Memory>(memory: M, shifts: [Shift; 2]) {
    let ledger = Ledger::default();
    // Messages that somebody else has sent: of memory that no pool has had.
    let maker = memory.enter();
    let workers = shifts.map(|(consumes, sends)| {
        let blocks = (0..consumes * M::FULL).map(|_| {
            let block = memory.take(&maker);
            turns(&ledger, block, Use::Free, Use::Taken);
            block
        });
        let blocks: Vec<_> = blocks.collect();
        let (memory, ledger) = (memory.clone(), ledger.clone());
        thread::spawn(move || shift(&memory, &ledger, blocks, sends * M::FULL))
    });
    let benches = workers.map(|worker| worker.join().unwrap());
    let mut left = 0;
    for bench in benches.iter().chain([&maker]) {
        while let Some(block) = memory.rest(bench) {
            turns(&ledger, block, Use::Free, Use::Taken);
            left += 1;
        }
    }
    assert_eq!(left, ledger.borrow().len(), "N3: a block was lost");
    let bench = memory.enter();
    for block in ledger.borrow().keys() {
        memory.give(&bench, *block);
    }
}

fn real() -> Real {
    Real(Arc::new(Depot::new()))
}

/// One consumes, the other sends: a pool keeps two magazines, so the third goes through the depot.
const ONE_WAY: [Shift; 2] = [(4, 0), (0, 2)];
/// Both do both.
const BOTH_WAYS: [Shift; 2] = [(4, 4), (4, 4)];

/// N1, N2, N3: blocks go from a worker that consumes to one that sends.
pub fn blocks_go_from_worker_to_worker() {
    holds(|| two_workers(real(), ONE_WAY));
}

/// N1, N2, N3: both give to the depot and take from it.
pub fn two_workers_share_a_depot() {
    holds(|| two_workers(real(), BOTH_WAYS));
}

/// More of the same.
pub fn long_shifts() {
    holds_long(|| two_workers(real(), [(6, 6), (3, 5)]));
}

/// The copy of the file in which bugs are planted does what the file does.
pub fn without_a_flaw_the_copy_holds() {
    canaries::copy_holds();
}

/// Each planted bug is met by the very models above.
pub mod canaries {
    use super::broken::{Copy, Flaw};
    use super::*;

    fn with(flaw: Flaw, shifts: [Shift; 2]) -> impl Fn() + Send + Sync + 'static {
        move || two_workers(Copy::with(flaw), shifts)
    }

    /// Two workers have the same blocks.
    pub fn a_magazine_handed_out_twice_is_caught(canary: Canary) {
        canary.dies("N1", with(Flaw::HandsOutTwice, BOTH_WAYS));
    }

    /// The reserve goes to the depot, and stays where it was.
    pub fn a_reserve_that_is_given_and_kept_is_caught(canary: Canary) {
        canary.dies("N1", with(Flaw::KeepsReserve, BOTH_WAYS));
    }

    /// The depot drops what it is given.
    pub fn a_magazine_that_is_lost_is_caught(canary: Canary) {
        canary.dies("N3", with(Flaw::Loses, ONE_WAY));
    }

    /// Nothing orders the one who gives before the one who takes.
    pub fn a_depot_that_does_not_order_is_caught(canary: Canary) {
        canary.dies("Causality violation", with(Flaw::Unordered, ONE_WAY));
    }

    /// No canary: the copy itself is faithful.
    pub(crate) fn copy_holds() {
        holds(with(Flaw::None, ONE_WAY));
        holds(with(Flaw::None, BOTH_WAYS));
    }
}
