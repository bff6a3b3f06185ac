//! Programs in which other collectors were unsound, and that are allowed here. The list of all
//! holes: `README.md`.

use crate::heaps::Collect;
use crate::heaps::verified;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Gc, Heap, Leaf, Mut, Object, Pacing, PageSource};

root!(Numbers = Vec<Gc<'gc, Mut<u64>>>);

fn numbers(source: &Arc<PageSource>) -> Heap<Numbers> {
    Heap::new(source, verified(), |m| {
        (0..5).map(|n| m.alloc(Mut::new(n))).collect()
    })
}

fn sum(heap: &mut Heap<Numbers>) -> u64 {
    heap.turn(|_, numbers| numbers.iter().map(|number| number.get()).sum())
}

#[test]
fn turns_of_two_heaps_are_nested() {
    let source = Arc::new(PageSource::new());
    let (mut one, mut other) = (numbers(&source), numbers(&source));
    for _ in 0..3 {
        one.turn(|m, ones| {
            let new = m.alloc(Mut::new(0));
            let reads = ones[4].borrow();
            for round in 0..3 {
                let told = other.turn(|m, others| {
                    others[0].set(m, round);
                    others.push(m.alloc(Mut::new(0)));
                    others[0].get()
                });
                // The other heap is between its turns: it may be collected, dropped and created
                // anew.
                other.collect_young();
                other.collect();
                new.set(m, told + *reads);
            }
            other = numbers(&source);
            assert_eq!(new.get(), 6);
        });
        one.collect();
        assert_eq!((sum(&mut one), sum(&mut other)), (10, 10));
    }
}

/// A heap as a part of another one's objects. It ends in a destructor, which runs turns and
/// collections of its own.
struct Inner(Option<Heap<Numbers>>, Arc<AtomicUsize>);

impl Drop for Inner {
    fn drop(&mut self) {
        let mut heap = self.0.take().unwrap();
        heap.turn(|m, numbers| numbers[1].set(m, 11));
        heap.collect_young();
        heap.collect();
        assert_eq!(sum(&mut heap), 20);
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

root!(Outer = Vec<Gc<'gc, Leaf<RefCell<Inner>>>>);

#[test]
fn a_heap_may_lie_in_another_and_end_in_its_collection() {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    let mut outer = Heap::<Outer>::new(&source, verified(), |m| {
        let inner = |_| Inner(Some(numbers(&source)), ended.clone());
        (0..6)
            .map(|n| m.alloc(Leaf(RefCell::new(inner(n)))))
            .collect()
    });
    let keep = |outer: &mut Heap<Outer>, count: usize| {
        outer.turn(|_, state| {
            state.truncate(count);
            for inner in state.iter() {
                let mut inner = inner.0.borrow_mut();
                assert_eq!(sum(inner.0.as_mut().unwrap()), 10);
            }
        });
    };
    // Dropped young; then old, by a sweep; then with the heap.
    keep(&mut outer, 4);
    outer.collect_young();
    assert_eq!(ended.load(Ordering::Relaxed), 2);
    keep(&mut outer, 2);
    outer.collect_and_sweep();
    assert_eq!(ended.load(Ordering::Relaxed), 4);
    keep(&mut outer, 2);
    drop(outer);
    assert_eq!(ended.load(Ordering::Relaxed), 6);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_heap_goes_from_thread_to_thread() {
    let source = Arc::new(PageSource::new());
    let mut heap = numbers(&source);
    let rounds = if cfg!(miri) { 3 } else { 8 };
    for round in 0..rounds {
        let trims = source.clone();
        let goes = std::thread::spawn(move || {
            heap.turn(|m, numbers| {
                numbers[0].set(m, numbers[0].get() + 1);
                let new = m.alloc(Mut::new(round));
                numbers.push(new);
            });
            match round % 3 {
                0 => heap.collect_young(),
                1 => heap.collect(),
                _ => heap.sweep(),
            }
            trims.trim();
            heap
        });
        // Meanwhile another heap takes and gives pages of the same source.
        let mut other = numbers(&source);
        other.collect();
        assert_eq!(sum(&mut other), 10);
        heap = goes.join().unwrap();
    }
    assert_eq!(sum(&mut heap), 10 + rounds + (0..rounds).sum::<u64>());
    drop(std::thread::spawn(move || drop(heap)).join());
    assert_eq!(source.stats().pages, 0);
}

thread_local! {
    static LOCAL: RefCell<Option<Heap<Numbers>>> = const { RefCell::new(None) };
}

#[test]
fn a_heap_may_end_with_its_thread() {
    let source = Arc::new(PageSource::new());
    let thread = {
        let source = source.clone();
        std::thread::spawn(move || {
            LOCAL.set(Some(numbers(&source)));
            LOCAL.with_borrow_mut(|heap| {
                let heap = heap.as_mut().unwrap();
                heap.collect();
                assert_eq!(sum(heap), 10);
            });
        })
    };
    thread.join().unwrap();
    assert_eq!(source.stats().pages, 0);
}

root!(Nothings = Vec<Gc<'gc, ()>>);

#[test]
fn values_without_size_fill_blocks_to_their_ends() {
    let source = Arc::new(PageSource::new());
    // More than two pages of them: the last one of a nursery chunk ends where the chunk does.
    let (count, pacing) = match cfg!(miri) {
        true => (520, Pacing::default()),
        false => (5000, verified()),
    };
    let mut heap = Heap::<Nothings>::new(&source, pacing, |m| {
        (0..count).map(|_| m.alloc(())).collect()
    });
    if !cfg!(miri) {
        heap.verify().unwrap();
    }
    let id = heap.id();
    for round in 0..if cfg!(miri) { 1 } else { 3 } {
        heap.turn(|_, state| {
            let mut places: Vec<usize> = state
                .iter()
                .map(|it| std::ptr::from_ref(&**it).addr())
                .collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), count);
            assert!(state.iter().all(|nothing| Gc::owner(*nothing) == id));
        });
        match round {
            0 => heap.collect_young(),
            _ => heap.collect(),
        }
    }
    heap.turn(|_, state| state.clear());
    heap.collect_and_sweep();
    assert_eq!(heap.stats().live, 0);
}

/// Aligned to more than an object may be. In a box, it may.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
struct Line([u8; 64]);

root!(Lines = Vec<(Gc<'gc, Box<Leaf<Line>>>, Gc<'gc, Vec<Leaf<Line>>>)>);

#[test]
fn strongly_aligned_values_lie_in_boxes() {
    let source = Arc::new(PageSource::new());
    let line = |n| Leaf(Line([n; 64]));
    let mut heap = Heap::<Lines>::new(&source, verified(), |m| {
        let both = |n| {
            (
                m.alloc(Box::new(line(n))),
                m.alloc(vec![line(n), line(n + 1)]),
            )
        };
        (0..9).map(both).collect()
    });
    for _ in 0..3 {
        heap.collect_young();
        heap.collect();
        heap.turn(|_, lines| {
            for ((one, two), n) in lines.iter().zip(0..) {
                let all = [&***one, &two[0], &two[1]];
                assert_eq!(all, [&line(n), &line(n), &line(n + 1)]);
                assert!(
                    all.iter()
                        .all(|line| std::ptr::from_ref(&line.0).addr() % 64 == 0)
                );
            }
        });
    }
}

/// A vector in an old object. Its buffer moves while collections have only the object remembered.
#[derive(Object)]
struct Growing<'gc> {
    parts: Vec<Gc<'gc, Mut<u64>>>,
    boxed: Box<[Option<Gc<'gc, u64>>]>,
}

root!(Grows = Gc<'gc, Mut<Growing<'gc>>>);

#[test]
fn buffers_of_old_objects_move_and_shrink() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Grows>::new(&source, verified(), |m| {
        m.alloc(Mut::new(Growing {
            parts: Vec::new(),
            boxed: Box::default(),
        }))
    });
    heap.collect();
    let mut expected = Vec::new();
    for round in 0..if cfg!(miri) { 8 } else { 40_u64 } {
        heap.turn(|m, state| {
            let mut growing = state.borrow_mut(m);
            let parts = growing.parts.iter().map(|part| part.get());
            assert!(parts.eq(expected.iter().copied()));
            for n in 0..=round % 7 {
                expected.push(n);
                growing.parts.push(m.alloc(Mut::new(n)));
            }
            if round % 5 == 4 {
                expected.truncate(3);
                growing.parts.truncate(3);
                growing.parts.shrink_to_fit();
            }
            assert!(
                growing
                    .boxed
                    .iter()
                    .all(|it| it.is_none_or(|it| *it == round - 1))
            );
            growing.boxed = vec![Some(m.alloc(round)); round as usize % 4].into();
        });
        match round % 4 {
            3 => heap.collect(),
            _ => heap.collect_young(),
        }
    }
}
