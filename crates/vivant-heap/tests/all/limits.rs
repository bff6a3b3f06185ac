//! Limits: depth, sizes, panics, many heaps, few objects.

#![allow(unsafe_code, reason = "what the derive writes, by hand")]

use crate::heaps::Collect;
use crate::heaps::panics;
use crate::heaps::verified;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{
    Evacuator, Gc, Heap, Leaf, Mut, Mutator, Object, Pacing, PageSource, Root, Tracer,
};

struct Link<'gc> {
    number: u64,
    next: Option<Gc<'gc, Link<'gc>>>,
}

// SAFETY: it consists of its fields.
unsafe impl<'gc> Object<'gc> for Link<'gc> {
    type Static = Link<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.next.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.next.evacuate(evacuator);
    }
}

root!(Chain = Option<Gc<'gc, Link<'gc>>>);

#[test]
fn depth_needs_no_stack() {
    let links = match (cfg!(miri), cfg!(debug_assertions)) {
        (true, _) => 200,
        (_, true) => 300_000,
        _ => 10_000_000,
    };
    let run = move || {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Chain>::new(&source, Pacing::default(), |_| None);
        for turn in 0..10 {
            heap.turn(|m, state| {
                for number in 0..links / 10 {
                    let number = turn * (links / 10) + number;
                    *state = Some(m.alloc(Link {
                        number,
                        next: *state,
                    }));
                }
            });
            heap.pace();
        }
        heap.collect();
        heap.turn(|_, state| {
            let (mut at, mut left) = (*state, links);
            while let Some(link) = at {
                left -= 1;
                assert_eq!(link.number, left);
                at = link.next;
            }
            assert_eq!(left, 0);
        });
        if links <= 1_000_000 {
            heap.verify().unwrap();
        }
        drop(heap);
        assert_eq!(source.stats().pages, 0);
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    thread.spawn(run).unwrap().join().unwrap();
}

/// Values of one type.
struct All<T>(T);

impl<T: Send + 'static> Root for All<T> {
    type Of<'gc> = Vec<Gc<'gc, Leaf<T>>>;
}

fn bytes_survive<const N: usize>() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<All<[u8; N]>>::new(&source, verified(), |m| {
        (0..9).map(|n| m.alloc(Leaf([n; N]))).collect()
    });
    for round in 0..3 {
        heap.collect_young();
        heap.turn(|m, state| {
            let expected = |n: usize| [if n < 9 { n as u8 } else { 77 }; N];
            for (n, value) in state.iter().enumerate() {
                assert!(value.0 == expected(n), "{N}: {n}");
            }
            state.push(m.alloc(Leaf([77; N])));
        });
        if round == 1 {
            heap.collect_and_sweep();
            // Trimmed pages belong to no heap.
            source.trim();
        }
    }
    heap.turn(|_, state| state.clear());
    heap.collect_and_sweep();
    assert_eq!(heap.stats().live, 0, "{N}");
    drop(heap);
    assert_eq!(source.stats().pages, 0, "{N}");
}

#[test]
fn values_of_all_sizes_survive() {
    bytes_survive::<0>();
    bytes_survive::<9>();
    bytes_survive::<249>();
    // With its header 2 KiB: the largest object that is born young.
    bytes_survive::<2040>();
    bytes_survive::<2041>();
    if cfg!(miri) {
        return;
    }
    bytes_survive::<1>();
    bytes_survive::<8>();
    bytes_survive::<248>();
    bytes_survive::<312>();
    bytes_survive::<313>();
    bytes_survive::<4088>();
    bytes_survive::<4089>();
}

/// Many pages, built in place.
type Huge<const N: usize> = [u64; N];

fn huge_survives<const N: usize>() {
    let source = Arc::new(PageSource::new());
    struct One<const N: usize>;
    impl<const N: usize> Root for One<N> {
        type Of<'gc> = Option<Gc<'gc, Mut<(Gc<'gc, u64>, Huge<N>)>>>;
    }
    let run = move || {
        let mut heap = Heap::<One<N>>::new(&source, verified(), |m| {
            Some(m.alloc(Mut::new((m.alloc(3), [N as u64; N]))))
        });
        for round in 0..3 {
            heap.turn(|m, state| {
                let huge = state.unwrap();
                assert_eq!(huge.borrow().1[N - 1], N as u64 + round);
                assert_eq!(*huge.borrow().0, 3 + round);
                let young = m.alloc(4 + round);
                let mut huge = huge.borrow_mut(m);
                huge.0 = young;
                huge.1[N - 1] += 1;
            });
            match round {
                0 => heap.collect_young(),
                _ => heap.collect(),
            }
            heap.sweep();
            source.trim();
        }
        heap.turn(|_, state| *state = None);
        heap.collect_and_sweep();
        assert_eq!(heap.stats().live, 0);
        drop(heap);
        assert_eq!(source.stats().pages, 0);
        assert!(source.stats().chunks <= 1);
    };
    let thread = std::thread::Builder::new().stack_size(N * 8 * 12 + (1 << 20));
    thread.spawn(run).unwrap().join().unwrap();
}

#[test]
fn huge_objects_have_chunks_of_their_own() {
    // Less than a chunk, a little more, several.
    huge_survives::<100_000>();
    if !cfg!(miri) {
        huge_survives::<131_072>();
        huge_survives::<600_000>();
    }
}

/// Counts its drop, and then panics.
struct Explosive(Arc<AtomicUsize>);

impl Drop for Explosive {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("a destructor of this test panics");
    }
}

