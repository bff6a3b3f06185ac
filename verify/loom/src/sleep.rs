//! Falling asleep and waking (`crates/vivant/src/sched/README.md`).
//!
//! Proved, on the file of the runtime: W1 and W2 no worker sleeps while work waits and no token is
//! on its way to any worker; W3 a token is neither lost, nor duplicated, nor left over; closing
//! wakes all workers, also those about to sleep; a thief that gives a stolen batch back wakes its
//! victim.
//!
//! | model | real |
//! |---|---|
//! | `Pool::post` | `Threads::inject` |
//! | `Pool::give_back` | `Threads::judge`; the queue is then that of the only worker |
//! | `Pool::work` | `Threads::work` |
//! | `Pool::sleep` | `Threads::sleep` |
//! | `Pool::close` | `Threads::close` |
//!
//! No thread here wakes a worker a second time: the worker that processes the last item closes, so
//! an item that waits while all sleep is a deadlock, which loom reports. Left out are the clock,
//! which would wake a worker a millisecond later; more queues than one (each has a lock of its own,
//! and the argument is the same for each); stealing; and the LIFO slot (`slot.rs`), into which only
//! its own worker puts, while it is awake.
//!
//! The faults are in the model: they are in users of `Sleepers`, which are in no file that can be
//! shared.

use crate::check::{canaries, models};
use crate::runtime::sleep::{CondvarParker, Park, Sleepers, Withdrawn};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use loom::thread::{self, JoinHandle};
use std::sync::atomic as unseen;

/// The runtime's parker, and a count of its tokens that is hidden from loom and so adds no
/// interleavings.
pub(crate) struct Watched {
    parker: CondvarParker,
    tokens: unseen::AtomicUsize,
    flaw: Flaw,
}

impl Watched {
    pub(crate) fn new(flaw: Flaw) -> Arc<Watched> {
        let tokens = unseen::AtomicUsize::new(0);
        let parker = CondvarParker::new();
        Arc::new(Watched {
            parker,
            tokens,
            flaw,
        })
    }

    pub(crate) fn has_no_token(&self) {
        let tokens = self.tokens.load(Ordering::Relaxed);
        assert_eq!(tokens, 0, "W3: a token is left over");
    }
}

impl Park for Watched {
    fn park(&self) {
        self.parker.park();
        self.tokens.fetch_sub(1, Ordering::Relaxed);
    }

    fn unpark(&self) {
        let before = self.tokens.fetch_add(1, Ordering::Relaxed);
        assert_eq!(before, 0, "W3: two tokens");
        if self.flaw != Flaw::UnparkNobody {
            self.parker.unpark();
        }
    }
}

/// The injected faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    None,
    /// The last check comes before the announcement.
    LookFirst,
    /// There is no last check.
    NoLook,
    /// A worker that stays awake does not take the token that comes.
    LeaveToken,
    /// The sender wakes before it pushes.
    WakeFirst,
    /// The parker sets no token.
    UnparkNobody,
    /// `close` wakes before it publishes that it closes.
    CloseLate,
    /// A thief that gives a batch back wakes no worker.
    GiveBackInSilence,
    /// A thief that gives a batch back does not check whether the system closes.
    GiveBackBlindly,
}

struct Pool {
    queue: Mutex<Vec<u32>>,
    sleepers: Sleepers<Watched>,
    closing: AtomicBool,
    processed: Mutex<Vec<u32>>,
    /// The worker that processes the last item closes.
    items: usize,
    flaw: Flaw,
}

impl Pool {
    fn new(items: usize, flaw: Flaw) -> Arc<Pool> {
        Arc::new(Pool {
            queue: Mutex::new(Vec::new()),
            sleepers: Sleepers::new(),
            closing: AtomicBool::new(false),
            processed: Mutex::new(Vec::new()),
            items,
            flaw,
        })
    }

    fn post(&self, item: u32) {
        if self.flaw == Flaw::WakeFirst {
            self.sleepers.wake_one();
        }
        lock(&self.queue).push(item);
        if self.flaw != Flaw::WakeFirst {
            self.sleepers.wake_one();
        }
    }

    fn give_back(&self, item: u32, to: &Arc<Watched>) {
        lock(&self.queue).push(item);
        if self.flaw != Flaw::GiveBackInSilence {
            self.sleepers.wake(to);
        }
    }

