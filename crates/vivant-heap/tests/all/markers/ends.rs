//! Heaps that are dropped, change threads, are collected, run out of memory or panic while markers
//! trace them.

use super::{Markers, source};
use crate::heaps::Collect;
use crate::heaps::panics;
use crate::numbered::{Drops, Numbered};
use fastrand::Rng;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use vivant_heap::{
    Gc, Heap, Leaf, MarkStart, Marker, Mut, Mutator, Object, Pacing, PageSource, Progress, Root,
    Stress, Weak, When,
};

#[derive(Object)]
struct Page<'gc> {
    _noted: Leaf<Numbered>,
    next: Option<Gc<'gc, Mut<Page<'gc>>>>,
    words: Gc<'gc, [Gc<'gc, u64>]>,
}

root!(Book = Option<Gc<'gc, Mut<Page<'gc>>>>);

const PAGES: usize = if cfg!(miri) { 2 } else { 40 };
/// More words than are scanned at once; under an interpreter `what_is_large_…` has as many.
const WORDS: usize = if cfg!(miri) { 20 } else { 2_000 };

fn page<'gc>(
    m: &Mutator<'gc>,
    next: Option<Gc<'gc, Mut<Page<'gc>>>>,
    ended: &Drops,
) -> Gc<'gc, Mut<Page<'gc>>> {
    m.alloc(Mut::new(Page {
        _noted: Numbered::next(ended),
        next,
        words: m.alloc_iter((0..WORDS as u64).map(|word| m.alloc(word))),
    }))
}

/// A list that is long enough to be marked concurrently, by a mark that has begun.
fn book(source: &Arc<PageSource>, ended: &Drops) -> Heap<Book> {
    let pacing = Pacing::new().nursery(1 << 14);
    let mut heap = Heap::<Book>::new(source, pacing, |m| {
        (0..PAGES).fold(None, |next, _| Some(page(m, next, ended)))
    });
    begins(&mut heap);
    heap
}

/// Begins a concurrent mark, whatever the size of the heap.
fn begins(heap: &mut Heap<Book>) {
    heap.turn(|m, _| {
        m.alloc_slice(vec![0_u64; 40_000]);
    });
    assert_eq!(heap.begin_mark(), MarkStart::Running);
}

/// Completes the running mark, with the help of the heap's holder.
fn ends<R: Root>(heap: &mut Heap<R>) {
    while heap.marker().is_some() {
        let _more = heap.help_mark(1_000);
        heap.pace();
    }
}

fn length<'gc>(first: &Option<Gc<'gc, Mut<Page<'gc>>>>) -> usize {
    let mut length = 0;
    let mut at = *first;
    while let Some(page) = at {
        length += 1;
        assert_eq!(*page.borrow().words[WORDS - 1], WORDS as u64 - 1);
        at = page.borrow().next;
    }
    length
}

#[test]
fn a_heap_may_be_dropped_while_markers_work() {
    for helps in if cfg!(miri) {
        [1; 1].as_slice()
    } else {
        &[0, 1, 60]
    } {
        let (source, ended) = (source(), Drops::default());
        let mut heap = book(&source, &ended);
        let markers = Markers::new(2);
        markers.follow(&heap);
        let _more = heap.help_mark(*helps);
        let marker = heap.marker().unwrap();
        drop(heap);
        assert!(ended.lock().unwrap().iter().all(|&times| times == 1));
        assert_eq!(source.stats().pages, 0);
        assert_eq!(marker.work(10), Progress::Over);
    }
}

/// Objects with foreign references stay, and are found by a mark of the detached heap.
#[test]
fn a_heap_may_end_while_markers_work() {
    root!(Press = (Option<vivant_heap::Val<'gc, str>>, Gc<'gc, [u64]>));
    let source = source();
    let mut heap = Heap::<Press>::new(&source, Pacing::new(), |m| {
        (Some(m.val_str("rain")), m.alloc_slice(vec![0; 40_000]))
    });
    let markers = Markers::new(2);
    assert_eq!(heap.begin_mark(), MarkStart::Running);
    markers.follow(&heap);
    let held = heap.turn(|m, (news, _)| m.hold(news.unwrap()));
    let detached = heap.end().expect("the holder has an object of it");
    assert_eq!(&*held, "rain");
    drop(held);
    assert!(detached.drain_all().is_none());
    drop(markers);
    assert_eq!(source.stats().pages, 0);
}

const MOVES: usize = if cfg!(miri) { 1 } else { 3 };

