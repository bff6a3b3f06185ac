//! Dead objects are freed gradually: spans, destructors, memory.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use fastrand::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{Gc, Heap, HeapStats, Leaf, Pacing, PageSource, Root, Stress, When};

/// Objects of one kind.
struct All<T>(T);

impl<T: Send + 'static> Root for All<T> {
    type Of<'gc> = Vec<Gc<'gc, Leaf<T>>>;
}

/// This number of objects; under an interpreter fewer.
fn scaled(objects: usize) -> usize {
    if cfg!(miri) { objects / 100 } else { objects }
}

/// Collects by pacing, from small sizes on, and verifies itself. Verification is costly, so it does
/// not run each time.
fn pacing() -> Pacing {
    let mut pacing = Pacing::default();
    pacing.nursery = 16 * 1024;
    pacing.first = 64 * 1024;
    pacing
}

#[test]
fn a_sweep_is_gradual_and_ends_before_the_next_mark() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<All<[u64; 4]>>::new(&source, pacing(), |_| Vec::new());
    let (mut before, mut unfinished) = (HeapStats::default(), 0);
    for turn in 0..scaled(4_000) {
        heap.turn(|m, state| {
            state.extend((0..50).map(|n| m.alloc(Leaf([n; 4]))));
            // Later half of the objects die, at random places.
            if state.len() > scaled(40_000) {
                let mut number = 0;
                state.retain(|_| {
                    number += 1;
                    number % 2 == 0
                });
            }
        });
        heap.pace();
        let stats = heap.stats();
        if stats.begun != before.begun {
            assert_eq!(
                before.unswept, 0,
                "H6: a mark begins when all is swept; turn {turn}"
            );
        }
        if stats.major != before.major {
            unfinished += usize::from(stats.unswept != 0);
        }
        before = stats;
        if turn % 1024 == 0 {
            heap.verify().unwrap();
        }
    }
    heap.verify().unwrap();
    if !cfg!(miri) {
        assert!(
            before.major > 5 && unfinished > 2,
            "{unfinished} of {before:?}"
        );
    }
}

#[test]
fn destructors_run_in_batches() {
    let ended = Arc::new(AtomicUsize::new(0));
    let count = || ended.load(Ordering::Relaxed);
    let source = Arc::new(PageSource::new());
    let objects = scaled(20_000);
    let mut heap = Heap::<All<DropCounter>>::new(&source, pacing(), |m| {
        (0..objects)
            .map(|_| m.alloc(Leaf(DropCounter(ended.clone()))))
            .collect()
    });
    heap.collect_and_sweep();
    heap.turn(|_, state| state.clear());
    heap.collect();
    assert_eq!(count(), 0);
    let mut turns = 0;
    while heap.stats().unswept != 0 {
        let before = count();
        heap.pace();
        let batch = count() - before;
        assert!(batch <= 512, "H10: {batch} at once");
        turns += 1;
    }
    assert_eq!((count(), heap.stats().live), (objects, 0));
    assert!(turns >= objects / 512, "{turns}");
}

#[test]
fn memory_of_dead_objects_returns_to_the_system() {
    // The number of free pages that may stay.
    const KEPT: usize = 2048;
    let source = Arc::new(PageSource::new());
    let objects = scaled(400_000);
    let fill = |heap: &mut Heap<All<[u64; 9]>>| {
        heap.turn(|m, state| state.extend((0..objects).map(|_| m.alloc(Leaf([1; 9])))));
        heap.collect();
        heap.return_nursery();
    };
    let mut heap = Heap::<All<[u64; 9]>>::new(&source, pacing(), |_| Vec::new());
    for _ in 0..3 {
        fill(&mut heap);
        let full = source.stats();
        heap.turn(|_, state| state.truncate(10));
        heap.collect_and_sweep();
        let stats = source.stats();
        assert!(stats.pages < 10, "{stats:?} of {full:?}");
        assert!(stats.kept <= KEPT, "{stats:?} of {full:?}");
    }
    fill(&mut heap);
    drop(heap);
    let stats = source.stats();
    assert_eq!(stats.pages, 0);
    assert!(stats.kept <= KEPT, "{stats:?}");
    source.trim();
    assert_eq!(source.stats().kept, 0);
}

