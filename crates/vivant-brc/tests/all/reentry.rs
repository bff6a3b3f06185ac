//! Reentrant destructors: they make and drop objects, run owners, and panic.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use vivant_brc::{Brc, Owner, detached, merge};

/// Runs this closure when it is dropped.
struct AtEnd(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        let end = self.0.get_mut().unwrap().take();
        end.unwrap()();
    }
}

fn at_end(end: impl FnOnce() + Send + 'static) -> Brc<AtEnd> {
    Brc::new(AtEnd(Mutex::new(Some(Box::new(end)))))
}

/// Drops two references on a thread that is not their owner, and waits for it. A probe would find
/// that a single one is the last, and end the object there.
fn drop_elsewhere<T: Clone + Send + 'static>(value: T) {
    let too = value.clone();
    thread::spawn(move || drop((value, too))).join().unwrap();
}

fn panics(body: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(body)).is_err());
}

/// Returns true if the thread is an owner: then the last reference, dropped on another thread,
/// waits for it.
fn is_owner() -> bool {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = ended.clone();
    drop_elsewhere(at_end(move || {
        count.fetch_add(1, Ordering::Relaxed);
    }));
    let waits = ended.load(Ordering::Relaxed) == 0;
    merge();
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    waits
}

#[test]
fn relief_does_not_nest_on_the_stack() {
    const OBJECTS: usize = if cfg!(miri) { 100 } else { 200_000 };
    struct Node(#[allow(dead_code, reason = "it is dropped")] Brc<AtEnd>);
    let ended = Arc::new(AtomicUsize::new(0));
    let nodes: Vec<_> = (0..OBJECTS)
        .map(|_| {
            let count = ended.clone();
            Brc::new(Node(at_end(move || {
                count.fetch_add(1, Ordering::Relaxed);
            })))
        })
        .collect();
    drop_elsewhere(nodes);
    // Births merge the queue, and defer the objects that have ended.
    let births: Vec<_> = (0..200).map(Brc::new).collect();
    assert_eq!(ended.load(Ordering::Relaxed), 0);
    // A thread that hands a reference over ends some of them, and each of those hands over in turn.
    let last = Brc::new(());
    drop_elsewhere(last);
    merge();
    merge();
    assert_eq!(ended.load(Ordering::Relaxed), OBJECTS);
    drop(births);
}

#[test]
fn a_panic_before_detached_leaves_the_owner_unchanged() {
    thread::spawn(|| {
        let bad = at_end(|| panic!("in a destructor"));
        let (wait, waits) = mpsc::channel::<()>();
        // Its destructor, in the first drain, brings the other one into the queue for the second.
        drop_elsewhere(at_end(move || {
            drop_elsewhere(bad);
            drop(wait);
        }));
        panics(|| detached(|| unreachable!()));
        assert!(waits.recv().is_err());
        assert!(is_owner());
    })
    .join()
    .unwrap();
}

#[test]
fn a_panic_in_a_merged_destructor_leaves_the_owner_unchanged() {
    assert!(is_owner());
    let mut owner = Owner::new();
    panics(|| {
        owner.run(|| drop_elsewhere(at_end(|| panic!("in a destructor"))));
    });
    assert!(owner.run(is_owner));
    drop_elsewhere(at_end(|| panic!("in a destructor")));
    panics(merge);
    drop_elsewhere(at_end(|| panic!("in a destructor")));
    panics(|| detached(|| ()));
    assert!(is_owner());
    panics(|| owner.run(|| panic!("in the body")));
    panics(|| detached(|| panic!("in the body")));
    assert!(is_owner());
    assert!(!detached(is_owner));
    assert!(!owner.run(|| detached(is_owner)));
    assert!(detached(|| owner.run(is_owner)));
}

#[test]
fn a_panic_of_another_object_loses_no_object() {
    // About the sixtieth end drains the queue. The queue has an object with a destructor that
    // panics.
    let ended = Arc::new(AtomicUsize::new(0));
    for round in 0..200 {
        drop_elsewhere(at_end(|| panic!("in a destructor")));
        let mut panics = 0;
        let mut made = 0;
        while panics == 0 {
            let count = ended.clone();
            let next = at_end(move || {
                count.fetch_add(1, Ordering::Relaxed);
            });
            made += 1;
            panics += usize::from(catch_unwind(AssertUnwindSafe(|| drop(next))).is_err());
            assert!(made < 1000, "no limit stops it");
        }
        assert_eq!(ended.swap(0, Ordering::Relaxed), made);
        if cfg!(miri) && round == 2 {
            break;
        }
    }
}

#[test]
fn a_panic_of_another_object_does_not_delay_a_taken_value() {
    let mut owner = Owner::new();
    let mine = owner.run(|| Brc::new(vec![1]));
    let bad = owner.run(|| at_end(|| panic!("in a destructor")));
    // As long as no thread is the owner, the thread that checks uniqueness merges.
    drop_elsewhere_quietly(bad);
    let mut mine = mine;
    assert_eq!(Brc::get_mut(&mut mine), Some(&mut vec![1]));
    assert_eq!(Brc::try_unwrap(mine).unwrap(), [1]);
}

fn drop_elsewhere_quietly<T: Send + 'static>(value: T) {
    assert!(thread::spawn(move || drop(value)).join().is_err());
}