#[test]
fn a_heap_goes_from_thread_to_thread_while_markers_work() {
    let (source, ended) = (source(), Drops::default());
    let mut heap = book(&source, &ended);
    let markers = Markers::new(2);
    for cut in 1..=MOVES {
        markers.follow(&heap);
        let mine = ended.clone();
        heap = thread::spawn(move || {
            heap.turn(|m, first| {
                let new = page(m, *first, &mine);
                new.borrow_mut(m).next.unwrap().borrow_mut(m).words = m.alloc_iter(
                    // The same words, in objects of their own.
                    (0..WORDS as u64).map(|word| m.alloc(word)),
                );
                *first = Some(new);
            });
            heap.pace();
            heap
        })
        .join()
        .unwrap();
        heap.turn(|_, first| assert_eq!(length(first), PAGES + cut));
        begins(&mut heap);
    }
    heap.collect_and_sweep();
    heap.turn(|_, first| assert_eq!(length(first), PAGES + MOVES));
}

/// A whole collection aborts the running mark, again and again: epochs are reused, and no marker is
/// left that would write an old one.
#[test]
fn marks_are_aborted_repeatedly() {
    let (source, ended) = (source(), Drops::default());
    let mut heap = book(&source, &ended);
    let markers = Markers::new(2);
    for round in 0..if cfg!(miri) { 3 } else { 30 } {
        markers.follow(&heap);
        heap.turn(|m, first| {
            let new = page(m, first.unwrap().borrow().next, &ended);
            first.unwrap().borrow_mut(m).next = Some(new);
            // One node is added, and after some rounds one is removed.
            if round % 3 == 2 {
                let second = new.borrow().next;
                new.borrow_mut(m).next = second.and_then(|second| second.borrow().next);
            }
        });
        match round % 4 {
            0 => heap.collect_young(),
            1 => heap.pace(),
            _ => heap.collect(),
        }
        begins(&mut heap);
    }
    heap.collect_and_sweep();
    let expected = heap.turn(|_, first| length(first));
    let ended = ended.lock().unwrap();
    assert_eq!(ended.iter().filter(|&&times| times == 0).count(), expected);
}

#[test]
fn a_turn_may_panic_while_markers_work() {
    let (source, ended) = (source(), Drops::default());
    let mut heap = book(&source, &ended);
    let markers = Markers::new(2);
    markers.follow(&heap);
    assert!(panics(|| {
        heap.turn(|m, first| {
            let mut page = first.unwrap().borrow_mut(m);
            let next = page.next.take();
            assert!(next.is_none(), "this is meant");
        });
    }));
    ends(&mut heap);
    heap.turn(|_, first| assert_eq!(length(first), 1));
    heap.collect_and_sweep();
    let alive = ended.lock().unwrap().iter().filter(|&&it| it == 0).count();
    assert_eq!(alive, 1);
}

/// A turn helps with its own heap's mark, in the middle of a write; so does a destructor, in the
/// middle of a collection.
#[test]
fn a_marker_may_be_used_anywhere() {
    thread_local! {
        static MARKER: RefCell<Option<Marker>> = const { RefCell::new(None) };
    }
    struct Helps;
    impl Drop for Helps {
        fn drop(&mut self) {
            let marker = MARKER.with(|marker| marker.borrow().clone());
            let _progress = marker.map(|marker| marker.work(5));
        }
    }
    let (source, ended) = (source(), Drops::default());
    let mut heap = book(&source, &ended);
    for _ in 0..if cfg!(miri) { 2 } else { 6 } {
        let marker = heap.marker();
        MARKER.with(|mine| mine.borrow_mut().clone_from(&marker));
        heap.turn(|m, first| {
            m.alloc(Leaf(Helps));
            let mut at = first.unwrap().borrow_mut(m);
            let next = at.next;
            if let Some(marker) = &marker {
                let _more = marker.work(50);
            }
            at.words = m.alloc_iter((0..WORDS as u64).map(|word| m.alloc(word)));
            drop(at);
            let mut next = next.unwrap().borrow_mut(m);
            if let Some(marker) = &marker {
                let _more = marker.work(50);
            }
            next.words = m.alloc_iter((0..WORDS as u64).map(|word| m.alloc(word)));
        });
        heap.collect_young();
        heap.pace();
    }
    ends(&mut heap);
    heap.turn(|_, first| assert_eq!(length(first), PAGES));
    MARKER.set(None);
}

/// A heap that is never dropped: its markers find that out, or trace all of it.
#[test]
fn a_heap_may_be_forgotten_while_markers_work() {
    /// So that Miri finds a path to the leaked memory.
    static KEPT: std::sync::Mutex<Vec<(Heap<Book>, Arc<PageSource>)>> =
        std::sync::Mutex::new(Vec::new());
    let (source, ended) = (source(), Drops::default());
    let heap = book(&source, &ended);
    let marker = heap.marker().unwrap();
    KEPT.lock().unwrap().push((heap, source));
    let help = thread::spawn(move || {
        loop {
            match marker.work(100) {
                Progress::More => {}
                Progress::NoWork => thread::yield_now(),
                done => return done,
            }
        }
    });
    assert_eq!(help.join().unwrap(), Progress::Drained);
}