#[test]
fn seeded_pages_are_bounded_by_live_bytes() {
    // A page, and the unused end of each page of this size class.
    let bound = |most: usize| most + most / 15 + 4096;
    let (seeds, objects) = if cfg!(miri) { (1, 100) } else { (4, 600) };
    for seed in 0..seeds {
        let mut random = Rng::with_seed(seed);
        let mut pacing = Pacing::default();
        pacing.stress = Some(Stress::new(When::Paced, seed));
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<All<[u64; 20]>>::new(&source, pacing, |_| Vec::new());
        let (mut most, mut fragmented) = (0, 0.0_f64);
        for _ in 0..if cfg!(miri) { 10 } else { 40 } {
            // The survivors lie in full pages, and holes elsewhere.
            let (stays, die) = (random.usize(..objects), random.usize(..100));
            heap.turn(|m, state| {
                state.extend((state.len()..objects).map(|_| m.alloc(Leaf([1; 20]))));
            });
            // All of them are old then.
            heap.collect_young();
            heap.collect_young();
            most = most.max(heap.stats().live);
            heap.turn(|_, state| {
                let mut number = 0;
                state.retain(|_| {
                    number += 1;
                    number < stays || random.usize(..100) >= die
                });
            });
            heap.collect();
            if random.usize(..2) == 0 {
                heap.sweep();
                heap.collect();
            }
            // The rest of the sweep is done while blocks are taken.
            heap.sweep_some(random.usize(..5));
            let stats = heap.stats();
            assert!(stats.held <= bound(most), "H4: {most} {stats:?}");
            assert!(stats.held >= stats.live, "{stats:?}");
            fragmented = fragmented.max(stats.fragmentation());
        }
        assert!(fragmented > 0.3, "{fragmented}");
        heap.turn(|_, state| state.clear());
        heap.collect_and_sweep();
        assert_eq!((heap.stats().held, heap.stats().fragmentation()), (0, 0.0));
    }
}

#[test]
fn many_small_heaps_at_once_are_small() {
    let source = Arc::new(PageSource::new());
    let heaps = match (cfg!(miri), cfg!(debug_assertions)) {
        (true, _) => 20,
        (_, true) => 5_000,
        _ => 100_000,
    };
    let new = |number: u64| {
        let mut heap = Heap::<All<u64>>::new(&source, Pacing::default(), |m| {
            (0..10).map(|n| m.alloc(Leaf(number + n))).collect()
        });
        heap.collect_young();
        heap.return_nursery();
        heap
    };
    let mut alive: Vec<_> = (0..heaps).map(new).collect();
    let stats = source.stats();
    assert_eq!(stats.pages as u64, heaps);
    // A hundred thousand heaps in a gibibyte, including the heads of chunks and the unused rest of
    // chunks.
    let bytes = stats.chunks << 20;
    assert!(cfg!(miri) || bytes as u64 / heaps < 8 * 1024, "{stats:?}");
    let sum =
        |heap: &mut Heap<All<u64>>| heap.turn(|_, state| state.iter().map(|n| n.0).sum::<u64>());
    let all: u64 = alive.iter_mut().map(sum).sum();
    assert_eq!(all, 10 * (heaps * (heaps - 1) / 2) + 45 * heaps);
    drop(alive);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn a_long_turn_under_stress_is_swept_correctly() {
    let source = Arc::new(PageSource::new());
    let mut pacing = pacing();
    pacing.stress = Some(Stress::new(When::Chance, 5));
    let mut heap = Heap::<All<[u64; 3]>>::new(&source, pacing, |_| Vec::new());
    for turn in 0..scaled(600).max(60) {
        heap.turn(|m, state| {
            for (n, object) in state.iter().enumerate() {
                assert!(object.0[0] == object.0[2], "{turn}: {n}");
            }
            state.extend((0..7).map(|n| m.alloc(Leaf([n + turn as u64; 3]))));
            if turn % 50 == 49 {
                state.drain(..300);
            }
        });
        heap.pace();
    }
}

/// A heap of many spans, each with a few dead blocks, that is to grow by hardly anything before its
/// next mark. The number of spans swept in one collection is bounded all the same, though each
/// tenured object searches for a block.
#[test]
fn a_collection_sweeps_a_bounded_number_of_spans() {
    // With their headers: 85 in a page.
    const OBJECT: usize = 48;
    const SPANS: usize = if cfg!(miri) { 100 } else { 10_000 };
    const EACH: usize = if cfg!(miri) { 40 } else { 4_000 };
    let source = Arc::new(PageSource::new());
    let pacing = Pacing::new().growth(1.001);
    let mut heap = Heap::<All<[u64; 5]>>::new(&source, pacing, |m| {
        let objects = SPANS * (4096 / OBJECT);
        (0..objects).map(|_| m.alloc(Leaf([1; 5]))).collect()
    });
    heap.collect_and_sweep();
    heap.turn(|_, state| {
        let mut number = 0;
        state.retain(|_| {
            number += 1;
            number % 40 != 0
        });
    });
    heap.collect();
    let all = heap.stats().unswept;
    assert!(all >= SPANS);
    let mut collections = 0;
    while heap.stats().unswept != 0 {
        heap.turn(|m, state| state.extend((0..EACH).map(|_| m.alloc(Leaf([1; 5])))));
        let before = heap.stats();
        heap.collect_young();
        let missed = before.unswept - heap.stats().unswept;
        assert!(missed <= 256, "{missed} for blocks");
        heap.pace();
        let swept = before.unswept - missed - heap.stats().unswept;
        let pages = EACH * OBJECT / 4096 + 2;
        assert!(swept <= (12 * pages).max(256), "{swept} at a step");
        collections += 1;
    }
    assert!(cfg!(miri) || collections > all / 1024, "{collections}");
    heap.verify().unwrap();
}
