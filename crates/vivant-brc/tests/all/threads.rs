//! Objects that cross threads.

use crate::counted::Counted;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use vivant_brc::{Brc, Owner, Weak};

fn counted() -> (Brc<Counted>, impl Fn() -> usize) {
    let drops = Arc::new(AtomicUsize::new(0));
    (Brc::new(Counted(drops.clone())), move || {
        drops.load(Ordering::Relaxed)
    })
}

#[test]
fn the_owner_destroys_the_last_reference_at_once() {
    let (a, drops) = counted();
    let b = a.clone();
    drop(a);
    assert_eq!(drops(), 0);
    drop(b);
    assert_eq!(drops(), 1);
}

#[test]
fn another_thread_destroys_the_only_reference_at_once() {
    let (a, drops) = counted();
    thread::spawn(move || drop(a)).join().unwrap();
    assert_eq!(drops(), 1);
}

#[test]
fn another_thread_leaves_the_last_of_several_references_to_the_owner() {
    let (a, drops) = counted();
    let b = a.clone();
    thread::spawn(move || drop((a, b))).join().unwrap();
    assert_eq!(drops(), 0);
    vivant_brc::merge();
    assert_eq!(drops(), 1);
}

#[test]
fn a_detached_owner_is_replaced() {
    let (a, drops) = counted();
    let b = a.clone();
    vivant_brc::detached(|| thread::spawn(move || drop((a, b))).join().unwrap());
    assert_eq!(drops(), 1);
}

#[test]
fn a_dead_owner_is_replaced() {
    let (a, drops) = thread::spawn(counted).join().unwrap();
    let b = a.clone();
    drop(a);
    drop(b);
    assert_eq!(drops(), 1);
}

#[test]
fn the_nine_steps_end_the_object_once() {
    let (a, drops) = counted();
    let b = a.clone();
    let (c, d) = thread::spawn(move || {
        drop(a);
        (b.clone(), b)
    })
    .join()
    .unwrap();
    drop(c);
    drop(d);
    assert_eq!(drops(), 1);
    vivant_brc::merge();
    assert_eq!(drops(), 1);
}

#[test]
fn an_owner_moves_from_thread_to_thread() {
    let mut owner = Owner::new();
    let (a, drops) = owner.run(counted);
    let (mut owner, a) = thread::spawn(move || {
        let b = owner.run(|| a.clone());
        owner.run(|| drop(a));
        (owner, b)
    })
    .join()
    .unwrap();
    drop(a);
    assert_eq!(drops(), 1, "there is no owner, so the last drop destroys");
    let (b, drops) = owner.run(counted);
    drop(owner);
    drop(b);
    assert_eq!(drops(), 1);
}

#[test]
fn weak_references_upgrade_while_the_value_lives() {
    let (a, drops) = counted();
    let weak = Brc::downgrade(&a);
    assert_eq!((Brc::weak_count(&a), weak.strong_count()), (1, 1));
    let (weak, b) = thread::spawn(move || {
        let b = weak.upgrade().unwrap();
        (weak, b)
    })
    .join()
    .unwrap();
    drop(a);
    assert!(weak.upgrade().is_some());
    drop(b);
    assert!(weak.upgrade().is_none());
    assert_eq!(drops(), 1);
    assert_eq!(weak.weak_count(), 0);
}

#[test]
fn the_only_reference_is_found_on_its_thread() {
    let mut a = Brc::new(1);
    assert_eq!(Brc::get_mut(&mut a), Some(&mut 1));
    let a = thread::spawn(move || {
        let mut a = a;
        // The object's owner runs on another thread.
        *Brc::get_mut(&mut a).unwrap() += 1;
        a
    })
    .join()
    .unwrap();
    let b = a.clone();
    assert_eq!(Brc::strong_count(&b), 2);
    thread::spawn(move || drop(b)).join().unwrap();
    assert_eq!(Brc::strong_count(&a), 1);
    assert_eq!(Brc::try_unwrap(a).unwrap(), 2);
    let a = thread::spawn(|| Brc::new(3)).join().unwrap();
    assert_eq!(Brc::try_unwrap(a).unwrap(), 3);
    let a = Brc::new(4);
    let a = thread::spawn(move || Brc::try_unwrap(a)).join().unwrap();
    assert_eq!(a.unwrap(), 4);
}

#[test]
fn a_cycle_is_made_with_a_weak_reference() {
    struct Me(Weak<Me>, u32);
    let me = Brc::new_cyclic(|me| {
        assert!(me.upgrade().is_none());
        Me(me.clone(), 7)
    });
    assert_eq!(me.0.upgrade().unwrap().1, 7);
    let weak = Brc::downgrade(&me);
    drop(me);
    assert!(weak.upgrade().is_none());
}

#[test]
fn changing_a_shared_value_clones_it_away() {
    let mut a = Brc::new(vec![1]);
    let b = a.clone();
    Brc::make_mut(&mut a).push(2);
    assert_eq!((&*a, &*b), (&vec![1, 2], &vec![1]));
    let weak = Brc::downgrade(&a);
    Brc::make_mut(&mut a).push(3);
    assert!(weak.upgrade().is_none());
    assert_eq!(*a, [1, 2, 3]);
}