/// Turns that get no memory during a mark, at random and by a bound.
#[test]
fn memory_may_be_refused_while_markers_work() {
    for (source, refuses) in [(PageSource::new(), 3), (PageSource::bounded(250), 0)] {
        let (source, ended, mut random) = (Arc::new(source), Drops::default(), Rng::with_seed(5));
        let stress = Stress::new(When::Concurrent, 3).refusing(refuses);
        let mut heap = Heap::<Book>::new(&source, Pacing::new().stressed(stress), |_| None);
        let markers = Markers::new(2);
        let mut refused = 0;
        for _ in 0..if cfg!(miri) { 3 } else { 40 } {
            let turn = catch_unwind(AssertUnwindSafe(|| {
                heap.turn(|m, first| match random.usize(..4) {
                    0 => *first = first.and_then(|first| first.borrow().next),
                    _ => {
                        let new = page(m, *first, &ended);
                        if let Some(first) = *first {
                            let mut first = first.borrow_mut(m);
                            first.words = m.alloc_iter((0..WORDS as u64).map(|word| m.alloc(word)));
                        }
                        *first = Some(new);
                    }
                });
            }));
            refused += u32::from(turn.is_err());
            heap.pace();
            markers.follow(&heap);
            heap.turn(|_, first| {
                length(first);
            });
        }
        assert!(cfg!(miri) || refused > 0, "no turn was refused anything");
        drop(heap);
        assert!(ended.lock().unwrap().iter().all(|&times| times == 1));
        assert_eq!(source.stats().pages, 0);
    }
}

/// An object as large as many pages, a slice that is scanned in parts, a vector that is scanned at
/// once: all written while markers trace them.
#[test]
fn large_objects_are_written_while_markers_work() {
    type Long<'gc> = Gc<'gc, Mut<Vec<Gc<'gc, u64>>>>;
    type Wide<'gc> = Gc<'gc, Mut<[Option<Gc<'gc, u64>>; 700]>>;
    #[derive(Object)]
    struct Large<'gc> {
        long: Long<'gc>,
        wide: Wide<'gc>,
        slice: Gc<'gc, [Gc<'gc, Mut<u64>>]>,
        weak: Weak<'gc, [Gc<'gc, Mut<u64>>]>,
        ballast: Gc<'gc, [u64]>,
    }
    root!(Larges = Large<'gc>);
    const MANY: u64 = if cfg!(miri) { 540 } else { 60_000 };
    let mut heap = Heap::<Larges>::new(&source(), Pacing::new().nursery(1 << 13), |m| {
        let slice = m.alloc_iter((0..MANY).map(|n| m.alloc(Mut::new(n))));
        Large {
            long: m.alloc(Mut::new((0..MANY).map(|n| m.alloc(n)).collect())),
            wide: m.alloc(Mut::new(std::array::from_fn(|n| Some(m.alloc(n as u64))))),
            slice,
            weak: Weak::new(m, slice),
            ballast: m.alloc_slice(vec![1; 40_000]),
        }
    });
    let markers = Markers::new(2);
    for round in 0..if cfg!(miri) { 1 } else { 12 } {
        let _begun = heap.begin_mark();
        markers.follow(&heap);
        heap.turn(|m, large| {
            large.long.borrow_mut(m).reverse();
            large.wide.borrow_mut(m).rotate_left(3);
            let slice = large.weak.upgrade(m).unwrap();
            for number in slice.iter().step_by(97) {
                *number.borrow_mut(m) += 1;
            }
            // All elements are the old ones, in another slice.
            large.slice = m.alloc_iter(slice.iter().rev().copied());
            large.weak = Weak::new(m, large.slice);
        });
        ends(&mut heap);
        heap.sweep();
        heap.turn(|_, large| {
            let sum: u64 = large.long.borrow().iter().map(|number| **number).sum();
            assert_eq!(sum, MANY * (MANY - 1) / 2);
            assert!(large.wide.borrow().iter().all(Option::is_some));
            let sum: u64 = large.slice.iter().map(|number| number.get()).sum();
            let added = MANY.div_ceil(97) * (round + 1);
            assert_eq!(sum, MANY * (MANY - 1) / 2 + added);
            assert_eq!(large.ballast[39_999], 1);
        });
    }
}