#[test]
fn destructors_create_and_drop_objects_at_the_end_of_a_thread() {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = ended.clone();
    thread::spawn(move || {
        drop_elsewhere(at_end(move || {
            let last = count.clone();
            let inner = at_end(move || {
                last.fetch_add(1, Ordering::Relaxed);
            });
            let other = inner.clone();
            drop_elsewhere(inner);
            drop(other);
            let made: Vec<_> = (0..100).map(Brc::new).collect();
            drop(made);
            let mut owner = Owner::new();
            drop(owner.run(|| Brc::new(1)));
            detached(|| drop(Brc::new(2)));
            count.fetch_add(1, Ordering::Relaxed);
        }));
    })
    .join()
    .unwrap();
    assert_eq!(ended.load(Ordering::Relaxed), 2);
}

#[test]
fn thread_locals_that_end_after_the_owner_still_count() {
    thread_local! {
        static LATE: RefCell<Vec<Brc<AtEnd>>> = const { RefCell::new(Vec::new()) };
    }
    let ended = Arc::new(AtomicUsize::new(0));
    let count = ended.clone();
    thread::spawn(move || {
        // Registered before and after the thread became an owner: one of the two is destroyed after
        // the owner has ended.
        LATE.with(|_| ());
        let one = at_end(move || {
            let count_inner = count.clone();
            drop(at_end(move || {
                count_inner.fetch_add(1, Ordering::Relaxed);
            }));
            count.fetch_add(1, Ordering::Relaxed);
        });
        LATE.with(|late| late.borrow_mut().push(one));
    })
    .join()
    .unwrap();
    assert_eq!(ended.load(Ordering::Relaxed), 2);
}

#[test]
fn births_and_clones_run_no_destructor() {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    struct Loud(Arc<AtomicUsize>);
    impl Drop for Loud {
        fn drop(&mut self) {
            assert!(!QUIET.get(), "a destructor in a birth or a clone");
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    const OBJECTS: usize = if cfg!(miri) { 20 } else { 10_000 };
    let ended = Arc::new(AtomicUsize::new(0));
    let all: Vec<_> = (0..OBJECTS)
        .map(|_| Brc::new(Loud(ended.clone())))
        .collect();
    let weak = Brc::downgrade(&all[0]);
    drop_elsewhere(all);
    QUIET.set(true);
    let born: Vec<_> = (0..300).map(|_| Brc::new(Loud(ended.clone()))).collect();
    let cyclic: Vec<_> = (0..300).map(|_| Brc::new_cyclic(|_| 1)).collect();
    assert!(
        weak.upgrade().is_none(),
        "an upgrade merges and finds nothing"
    );
    let clones: Vec<_> = born.iter().chain(&born).cloned().collect();
    QUIET.set(false);
    assert_eq!(ended.load(Ordering::Relaxed), 0);
    merge();
    assert_eq!(ended.load(Ordering::Relaxed), OBJECTS);
    drop((cyclic, clones, born));
    assert_eq!(ended.load(Ordering::Relaxed), OBJECTS + 300);
}

#[test]
fn an_owner_may_be_dropped_while_its_objects_live() {
    let mut owner = Owner::new();
    let kept = owner.run(|| Brc::new(5));
    let weak = Brc::downgrade(&kept);
    let mut other = Owner::new();
    other.run(|| {
        drop(owner);
        assert_eq!(*kept, 5);
        let again = kept.clone();
        drop(kept);
        assert!(weak.upgrade().is_some());
        drop(again);
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn an_object_may_hold_its_own_owner() {
    struct Actor(Mutex<Owner>);
    let ended = Arc::new(AtomicUsize::new(0));
    for round in 0..20 {
        let count = ended.clone();
        let mut owner = Owner::new();
        let state = owner.run(|| {
            at_end(move || {
                count.fetch_add(1, Ordering::Relaxed);
            })
        });
        // Made by the owner that is then stored in it.
        let hold = owner.run(|| Brc::new(Mutex::new(None)));
        *hold.lock().unwrap() = Some((Actor(Mutex::new(owner)), state));
        if let Some((Actor(owner), state)) = &mut *hold.lock().unwrap() {
            let more = owner
                .get_mut()
                .unwrap()
                .run(|| (state.clone(), hold.clone()));
            drop_elsewhere(more);
        }
        match round % 2 {
            0 => drop(hold),
            _ => drop_elsewhere(hold),
        }
        assert_eq!(ended.load(Ordering::Relaxed), round + 1);
    }
}

#[test]
fn leaked_references_keep_their_value() {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = ended.clone();
    let mut owner = Owner::new();
    let mine = owner.run(|| {
        at_end(move || {
            count.fetch_add(1, Ordering::Relaxed);
        })
    });
    // A reference that is never dropped, and an owner that never ends.
    static FORGOTTEN: Mutex<Option<Brc<AtEnd>>> = Mutex::new(None);
    *FORGOTTEN.lock().unwrap() = Some(owner.run(|| mine.clone()));
    std::mem::forget(owner);
    drop_elsewhere(mine);
    merge();
    assert_eq!(ended.load(Ordering::Relaxed), 0);
}
