//! Windows over the written slots of an old chunk: a minor collection scans these slots, and no
//! others.

use crate::gc;
use crate::injected_fault::{self, InjectedFault};
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Mut, Pacing, PageSource, Root};

struct Shelves;

impl Root for Shelves {
    type Of<'gc> = (
        gc::Vec<'gc, Gc<'gc, Mut<u64>>>,
        gc::HashMap<'gc, u64, Gc<'gc, Mut<u64>>>,
    );
}

/// At least two chunks of old references.
const MANY: u64 = 100;

const ROUNDS: usize = if cfg!(miri) { 1 } else { 3 };

fn shelves() -> Heap<Shelves> {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Shelves>::new(&source, Pacing::default(), |m| {
        let new = |number| m.alloc(Mut::new(number));
        let all = (0..MANY).map(|number| (number, new(number)));
        (
            gc::Vec::from_iter(m, (0..MANY).map(new)),
            gc::HashMap::from_iter(m, all),
        )
    });
    heap.collect();
    heap
}

/// Writes single slots at several places, with references to young objects that stay young for one
/// collection; removes others, and adds some.
fn write(heap: &mut Heap<Shelves>) {
    heap.turn(|m, (list, map)| {
        for number in [70, 3, 41] {
            let new = || m.alloc(Mut::new(1000 + number));
            *list.get_mut(m, number as usize).unwrap() = new();
            map.insert(m, number, new());
        }
        for number in MANY..MANY + 20 {
            list.push(m, m.alloc(Mut::new(number)));
            map.insert(m, number, m.alloc(Mut::new(number)));
        }
        list.pop(m);
        map.remove(m, &50);
    });
}

/// Whether the verifier accepts the heap after collections that leave some of these objects young,
/// and none.
fn is_in_order(heap: &mut Heap<Shelves>) -> bool {
    (0..3).all(|_| {
        heap.collect_young();
        heap.verify().is_ok()
    })
}

#[test]
fn writes_in_a_window_are_traced() {
    let mut heap = shelves();
    for _ in 0..ROUNDS {
        write(&mut heap);
        assert!(is_in_order(&mut heap));
        heap.turn(|_, (list, map)| {
            assert_eq!((list[41].get(), map[&41].get()), (1041, 1041));
            assert_eq!((list[42].get(), map[&42].get()), (42, 42));
            assert!(map.get(&50).is_none());
        });
    }
}

#[test]
fn injected_faults_of_windows_are_caught() {
    let mut heap = shelves();
    injected_fault::with(InjectedFault::NarrowWindow, || write(&mut heap));
    assert!(!is_in_order(&mut heap));
    // The heap must not even be dropped.
    std::mem::forget(heap);
}
