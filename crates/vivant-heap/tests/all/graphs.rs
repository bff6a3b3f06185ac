//! Graphs that survive collections.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use crate::heaps::panics;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Gc, Heap, Leaf, Mut, Mutator, Object, Pacing, PageSource, Root};

#[derive(Object)]
struct Node<'gc> {
    value: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    noted: Option<Leaf<DropCounter>>,
}

root!(List = Option<Gc<'gc, Mut<Node<'gc>>>>);

fn node<'gc>(
    m: &Mutator<'gc>,
    value: u64,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
) -> Gc<'gc, Mut<Node<'gc>>> {
    let noted = None;
    m.alloc(Mut::new(Node { value, next, noted }))
}

fn values(heap: &mut Heap<List>) -> Vec<u64> {
    heap.turn(|_, state| {
        let mut values = Vec::new();
        let mut next = *state;
        while let Some(at) = next {
            values.push(at.borrow().value);
            next = at.borrow().next;
        }
        values
    })
}

fn list(source: &Arc<PageSource>, length: u64) -> Heap<List> {
    Heap::new(source, Pacing::default(), |m| {
        let mut list = None;
        for value in (0..length).rev() {
            list = Some(node(m, value, list));
        }
        list
    })
}

#[test]
fn reachable_objects_survive() {
    let source = Arc::new(PageSource::new());
    let length = if cfg!(miri) { 50 } else { 10_000 };
    let mut heap = list(&source, length);
    let expected: Vec<u64> = (0..length).collect();
    for _ in 0..4 {
        heap.collect_young();
        assert_eq!(values(&mut heap), expected);
    }
    for _ in 0..4 {
        heap.collect();
        assert_eq!(values(&mut heap), expected);
    }
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn unreachable_objects_are_freed() {
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, if cfg!(miri) { 50 } else { 100_000 });
    heap.collect();
    let before = source.stats().pages;
    heap.turn(|_, state| *state = None);
    heap.collect_and_sweep();
    assert!(
        source.stats().pages < before.min(3),
        "{}",
        source.stats().pages
    );
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn an_old_object_that_is_written_keeps_a_young_one() {
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, 3);
    heap.collect();
    for round in 0..10 {
        heap.turn(|m, state| {
            let first = state.unwrap();
            let rest = first.borrow().next;
            let new = node(m, 100 + round, rest);
            first.borrow_mut(m).next = Some(new);
        });
        heap.collect_young();
        if round % 3 == 0 {
            heap.collect_young();
        }
    }
    let expected: Vec<u64> = [0]
        .into_iter()
        .chain((100..110).rev())
        .chain([1, 2])
        .collect();
    assert_eq!(values(&mut heap), expected);
}

#[test]
fn unreachable_cycles_are_freed() {
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, 5);
    heap.turn(|m, state| {
        let first = state.unwrap();
        let mut last = first;
        while let Some(next) = { last.borrow().next } {
            last = next;
        }
        last.borrow_mut(m).next = Some(first);
    });
    heap.collect();
    heap.collect();
    heap.turn(|_, state| *state = None);
    heap.collect_and_sweep();
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn destructors_run_once() {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, 0);
    let objects = if cfg!(miri) { 20 } else { 1000 };
    heap.turn(|m, state| {
        for value in 0..objects {
            let noted = Some(Leaf(DropCounter(ended.clone())));
            // Every second one is reachable.
            let next = *state;
            let new = m.alloc(Mut::new(Node { value, next, noted }));
            if value % 2 == 0 {
                *state = Some(new);
            }
        }
    });
    let count = || ended.load(Ordering::Relaxed) as u64;
    heap.collect_young();
    assert_eq!(count(), objects / 2);
    heap.collect_young();
    heap.collect_and_sweep();
    assert_eq!(count(), objects / 2);
    heap.turn(|_, state| {
        let next = state.unwrap().borrow().next;
        *state = next;
    });
    heap.collect_and_sweep();
    assert_eq!(count(), objects / 2 + 1);
    drop(heap);
    assert_eq!(count(), objects);
}