    fn has_work(&self) -> bool {
        !lock(&self.queue).is_empty()
    }

    fn is_closed(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn close(&self) {
        if self.flaw == Flaw::CloseLate {
            self.sleepers.wake_all();
        }
        self.closing.store(true, Ordering::Release);
        if self.flaw != Flaw::CloseLate {
            self.sleepers.wake_all();
        }
    }

    fn work(&self, parker: &Arc<Watched>) {
        loop {
            let next = lock(&self.queue).pop();
            match next {
                Some(item) => self.process(item),
                None if self.is_closed() => return,
                None => self.sleep(parker),
            }
        }
    }

    fn process(&self, item: u32) {
        let mut processed = lock(&self.processed);
        processed.push(item);
        let all = processed.len() == self.items;
        drop(processed);
        if all {
            self.close();
        }
    }

    fn sleep(&self, parker: &Arc<Watched>) {
        let look = || self.flaw != Flaw::NoLook && (self.has_work() || self.is_closed());
        if self.flaw == Flaw::LookFirst && look() {
            return;
        }
        self.sleepers.announce(parker);
        if self.flaw != Flaw::LookFirst && look() {
            let withdrawn = self.sleepers.withdraw(parker);
            if withdrawn == Withdrawn::TokenComes && self.flaw != Flaw::LeaveToken {
                parker.park();
            }
            return;
        }
        parker.park();
    }
}

/// How a worker starts.
#[derive(Clone, Copy)]
enum Begins {
    /// With a check of the queue.
    Awake,
    /// Having just found nothing.
    FallingAsleep,
}

fn worker(pool: &Arc<Pool>, begins: Begins) -> JoinHandle<()> {
    let pool = pool.clone();
    thread::spawn(move || {
        let parker = Watched::new(pool.flaw);
        if let Begins::FallingAsleep = begins {
            pool.sleep(&parker);
        }
        pool.work(&parker);
        parker.has_no_token();
    })
}

fn sender(pool: &Arc<Pool>, items: std::ops::Range<u32>) -> JoinHandle<()> {
    let pool = pool.clone();
    thread::spawn(move || items.for_each(|item| pool.post(item)))
}

/// This number of workers, and one sender for each count of items.
fn pool(workers: usize, senders: &[u32], begins: Begins, flaw: Flaw) {
    let items = senders.iter().sum();
    let pool = Pool::new(items as usize, flaw);
    let mut threads = Vec::new();
    let mut from = 0;
    for count in senders {
        threads.push(sender(&pool, from..from + count));
        from += count;
    }
    threads.extend((0..workers).map(|_| worker(&pool, begins)));
    for thread in threads {
        thread.join().unwrap();
    }
    let mut processed = lock(&pool.processed).clone();
    processed.sort_unstable();
    assert_eq!(processed, (0..items).collect::<Vec<_>>());
    assert_eq!(
        pool.sleepers.asleep(),
        0,
        "W2: the count of sleepers is wrong"
    );
}

/// An item is in the queue already when the worker has announced: it withdraws, while a sender may
/// choose it.
fn withdrawal(workers: usize, flaw: Flaw) {
    let pool = Pool::new(2, flaw);
    lock(&pool.queue).push(0);
    let sender = sender(&pool, 1..2);
    let workers: Vec<_> = (0..workers)
        .map(|_| worker(&pool, Begins::FallingAsleep))
        .collect();
    sender.join().unwrap();
    workers
        .into_iter()
        .for_each(|worker| worker.join().unwrap());
}

/// Two thieves give back to a worker that falls asleep.
fn batch(items: u32, flaw: Flaw) {
    let pool = Pool::new(items as usize, flaw);
    let parker = Watched::new(flaw);
    let thieves = (0..items).map(|item| {
        let (pool, parker) = (pool.clone(), parker.clone());
        thread::spawn(move || pool.give_back(item, &parker))
    });
    let thieves: Vec<_> = thieves.collect();
    pool.work(&parker);
    thieves.into_iter().for_each(|thief| thief.join().unwrap());
    parker.has_no_token();
    assert_eq!(lock(&pool.processed).len(), items as usize);
}

/// A thief gives back to a worker that leaves because the system closes.
fn batch_while_closing(flaw: Flaw) {
    let pool = Pool::new(2, flaw);
    let common = Arc::new(Mutex::new(Vec::new()));
    let parker = Watched::new(flaw);
    let thief = thread::spawn({
        let (pool, common, parker) = (pool.clone(), common.clone(), parker.clone());
        move || {
            pool.give_back(0, &parker);
            if pool.is_closed() && flaw != Flaw::GiveBackBlindly {
                let batch = std::mem::take(&mut *lock(&pool.queue));
                lock(&common).extend(batch);
            }
        }
    });
    let closer = thread::spawn({
        let pool = pool.clone();
        move || pool.close()
    });
    pool.work(&parker);
    let left = std::mem::take(&mut *lock(&pool.queue));
    lock(&common).extend(left);
    thief.join().unwrap();
    closer.join().unwrap();
    let found = lock(&pool.processed).len() + lock(&common).len();
    assert_eq!(found, 1, "it lies where nobody looks");
}

/// Two workers fall asleep while another thread closes.
fn closing(flaw: Flaw) {
    let pool = Pool::new(0, flaw);
    let workers = [
        worker(&pool, Begins::FallingAsleep),
        worker(&pool, Begins::Awake),
    ];
    let closer = thread::spawn({
        let pool = pool.clone();
        move || pool.close()
    });
    closer.join().unwrap();
    workers
        .into_iter()
        .for_each(|worker| worker.join().unwrap());
}

fn two_workers(flaw: Flaw) -> impl Fn() + Send + Sync + 'static {
    move || pool(2, &[2], Begins::FallingAsleep, flaw)
}

