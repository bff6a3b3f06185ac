//! How long turns wait while an image of their heap is written, and for its beginning.
//!
//! A heap of many boxes is changed at random, turn by turn: each turn writes some boxes, and puts
//! new ones in the place of others. After sixteen turns no message waits, and the heap may go on.
//! The same turns run first without an image, and then with images one after the other.
//!
//! ```text
//! cargo run --release -p vivant-heap --example image_pause [MIB] [IMAGES]
//! ```

#![allow(clippy::print_stdout, reason = "an example says what it measured")]

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use vivant_codec::{Encoder, Saved, to_bytes};
use vivant_heap::{
    Budget, Gc, GcReason, Heap, ImageError, ImageSink, Mut, Object, ObjectCodecs, Pacing,
    PageSource, Root, SpanRecord, StepContext,
};

/// Boxes on a shelf, and shelves in a room.
const SHELF: usize = 128;
const ROOM: usize = 128;

/// Boxes that a turn writes, and boxes that it replaces.
const WRITES: usize = 20;
const REPLACED: usize = 2;

/// Turns until no message waits.
const TURNS: usize = 16;

type Number<'gc> = Gc<'gc, Mut<(u64, u64, u64)>>;

#[derive(Object, Saved)]
struct Shelf<'gc> {
    boxes: Vec<Number<'gc>>,
}

#[derive(Object, Saved)]
struct Room<'gc> {
    shelves: Vec<Gc<'gc, Mut<Shelf<'gc>>>>,
}

struct Shop;

impl Root for Shop {
    type Of<'gc> = Vec<Gc<'gc, Mut<Room<'gc>>>>;
}

fn step(heap: &mut Heap<Shop>, reason: GcReason) {
    let mut budget = Budget::BETWEEN_TURNS;
    let _report = heap.step(&StepContext::UNTIMED, reason, &mut budget);
}

fn shop(source: &Arc<PageSource>, bytes: usize) -> Heap<Shop> {
    let mut heap = Heap::<Shop>::new(source, Pacing::default(), |_| Vec::new());
    while heap.stats().live < bytes {
        heap.turn(|m, rooms| {
            let shelf = |shelf: u64| {
                let boxes = (0..SHELF as u64).map(|n| m.alloc(Mut::new((n, shelf, 0))));
                let boxes = boxes.collect();
                m.alloc(Mut::new(Shelf { boxes }))
            };
            let shelves = (0..ROOM as u64).map(shelf).collect();
            rooms.push(m.alloc(Mut::new(Room { shelves })));
        });
        heap.pace();
    }
    heap.collect();
    heap.sweep();
    heap
}

fn change(heap: &mut Heap<Shop>, random: &mut fastrand::Rng) {
    heap.turn(|m, rooms| {
        let mut shelf = || {
            let room = rooms[random.usize(..rooms.len())].borrow();
            room.shelves[random.usize(..ROOM)]
        };
        for write in 0..WRITES {
            let one = shelf().borrow().boxes[(write * 37) % SHELF];
            one.borrow_mut(m).2 += 1;
        }
        for number in 0..REPLACED {
            let new = m.alloc(Mut::new((number as u64, 7, 0)));
            shelf().borrow_mut(m).boxes[number] = new;
        }
    });
    if heap.needs_step(1) {
        step(heap, GcReason::TurnEnd);
    }
}

/// Gives the spans to a thread, which encodes them as a file would have them.
struct Writer {
    spans: mpsc::Sender<Vec<SpanRecord>>,
    batch: Vec<SpanRecord>,
    held: Arc<AtomicUsize>,
}

/// Spans that are given to the thread at once.
const BATCH: usize = 64;

impl ImageSink for Writer {
    fn encoder(&mut self, encode: &mut dyn FnMut(&Encoder<'_>)) {
        encode(&Encoder::new());
    }

    fn span(&mut self, record: SpanRecord) {
        self.held.fetch_add(record.bytes(), Ordering::Relaxed);
        self.batch.push(record);
        if self.batch.len() == BATCH {
            let batch = std::mem::take(&mut self.batch);
            self.spans.send(batch).expect("the thread receives");
        }
    }

    fn ended(self: Box<Self>, result: Result<(), ImageError>) {
        if let Err(error) = result {
            println!("given up: {error}");
        }
        self.spans.send(self.batch).expect("the thread receives");
    }
}

/// Times in nanoseconds.
#[derive(Default)]
struct Times(Vec<u64>);

impl Times {
    fn add(&mut self, took: Duration) {
        self.0.push(took.as_nanos() as u64);
    }

