//! Mutator assists: a mark that no other thread helps with. The heap's holder pays for it, in
//! proportion to the bytes tenured (H7).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Gc, Heap, HeapStats, Iso, Mut, Mutator, Object, Pacing, PageSource, Val};

root!(Boxes = Row<'gc>);

const LIVE: usize = if cfg!(miri) { 8_000 } else { 60_000 };

/// Bytes that may be tenured at once: a nursery, and the allocations of one turn.
const ONCE: usize = (32 + 16) * 1024;

type Row<'gc> = gc::Vec<'gc, Gc<'gc, [u64; 4]>>;

fn pacing() -> Pacing {
    Pacing::default().nursery(32 * 1024).growth(1.2)
}

fn row<'gc>(m: &Mutator<'gc>) -> Row<'gc> {
    let mut boxes = gc::Vec::new();
    (0..LIVE).for_each(|n| boxes.push(m, m.alloc([n as u64; 4])));
    boxes
}

fn boxes(source: &Arc<PageSource>) -> Heap<Boxes> {
    Heap::<Boxes>::new(source, pacing(), row)
}

/// The root of a region.
#[derive(Object)]
struct Shelf<'gc> {
    boxes: Row<'gc>,
}

fn region(source: &Arc<PageSource>) -> Iso<Shelf<'static>> {
    Iso::paced(source, pacing(), |r| Shelf { boxes: row(r) })
}

/// Replaces some boxes by new ones.
fn exchange<'gc>(m: &Mutator<'gc>, boxes: &mut Row<'gc>, next: &mut usize) {
    for _ in 0..200 {
        *next = (*next * 31 + 17) % LIVE;
        *boxes.get_mut(m, *next).unwrap() = m.alloc([*next as u64; 4]);
    }
}

#[test]
fn a_concurrent_mark_is_assisted() {
    let mut heap = boxes(&Arc::new(PageSource::new()));
    let (mut began, mut before, mut next) = (0, HeapStats::default(), 0);
    while before.ended < 3 {
        heap.turn(|m, boxes| exchange(m, boxes, &mut next));
        heap.pace();
        let stats = heap.stats();
        if stats.begun > before.begun {
            began = stats.live;
        }
        if stats.ended > before.ended {
            assert!(
                before.live - began <= began * 3 / 10 + ONCE,
                "{began}: {before:?}"
            );
            assert!(stats.assists > before.ended, "the holder has assisted");
        }
        before = stats;
    }
    assert_eq!(before.aborted, 0);
    heap.verify().unwrap();
}

/// Turns that tenure nothing have no assist debt: without help the mark waits, and no more is
/// allocated meanwhile.
#[test]
fn a_turn_that_tenures_nothing_assists_nothing() {
    let mut heap = boxes(&Arc::new(PageSource::new()));
    let _runs = heap.begin_mark();
    for _ in 0..1_000 {
        heap.turn(|_, boxes| assert_eq!(boxes.len(), LIVE));
        assert!(!heap.has_gc_work());
        heap.pace();
    }
    let stats = heap.stats();
    assert_eq!((stats.begun, stats.ended, stats.assists), (1, 0, 0));
}

/// A written chunk is in the SATB buffer with all its references. A few chunks wait for more.
#[test]
fn a_long_satb_buffer_is_flushed() {
    let mut heap = boxes(&Arc::new(PageSource::new()));
    let _runs = heap.begin_mark();
    let write = |heap: &mut Heap<Boxes>, at: usize| {
        heap.turn(|m, boxes| {
            let other = *boxes.get(LIVE - 1).unwrap();
            *boxes.get_mut(m, at).unwrap() = other;
        });
    };
    write(&mut heap, 0);
    assert!(!heap.has_gc_work());
    write(&mut heap, LIVE / 2);
    write(&mut heap, LIVE / 4);
    assert!(heap.has_gc_work());
    heap.pace();
    assert!(!heap.has_gc_work());
    heap.collect();
    heap.verify().unwrap();
}

/// A region is marked while it is closed, each time that it is closed.
#[test]
fn a_closing_region_is_assisted() {
    let mut region = region(&Arc::new(PageSource::new()));
    let first = region.stats().live;
    let (mut next, mut most) = (0, first);
    while region.stats().ended < 3 {
        let before = region.stats();
        region.open(|r, shelf| exchange(r, &mut shelf.boxes, &mut next));
        let stats = region.stats();
        assert!(stats.assists - before.assists <= 1, "a piece at a time");
        most = most.max(stats.live);
    }
    let stats = region.stats();
    assert!(stats.assists > 3 * 8 && stats.aborted == 0, "{stats:?}");
    // A fifth until the mark begins, three tenths until it ends.
    assert!(most <= first * 16 / 10 + ONCE, "{first}: {most}");
}

/// A region that is merged in the middle of its mark does not complete that mark.
#[test]
fn a_region_is_merged_in_the_middle_of_its_mark() {
    let source = Arc::new(PageSource::new());
    let mut region = region(&source);
    let mut next = 0;
    while region.stats().begun == region.stats().ended {
        region.open(|r, shelf| exchange(r, &mut shelf.boxes, &mut next));
    }
    let mut heap = Heap::<Boxes>::new(&source, Pacing::default(), |_| gc::Vec::new());
    heap.turn(|m, boxes| *boxes = region.merge(m).boxes);
    heap.verify().unwrap();
    heap.collect();
    heap.turn(|_, boxes| {
        assert_eq!(boxes.len(), LIVE);
        boxes.iter().for_each(|it| assert!(it[0] < LIVE as u64));
    });
    heap.verify().unwrap();
}

/// Growth outside of a region is paid for too: nothing is tenured in it, and in each turn a foreign
/// object is imported.
#[test]
fn imports_of_a_region_are_assisted() {
    #[derive(Object)]
    struct Slot<'gc> {
        boxes: Row<'gc>,
        news: Gc<'gc, Mut<Option<Val<'gc, u64>>>>,
    }
    let source = Arc::new(PageSource::new());
    let mut lender = Heap::<Boxes>::new(&source, Pacing::default(), |_| gc::Vec::new());
    let mut region = Iso::<Slot<'static>>::paced(&source, pacing(), |r| Slot {
        boxes: row(r),
        news: r.alloc(Mut::new(None)),
    });
    region.collect();
    let (mut most, mut lent) = (0, 0);
    while region.stats().ended < 3 {
        lent += 1;
        assert!(lent < 100_000, "{:?}", region.stats());
        let parcel = lender.turn(|m, _| m.pack::<Val<'static, u64>>(m.val(lent)));
        region.open(|r, slot| *slot.news.borrow_mut(r) = Some(r.unpack(parcel)));
        most = most.max(region.stats().imports);
    }
    // A kibibyte each: by half of the region until a mark begins, by three tenths until it ends: of
    // the region, and of half of the imports that it has then.
    assert!(most * 1024 <= LIVE * 67, "{most}");
}

/// A turn that gets no memory tenures nothing, so there is no assist debt; the heap collects all
/// the same.
#[test]
fn a_turn_without_memory_leads_to_a_collection() {
    let source = Arc::new(PageSource::bounded(2_000));
    let mut heap = boxes(&source);
    let _runs = heap.begin_mark();
    let refused = catch_unwind(AssertUnwindSafe(|| {
        heap.turn(|m, _| m.alloc_slice(vec![7_u64; 1 << 20]).len())
    }));
    assert!(refused.is_err());
    assert!(heap.has_gc_work());
    heap.pace();
    assert!(!heap.has_gc_work());
}
