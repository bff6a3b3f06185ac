//! A panic while an object is made frees what was made so far.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_brc::{Brc, Weak};

/// Counts its living instances. The clone with the number `fails_at` panics.
struct Fragile {
    alive: Arc<AtomicUsize>,
    clones: Arc<AtomicUsize>,
    fails_at: usize,
}

impl Fragile {
    fn new(fails_at: usize) -> Fragile {
        let alive = Arc::new(AtomicUsize::new(1));
        Fragile {
            alive,
            clones: Arc::default(),
            fails_at,
        }
    }
}

impl Clone for Fragile {
    fn clone(&self) -> Fragile {
        let number = self.clones.fetch_add(1, Ordering::Relaxed) + 1;
        assert_ne!(number, self.fails_at, "this clone fails");
        self.alive.fetch_add(1, Ordering::Relaxed);
        Fragile {
            alive: self.alive.clone(),
            clones: self.clones.clone(),
            fails_at: self.fails_at,
        }
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

fn panics<R>(body: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(body)).is_err()
}

#[test]
fn a_clone_that_panics_leaks_no_element_of_a_slice() {
    for fails_at in 1..=4 {
        let one = Fragile::new(3 + fails_at);
        let alive = one.alive.clone();
        let values = [one.clone(), one.clone(), one.clone(), one];
        assert!(panics(|| Brc::<[Fragile]>::from(&values[..])));
        assert_eq!(alive.load(Ordering::Relaxed), 4);
        let whole = Brc::<[Fragile]>::from(&values[..]);
        assert_eq!(alive.load(Ordering::Relaxed), 8);
        drop((values, whole));
        assert_eq!(alive.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn an_iterator_that_panics_leaks_no_element_of_a_slice() {
    let one = Fragile::new(3);
    let alive = one.alive.clone();
    assert!(panics(|| (0..5)
        .map(|_| one.clone())
        .collect::<Brc<[Fragile]>>()));
    assert_eq!(alive.load(Ordering::Relaxed), 1);
}

#[test]
fn a_slice_stays_unchanged_if_a_clone_panics() {
    let one = Fragile::new(3);
    let alive = one.alive.clone();
    let mut values = Brc::<[Fragile]>::from([one.clone(), one]);
    let other = values.clone();
    assert!(panics(|| {
        Brc::make_mut(&mut values);
    }));
    assert!(Brc::ptr_eq(&values, &other));
    assert_eq!(
        (alive.load(Ordering::Relaxed), Brc::strong_count(&values)),
        (2, 2)
    );
    drop((values, other));
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

#[test]
fn a_cycle_that_panics_is_not_upgraded() {
    let mut kept = Weak::new();
    assert!(panics(|| Brc::<u8>::new_cyclic(|me| {
        kept = me.clone();
        panic!("not born")
    })));
    assert!(kept.upgrade().is_none());
    assert_eq!((kept.strong_count(), kept.weak_count()), (0, 0));
}

/// Two of them abort the process, if both panic in one destructor.
struct Explosive(Arc<AtomicUsize>);

impl Drop for Explosive {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("in a destructor");
    }
}

#[test]
fn a_destructor_that_panics_frees_its_object() {
    let drops = Arc::new(AtomicUsize::new(0));
    let brc = Brc::new(Explosive(drops.clone()));
    let weak = Brc::downgrade(&brc);
    assert!(panics(|| drop(brc)));
    assert!(weak.upgrade().is_none());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    let boxed = Brc::<Explosive>::from(Box::new(Explosive(drops.clone())));
    assert!(panics(|| drop(boxed)));
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}

#[test]
fn a_slice_longer_than_memory_is_refused() {
    assert!(panics(|| Brc::<[u64]>::new_uninit_slice(usize::MAX / 8)));
    assert!(panics(|| Brc::<[u8]>::new_uninit_slice(
        isize::MAX as usize - 8
    )));
}
