//! A mark that nobody helps with: its heap's holder pays for it, in proportion to what becomes old (H7).

use std::sync::Arc;
use vivant_heap::{Gc, Heap, HeapStats, Pacing, Root, Source, gc};

struct Boxes;

impl Root for Boxes {
    type Of<'gc> = gc::Vec<'gc, Gc<'gc, [u64; 4]>>;
}

const LIVE: usize = if cfg!(miri) { 8_000 } else { 60_000 };

/// Bytes that may become old at once: what is in a nursery, and what one turn makes.
const ONCE: usize = (32 + 16) * 1024;

fn boxes(source: &Arc<Source>) -> Heap<Boxes> {
    let pacing = Pacing::default().nursery(32 * 1024).growth(1.2);
    Heap::<Boxes>::new(source, pacing, |m| {
        let mut boxes = gc::Vec::new();
        (0..LIVE).for_each(|n| boxes.push(m, m.alloc([n as u64; 4])));
        boxes
    })
}

#[test]
fn a_mark_is_paid_for() {
    let mut heap = boxes(&Arc::new(Source::new()));
    let (mut began, mut before, mut next) = (0, HeapStats::default(), 0);
    while before.ended < 3 {
        heap.turn(|m, boxes| {
            for _ in 0..200 {
                next = (next * 31 + 17) % LIVE;
                *boxes.get_mut(m, next).unwrap() = m.alloc([next as u64; 4]);
            }
        });
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
            assert!(stats.slices > before.ended, "somebody has paid");
        }
        before = stats;
    }
    assert_eq!(before.given_up, 0);
    heap.verify().unwrap();
}

/// Turns that make nothing old owe nothing: without help the mark waits, and what is made meanwhile is no more than that.
#[test]
fn who_makes_nothing_owes_nothing() {
    let mut heap = boxes(&Arc::new(Source::new()));
    let _runs = heap.begin_mark();
    for _ in 0..1_000 {
        heap.turn(|_, boxes| assert_eq!(boxes.len(), LIVE));
        assert!(!heap.is_due());
        heap.pace();
    }
    let stats = heap.stats();
    assert_eq!((stats.begun, stats.ended, stats.slices), (1, 0, 0));
}

/// A chunk that is written is in the log with all that it refers to. A few wait for more.
#[test]
fn a_long_log_is_handed_over() {
    let mut heap = boxes(&Arc::new(Source::new()));
    let _runs = heap.begin_mark();
    let write = |heap: &mut Heap<Boxes>, at: usize| {
        heap.turn(|m, boxes| {
            let other = *boxes.get(LIVE - 1).unwrap();
            *boxes.get_mut(m, at).unwrap() = other;
        });
    };
    write(&mut heap, 0);
    assert!(!heap.is_due());
    write(&mut heap, LIVE / 2);
    write(&mut heap, LIVE / 4);
    assert!(heap.is_due());
    heap.pace();
    assert!(!heap.is_due());
    heap.collect();
    heap.verify().unwrap();
}
