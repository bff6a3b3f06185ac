//! The checks of images of heaps that share find the faults that they are for.

use super::named_heaps::NamedHeaps;
use super::object_codec::ObjectCodecs;
use super::restored_heaps::{HeapNumbers, HeapSpans, RestoredHeaps};
use super::span_record::SpanRecord;
use crate::injected_fault::{self, InjectedFault};
use crate::{CountVerifier, Heap, Pacing, PageSource, Parcel, Phases, Root, Val};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant_codec::{Comparison, Encoder, Saved, Shapes};

/// An object that refers to a text.
type Page<'gc> = Val<'gc, Option<Val<'gc, str>>>;

struct Pages;

impl Root for Pages {
    type Of<'gc> = Vec<Page<'gc>>;
}

/// Two heaps: the second has a page of the first.
fn two(source: &Arc<PageSource>) -> [Heap<Pages>; 2] {
    let heap = || Heap::<Pages>::new(source, Pacing::new(), |_| Vec::new());
    let (mut owner, mut reader) = (heap(), heap());
    let parcel: Parcel<Page<'static>> = owner.turn(|m, pages| {
        let page = m.val(Some(m.val_str("rain")));
        pages.push(page);
        m.pack(page)
    });
    reader.turn(|m, pages| pages.push(m.unpack(parcel)));
    [owner, reader]
}

fn saved(
    heap: &mut Heap<Pages>,
    source: &PageSource,
    codecs: &ObjectCodecs,
) -> (Vec<u8>, Vec<SpanRecord>) {
    let named = NamedHeaps::new(source);
    let contexts: [&dyn Any; 1] = [&named];
    let (own, mut spans) = (heap.saved_heap(), Vec::new());
    let encoder = Encoder::new().with_contexts(&contexts);
    let save = |state: &Vec<Page<'_>>| {
        let mut out = Encoder::new().with_contexts(&contexts);
        out.in_context(&own, |out| state.save(out));
        out.finish().expect("pages are saved")
    };
    let state = heap.save(codecs, &encoder, save, &mut |span| spans.push(span));
    (state.expect("a heap is saved"), spans)
}

/// Two heaps, as they are after a restore.
fn restored(source: &Arc<PageSource>) -> Vec<Heap<Pages>> {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<Vec<Page<'static>> as Saved<'static>>::SHAPE);
    let mut shapes = Shapes::default();
    let objects = codecs
        .shapes()
        .map(|it| shapes.add(it).expect("few shapes"));
    let objects: Vec<_> = objects.collect();
    let comparison = Comparison::new(&shapes);
    let mut heaps = two(source);
    let saved = heaps.each_mut().map(|heap| {
        let (state, spans) = saved(heap, source, &codecs);
        (heap.number(), state, spans)
    });
    // The reader comes first: it has the page made.
    let [owner, reader] = saved;
    let saved = [reader, owner];
    let spans = saved.each_ref().map(|(number, _, spans)| HeapSpans {
        number: *number,
        pacing: Pacing::new(),
        spans: spans.clone(),
        watches: Vec::new(),
    });
    let types = (&comparison, &objects[..]);
    let restored = RestoredHeaps::new(source, types, HeapNumbers::New, spans);
    let restored = restored.expect("heaps");
    let states = saved.map(|(number, state, _)| {
        let load =
            restored.state::<Pages>(number, &[], |decoder| Saved::load(&mut decoder.of(&state)));
        load.expect("a state")
    });
    let mut heaps = restored.finish(&[]).expect("all is loaded");
    states.map(|state| heaps.heap(state, None)).into()
}

/// S14: a restored heap counts what it has of another.
fn foreign_objects_are_counted() {
    let source = Arc::new(PageSource::new());
    let mut verifier = CountVerifier::default();
    let mut heaps = restored(&source);
    heaps[1].turn(|_, pages| pages.clear());
    heaps[1].collect();
    for heap in &mut heaps {
        verifier.heap(heap).expect("a heap");
    }
    verifier.check().expect("the counts agree");
}

/// What an object of another heap refers to lies in that heap.
fn names_are_those_of_their_heap() {
    let source = Arc::new(PageSource::new());
    let [mut reader, mut owner] = <[_; 2]>::try_from(restored(&source)).expect("two heaps");
    let text = |heap: &mut Heap<Pages>| {
        heap.turn(|_, pages| {
            let text = pages[0].expect("it has a text");
            (text.to_string(), std::ptr::from_ref(&*text).addr())
        })
    };
    assert_eq!(text(&mut reader), text(&mut owner), "one object");
}

#[derive(Debug, Default)]
struct Counter(AtomicU64);

impl Phases for Counter {
    fn phase(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// S15: a heap keeps what a heap of a later phase has released.
fn releases_wait_for_the_phase() {
    let source = Arc::new(PageSource::new());
    let phases = Arc::new(Counter::default());
    source.set_phases(phases.clone());
    let [mut owner, mut reader] = two(&source);
    owner.turn(|_, pages| pages.clear());
    phases.0.store(1, Ordering::Relaxed);
    reader.enter_phase(1);
    reader.turn(|_, pages| pages.clear());
    reader.collect();
    owner.collect();
    owner.sweep();
    assert_eq!(owner.exports(), 1, "the image of the reader names it");
    let mut verifier = CountVerifier::default();
    for heap in [&mut owner, &mut reader] {
        verifier.heap(heap).expect("a heap");
    }
    verifier.check().expect("the counts agree");
    owner.enter_phase(1);
    owner.collect();
    owner.sweep();
    assert_eq!((owner.exports(), owner.stats().live), (0, 0));
}

const CHECKS: [(InjectedFault, fn()); 3] = [
    (InjectedFault::UncountedForeign, foreign_objects_are_counted),
    (InjectedFault::StaysInHeap, names_are_those_of_their_heap),
    (InjectedFault::EarlyRelease, releases_wait_for_the_phase),
];

#[test]
fn images_of_sharing_heaps_are_right() {
    CHECKS.iter().for_each(|(_, check)| check());
}

#[test]
fn canary_each_fault_of_sharing_heaps_is_caught() {
    injected_fault::each_is_caught(&CHECKS);
}