#[test]
fn destructors_that_panic_are_counted() {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = || ended.load(Ordering::Relaxed);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<All<Explosive>>::new(&source, verified(), |m| {
        let new = |_| m.alloc(Leaf(Explosive(ended.clone())));
        (0..6).map(new).collect()
    });
    // Two are dropped young, two old, two with the heap.
    heap.turn(|_, state| state.truncate(4));
    heap.collect_young();
    assert_eq!((count(), heap.stats().panics), (2, 2));
    heap.turn(|_, state| state.truncate(2));
    heap.collect_and_sweep();
    assert_eq!((count(), heap.stats().panics), (4, 4));
    drop(heap);
    assert_eq!(count(), 6);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_heap_may_end_while_a_thread_unwinds() {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    assert!(panics(|| {
        let _heap = Heap::<All<Explosive>>::new(&source, verified(), |m| {
            vec![m.alloc(Leaf(Explosive(ended.clone())))]
        });
        panic!("this test unwinds");
    }));
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    assert_eq!(source.stats().pages, 0);
}

/// Panics when dropped, with a payload that panics when dropped.
struct Twice(Arc<AtomicUsize>);

impl Drop for Twice {
    fn drop(&mut self) {
        std::panic::panic_any(Explosive(self.0.clone()));
    }
}

#[test]
fn a_panic_payload_may_panic_too() {
    if cfg!(miri) {
        // The payload of the second panic is leaked, which an interpreter reports.
        return;
    }
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<All<Twice>>::new(&source, verified(), |m| {
        let new = |_| m.alloc(Leaf(Twice(ended.clone())));
        (0..3).map(new).collect()
    });
    heap.turn(|_, state| state.truncate(1));
    heap.collect_young();
    assert_eq!((ended.load(Ordering::Relaxed), heap.stats().panics), (2, 2));
    drop(heap);
    assert_eq!(ended.load(Ordering::Relaxed), 3);
    assert_eq!(source.stats().pages, 0);
}

// A plain state that panics when dropped.
root!(Fuse = (Leaf<Explosive>, Gc<'gc, Leaf<Explosive>>));

#[test]
fn a_state_that_panics_takes_the_heap_with_it() {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    let heap = Heap::<Fuse>::new(&source, verified(), |m| {
        let new = || Leaf(Explosive(ended.clone()));
        (new(), m.alloc(new()))
    });
    drop(heap);
    assert_eq!(ended.load(Ordering::Relaxed), 2);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_heap_that_fails_to_start_frees_everything() {
    let ended = Arc::new(AtomicUsize::new(0));
    let source = Arc::new(PageSource::new());
    assert!(panics(|| {
        Heap::<All<Explosive>>::new(&source, verified(), |m| {
            m.alloc(Leaf(Explosive(ended.clone())));
            panic!("no state today");
        })
    }));
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_panic_in_the_middle_of_a_value_leaves_the_heap_whole() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Chain>::new(&source, verified(), |_| None);
    let one = |m: &Mutator<'_>, fails: bool| {
        m.alloc(m.alloc(1u64));
        assert!(!fails, "in the middle of a value");
        1
    };
    for round in 0..5 {
        let turn = catch_unwind(AssertUnwindSafe(|| {
            heap.turn(|m, state| {
                *state = Some(m.alloc(Link {
                    number: 0,
                    next: *state,
                }));
                let number = one(m, round % 2 == 0);
                let next = *state;
                *state = Some(m.alloc(Link { number, next }));
            });
        }));
        assert_eq!(turn.is_err(), round % 2 == 0);
        heap.verify().unwrap();
        heap.collect_young();
    }
    let count = heap.turn(|_, state| std::iter::successors(*state, |link| link.next).count());
    assert_eq!(count, 7);
}

/// A `Mut` inside a `Mut`, and one by itself.
struct Nested;

type Inner<'gc> = Mut<Gc<'gc, u64>>;

impl Root for Nested {
    type Of<'gc> = (
        Gc<'gc, Mut<Option<Inner<'gc>>>>,
        Option<Gc<'gc, Inner<'gc>>>,
    );
}

#[test]
fn a_value_taken_out_of_an_old_object_is_young() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Nested>::new(&source, verified(), |m| {
        (m.alloc(Mut::new(Some(Mut::new(m.alloc(5))))), None)
    });
    heap.collect();
    for round in 0..3 {
        heap.turn(|m, state| {
            if let Some(taken) = state.0.borrow_mut(m).take() {
                state.1 = Some(m.alloc(taken));
            }
            let value = state.1.unwrap();
            assert_eq!(*value.get(), 5 + round);
            value.set(m, m.alloc(6 + round));
        });
        heap.verify().unwrap();
        heap.collect_young();
    }
    heap.turn(|_, state| assert_eq!(*state.1.unwrap().get(), 8));
}

// A mutable number.
root!(Number = Gc<'gc, Mut<u64>>);

#[test]
fn forgotten_borrows_do_no_harm() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Number>::new(&source, verified(), |m| m.alloc(Mut::new(1)));
    // Young, and young still; then old.
    for round in 0..4 {
        heap.turn(|m, state| std::mem::forget(state.borrow_mut(m)));
        assert!(panics(|| heap.turn(|_, state| state.get())));
        match round {
            1 => heap.collect(),
            _ => heap.collect_young(),
        }
        heap.turn(|_, state| assert_eq!(state.get(), 1));
    }
    // A forgotten shared borrow of an old object that is not written is found when it conflicts
    // with a write.
    for round in 2..5 {
        heap.turn(|_, state| std::mem::forget((state.borrow(), state.borrow())));
        heap.collect();
        let write = catch_unwind(AssertUnwindSafe(|| {
            heap.turn(|m, state| state.set(m, round))
        }));
        assert!(write.is_err());
        // In the same turn a write is refused again, and a read never.
        heap.turn(|m, state| {
            assert_eq!(state.get(), round - 1);
            assert!(state.try_borrow_mut(m).is_err());
        });
        heap.verify().unwrap();
        heap.collect_young();
        heap.turn(|m, state| state.set(m, round));
        heap.collect_young();
    }
    heap.turn(|_, state| assert_eq!(state.get(), 4));
}

#[test]
fn a_refused_write_of_an_old_object_does_no_harm() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Number>::new(&source, verified(), |m| m.alloc(Mut::new(1)));
    for round in 1..4 {
        heap.collect();
        heap.turn(|m, state| {
            let reads = state.borrow();
            assert!(state.try_borrow_mut(m).is_err() && state.try_borrow_mut(m).is_err());
            assert_eq!(*reads, round);
            drop(reads);
            state.set(m, round + 1);
        });
        heap.verify().unwrap();
    }
}

