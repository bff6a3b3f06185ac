//! Recycled memory: pools of workers and the depot between them
//! (`crates/vivant/src/message/README.md`).
//!
//! Proved, on the file of the runtime: N1 a block has one owner at a time; N2 one user's changes to
//! it happen before the next user's, also if the next user is on another worker; N3 no block is
//! lost or duplicated: when all is quiet the pools and the depot have each block once.
//!
//! | model | real |
//! |---|---|
//! | `Ledger` | nothing: it records the user of each block, so that loom tracks it |
//! | `shift` | a worker that consumes many messages, and another that sends many |
//!
//! Left out: that the depot gives blocks back to the allocator when it is full, and that pools and
//! depot do so at the end; threads that are no workers.

use crate::check::{canaries, models};
use crate::runtime::pool::{Depot, MAGAZINE, Pool, give, take};
use crate::sync::Arc;
use crate::tracked::Tracked;
use loom::thread;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::rc::Rc;

/// A block of the smallest class.
type Message = [u64; 4];

const CLASS: usize = 0;

fn given(block: NonNull<u8>) {
    // SAFETY: the ledger has checked that this block was taken and is given back once.
    unsafe { give::<Message>(block.cast()) };
}

/// A block that waits in the pool, or in the depot. This thread plays its worker.
fn rest(pool: &Pool) -> Option<NonNull<u8>> {
    pool.take(CLASS).or_else(|| pool.take_refilled(CLASS))
}

#[derive(PartialEq, Eq, Debug)]
enum Use {
    Free,
    Taken,
}

/// Every block so far. None goes back to the allocator while the model runs, so an address
/// identifies a block.
type Ledger = Rc<RefCell<BTreeMap<NonNull<u8>, Rc<Tracked<Use>>>>>;

/// The block changes its owner.
fn turns(ledger: &Ledger, block: NonNull<u8>, from: Use, to: Use) {
    let new = || Rc::new(Tracked::new(Use::Free));
    let entry = ledger.borrow_mut().entry(block).or_insert_with(new).clone();
    entry.change(|now| {
        assert_eq!(*now, from, "N1: it belongs to another");
        *now = to;
    });
}

/// Gives `blocks` back, and takes and gives `more` times after that. Returns the worker's pool.
fn shift(depot: &Arc<Depot>, ledger: &Ledger, blocks: Vec<NonNull<u8>>, more: u32) -> Pool {
    let pool = Pool::new(Some(depot.clone()));
    pool.enter(|| {
        for block in blocks {
            turns(ledger, block, Use::Taken, Use::Free);
            given(block);
        }
        let mut taken = Vec::new();
        for _ in 0..more {
            let block = take::<Message>().cast();
            turns(ledger, block, Use::Free, Use::Taken);
            taken.push(block);
        }
        for block in taken {
            turns(ledger, block, Use::Taken, Use::Free);
            given(block);
        }
    });
    pool
}

/// Number of magazines of messages that a worker consumes, and then sends.
type Shift = (u32, u32);

/// Two workers at once.
fn two_workers(shifts: [Shift; 2]) {
    let depot = Arc::new(Depot::new());
    let ledger = Ledger::default();
    // Messages that another thread has sent, in memory that no pool has had.
    let maker = Pool::new(Some(depot.clone()));
    let workers = shifts.map(|(consumes, sends)| {
        let blocks: Vec<_> = maker.enter(|| {
            let blocks = (0..consumes * MAGAZINE).map(|_| {
                let block = take::<Message>().cast();
                turns(&ledger, block, Use::Free, Use::Taken);
                block
            });
            blocks.collect()
        });
        let (depot, ledger) = (depot.clone(), ledger.clone());
        thread::spawn(move || shift(&depot, &ledger, blocks, sends * MAGAZINE))
    });
    let workers = workers.map(|worker| worker.join().unwrap());
    let mut left = 0;
    for pool in workers.iter().chain([&maker]) {
        while let Some(block) = rest(pool) {
            turns(&ledger, block, Use::Free, Use::Taken);
            left += 1;
        }
    }
    assert_eq!(left, ledger.borrow().len(), "N3: a block was lost");
    Pool::new(Some(depot)).enter(|| {
        for block in ledger.borrow().keys() {
            given(*block);
        }
    });
}

/// One worker consumes, the other sends: a pool keeps two magazines, so the third goes through the
/// depot.
const ONE_WAY: [Shift; 2] = [(4, 0), (0, 2)];
/// Both workers do both.
const BOTH_WAYS: [Shift; 2] = [(4, 4), (4, 4)];

models! {
    /// N1, N2, N3: blocks go from a consuming worker to a sending one.
    blocks_go_from_worker_to_worker: holds || two_workers(ONE_WAY);
    /// N1, N2, N3: both give to the depot and take from it.
    two_workers_share_a_depot: holds || two_workers(BOTH_WAYS);
    /// More of the same.
    long_shifts: holds_long || two_workers([(6, 6), (3, 5)]);
}

canaries! {
    /// Two workers have the same blocks.
    a_magazine_handed_out_twice_is_caught: HandsOutTwice, "N1" => || two_workers(BOTH_WAYS);
    /// The reserve goes to the depot, and stays where it was.
    a_reserve_that_is_given_and_kept_is_caught: KeepsReserve, "N1" => || two_workers(BOTH_WAYS);
    /// The depot drops the blocks that it is given.
    a_magazine_that_is_lost_is_caught: Loses, "N3" => || two_workers(ONE_WAY);
    /// Nothing orders the giver before the taker.
    a_depot_that_does_not_order_is_caught:
        Unordered, "Causality violation" => || two_workers(ONE_WAY);
}