    fn line(&mut self) -> String {
        self.0.sort_unstable();
        let at = |part: f64| {
            let place = ((self.0.len() - 1) as f64 * part) as usize;
            self.0[place] as f64 / 1000.0
        };
        let mean = self.0.iter().sum::<u64>() as f64 / self.0.len() as f64 / 1000.0;
        format!(
            "mean {mean:.2} µs, p50 {:.2}, p99 {:.1}, p99.9 {:.1}, p99.99 {:.1}, longest {:.1} of {}",
            at(0.5),
            at(0.99),
            at(0.999),
            at(0.9999),
            at(1.0),
            self.0.len()
        )
    }
}

/// One round of turns, and what may come when no message waits.
fn round(heap: &mut Heap<Shop>, random: &mut fastrand::Rng, times: &mut Times) {
    for turn in 0..TURNS {
        let began = Instant::now();
        change(heap, random);
        if turn + 1 == TURNS {
            step(heap, GcReason::Continue);
        }
        times.add(began.elapsed());
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| {
        let next = arguments.next();
        next.map_or(default, |it| it.parse().expect("a number"))
    };
    let (mib, images) = (number(256), number(3));
    let source = Arc::new(PageSource::new());
    let mut heap = shop(&source, mib << 20);
    let mut random = fastrand::Rng::with_seed(1);
    let mut codecs = ObjectCodecs::new();
    codecs.add(<Vec<Gc<'_, Mut<Room<'_>>>>>::SHAPE);
    let codecs = Arc::new(codecs);
    let (mut warm, mut without) = (Times::default(), Times::default());
    for _ in 0..500 {
        round(&mut heap, &mut random, &mut warm);
    }
    let pages = source.stats().pages;
    for image in 0..images {
        let held = Arc::new(AtomicUsize::new(0));
        let (spans, received) = mpsc::channel::<Vec<SpanRecord>>();
        let taken = held.clone();
        let writer = thread::spawn(move || {
            let mut bytes = 0;
            for record in received.into_iter().flatten() {
                bytes += to_bytes(&record).expect("a span is saved").len();
                taken.fetch_sub(record.bytes(), Ordering::Relaxed);
            }
            bytes
        });
        let sink = Writer {
            spans,
            batch: Vec::new(),
            held: held.clone(),
        };
        let began = Instant::now();
        heap.begin_image(codecs.clone(), Box::new(sink), |state| {
            black_box(to_bytes(state).expect("a state is saved"));
        });
        let begin = began.elapsed();
        let (mut with, mut most_held, mut rounds) = (Times::default(), 0, 0);
        while heap.is_imaging() {
            round(&mut heap, &mut random, &mut with);
            most_held = most_held.max(held.load(Ordering::Relaxed));
            rounds += 1;
        }
        let took = began.elapsed();
        let bytes = writer.join().expect("no panic");
        let began = Instant::now();
        for _ in 0..rounds {
            round(&mut heap, &mut random, &mut without);
        }
        println!(
            "image {image}: begun in {begin:.1?}, written in {took:.2?} ({} MB, {:.0} MB/s; {rounds} rounds, without {:.2?}), most held {} MB",
            bytes / 1_000_000,
            bytes as f64 / 1e6 / took.as_secs_f64(),
            began.elapsed(),
            most_held / 1_000_000
        );
        println!("  with    {}", with.line());
        println!("  without {}", without.line());
        without = Times::default();
    }
    let most = source.stats().pages;
    println!(
        "live {} MiB, pages {pages} before, {most} after",
        heap.stats().live >> 20
    );
    // The same times, of nothing.
    let mut nothing = Times::default();
    for _ in 0..200_000 {
        let began = Instant::now();
        black_box(&heap);
        thread::yield_now();
        nothing.add(began.elapsed());
    }
    println!("  nothing {}", nothing.line());
}
