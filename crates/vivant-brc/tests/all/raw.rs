//! References as raw pointers, and uninitialised objects: the functions that are `unsafe`.
#![allow(unsafe_code, reason = "the functions under test are unsafe")]

use std::any::Any;
use std::mem::MaybeUninit;
use std::thread;
use vivant_brc::{Brc, Weak, unsize};

/// Written once, also for `Arc`.
macro_rules! pointers_of {
    ($test:ident, $arc:ident, $weak:ident) => {
        #[test]
        fn $test() {
            let mut arc = $arc::<str>::from("text");
            let pointer = $arc::into_raw(arc.clone());
            assert_eq!(pointer, $arc::as_ptr(&arc));
            // SAFETY: `into_raw` gave up one reference, which `from_raw` takes back; the two added
            // ones are dropped.
            unsafe {
                $arc::increment_strong_count(pointer);
                $arc::increment_strong_count(pointer);
                assert_eq!($arc::strong_count(&arc), 4);
                $arc::decrement_strong_count(pointer);
                assert_eq!(&*$arc::from_raw(pointer), "text");
                $arc::decrement_strong_count(pointer);
            }
            $arc::get_mut(&mut arc).unwrap().make_ascii_uppercase();

            let weak = $arc::downgrade(&arc).into_raw();
            // SAFETY: the pointer came from `into_raw` of this weak reference, and is taken back
            // once.
            let weak = unsafe { $weak::from_raw(weak) };
            assert_eq!(weak.upgrade().as_deref(), Some("TEXT"));
            assert_eq!(weak.as_ptr(), $arc::as_ptr(&arc));
            drop(arc);
            // SAFETY: the pointer came from `into_raw` of this weak reference, and is taken back
            // once.
            let weak = unsafe { $weak::from_raw(weak.into_raw()) };
            assert!(weak.upgrade().is_none());
            // SAFETY: the pointer came from `into_raw` of this weak reference, and is taken back
            // once.
            let nothing = unsafe { $weak::from_raw($weak::<u8>::new().into_raw()) };
            assert!(nothing.ptr_eq(&$weak::new()));
        }
    };
}

mod of_arc {
    use std::sync::{Arc, Weak};
    pointers_of!(pointers_of_arc, Arc, Weak);
}

pointers_of!(pointers_of_brc, Brc, Weak);

#[test]
fn a_pointer_to_a_trait_object() {
    #[repr(align(64))]
    struct Wide(u8);
    trait Tells {
        fn tell(&self) -> u8;
    }
    impl Tells for Wide {
        fn tell(&self) -> u8 {
            self.0
        }
    }
    let brc = unsize!(Brc::new(Wide(1)) => dyn Tells);
    // SAFETY: the pointer came from `into_raw`, and is taken back once.
    let back = unsafe { Brc::from_raw(Brc::into_raw(brc)) };
    assert_eq!(back.tell(), 1);
}

#[test]
fn values_are_written_later() {
    let mut one = Brc::<String>::new_uninit();
    Brc::get_mut(&mut one).unwrap().write("a".to_string());
    // SAFETY: the value was written above.
    assert_eq!(*unsafe { one.assume_init() }, "a");
    let mut three = Brc::<[String]>::new_uninit_slice(3);
    for place in Brc::get_mut(&mut three).unwrap() {
        place.write("b".to_string());
    }
    // SAFETY: all elements were written above.
    assert_eq!(*unsafe { three.assume_init() }, ["b", "b", "b"]);
    drop(Brc::<[String]>::new_uninit_slice(3));
}

#[test]
fn zeroed_is_zero() {
    // SAFETY: all zero bytes are a valid `u64`.
    let zero = unsafe { Brc::<u64>::new_zeroed().assume_init() };
    // SAFETY: all zero bytes are a valid `u64`, for each element.
    let zeros = unsafe { Brc::<[u64]>::new_zeroed_slice(3).assume_init() };
    assert_eq!((*zero, &*zeros), (0, &[0; 3][..]));
}

#[test]
fn another_thread_drops_a_value_written_later() {
    let mut brc = Brc::<String>::new_uninit();
    Brc::get_mut(&mut brc).unwrap().write("a".to_string());
    // SAFETY: the value was written above.
    let brc = unsafe { brc.assume_init() };
    thread::spawn(move || drop(brc)).join().unwrap();
    vivant_brc::merge();
}

#[test]
fn a_pointer_of_a_type_with_the_same_layout() {
    let brc = Brc::<MaybeUninit<u32>>::new(MaybeUninit::new(7));
    // SAFETY: the value was written, and has the layout of a `u32`.
    let seven = unsafe { Brc::from_raw(Brc::into_raw(brc).cast::<u32>()) };
    assert_eq!(*seven, 7);
}

#[test]
fn a_weak_pointer_is_taken_back_while_the_value_is_dropped() {
    for _ in 0..20 {
        let brc = unsize!(Brc::new(vec![1]) => dyn Any + Send + Sync);
        let weak = Brc::downgrade(&brc);
        let other = thread::spawn(move || {
            let pointer = weak.into_raw();
            // SAFETY: the pointer came from `into_raw`, and is taken back once.
            drop(unsafe { Weak::from_raw(pointer) });
        });
        drop(brc);
        other.join().unwrap();
    }
}
