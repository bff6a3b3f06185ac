//! How long it takes to save a heap of many boxes, and to restore it; beside the same values as
//! plain Rust values.
//!
//! ```text
//! cargo run --release -p vivant-heap --example image_rate [BOXES] [ROUNDS]
//! ```

#![allow(clippy::print_stdout, reason = "an example says what it measured")]

use std::sync::Arc;
use std::time::{Duration, Instant};
use vivant_codec::{Comparison, Encoder, Saved, ShapeId, Shapes, from_bytes, to_bytes};
use vivant_heap::{
    Gc, Heap, HeapImage, Mut, Object, ObjectCodecs, Pacing, PageSource, Root, SpanRecord,
};

/// Boxes on a shelf.
const SHELF: usize = 128;

/// Boxes that are made in one turn.
const TURN: usize = 10_000;

#[derive(Object, Saved)]
struct Shelf<'gc> {
    boxes: Vec<Gc<'gc, Mut<(u64, u64)>>>,
}

struct Shop;

impl Root for Shop {
    type Of<'gc> = Vec<Gc<'gc, Mut<Shelf<'gc>>>>;
}

type State = Vec<Gc<'static, Mut<Shelf<'static>>>>;

/// The same without a heap.
type Plain = Vec<Vec<Box<(u64, u64)>>>;

/// The numbers of the shelves on which boxes are put, in the order in which these are made.
fn order(boxes: usize, is_shuffled: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..boxes).map(|number| number / SHELF).collect();
    if is_shuffled {
        fastrand::Rng::with_seed(1).shuffle(&mut order);
    }
    order
}

fn shop(source: &Arc<PageSource>, order: &[usize]) -> Heap<Shop> {
    let shelves = order.len().div_ceil(SHELF);
    let mut heap = Heap::<Shop>::new(source, Pacing::default(), |m| {
        let shelf = |_| {
            let boxes = Vec::with_capacity(SHELF);
            m.alloc(Mut::new(Shelf { boxes }))
        };
        (0..shelves).map(shelf).collect()
    });
    for (turn, part) in order.chunks(TURN).enumerate() {
        heap.turn(|m, state| {
            for (number, &shelf) in part.iter().enumerate() {
                let values = ((turn * TURN + number) as u64, number as u64);
                let one = m.alloc(Mut::new(values));
                state[shelf].borrow_mut(m).boxes.push(one);
            }
        });
        heap.pace();
    }
    heap.collect();
    heap
}

/// A heap as a file has it.
struct Saves {
    spans: Vec<Vec<u8>>,
    state: Vec<u8>,
}

fn save(heap: &mut Heap<Shop>, codecs: &ObjectCodecs) -> Saves {
    let mut spans = Vec::new();
    let state = heap.save(
        codecs,
        &Encoder::new(),
        |state| to_bytes(state).expect("a state is saved"),
        &mut |span| spans.push(to_bytes(&span).expect("a span is saved")),
    );
    let state = state.expect("a heap is saved");
    Saves { spans, state }
}

fn restore(
    saved: &Saves,
    source: &Arc<PageSource>,
    shapes: &Shapes,
    objects: &[ShapeId],
) -> Heap<Shop> {
    let comparison = Comparison::new(shapes);
    let spans = saved.spans.iter();
    let spans: Result<Vec<SpanRecord>, _> = spans.map(|span| from_bytes(span)).collect();
    let image = HeapImage {
        spans: spans.expect("they are spans"),
        objects,
        comparison: &comparison,
    };
    let heap = Heap::restore(source, Pacing::default(), None, image, &[], |decoder| {
        Saved::load(&mut decoder.of(&saved.state))
    });
    heap.expect("it is a heap")
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed())
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .map(|arg| arg.parse().expect("a number"));
    let boxes = args.next().unwrap_or(1_000_000);
    let rounds = args.next().unwrap_or(3);
    let mut codecs = ObjectCodecs::new();
    codecs.add(<State as Saved<'static>>::SHAPE);
    let mut shapes = Shapes::default();
    let objects = codecs
        .shapes()
        .map(|shape| shapes.add(shape).expect("few shapes"));
    let objects: Vec<ShapeId> = objects.collect();
    for is_shuffled in [false, true] {
        let order = order(boxes, is_shuffled);
        let source = Arc::new(PageSource::new());
        let mut heap = shop(&source, &order);
        let live = heap.stats().live;
        let mut plain: Plain = vec![Vec::new(); order.len().div_ceil(SHELF)];
        for (number, &shelf) in order.iter().enumerate() {
            plain[shelf].push(Box::new((number as u64, (number % TURN) as u64)));
        }
        for _ in 0..rounds {
            let (saved, saving) = timed(|| save(&mut heap, &codecs));
            let bytes: usize = saved.spans.iter().map(Vec::len).sum();
            let target = Arc::new(PageSource::new());
            let (restored, restoring) = timed(|| restore(&saved, &target, &shapes, &objects));
            assert_eq!(restored.stats().live, live, "not all objects are back");
            drop((restored, saved));
            let (encoded, encoding) = timed(|| to_bytes(&plain).expect("it is saved"));
            let (decoded, decoding) = timed(|| from_bytes::<Plain>(&encoded).expect("it is one"));
            assert_eq!(decoded.len(), plain.len());
            println!(
                "{boxes} boxes, {}: save {saving:.2?}, restore {restoring:.2?}, {} MB; plain values: \
                 encode {encoding:.0?}, decode {decoding:.0?}, {} MB",
                if is_shuffled { "shuffled" } else { "in order" },
                bytes >> 20,
                encoded.len() >> 20,
            );
        }
    }
}
