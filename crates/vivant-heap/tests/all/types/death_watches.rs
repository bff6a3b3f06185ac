//! Death watches: the collection that finds an object dead reports it, once, and in the order of
//! watching.

use super::heap;
use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{DeathWatch, Gc, Heap, Leaf, Mut, Object, Weak};

#[derive(Object)]
struct State<'gc> {
    numbers: Vec<Gc<'gc, Mut<u64>>>,
    texts: Vec<Gc<'gc, str>>,
    large: Option<Gc<'gc, [u64; 1000]>>,
    empty: Option<Gc<'gc, ()>>,
    weak: Option<Weak<'gc, Mut<u64>>>,
}

root!(Watched = State<'gc>);

/// Objects of every kind. The tokens are the order in which they are watched.
fn watched() -> Heap<Watched> {
    let mut heap = heap::<Watched>(|m| State {
        numbers: (0..4).map(|n| m.alloc(Mut::new(n))).collect(),
        texts: vec![m.alloc_str("a"), m.alloc_str(&"b".repeat(5000))],
        large: Some(m.alloc([1; 1000])),
        empty: Some(m.alloc(())),
        weak: None,
    });
    heap.turn(|m, state| {
        // Not in the order of allocation.
        m.watch_death(state.large.unwrap(), 0);
        m.watch_death(state.texts[1], 1);
        m.watch_death(state.empty.unwrap(), 2);
        m.watch_death(state.texts[0], 3);
        for (number, token) in state.numbers.iter().rev().zip(4..) {
            m.watch_death(*number, token);
        }
        state.weak = Some(Weak::new(m, state.numbers[0]));
    });
    heap
}

fn forget(heap: &mut Heap<Watched>) {
    heap.turn(|_, state| {
        state.numbers.clear();
        state.texts.clear();
        state.large = None;
        state.empty = None;
    });
}

#[test]
fn each_death_is_reported_once_at_any_age() {
    for minors in 0..4 {
        let mut heap = watched();
        for _ in 0..minors {
            heap.collect_young();
        }
        heap.collect_young();
        assert!(heap.take_deaths().is_empty());
        if minors == 3 {
            heap.collect();
            assert!(heap.take_deaths().is_empty());
        }
        forget(&mut heap);
        heap.collect();
        heap.turn(|m, state| assert!(state.weak.unwrap().upgrade(m).is_none()));
        assert_eq!(heap.take_deaths(), Vec::from_iter(0..8));
        heap.sweep();
        heap.collect();
        heap.collect_young();
        assert!(heap.take_deaths().is_empty());
        heap.verify().unwrap();
    }
}

#[test]
fn a_young_death_is_reported_by_the_next_minor_collection() {
    let mut heap = watched();
    forget(&mut heap);
    heap.collect_young();
    // Large objects are born old, and are found dead by the next mark.
    assert_eq!(heap.take_deaths(), [2, 3, 4, 5, 6, 7]);
    heap.collect();
    assert_eq!(heap.take_deaths(), [0, 1]);
}

#[test]
fn deaths_wait_to_be_taken_in_the_order_of_watching() {
    let mut heap = watched();
    heap.turn(|_, state| drop(state.numbers.drain(..2)));
    heap.collect_young();
    forget(&mut heap);
    heap.collect_young();
    heap.collect();
    assert_eq!(heap.take_deaths(), Vec::from_iter(0..8));
}

#[test]
fn an_unwatched_death_is_not_reported() {
    let mut heap = heap::<Watched>(|_| State {
        numbers: Vec::new(),
        texts: Vec::new(),
        large: None,
        empty: None,
        weak: None,
    });
    let watches: Vec<DeathWatch> = heap.turn(|m, state| {
        state.numbers = (0..3).map(|n| m.alloc(Mut::new(n))).collect();
        // The last one is watched twice.
        let twice = [0, 1, 2, 2].map(|number| state.numbers[number]);
        twice
            .iter()
            .zip(5..)
            .map(|(n, token)| m.watch_death(*n, token))
            .collect()
    });
    heap.turn(|m, _| assert_eq!(m.unwatch_death(watches[0]), Some(5)));
    heap.collect();
    heap.turn(|m, state| {
        assert_eq!(m.unwatch_death(watches[0]), None);
        assert_eq!(m.unwatch_death(watches[2]), Some(7));
        state.numbers.clear();
    });
    heap.collect();
    // Found dead, and not yet taken: the notice still comes.
    heap.turn(|m, _| assert_eq!(m.unwatch_death(watches[1]), None));
    assert_eq!(heap.take_deaths(), [6, 8]);
    // A watch of one heap does nothing in another.
    let mut other = watched();
    other.turn(|m, _| assert_eq!(m.unwatch_death(watches[3]), None));
}

#[test]
fn an_upgraded_object_is_not_reported_dead() {
    let mut heap = watched();
    heap.collect();
    heap.turn(|m, state| {
        state.numbers.truncate(1);
        let again = state.weak.unwrap().upgrade(m).unwrap();
        state.numbers = vec![again];
    });
    heap.collect();
    assert_eq!(heap.take_deaths(), [4, 5, 6]);
}

root!(Endings = Option<Gc<'gc, Leaf<DropCounter>>>);

#[test]
fn deaths_with_destructors_are_reported_except_at_the_end_of_the_heap() {
    let ended = Arc::new(AtomicUsize::new(0));
    for minors in 0..3 {
        let mut heap = heap::<Endings>(|m| {
            let ends = m.alloc(Leaf(DropCounter(ended.clone())));
            m.watch_death(ends, 9);
            Some(ends)
        });
        for _ in 0..minors {
            heap.collect_young();
        }
        heap.turn(|_, state| *state = None);
        heap.collect_and_sweep();
        assert_eq!(heap.take_deaths(), [9]);
        assert_eq!(ended.load(Ordering::Relaxed), minors + 1);
    }
    let ended = ended.clone();
    let last = heap::<Endings>(|m| {
        let ends = m.alloc(Leaf(DropCounter(ended.clone())));
        m.watch_death(ends, 9);
        Some(ends)
    });
    drop(last);
    assert_eq!(ended.load(Ordering::Relaxed), 4);
}
