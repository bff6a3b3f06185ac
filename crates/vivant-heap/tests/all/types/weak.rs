//! Weak references: cleared by the collection that finds their object dead, and not before.

use super::heap;
use vivant_heap::{Gc, Heap, Mut, Object, Weak};

#[derive(Object)]
struct State<'gc> {
    strong: Vec<Gc<'gc, Mut<u64>>>,
    plain: Option<Gc<'gc, u64>>,
    weak: Vec<Weak<'gc, Mut<u64>>>,
    weak_plain: Weak<'gc, u64>,
}

root!(Watched = State<'gc>);

fn watched() -> Heap<Watched> {
    heap(|m| {
        let strong: Vec<_> = (0..4).map(|n| m.alloc(Mut::new(n))).collect();
        let plain = m.alloc(7);
        State {
            weak: strong.iter().map(|object| Weak::new(m, *object)).collect(),
            strong,
            plain: Some(plain),
            weak_plain: Weak::new(m, plain),
        }
    })
}

fn seen(heap: &mut Heap<Watched>) -> (Vec<Option<u64>>, Option<u64>) {
    heap.turn(|m, state| {
        let seen = state.weak.iter().map(|weak| Some(weak.upgrade(m)?.get()));
        (seen.collect(), state.weak_plain.upgrade(m).map(|n| *n))
    })
}

fn forget(heap: &mut Heap<Watched>, which: usize) {
    heap.turn(|_, state| {
        state.strong.remove(which);
        state.plain = None;
    });
}

/// How the heap is collected before the object is dropped: it is newborn, has survived once, is
/// old.
fn ages() -> [fn(&mut Heap<Watched>); 4] {
    [
        |_| {},
        |heap| heap.collect_young(),
        |heap| {
            heap.collect_young();
            heap.collect_young();
        },
        |heap| heap.collect(),
    ]
}

#[test]
fn a_weak_reference_to_a_live_object_upgrades() {
    for age in ages() {
        let mut heap = watched();
        age(&mut heap);
        for _ in 0..3 {
            age(&mut heap);
            assert_eq!(
                seen(&mut heap),
                (vec![Some(0), Some(1), Some(2), Some(3)], Some(7))
            );
        }
    }
}

#[test]
fn a_collection_clears_weak_references_to_dead_objects() {
    for age in ages() {
        let mut heap = watched();
        age(&mut heap);
        forget(&mut heap, 1);
        assert_eq!(seen(&mut heap).0[1], Some(1));
        heap.collect();
        let expected = (vec![Some(0), None, Some(2), Some(3)], None);
        assert_eq!(seen(&mut heap), expected);
        heap.sweep();
        heap.collect_young();
        assert_eq!(seen(&mut heap), expected);
    }
}

#[test]
fn a_minor_collection_clears_weak_references_to_young_objects() {
    for age in &ages()[..2] {
        let mut heap = watched();
        age(&mut heap);
        forget(&mut heap, 0);
        heap.collect_young();
        assert_eq!(seen(&mut heap).0, [None, Some(1), Some(2), Some(3)]);
    }
}

#[test]
fn an_upgraded_object_survives() {
    let mut heap = watched();
    heap.collect();
    forget(&mut heap, 2);
    heap.turn(|m, state| {
        let again = state.weak[2].upgrade(m).unwrap();
        state.strong.push(again);
    });
    heap.collect();
    assert_eq!(seen(&mut heap).0[2], Some(2));
}

#[test]
fn many_weak_references_are_created_and_dropped() {
    let mut heap = watched();
    for round in 0..if cfg!(miri) { 20 } else { 300 } {
        heap.turn(|m, state| {
            let new = m.alloc(Mut::new(round));
            state.strong.push(new);
            state.weak.push(Weak::new(m, new));
            if round % 3 == 0 {
                let at = (round as usize * 7) % state.strong.len();
                state.strong.swap_remove(at);
            }
        });
        match round % 5 {
            4 => heap.collect(),
            _ => heap.collect_young(),
        }
        heap.turn(|m, state| {
            let mut strong: Vec<u64> = state.strong.iter().map(|object| object.get()).collect();
            let alive = state.weak.iter().filter_map(|weak| weak.upgrade(m));
            let mut alive: Vec<u64> = alive.map(|object| object.get()).collect();
            strong.sort_unstable();
            alive.sort_unstable();
            // An object that was tenured and dropped since the last mark may still be there.
            match round % 5 {
                4 => assert_eq!(alive, strong),
                _ => assert!(strong.iter().all(|number| alive.contains(number))),
            }
        });
    }
}