models! {
    /// W1, W2, W3: one worker, one sender.
    one_worker_misses_no_wake: holds || pool(1, &[2], Begins::Awake, Flaw::None);
    /// W1, W2, W3: two workers, one sender.
    two_workers_miss_no_wake: holds || pool(2, &[2], Begins::FallingAsleep, Flaw::None);
    /// W1, W2, W3: one worker, two senders.
    two_senders_wake_one_worker: holds || pool(1, &[1, 1], Begins::FallingAsleep, Flaw::None);
    /// W3: a worker that withdraws while it is chosen takes the token.
    a_withdrawal_races_with_a_choice: holds
        || withdrawal(1, Flaw::None), || withdrawal(2, Flaw::None);
    /// All workers leave.
    closing_wakes_every_worker: holds || closing(Flaw::None);
    /// W1, W2, W3, for items put into the queue of a worker that may sleep.
    a_stolen_batch_given_back_is_found: holds
        || batch(1, Flaw::None), || batch(2, Flaw::None), || batch_while_closing(Flaw::None);
    /// Two workers, two senders.
    long_two_workers_two_senders: holds_long
        || pool(2, &[1, 1], Begins::FallingAsleep, Flaw::None),
        || pool(2, &[3], Begins::Awake, Flaw::None);
}

canaries! {
    /// W1 reversed.
    a_last_look_before_the_announcement_is_caught: "deadlock" => two_workers(Flaw::LookFirst);
    /// W1 without its second half.
    no_last_look_is_caught: "deadlock" => two_workers(Flaw::NoLook);
    /// W3 broken by the worker that withdraws.
    a_token_that_is_not_taken_is_caught: "W3" => || withdrawal(1, Flaw::LeaveToken);
    /// W2 reversed.
    waking_before_pushing_is_caught: "deadlock" => two_workers(Flaw::WakeFirst);
    /// A parker that only notifies.
    a_token_that_is_not_set_is_caught: "deadlock" => two_workers(Flaw::UnparkNobody);
    /// A worker that announces after `wake_all` finds the pool open.
    closing_announced_too_late_is_caught: "deadlock" => || closing(Flaw::CloseLate);
    /// The victim checked its queue, and announces after the thief has found it awake.
    a_last_look_past_the_own_queue_is_caught: "deadlock" => || batch(1, Flaw::NoLook);
    /// The victim sleeps already.
    a_batch_given_back_without_a_wake_is_caught: "deadlock" => || batch(1, Flaw::GiveBackInSilence);
    /// The victim has given up its per-worker state.
    a_batch_given_back_to_an_empty_worker_is_caught:
        "where nobody looks" => || batch_while_closing(Flaw::GiveBackBlindly);
}
