//! Unusual uses: counts that grow and shrink on different threads, executors that begin and end in
//! odd order, destructors that end the run in which they run.
#![allow(
    unsafe_code,
    reason = "references without end are counted without memory"
)]

use std::cell::RefCell;
use std::env;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use vivant_brc::{Brc, Executor, Owner, detached, merge};

/// Records its drop.
#[derive(Clone)]
struct Noted(Arc<AtomicUsize>);

impl Noted {
    fn new() -> (Noted, Arc<AtomicUsize>) {
        let ends = Arc::new(AtomicUsize::new(0));
        (Noted(ends.clone()), ends)
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn ended(ends: &AtomicUsize) -> usize {
    ends.load(Ordering::Relaxed)
}

/// There are never more than a few million references at a time, but the owner makes more of them
/// than its count can hold.
#[test]
#[cfg_attr(miri, ignore = "it counts for long")]
fn long_drops_by_other_threads_do_not_overflow() {
    const AT_A_TIME: u32 = 1 << 24;
    // Set for the long form of `stress.rs` too.
    if env::var_os("VIVANT_OPERATIONS").is_none() {
        return;
    }
    let (noted, ends) = Noted::new();
    let one = Brc::new(noted);
    for _ in 0..20 {
        for _ in 0..AT_A_TIME {
            mem::forget(one.clone());
        }
        let there = &one;
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..AT_A_TIME {
                    // SAFETY: as many references were forgotten above.
                    unsafe { Brc::decrement_strong_count(Brc::as_ptr(there)) };
                }
            });
        });
    }
    assert_eq!((Brc::strong_count(&one), ended(&ends)), (1, 0));
    drop(one);
    merge();
    assert_eq!(ended(&ends), 1);
}

/// The thread ends before its executor: then objects made after it have no owner either.
#[test]
fn an_executor_that_outlives_its_thread_leaves_no_owner() {
    thread_local! {
        static LATE: RefCell<Option<Executor>> = const { RefCell::new(None) };
    }
    let (noted, ends) = Noted::new();
    let (one, other) = thread::spawn(move || {
        // Registered before the thread's own destructor.
        LATE.with(|late| drop(late.take()));
        let one = Brc::new(noted);
        let other = one.clone();
        LATE.with(|late| late.replace(Some(Executor::new())));
        (one, other)
    })
    .join()
    .unwrap();
    drop(one);
    drop(other);
    assert_eq!(ended(&ends), 1);
}

/// The owner of a run that is not ended ends with its thread.
#[test]
fn a_forgotten_executor_ends_with_its_thread() {
    let (noted, ends) = Noted::new();
    let (one, other) = thread::spawn(move || {
        mem::forget(Executor::new());
        Executor::begin_run(None);
        let one = Brc::new(noted);
        (one.clone(), one)
    })
    .join()
    .unwrap();
    drop(one);
    drop(other);
    assert_eq!(ended(&ends), 1);
}

/// Objects made by an executor that moved out of the scope in which it began.
#[test]
fn an_executor_moved_out_of_its_scope_leaves_no_owner() {
    let (noted, ends) = Noted::new();
    thread::spawn(move || {
        let _mine = Brc::new(1);
        let (executor, one) = detached(|| {
            let executor = Executor::new();
            Executor::begin_run(None);
            let one = Brc::new(noted);
            (executor, (one.clone(), one))
        });
        drop(one);
        drop(executor);
    })
    .join()
    .unwrap();
    assert_eq!(ended(&ends), 1);
}

/// An owner that is taken out of its own run exists once.
#[test]
fn a_run_that_ends_within_itself_returns_its_owner_once() {
    let (noted, ends) = Noted::new();
    let mut owner = Owner::new();
    let (taken, one) = owner.run(|| {
        let one = Brc::new(noted);
        let taken = Executor::end_run();
        assert!(!Executor::has_owner());
        (taken, one)
    });
    let mut taken = taken.expect("it has made an object");
    assert_eq!(format!("{owner:?}"), format!("{:?}", Owner::new()));
    let two = one.clone();
    // Both are owners, and different ones.
    let three = owner.run(|| Brc::new(3));
    taken.run(|| drop((one, three.clone())));
    owner.run(|| drop((two, three)));
    drop((taken, owner));
    assert_eq!(ended(&ends), 1);
}

/// An executor that is dropped within a run of an owner restores the identity that the thread had
/// when the executor began.
#[test]
fn an_executor_dropped_within_a_run_is_sound() {
    let (noted, ends) = Noted::new();
    thread::spawn(move || {
        let mine = Brc::new(noted.clone());
        let executor = Executor::new();
        let mut owner = Owner::new();
        let theirs = owner.run(|| {
            let theirs = Brc::new(noted);
            drop(executor);
            (theirs.clone(), theirs, mine.clone())
        });
        let there = thread::spawn(move || owner.run(|| drop(theirs)));
        there.join().unwrap();
        drop(mine);
    })
    .join()
    .unwrap();
    assert_eq!(ended(&ends), 2);
}

/// Ends the run in which it is dropped.
struct EndsTheRun(Sender<Option<Owner>>);

impl Drop for EndsTheRun {
    fn drop(&mut self) {
        self.0.send(Executor::end_run()).ok();
    }
}

#[test]
fn a_destructor_ends_the_run() {
    let _executor = Executor::new();
    let (send, owners) = channel();
    Executor::begin_run(None);
    let one = Brc::new(EndsTheRun(send));
    let others = (one.clone(), one.clone());
    thread::spawn(move || drop(others)).join().unwrap();
    drop(one);
    let at_last = Executor::end_run();
    // The first call to `ends` gets the owner.
    let mut all: Vec<_> = owners.try_iter().flatten().chain(at_last).collect();
    assert_eq!(all.len(), 1);
    all[0].run(|| drop(Brc::new(1)));
}

/// Records its drop, and panics.
struct Panics(Arc<AtomicUsize>);

impl Drop for Panics {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("a destructor");
    }
}

/// Objects that a thread ends for their owner (B8), whatever their destructors do: the owner's id
/// is not given again before all objects are gone.
#[test]
fn seeded_objects_of_ended_owners_are_destroyed_once() {
    let rounds = if cfg!(miri) { 8 } else { 300 };
    let ends = Arc::new(AtomicUsize::new(0));
    let (send, receive) = channel::<Vec<Brc<Panics>>>();
    let dropper = thread::spawn(move || {
        for objects in receive {
            for object in objects {
                let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
            }
        }
    });
    let mut made = 0;
    for round in 0..rounds {
        let mut owner = Owner::new();
        let objects: Vec<_> = owner.run(|| {
            let objects = (0..round % 70).map(|_| Brc::new(Panics(ends.clone())));
            let objects: Vec<_> = objects.collect();
            made += objects.len();
            // While the owner runs.
            send.send(objects).unwrap();
            (0..3).map(|_| Brc::new(Panics(ends.clone()))).collect()
        });
        made += objects.len();
        // And after its end.
        send.send(objects).unwrap();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(owner)));
    }
    drop(send);
    dropper.join().unwrap();
    assert_eq!(ended(&ends), made);
}
