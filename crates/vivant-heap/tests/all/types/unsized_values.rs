//! Slices, strings and trait objects.

use super::{heap, through_collections};
use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Anything, Gc, Leaf, Mut, Object, Root, Weak, collected, unsize};

type Number<'gc> = Gc<'gc, Mut<u64>>;

struct Slices;

#[derive(Object)]
struct Texts<'gc> {
    numbers: Vec<Gc<'gc, [Number<'gc>]>>,
    plain: Gc<'gc, [u64]>,
    nothings: Gc<'gc, [()]>,
    text: Gc<'gc, str>,
    array: Gc<'gc, [u8]>,
    strings: Gc<'gc, [String]>,
    weak: Weak<'gc, [Number<'gc>]>,
}

impl Root for Slices {
    type Of<'gc> = Texts<'gc>;
}

/// Lengths: empty, one element, young slices and large ones.
const LENGTHS: [u64; 6] = [0, 1, 2, 200, 254, if cfg!(miri) { 260 } else { 1000 }];

#[test]
fn slices_of_all_lengths_move_whole() {
    let mut heap = heap::<Slices>(|m| {
        let numbers = |length: &u64| m.alloc_iter((0..*length).map(|n| m.alloc(Mut::new(n))));
        let numbers: Vec<_> = LENGTHS.iter().map(numbers).collect();
        Texts {
            weak: Weak::new(m, numbers[2]),
            numbers,
            plain: m.alloc_slice([1_u64, 2, 3]),
            nothings: m.alloc_slice(vec![(); 7]),
            text: m.alloc_str("Straße"),
            array: unsize!(m.alloc([1_u8, 2, 3]) => [u8]),
            strings: m.alloc_slice(["one".to_owned(), "two".to_owned()]),
        }
    });
    through_collections(&mut heap, |m, state| {
        for (slice, length) in state.numbers.iter().zip(LENGTHS) {
            assert!(slice.iter().map(|number| number.get()).eq(0..length));
        }
        assert_eq!(*state.plain, [1, 2, 3]);
        assert_eq!(state.nothings.len(), 7);
        assert_eq!(&*state.text, "Straße");
        assert_eq!(*state.array, [1, 2, 3]);
        assert!(Gc::downcast::<[u8; 3]>(state.array).is_some());
        assert!(Gc::downcast::<[u8; 3]>(state.plain).is_none());
        assert_eq!(*state.strings, ["one", "two"]);
        assert!(Gc::ptr_eq(state.weak.upgrade(m).unwrap(), state.numbers[2]));
    });
}

root!(Endings = Option<Gc<'gc, [Leaf<DropCounter>]>>);

#[test]
fn elements_end_once() {
    let ended = Arc::new(AtomicUsize::new(0));
    let mut heap = heap::<Endings>(|m| {
        let ends = |length| m.alloc_iter((0..length).map(|_| Leaf(DropCounter(ended.clone()))));
        ends(3);
        ends(1000);
        Some(ends(10))
    });
    heap.collect_young();
    assert_eq!(ended.load(Ordering::Relaxed), 3);
    heap.collect_and_sweep();
    assert_eq!(ended.load(Ordering::Relaxed), 1003);
    heap.turn(|_, state| *state = None);
    heap.collect_and_sweep();
    assert_eq!(ended.load(Ordering::Relaxed), 1013);
}

trait Shape {
    fn area(&self) -> u64;
}
collected!(dyn Shape);

trait Rule<'gc> {
    fn next(&self) -> Option<Gc<'gc, dyn Rule<'gc>>>;
    fn number(&self) -> u64;
}
collected!('gc => dyn Rule<'gc>);

#[derive(Object)]
struct Square<'gc>(Number<'gc>);

#[derive(Object)]
struct Oblong(u64, String);

impl Shape for Square<'_> {
    fn area(&self) -> u64 {
        self.0.get() * self.0.get()
    }
}

impl Shape for Oblong {
    fn area(&self) -> u64 {
        self.0 * self.1.len() as u64
    }
}

#[derive(Object)]
struct After<'gc>(Number<'gc>, Option<Gc<'gc, dyn Rule<'gc>>>);

impl<'gc> Rule<'gc> for After<'gc> {
    fn next(&self) -> Option<Gc<'gc, dyn Rule<'gc>>> {
        self.1
    }
    fn number(&self) -> u64 {
        self.0.get()
    }
}

#[derive(Object)]
struct Objects<'gc> {
    shapes: Vec<Gc<'gc, dyn Shape>>,
    weak: Weak<'gc, dyn Shape>,
    rule: Gc<'gc, dyn Rule<'gc>>,
    anything: Gc<'gc, dyn Anything>,
}

root!(Drawing = Objects<'gc>);

#[test]
fn trait_objects_keep_their_types() {
    let mut heap = heap::<Drawing>(|m| {
        let number = |n: u64| m.alloc(Mut::new(n));
        let shapes: Vec<Gc<'_, dyn Shape>> = vec![
            unsize!(m.alloc(Square(number(3))) => dyn Shape),
            unsize!(m.alloc(Oblong(2, "four".to_owned())) => dyn Shape),
        ];
        let last = unsize!(m.alloc(After(number(2), None)) => dyn Rule<'_>);
        Objects {
            weak: Weak::new(m, shapes[1]),
            shapes,
            rule: unsize!(m.alloc(After(number(1), Some(last))) => dyn Rule<'_>),
            anything: unsize!(m.alloc(Some(last)) => dyn Anything),
        }
    });
    through_collections(&mut heap, |m, state| {
        let areas: Vec<u64> = state.shapes.iter().map(|shape| shape.area()).collect();
        assert_eq!(areas, [9, 8]);
        assert!(Gc::ptr_eq(state.weak.upgrade(m).unwrap(), state.shapes[1]));
        assert!(Gc::downcast::<Oblong>(state.shapes[0]).is_none());
        assert_eq!(
            Gc::downcast::<Square<'_>>(state.shapes[0]).unwrap().0.get(),
            3
        );
        let last = state.rule.next().unwrap();
        assert_eq!((state.rule.number(), last.number()), (1, 2));
        let found = Gc::downcast::<Option<Gc<'_, dyn Rule<'_>>>>(state.anything).unwrap();
        assert!(Gc::ptr_eq(found.unwrap(), last));
        // Another trait behind the same form of reference.
        assert!(Gc::downcast::<Option<Gc<'_, dyn Shape>>>(state.anything).is_none());
    });
}
