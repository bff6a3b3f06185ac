//! Aborted marks: there are three epochs, so of two marks in a row the second one must be
//! completed.

use crate::drop_counter::DropCounter;
use crate::heaps::Collect;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant_heap::{DetachedStep, Heap, Leaf, MarkStart, Object, Pacing, PageSource, Parcel, Val};

#[derive(Object)]
struct Part {
    _ends: Leaf<DropCounter>,
    _room: Leaf<[u64; ROOM]>,
}

#[derive(Object)]
struct Whole<'gc> {
    part: Val<'gc, Part>,
}

root!(Wholes = Vec<Val<'gc, Whole<'gc>>>);

type One = Val<'static, Whole<'static>>;

/// Enough for a heap that is traced in steps, and no more; an interpreter has fewer and larger
/// components.
const MANY: usize = if cfg!(miri) { 150 } else { 4000 };
const ROOM: usize = if cfg!(miri) { 250 } else { 1 };

/// Allocates `many` components, each in two containers. Returns parcels of the first containers,
/// and of the second ones.
fn library(
    heap: &mut Heap<Wholes>,
    many: usize,
    ended: &Arc<AtomicUsize>,
) -> [Vec<Parcel<One>>; 2] {
    let sent = heap.turn(|m, _| {
        let part = |_| {
            let _ends = Leaf(DropCounter(ended.clone()));
            m.val(Part {
                _ends,
                _room: Leaf([0; ROOM]),
            })
        };
        let parts: Vec<_> = (0..many).map(part).collect();
        [(); 2].map(|()| {
            let containers = parts.iter().map(|part| m.val(Whole { part: *part }));
            containers.map(|whole| m.pack::<One>(whole)).collect()
        })
    });
    heap.collect_and_sweep();
    sent
}

/// A heap's own mark is aborted when the heap is detached. The detached heap's mark is aborted for
/// a stop-the-world mark, because pages are short.
#[test]
fn a_second_mark_completes_after_an_end_and_a_page_shortage() {
    const PAGES: usize = if cfg!(miri) { 400 } else { 2000 };
    let (source, ended) = (Arc::new(PageSource::bounded(PAGES)), Arc::default());
    let pacing = Pacing::new().first(1 << 30);
    let mut heap = Heap::<Wholes>::new(&source, pacing, |_| Vec::new());
    let [mut first, second] = library(&mut heap, MANY, &ended);
    // It marks the second containers, and all components.
    assert_eq!(heap.begin_mark(), MarkStart::Running);
    let _more = heap.help_mark(3 * MANY);
    let detached = heap.end().expect("others have it");
    drop(second);
    let DetachedStep::HasWork(detached) = detached.step(&mut 1_000_000) else {
        panic!("it is to be marked");
    };
    drop(first.pop());
    let mut other = Heap::<Wholes>::new(&source, pacing, |_| Vec::new());
    other.turn(|m, _| {
        while source.stats().pages + 40 < PAGES {
            let _long = m.val_str(&"x".repeat(10_000));
        }
    });
    let detached = detached.drain_all().expect("the first ones are there");
    assert!(ended.load(Ordering::Relaxed) <= 1, "others had these");
    drop(first);
    assert!(detached.drain_all().is_none());
    assert_eq!(ended.load(Ordering::Relaxed), MANY);
}

/// The second mark is aborted because the detached heap was large only by the references that it
/// had received from other heaps.
#[test]
fn a_second_mark_completes_after_an_end_of_a_small_heap() {
    const FEW: usize = 2300;
    if cfg!(miri) {
        return;
    }
    for which in [0, 1] {
        let (source, ended) = (Arc::new(PageSource::new()), Arc::default());
        let pacing = Pacing::new().first(1 << 30);
        let mut press = Heap::<Wholes>::new(&source, pacing, |m| {
            let _ends = Leaf(DropCounter(Arc::default()));
            let part = m.val(Part {
                _ends,
                _room: Leaf([0; ROOM]),
            });
            (0..4).map(|_| m.val(Whole { part })).collect()
        });
        let mut heap = Heap::<Wholes>::new(&source, pacing, |_| Vec::new());
        let mut sent = library(&mut heap, FEW, &ended);
        let mut reads = |heap: &mut Heap<Wholes>| {
            let news: Vec<_> = press.turn(|m, state| {
                let pack = |number: usize| m.pack::<One>(state[number % 4]);
                (0..20_000).map(pack).collect()
            });
            heap.turn(|m, _| news.into_iter().for_each(|it| _ = m.unpack(it)));
        };
        reads(&mut heap);
        assert_eq!(heap.begin_mark(), MarkStart::Running);
        let _more = heap.help_mark(2 * FEW);
        reads(&mut heap);
        let detached = heap.end().expect("others have it");
        sent[which].clear();
        let DetachedStep::HasWork(detached) = detached.step(&mut 1_000_000) else {
            panic!("it is to be marked");
        };
        sent[1 - which].pop();
        let detached = detached.drain_all().expect("others have it");
        assert!(ended.load(Ordering::Relaxed) <= 1, "others had these");
        drop(sent);
        assert!(detached.drain_all().is_none());
        assert_eq!(ended.load(Ordering::Relaxed), FEW);
    }
}
