//! Heaps of a source that has no pages left for turns: garbage is found though nothing grows, and
//! live objects are not marked for ever.

use crate::heaps::Collect;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Iso, Leaf, Marking, Pacing, PageSource, Progress, Root};

struct Hoard;

type Region = Iso<Vec<Gc<'static, Leaf<[u64; 12]>>>>;

impl Root for Hoard {
    type Of<'gc> = (
        Vec<Gc<'gc, [u64; 12]>>,
        Option<Gc<'gc, [u64]>>,
        Option<Region>,
    );
}

const PAGES: usize = 2000;

/// By growth its next mark is due only beyond the source's bound.
const PACING: Pacing = Pacing::new().first(1 << 30);

fn hoard(source: &Arc<PageSource>, pacing: Pacing, things: usize) -> Heap<Hoard> {
    let mut heap = Heap::<Hoard>::new(source, pacing, |m| {
        let things = (0..things).map(|_| m.alloc([0; 12])).collect();
        (things, None, None)
    });
    heap.collect_and_sweep();
    heap
}

fn is_done(turn: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(turn)).is_ok()
}

fn hoards(heap: &mut Heap<Hoard>, many: usize) -> bool {
    is_done(|| heap.turn(|m, state| state.0.extend((0..many).map(|_| m.alloc([0; 12])))))
}

fn is_over(heap: &mut Heap<Hoard>) {
    if heap.has_gc_work() {
        heap.pace();
    }
}

/// Fills a heap until a turn is refused pages.
fn full(source: &Arc<PageSource>) -> Heap<Hoard> {
    let mut heap = hoard(source, PACING, 0);
    while hoards(&mut heap, 1_000) {
        is_over(&mut heap);
    }
    is_over(&mut heap);
    heap
}

#[test]
fn garbage_of_a_full_heap_is_found() {
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut heap = full(&source);
    heap.turn(|_, state| state.0.clear());
    is_over(&mut heap);
    assert!(hoards(&mut heap, 1_000), "all of it was forgotten");
}

/// If everything is live, it is not marked after each turn that is refused.
#[test]
fn marks_of_a_full_live_heap_back_off() {
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut heap = full(&source);
    let before = heap.stats().major;
    for _ in 0..500 {
        assert!(!hoards(&mut heap, 100_000));
        is_over(&mut heap);
    }
    let marks = heap.stats().major - before;
    assert!((5..20).contains(&marks), "{marks}");
    heap.turn(|_, state| state.0.clear());
    let mut turns = 0;
    while !hoards(&mut heap, 1_000) {
        is_over(&mut heap);
        turns += 1;
    }
    assert!(turns <= 64, "{turns}");
}

fn reads(heap: &mut Heap<Hoard>) -> u64 {
    let before = heap.stats().major;
    for _ in 0..1_000 {
        heap.turn(|_, state| assert_eq!(state.0[0][0], 0));
        is_over(heap);
    }
    heap.stats().major - before
}

/// Nor after turns that allocate nothing.
#[test]
fn a_full_heap_that_only_reads_is_not_marked() {
    let source = Arc::new(PageSource::bounded(PAGES));
    assert!(reads(&mut full(&source)) <= 1);
}

/// Neither if another heap has all the pages.
#[test]
fn a_heap_that_only_reads_beside_a_full_one_is_not_marked() {
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut heap = hoard(&source, PACING, 40_000);
    let _full = full(&source);
    assert!(!hoards(&mut heap, 100_000));
    assert!(reads(&mut heap) <= 2);
}

/// There are pages, but fewer than requested.
#[test]
fn an_allocation_that_never_fits_does_not_mark_each_time() {
    for marking in [Marking::Concurrent, Marking::AtOnce] {
        let source = Arc::new(PageSource::bounded(PAGES));
        let mut heap = hoard(&source, PACING.marking(marking), 40_000);
        let before = heap.stats().major;
        for _ in 0..500 {
            let large = vec![0; 1500 * 512];
            assert!(!is_done(
                || heap.turn(|m, state| state.1 = Some(m.alloc_slice(large)))
            ));
            is_over(&mut heap);
            if heap.marker().is_none() {
                heap.sweep_some(256);
            }
            if let Some(marker) = heap.marker() {
                while marker.work(512) == Progress::More {}
            }
        }
        let marks = heap.stats().major - before;
        assert!(marks < 50, "{marking}: {marks}");
    }
}

/// A region is refused pages, and the heap that opens it has garbage.
#[test]
fn a_region_reuses_garbage_of_its_holder() {
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut heap = hoard(&source, PACING, 0);
    while source.stats().pages < PAGES - 100 && hoards(&mut heap, 1_000) {
        is_over(&mut heap);
    }
    heap.turn(|_, state| state.0.clear());
    is_over(&mut heap);
    let mut makes = || {
        let made = is_done(|| {
            heap.turn(|m, (.., region)| {
                *region = Some(m.iso(|r| (0..10_000).map(|_| r.alloc(Leaf([0; 12]))).collect()));
            });
        });
        is_over(&mut heap);
        made
    };
    assert!((0..70).any(|_| makes()));
}

/// The region itself has the garbage.
#[test]
fn a_region_reuses_its_own_garbage() {
    let source = Arc::new(PageSource::bounded(PAGES));
    let mut region = Region::paced(&source, PACING, |_| Vec::new());
    let mut fills = || {
        is_done(|| {
            region.open(|r, state| {
                state.clear();
                state.extend((0..50_000).map(|_| r.alloc(Leaf([0; 12]))));
            });
        })
    };
    assert!(fills());
    assert!((0..3).any(|_| fills()));
}

/// A mark needs pages itself: if the system refuses pages, no mark begins for that.
#[test]
fn a_turn_without_pages_of_the_system_starts_no_mark() {
    let source = Arc::new(PageSource::exhausted_at(400));
    let mut heap = Heap::<Hoard>::new(&source, PACING, |m| {
        let young = (0..2_000).map(|_| m.alloc([0; 12])).collect();
        (young, None, None)
    });
    let left = 400 - source.stats().pages;
    heap.turn(|m, state| state.1 = Some(m.alloc_slice(vec![0; (left - 1) * 512])));
    for _ in 0..3 {
        let turn = || heap.turn(|m, _| _ = m.alloc_slice(vec![0_u64; 4 * 512]));
        assert!(!is_done(turn));
        is_over(&mut heap);
    }
    assert_eq!(heap.stats().major, 0);
}
