//! References to slices and trait objects, in code that forbids `unsafe`.
#![forbid(unsafe_code)]

use crate::counted::Counted;
use std::any::Any;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use vivant_brc::{Brc, Weak, unsize};

#[test]
fn unsizing_keeps_the_object() {
    let drops = Arc::new(AtomicUsize::new(0));
    let known = Brc::new(Counted(drops.clone()));
    let unknown: Brc<dyn Any + Send + Sync> = unsize!(known.clone() => dyn Any + Send + Sync);
    assert_eq!(Brc::strong_count(&known), 2);
    assert_eq!(Brc::as_ptr(&known), Brc::as_ptr(&unknown).cast());
    drop(known);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    let known = unknown.downcast::<Counted>().unwrap();
    drop(known);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn another_thread_destroys_a_trait_object() {
    let drops = Arc::new(AtomicUsize::new(0));
    let known = Brc::new(Counted(drops.clone()));
    let unknown = unsize!(known => dyn Any + Send + Sync);
    thread::spawn(move || drop(unknown)).join().unwrap();
    vivant_brc::merge();
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn values_of_any_alignment() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(align(128))]
    struct Wide(u8);
    trait Tells {
        fn tell(&self) -> u8;
    }
    impl Tells for Wide {
        fn tell(&self) -> u8 {
            assert!((&raw const *self).addr().is_multiple_of(128));
            self.0
        }
    }
    let brc = unsize!(Brc::new(Wide(1)) => dyn Tells);
    assert_eq!(brc.tell(), 1);
    let boxed: Box<dyn Tells + Send + Sync> = Box::new(Wide(2));
    assert_eq!(Brc::<dyn Tells + Send + Sync>::from(boxed).tell(), 2);
    let many = Brc::<[Wide]>::from(&[Wide(3), Wide(4)][..]);
    assert_eq!(many[1].tell(), 4);
}

#[test]
fn arrays_and_slices() {
    let three = Brc::new([1, 2, 3]);
    let slice: Brc<[i32]> = unsize!(three.clone() => [i32]);
    assert_eq!(slice.len(), 3);
    assert!(Brc::<[i32; 2]>::try_from(slice.clone()).is_err());
    let again = Brc::<[i32; 3]>::try_from(slice).unwrap();
    assert!(Brc::ptr_eq(&three, &again));
}

#[test]
fn weak_references_are_unsized() {
    let weak: Weak<dyn Display> = unsize!(Weak::<u8>::new() => dyn Display);
    assert!(weak.upgrade().is_none());
    assert_eq!((weak.strong_count(), weak.weak_count()), (0, 0));
    drop(weak.clone());
    let brc = Brc::new(5_u8);
    let weak: Weak<dyn Display> = unsize!(Brc::downgrade(&brc) => dyn Display);
    assert_eq!(weak.upgrade().unwrap().to_string(), "5");
    drop(brc);
    assert!(weak.upgrade().is_none());
}

#[test]
fn pinned_ones_and_traits_above() {
    let pinned: Pin<Brc<dyn Display>> = unsize!(Brc::pin(5) => dyn Display);
    assert_eq!(pinned.to_string(), "5");
    let error: Brc<dyn std::error::Error> =
        unsize!(Brc::new(std::fmt::Error) => dyn std::error::Error);
    let shown: Brc<dyn Display> = unsize!(error => dyn Display);
    assert!(!shown.to_string().is_empty());
}

#[test]
fn unbiased_references_may_borrow() {
    let text = String::from("here");
    let shown: Brc<dyn Display + '_> = unsize!(Brc::unbiased(&text) => dyn Display + '_);
    assert_eq!(shown.clone().to_string(), "here");
}
