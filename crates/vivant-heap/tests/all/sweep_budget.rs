//! A sweep between two turns is bounded, whatever has caused it; and it ends, whatever turns
//! allocate meanwhile.

use crate::heaps::Collect;
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Iso, Leaf, Pacing, PageSource, Parcel, Root, Val};

/// Small objects, notes of other heaps, and the content of a region.
struct Desk;

impl Root for Desk {
    type Of<'gc> = (
        Vec<Gc<'gc, Leaf<[u64; 5]>>>,
        Vec<Val<'gc, str>>,
        Vec<Gc<'gc, str>>,
    );
}

// Leaves with a destructor only.
root!(Tokens = Vec<Gc<'gc, Leaf<Arc<()>>>>);

const SPANS: usize = 8_000;
const OBJECTS_OF_A_SPAN: usize = 4096 / 48;

/// The sweep budget between two turns that tenure nothing.
const MOST: usize = 256;

/// A heap with many unswept spans, in which each `nth` object is dead.
fn unswept(source: &Arc<PageSource>, nth: usize) -> Heap<Desk> {
    let mut heap = Heap::<Desk>::new(source, Pacing::new(), |m| {
        let small = (0..SPANS * OBJECTS_OF_A_SPAN).map(|_| m.alloc(Leaf([1; 5])));
        (small.collect(), Vec::new(), Vec::new())
    });
    heap.collect_and_sweep();
    heap.turn(|_, (small, ..)| {
        let mut number = 0;
        small.retain(|_| {
            number += 1;
            number % nth != 0
        });
    });
    heap.collect();
    assert!(heap.stats().unswept >= SPANS);
    heap
}

/// Returns the number of spans that one `pace` sweeps.
fn paced(heap: &mut Heap<Desk>) -> usize {
    let before = heap.stats();
    heap.pace();
    let after = heap.stats();
    assert_eq!(after.major, before.major, "all was marked at once");
    before.unswept - after.unswept
}

/// Turns make garbage of another size class, 4 MB each, until a mark begins that waits for the
/// sweep.
#[test]
fn turns_do_not_outrun_the_sweep_that_a_mark_waits_for() {
    let source = Arc::new(PageSource::new());
    let mut heap = unswept(&source, 1);
    let (before, mut turns) = (heap.stats(), 0);
    while heap.stats().begun == before.begun {
        heap.turn(|m, _| (0..40).for_each(|_| _ = m.val_str(&"x".repeat(100_000))));
        heap.pace();
        turns += 1;
    }
    assert!(
        turns <= 8,
        "a mark that was due at 256 KiB began after {turns} turns"
    );
}

/// A destructor costs more than freeing its block: turns that allocate only objects with
/// destructors do not outrun the sweep either.
#[test]
fn turns_that_make_destructors_do_not_outrun_the_sweep() {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Tokens>::new(&source, Pacing::new(), |_| Vec::new());
    let (token, mut most) = (Arc::new(()), 0);
    for _ in 0..220 {
        heap.turn(|m, tokens| {
            tokens.extend((0..60_000).map(|_| m.alloc(Leaf(token.clone()))));
            let dies = tokens.len().saturating_sub(4 * 60_000);
            tokens.drain(..dies);
        });
        heap.pace();
        most = most.max(heap.stats().held);
    }
    // The objects of the last four turns are live, a mebibyte each. When destructors counted as
    // spans do, it was 117 by now, and more with each mark.
    assert!(most < 90 << 20, "{} MiB", most >> 20);
}

/// Few objects are live, so little is to be marked; but many are dead.
#[test]
fn a_small_mark_does_not_sweep_all_dead_objects() {
    let source = Arc::new(PageSource::new());
    let mut press = Heap::<Desk>::new(&source, Pacing::new(), |_| Default::default());
    let mut heap = unswept(&source, 1);
    type News = Parcel<Val<'static, str>>;
    let news: Vec<News> = press.turn(|m, _| (0..300).map(|_| m.pack(m.val_str("news"))).collect());
    heap.turn(|m, (_, notes, _)| notes.extend(news.into_iter().map(|it| m.unpack(it))));
    assert!(paced(&mut heap) <= MOST);
    // The mark begins all the same, when the sweep is done.
    let before = heap.stats();
    let mut paces = 0;
    while heap.stats().major == before.major {
        heap.pace();
        paces += 1;
        assert!(paces < SPANS, "{:?}", heap.stats());
    }
    assert!(paces >= SPANS / MOST);
}

/// A merge costs a few stores, and one object of twenty megabytes is marked at once: neither is a
/// reason to sweep much.
#[test]
fn a_merge_does_not_complete_the_sweep() {
    let source = Arc::new(PageSource::new());
    let mut heap = unswept(&source, 40);
    let region = Iso::<Gc<'static, str>>::new(&source, |r| r.alloc_str(&"x".repeat(20_000_000)));
    heap.turn(|m, (_, _, merged)| merged.push(region.merge(m)));
    assert!(paced(&mut heap) <= MOST);
}

root!(Shelf = Vec<Val<'gc, [u64]>>);

/// The largest amount that the system may have to take back at once: this number of pages, and the
/// last object.
#[test]
fn large_objects_are_returned_gradually() {
    const PAGE: usize = 4096;
    for (kib, count) in [(8, 4_000), (64, 1_000), (800, 200), (4096, 40)] {
        let source = Arc::new(PageSource::new());
        let mut heap = Heap::<Shelf>::new(&source, Pacing::new(), |m| {
            (0..count)
                .map(|_| m.val_slice(vec![1_u64; kib * 1024 / 8]))
                .collect()
        });
        heap.collect_and_sweep();
        heap.turn(|_, shelf| shelf.clear());
        heap.collect();
        while heap.is_unswept() {
            let before = heap.stats().pages;
            heap.sweep_some(MOST);
            let back = before - heap.stats().pages;
            assert!(
                back <= MOST * PAGE + 2 * kib * 1024,
                "{back} bytes of objects of {kib} KiB"
            );
        }
    }
}
