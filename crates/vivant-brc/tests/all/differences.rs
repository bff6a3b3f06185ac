//! The differences between `Brc` and `Arc`: the table in the README.

use crate::counted::Counted;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use vivant_brc::Brc;

/// Drops a reference on another thread.
fn drop_elsewhere<T: Send + Sync + 'static>(brc: Brc<T>) {
    // Two references: a probe would find that the only one is the last, and end the object there.
    let too = brc.clone();
    thread::spawn(move || drop((brc, too))).join().unwrap();
}

#[test]
fn a_queued_reference_is_not_counted_but_upgraded() {
    let drops = Arc::new(AtomicUsize::new(0));
    let brc = Brc::new(Counted(drops.clone()));
    let weak = Brc::downgrade(&brc);
    drop_elsewhere(brc);
    assert_eq!(weak.strong_count(), 0);
    let found = thread::spawn({
        let weak = weak.clone();
        move || weak.upgrade()
    });
    let found = found.join().unwrap();
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    assert_eq!(found.as_ref().map(Brc::strong_count), Some(1));
    drop(found);
    vivant_brc::merge();
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert!(weak.upgrade().is_none());
}

#[test]
fn get_mut_on_another_thread_fails_while_a_reference_is_queued() {
    let mine = Brc::new(5);
    drop_elsewhere(mine.clone());
    let (ask, asked) = mpsc::channel::<()>();
    let (answer, answers) = mpsc::channel();
    let other = thread::spawn(move || {
        let mut brc = mine;
        while asked.recv().is_ok() {
            answer.send(Brc::get_mut(&mut brc).is_some()).unwrap();
        }
        let mut made = brc.clone();
        let before = Brc::as_ptr(&made);
        drop(brc);
        Brc::make_mut(&mut made);
        assert_eq!(Brc::as_ptr(&made), before, "it is the only one by now");
    });
    ask.send(()).unwrap();
    assert!(!answers.recv().unwrap(), "`Arc` would say yes");
    vivant_brc::merge();
    ask.send(()).unwrap();
    assert!(answers.recv().unwrap());
    drop(ask);
    other.join().unwrap();
}

#[test]
fn no_destructor_runs_in_a_birth_or_a_clone() {
    let drops = Arc::new(AtomicUsize::new(0));
    drop_elsewhere(Brc::new(Counted(drops.clone())));
    let many: Vec<Brc<usize>> = (0..200).map(Brc::new).collect();
    let more = many.clone();
    let slices: Vec<Brc<[u8]>> = (0..200).map(|_| Brc::from(&[1, 2][..])).collect();
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop((more, slices));
    assert_eq!(drops.load(Ordering::Relaxed), 1, "in a drop it does");
    drop(many);
}

#[test]
fn defaults_are_separate_objects() {
    assert!(!Brc::ptr_eq(&Brc::<str>::default(), &Brc::<str>::default()));
    assert!(Brc::<[std::rc::Rc<u8>]>::default().is_empty());
}

#[test]
fn the_last_drop_without_an_owner_destroys_the_object() {
    let drops = Arc::new(AtomicUsize::new(0));
    drop_elsewhere(Brc::unbiased(Counted(drops.clone())));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}
