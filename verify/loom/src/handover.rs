//! A surplus worker that retires (D2, `crates/vivant/src/sched/README.md`).
//!
//! Proved, on `Sleepers` of the runtime and a model of `Threads::leave`: D2 the work for which a
//! retiring worker was woken is not lost: the items of its own queue, the item behind its token,
//! and incremental work that it was doing.
//!
//! | model | real |
//! |---|---|
//! | `Floor::post` | `Threads::inject` |
//! | `Floor::work` | `Threads::work` |
//! | `Floor::leave` | `Threads::leave` |
//! | `too_many` | `Replacement::may_retire` |
//! | `Floor::pieces`, `called`, `care` | a look for unreachable actors (`Detector`): `look`, `called`, `goes_on` |
//!
//! Left out: when surplus workers are started (D1), and the clock, which would hide a lost wake-up
//! while it ticks.
//!
//! The faults are in the model: the modelled code is in no file that can be shared.

use crate::check::{canaries, models};
use crate::runtime::sleep::{Park, Sleepers, Withdrawn};
use crate::sleep::{Flaw as SleepFlaw, Watched};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use loom::thread::{self, JoinHandle};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// The token that woke the retiring worker is not passed on.
    KeepToken,
    /// The retiring worker does not signal that incremental work is left.
    SilentPieces,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tenure {
    Regular,
    Surplus,
}

struct Floor {
    common: Mutex<u32>,
    sleepers: Sleepers<Watched>,
    too_many: AtomicBool,
    closing: AtomicBool,
    /// Incremental work, which is no item: a worker does an increment between two items.
    pieces: Mutex<u32>,
    /// A lock, because loom takes `SeqCst` for less than it is.
    called: Mutex<bool>,
    flaw: Flaw,
}

impl Floor {
    fn new(flaw: Flaw) -> Arc<Floor> {
        Arc::new(Floor {
            common: Mutex::new(0),
            sleepers: Sleepers::new(),
            too_many: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            pieces: Mutex::new(0),
            called: Mutex::new(false),
            flaw,
        })
    }

    fn post(&self) {
        *lock(&self.common) += 1;
        self.sleepers.wake_one();
    }

    fn call(&self, pieces: u32) {
        *lock(&self.pieces) = pieces;
        *lock(&self.called) = true;
        self.sleepers.wake_one();
    }

    fn is_called(&self) -> bool {
        *lock(&self.called)
    }

    /// One increment. The last one lets all workers go.
    fn care(&self) {
        let mut pieces = lock(&self.pieces);
        *lock(&self.called) = false;
        match pieces.checked_sub(1) {
            None => {}
            Some(0) => {
                *pieces = 0;
                self.closing.store(true, Ordering::Release);
                self.sleepers.wake_all();
            }
            Some(left) => {
                *pieces = left;
                *lock(&self.called) = true;
            }
        }
    }

    fn has_work(&self) -> bool {
        *lock(&self.common) > 0
    }

    fn is_closed(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// `own`: the number of items in this worker's own queue.
    fn work(&self, tenure: Tenure, own: u32) {
        let parker = Watched::new(SleepFlaw::None);
        loop {
            if tenure == Tenure::Surplus && self.too_many.swap(false, Ordering::Relaxed) {
                break self.leave(own);
            }
            let mut common = lock(&self.common);
            if let Some(rest) = common.checked_sub(1) {
                *common = rest;
                drop(common);
                // The only item was processed.
                self.closing.store(true, Ordering::Release);
                self.sleepers.wake_all();
                continue;
            }
            drop(common);
            if self.is_closed() {
                break;
            }
            if self.is_called() {
                self.care();
                continue;
            }
            self.sleep(&parker);
        }
        parker.has_no_token();
    }

    fn sleep(&self, parker: &Arc<Watched>) {
        self.sleepers.announce(parker);
        let stays = self.has_work() || self.is_closed() || self.is_called();
        if !stays || self.sleepers.withdraw(parker) == Withdrawn::TokenComes {
            parker.park();
        }
    }

    fn leave(&self, own: u32) {
        *lock(&self.common) += own;
        let passes_on = match self.flaw {
            Flaw::None => self.has_work() || self.is_called(),
            Flaw::KeepToken => own > 0,
            Flaw::SilentPieces => self.has_work(),
        };
        if passes_on {
            self.sleepers.wake_one();
        }
    }
}

fn worker(floor: &Arc<Floor>, tenure: Tenure, own: u32) -> JoinHandle<()> {
    let floor = floor.clone();
    thread::spawn(move || floor.work(tenure, own))
}

/// A regular and a surplus worker; the turn that blocked its worker ends, and an item is posted.
fn retirement(flaw: Flaw) {
    let floor = Floor::new(flaw);
    let workers = [
        worker(&floor, Tenure::Regular, 0),
        worker(&floor, Tenure::Surplus, 0),
    ];
    let sender = thread::spawn({
        let floor = floor.clone();
        move || {
            floor.too_many.store(true, Ordering::Relaxed);
            floor.post();
        }
    });
    sender.join().unwrap();
    workers
        .into_iter()
        .for_each(|worker| worker.join().unwrap());
}

/// A surplus worker retires with one actor in its own queue.
fn retirement_with_a_queue(flaw: Flaw) {
    let floor = Floor::new(flaw);
    floor.too_many.store(true, Ordering::Relaxed);
    let workers = [
        worker(&floor, Tenure::Regular, 0),
        worker(&floor, Tenure::Surplus, 1),
    ];
    workers
        .into_iter()
        .for_each(|worker| worker.join().unwrap());
}

/// The same with incremental work, in two increments, instead.
fn retirement_between_pieces(flaw: Flaw) {
    let floor = Floor::new(flaw);
    let workers = [
        worker(&floor, Tenure::Regular, 0),
        worker(&floor, Tenure::Surplus, 0),
    ];
    let caller = thread::spawn({
        let floor = floor.clone();
        move || {
            floor.call(2);
            floor.too_many.store(true, Ordering::Relaxed);
        }
    });
    caller.join().unwrap();
    workers
        .into_iter()
        .for_each(|worker| worker.join().unwrap());
}

models! {
    /// D2, for the item behind the token.
    a_retiring_worker_passes_its_token_on: holds || retirement(Flaw::None);
    /// D2, for the retiring worker's own queue.
    a_retiring_workers_queue_goes_to_the_others: holds || retirement_with_a_queue(Flaw::None);
    /// D2, for incremental work: the worker signals that more is left only after the others have
    /// checked, and they may have fallen asleep.
    work_in_pieces_does_not_retire: holds || retirement_between_pieces(Flaw::None);
}

canaries! {
    /// The regular worker sleeps on, though an item was posted and a token spent for it.
    a_token_that_retires_with_its_worker_is_caught: "deadlock" => || retirement(Flaw::KeepToken);
    /// The regular worker fell asleep while the other was at the first increment.
    pieces_that_retire_with_their_worker_are_caught:
        "deadlock" => || retirement_between_pieces(Flaw::SilentPieces);
}
