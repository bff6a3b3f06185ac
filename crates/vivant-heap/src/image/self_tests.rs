//! The checks of images find the faults that they are for.

use super::heap_image::HeapImage;
use super::object_codec::ObjectCodecs;
use super::span_record::SpanRecord;
use crate::injected_fault::{self, InjectedFault};
use crate::{Gc, Heap, Mut, Pacing, PageSource, Root, Val};
use std::sync::Arc;
use vivant_codec::{Comparison, Encoder, LoadError, Saved, Shapes, to_bytes};

struct Numbers;

impl Root for Numbers {
    type Of<'gc> = Vec<Gc<'gc, Mut<u64>>>;
}

/// Numbers of one sign beside those of the other.
struct Both;

impl Root for Both {
    type Of<'gc> = (Gc<'gc, Mut<u64>>, Gc<'gc, Mut<i64>>);
}

fn numbers(source: &Arc<PageSource>, count: u64) -> Heap<Numbers> {
    Heap::new(source, Pacing::new(), |m| {
        (0..count).map(|number| m.alloc(Mut::new(number))).collect()
    })
}

fn codecs() -> ObjectCodecs {
    let mut codecs = ObjectCodecs::new();
    codecs.add(<(Gc<'_, Mut<u64>>, Gc<'_, Mut<i64>>)>::SHAPE);
    codecs
}

/// The encoded state, and the spans.
fn saved(heap: &mut Heap<Numbers>) -> (Vec<u8>, Vec<SpanRecord>) {
    let mut spans = Vec::new();
    let state = heap.save(
        &codecs(),
        &Encoder::new(),
        |numbers| to_bytes(numbers).expect("numbers are saved"),
        &mut |span| spans.push(span),
    );
    (state.expect("a heap is saved"), spans)
}

fn restored<R: Root>(
    spans: Vec<SpanRecord>,
    source: &Arc<PageSource>,
    state: impl for<'gc> FnMut(&super::HeapDecoder<'gc, '_>) -> Result<R::Of<'gc>, LoadError>,
) -> Result<Heap<R>, LoadError> {
    let mut shapes = Shapes::default();
    let codecs = codecs();
    let objects = codecs.shapes().map(|shape| shapes.add(shape));
    let objects: Result<Vec<_>, _> = objects.collect();
    let image = HeapImage {
        spans,
        objects: &objects.expect("few shapes"),
        comparison: &Comparison::new(&shapes),
    };
    Heap::restore(source, Pacing::new(), None, image, &[], state)
}

/// S6: of spans that are not swept, what is marked is saved.
fn dead_objects_are_not_saved() {
    let mut heap = numbers(&Arc::new(PageSource::new()), 10_000);
    heap.collect();
    heap.turn(|_, numbers| numbers.truncate(5_000));
    heap.collect();
    assert!(
        heap.stats().unswept > 0,
        "the test is of spans that are not swept"
    );
    let (_, spans) = saved(&mut heap);
    let objects: usize = spans.iter().map(SpanRecord::objects).sum();
    assert_eq!(objects, 5_000);
}

/// S3: an object is named as one of another type.
fn an_object_of_two_types_is_refused() {
    let source = Arc::new(PageSource::new());
    let (state, spans) = saved(&mut numbers(&source, 1));
    // The state is a number of elements, and one name.
    let both = [&state[1..], &state[1..]].concat();
    let restored = restored::<Both>(spans, &source, |decoder| {
        Saved::load(&mut decoder.of(&both))
    });
    assert!(restored.is_err(), "one object, two types");
}

/// S2: each object has its content at the end.
fn all_objects_are_filled() {
    let source = Arc::new(PageSource::new());
    let (state, spans) = saved(&mut numbers(&source, 100));
    let restored = restored::<Numbers>(spans, &source, |decoder| {
        Saved::load(&mut decoder.of(&state))
    });
    restored.expect("a heap").turn(|_, numbers| {
        for (number, one) in numbers.iter().enumerate() {
            assert_eq!(one.try_borrow().map(|it| *it).ok(), Some(number as u64));
        }
    });
}

struct Texts;

impl Root for Texts {
    type Of<'gc> = Vec<Val<'gc, str>>;
}

/// S14: an object of another heap is not named as an own one.
fn foreign_objects_are_refused() {
    let source = Arc::new(PageSource::new());
    let [mut owner, mut heap] =
        [(); 2].map(|()| Heap::<Texts>::new(&source, Pacing::new(), |_| Vec::new()));
    let parcel = owner.turn(|m, _| m.pack::<Val<'static, str>>(m.val_str("rain")));
    heap.turn(|m, texts| texts.push(m.unpack(parcel)));
    let saved = heap.saved_heap();
    let state = heap.turn(|_, texts| {
        let mut out = Encoder::new();
        out.in_context(&saved, |out| texts.save(out));
        out.finish()
    });
    assert!(state.is_err(), "a foreign object as an own one");
}

const CHECKS: [(InjectedFault, fn()); 4] = [
    (InjectedFault::ForeignAsOwn, foreign_objects_are_refused),
    (InjectedFault::SavedDead, dead_objects_are_not_saved),
    (InjectedFault::AnyType, an_object_of_two_types_is_refused),
    (InjectedFault::Unfilled, all_objects_are_filled),
];

#[test]
fn images_are_right() {
    CHECKS.iter().for_each(|(_, check)| check());
}

#[test]
fn canary_each_fault_of_an_image_is_caught() {
    injected_fault::each_is_caught(&CHECKS);
}
