//! The oracle finds what would make an image wrong that is written while turns run.

use super::image_sink::{ImageError, ImageSink};
use super::object_codec::ObjectCodecs;
use super::span_record::SpanRecord;
use crate::injected_fault::{self, InjectedFault};
use crate::{Gc, Heap, Mut, Pacing, PageSource, Root, Stress, When};
use std::sync::Arc;
use vivant_codec::{Encoder, Saved};

struct Texts;

impl Root for Texts {
    type Of<'gc> = Vec<Gc<'gc, Mut<(u64, String)>>>;
}

/// Large objects.
struct Rows;

impl Root for Rows {
    type Of<'gc> = Vec<Gc<'gc, [u64]>>;
}

struct Forgets;

impl ImageSink for Forgets {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        encode(&Encoder::new());
    }

    fn span(&mut self, record: SpanRecord) {
        drop(record);
    }

    fn ended(self: Box<Self>, result: Result<(), ImageError>) {
        result.expect("all is saved");
    }
}

/// A heap with many old objects, which verifies what it does.
fn texts() -> Heap<Texts> {
    let pacing = Pacing::new().stressed(Stress::new(When::Paced, 1));
    Heap::new(&Arc::new(PageSource::new()), pacing, |m| {
        (0..2_000)
            .map(|n| m.alloc(Mut::new((n, n.to_string()))))
            .collect()
    })
}

fn begin<R: Root>(heap: &mut Heap<R>) {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<(Gc<'_, Mut<(u64, String)>>, Gc<'_, [u64]>)>::SHAPE);
    heap.begin_image(Arc::new(codecs), Box::new(Forgets), |_| ());
}

fn a_write_after_the_beginning() {
    let mut heap = texts();
    begin(&mut heap);
    heap.turn(|m, all| all[1_999].borrow_mut(m).0 = 7);
    heap.finish_image();
}

/// Half of the objects of each span are dead.
fn with_holes(heap: &mut Heap<Texts>) {
    heap.collect_young();
    heap.collect_young();
    heap.turn(|_, all| {
        let mut number = 0;
        all.retain(|_| {
            number += 1;
            number % 2 == 0
        });
    });
    heap.collect();
}

fn blocks_taken_after_the_beginning() {
    let mut heap = texts();
    with_holes(&mut heap);
    heap.sweep();
    begin(&mut heap);
    heap.turn(|m, all| {
        all.extend((0..500).map(|n| m.alloc(Mut::new((n, "new".to_owned())))));
    });
    heap.collect_young();
    heap.collect_young();
    heap.finish_image();
}

fn spans_taken_after_the_beginning() {
    let pacing = Pacing::new().stressed(Stress::new(When::Paced, 1));
    let mut heap = Heap::<Rows>::new(&Arc::new(PageSource::new()), pacing, |m| {
        (0..20).map(|n| m.alloc_slice(vec![n; 1_000])).collect()
    });
    // The spans with the higher numbers are given back.
    heap.turn(|_, all| all.truncate(10));
    heap.collect();
    heap.sweep();
    begin(&mut heap);
    heap.turn(|m, all| all.extend((0..5).map(|n| m.alloc_slice(vec![n; 1_000]))));
    heap.finish_image();
}

fn a_mark_and_a_sweep_after_the_beginning() {
    let pacing = Pacing::new().stressed(Stress::new(When::Paced, 1));
    let mut heap = Heap::<Texts>::new(&Arc::new(PageSource::new()), pacing, |m| {
        (0..20_000)
            .map(|n| m.alloc(Mut::new((n, n.to_string()))))
            .collect()
    });
    begin(&mut heap);
    // It was alive at the beginning.
    heap.turn(|_, all| all.truncate(100));
    let _begun = heap.begin_mark();
    let mut slices = 0;
    while heap.is_imaging() {
        let _some = heap.help_mark(usize::MAX);
        heap.pace();
        slices += 1;
    }
    assert!(slices > 10, "the heap is small");
}

const CHECKS: [(InjectedFault, fn()); 4] = [
    (InjectedFault::UnsavedWrite, a_write_after_the_beginning),
    (InjectedFault::UnnotedFill, blocks_taken_after_the_beginning),
    (
        InjectedFault::NumberUsedAgain,
        spans_taken_after_the_beginning,
    ),
    (
        InjectedFault::EarlyTermination,
        a_mark_and_a_sweep_after_the_beginning,
    ),
];

#[test]
fn images_beside_turns_are_right() {
    CHECKS.iter().for_each(|(_, check)| check());
}

#[test]
fn canary_each_fault_of_an_image_beside_turns_is_caught() {
    injected_fault::each_is_caught(&CHECKS);
}