#[test]
fn many_small_heaps_come_and_go() {
    let source = Arc::new(PageSource::new());
    let heaps = match (cfg!(miri), cfg!(debug_assertions)) {
        (true, _) => 20,
        (_, true) => 10_000,
        _ => 1_000_000,
    };
    let mut alive: Vec<Heap<All<u64>>> = Vec::new();
    for number in 0..heaps {
        let mut heap = Heap::<All<u64>>::new(&source, Pacing::default(), |m| {
            (0..5).map(|n| m.alloc(Leaf(number + n))).collect()
        });
        if number % 3 == 0 {
            heap.collect();
        }
        alive.push(heap);
        if alive.len() > 500 {
            alive.swap_remove(number as usize * 7 % 500);
        }
        if let Some(heap) = alive.get_mut(number as usize * 5 % 400) {
            let sum = heap.turn(|_, state| state.iter().map(|n| n.0).sum::<u64>());
            assert_eq!(sum % 5, 0);
        }
    }
    drop(alive);
    let stats = source.stats();
    assert_eq!(stats.pages, 0);
    assert!(stats.chunks < 10, "{stats:?}");
}

/// Objects of two sizes.
struct Small;

impl Root for Small {
    type Of<'gc> = (Vec<Gc<'gc, u64>>, Vec<Gc<'gc, [u64; 3]>>);
}

#[test]
fn a_small_heap_is_small() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Small>::new(&source, Pacing::default(), |m| {
        let three = (0..5).map(|n| m.alloc([n; 3])).collect();
        ((0..5).map(|n| m.alloc(n)).collect(), three)
    });
    // A newborn heap: the nursery's first chunk.
    assert_eq!(heap.stats().pages, 4 * 1024);
    heap.collect_and_sweep();
    // A page for each size class, and no nursery.
    assert_eq!(heap.stats().pages, 8 * 1024);
    heap.turn(|m, state| state.0.push(m.alloc(9)));
    assert!(heap.stats().pages <= 12 * 1024);
    heap.collect_young();
    heap.return_nursery();
    assert_eq!(heap.stats().pages, 8 * 1024);
    assert_eq!(source.stats().pages, 2);
}

#[test]
fn large_objects_alone_lead_to_collections() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<All<[u64; 2000]>>::new(&source, Pacing::default(), |_| Vec::new());
    for number in 0..if cfg!(miri) { 80 } else { 200 } {
        heap.turn(|m, _| assert_eq!(m.alloc(Leaf([number; 2000])).0[7], number));
        heap.pace();
    }
    assert!(heap.stats().pages < 1 << 20, "{:?}", heap.stats());
}