struct Blob;

impl Root for Blob {
    type Of<'gc> = Vec<Gc<'gc, [u64; 1000]>>;
}

#[test]
fn large_objects_have_pages_of_their_own() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Blob>::new(&source, Pacing::default(), |m| {
        (0..10).map(|n| m.alloc([n; 1000])).collect()
    });
    heap.collect();
    heap.turn(|_, state| {
        assert!(
            state
                .iter()
                .enumerate()
                .all(|(n, blob)| blob[999] == n as u64)
        );
        state.truncate(3);
    });
    heap.collect_and_sweep();
    assert_eq!(source.stats().pages, 3 * 2);
}

#[test]
fn heap_statistics_are_exact() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Blob>::new(&source, Pacing::default(), |_| Vec::new());
    let before = heap.stats();
    assert_eq!((before.allocated, before.moved, before.marked), (0, 0, 0));
    // Five young objects that die, and two large ones, one of which dies.
    heap.turn(|m, state| {
        let young: Vec<_> = (0..5_u64).map(|n| m.alloc(Mut::new([n; 3]))).collect();
        let large = [m.alloc([1_u64; 1000]), m.alloc([2; 1000])];
        state.push(large[0]);
        std::hint::black_box((young, large));
    });
    assert_eq!(heap.stats().allocated, 5 * 40 + 2 * 8000);
    heap.collect_young();
    let dead = heap.stats();
    assert_eq!((dead.minor, dead.moved, dead.promoted), (1, 0, 0));
    heap.collect_and_sweep();
    let marked = heap.stats();
    assert_eq!((marked.major, marked.marked, marked.alive), (1, 1, 1));
    assert_eq!((marked.live, marked.allocated), (8192, 5 * 40 + 2 * 8000));

    let mut heap = list(&source, 3);
    assert_eq!(heap.stats().allocated, 3 * 40);
    heap.collect_young();
    let aged = heap.stats();
    assert_eq!((aged.moved, aged.aged, aged.promoted), (3, 3 * 40, 0));
    heap.turn(|m, state| *state = Some(node(m, 9, *state)));
    heap.collect_young();
    let promoted = heap.stats();
    let expected = (7, 4 * 40, 3 * 40, 4 * 40);
    assert_eq!(
        (
            promoted.moved,
            promoted.aged,
            promoted.promoted,
            promoted.allocated
        ),
        expected
    );
    heap.collect();
    heap.collect();
    let marked = heap.stats();
    assert_eq!((marked.major, marked.marked, marked.alive), (2, 8, 4));
    assert_eq!((marked.moved, marked.allocated), (8, 4 * 40));
}

#[test]
#[should_panic(expected = "borrowed mutably")]
fn a_second_borrow_is_refused() {
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, 1);
    heap.turn(|m, state| {
        let first = state.unwrap();
        let _writes = first.borrow_mut(m);
        let _reads = first.borrow();
    });
}

#[test]
fn a_forgotten_borrow_ends_with_the_collection() {
    let source = Arc::new(PageSource::new());
    let mut heap = list(&source, 1);
    heap.turn(|m, state| std::mem::forget(state.unwrap().borrow_mut(m)));
    heap.collect();
    heap.turn(|m, state| state.unwrap().borrow_mut(m).value = 5);
    assert_eq!(values(&mut heap), [5]);
}

#[test]
fn a_turn_without_memory_panics_and_the_heap_stays_valid() {
    let source = Arc::new(PageSource::bounded(8));
    let mut heap = list(&source, 10);
    assert!(panics(|| {
        heap.turn(|m, _| {
            loop {
                node(m, 0, None);
            }
        })
    }));
    assert_eq!(values(&mut heap).len(), 10);
}
