//! The rate of this codec beside that of postcard with serde, on states of an airline.
//!
//! `cargo run --release -p vivant-codec --example rate [ROUNDS [STATES]]`. Rounds alternate, so
//! both meet the same machine; the medians count. Where others use the machine too, the numbers of
//! instructions are exact: `valgrind --tool=callgrind rate 1 customers` counts them, and
//! `callgrind_annotate --inclusive=yes` prints those of `encode`, `encode_postcard` and so on.
//!
//! - [`airline`]: the states of the actors in `examples/airline`, field by field.
//! - [`tickets`]: larger ones, with more texts.
//! - [`hashed`]: a hash map, which is sorted here, and not in serde.

#![allow(clippy::print_stdout)]

mod airline;
mod hashed;
mod tickets;

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hint::black_box;
use std::time::Instant;
use vivant_codec::{Decoder, Encoder, Saved};

/// Seconds of one round.
fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What is timed, by turns.
const NAMES: [&str; 3] = [
    "encode, a new buffer for each",
    "encode, one buffer for all",
    "decode",
];

// Each is a function of its own, of which a profiler counts the instructions.

#[inline(never)]
fn encode<T: for<'gc> Saved<'gc>>(states: &[T]) {
    for state in states {
        black_box(vivant_codec::to_bytes(black_box(state)).expect("saved"));
    }
}

#[inline(never)]
fn encode_postcard<T: Serialize>(states: &[T]) {
    for state in states {
        black_box(postcard::to_allocvec(black_box(state)).expect("serialised"));
    }
}

#[inline(never)]
fn append<T: for<'gc> Saved<'gc>>(states: &[T], buffer: Vec<u8>) -> Vec<u8> {
    let mut out = Encoder::new().append_to(buffer);
    black_box(states)
        .iter()
        .for_each(|state| state.save(&mut out));
    out.finish().expect("saved")
}

#[inline(never)]
fn append_postcard<T: Serialize>(states: &[T], mut buffer: Vec<u8>) -> Vec<u8> {
    for state in black_box(states) {
        buffer = postcard::to_extend(state, buffer).expect("serialised");
    }
    buffer
}

#[inline(never)]
fn decode<T: for<'gc> Saved<'gc>>(states: &[Vec<u8>]) {
    for bytes in states {
        let mut input = Decoder::new(black_box(bytes));
        black_box(T::load(&mut input).expect("loaded"));
    }
}

#[inline(never)]
fn decode_postcard<T: DeserializeOwned>(states: &[Vec<u8>]) {
    for bytes in states {
        black_box(postcard::from_bytes::<T>(black_box(bytes)).expect("deserialised"));
    }
}

/// Measures both codecs on these states, and prints the medians.
fn measure<T>(what: &str, states: &[T], rounds: usize)
where
    T: for<'gc> Saved<'gc> + Serialize + DeserializeOwned,
{
    let ours: Vec<Vec<u8>> = (states.iter())
        .map(|state| vivant_codec::to_bytes(state).expect("saved"))
        .collect();
    let theirs: Vec<Vec<u8>> = (states.iter())
        .map(|state| postcard::to_allocvec(state).expect("serialised"))
        .collect();
    let bytes: usize = ours.iter().map(Vec::len).sum();
    let their_bytes: usize = theirs.iter().map(Vec::len).sum();
    assert!(
        bytes * 10 <= their_bytes * 11,
        "more than a tenth above postcard's bytes"
    );

    let mut seconds: [Vec<f64>; 6] = Default::default();
    let mut buffer = Vec::with_capacity(bytes.max(their_bytes));
    for _ in 0..rounds {
        seconds[0].push(time(|| encode(states)));
        seconds[1].push(time(|| encode_postcard(states)));
        buffer.clear();
        seconds[2].push(time(|| {
            buffer = append(states, std::mem::take(&mut buffer));
        }));
        buffer.clear();
        seconds[3].push(time(|| {
            buffer = append_postcard(states, std::mem::take(&mut buffer));
        }));
        seconds[4].push(time(|| decode::<T>(&ours)));
        seconds[5].push(time(|| decode_postcard::<T>(&theirs)));
    }
    // Per state: the codecs may differ in bytes.
    let rates = seconds.map(|seconds| states.len() as f64 / median(seconds) / 1e3);
    println!(
        "{} {what}, {bytes} bytes, postcard {their_bytes}: {:.3}",
        states.len(),
        bytes as f64 / their_bytes as f64
    );
    for (name, pair) in NAMES.iter().zip(rates.chunks(2)) {
        println!(
            "  {name:34} {:10.3} {:10.3} {:6.2}",
            pair[0],
            pair[1],
            pair[0] / pair[1]
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = (arguments.next()).map_or(51, |text| text.parse().expect("a number of rounds"));
    let what = arguments.next();
    let is_asked = |name: &str| what.as_deref().is_none_or(|what| what == name);
    let mut rng = fastrand::Rng::with_seed(7);
    println!("{rounds} rounds, medians in thousands of states a second");
    println!(
        "  {:34} {:>10} {:>10} {:>6}",
        "", "vivant", "postcard", "ratio"
    );
    let flights: Vec<_> = (0..2_000).map(|_| airline::flight(&mut rng)).collect();
    if is_asked("flights") {
        measure("flights of the airline", &flights, rounds);
    }
    let customers: Vec<_> = (0..10_000)
        .map(|number| airline::customer(number, &mut rng))
        .collect();
    if is_asked("customers") {
        measure("customers of the airline", &customers, rounds);
    }
    let desks: Vec<_> = (0..8)
        .map(|number| airline::desk(number, &mut rng))
        .collect();
    if is_asked("desks") {
        measure("desks of the airline", &desks, rounds);
    }
    let manager = airline::manager(&mut rng);
    if is_asked("managers") {
        measure("managers", &[manager], rounds);
    }
    let tickets: Vec<_> = (0..400).map(|_| tickets::flight(&mut rng)).collect();
    if is_asked("tickets") {
        measure("flights with tickets", &tickets, rounds);
    }
    if is_asked("hashed") {
        measure("hash maps", &[hashed::pairs(&mut rng)], rounds);
        measure("hash maps by text", &[hashed::texts()], rounds);
    }
}
