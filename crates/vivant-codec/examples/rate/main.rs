//! The rate of this codec beside that of postcard with serde, on states of an airline.
//!
//! `cargo run --release -p vivant-codec --example rate [ROUNDS]`. Rounds alternate, so that both
//! meet the same machine; the medians count.
//!
//! - [`airline`]: the states of the actors in `examples/airline`, field by field.
//! - [`tickets`]: larger ones, with more texts.

#![allow(clippy::print_stdout)]

mod airline;
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
        seconds[0].push(time(|| {
            for state in states {
                black_box(vivant_codec::to_bytes(black_box(state)).expect("saved"));
            }
        }));
        seconds[1].push(time(|| {
            for state in states {
                black_box(postcard::to_allocvec(black_box(state)).expect("serialised"));
            }
        }));
        seconds[2].push(time(|| {
            buffer.clear();
            let mut out = Encoder::new().append_to(std::mem::take(&mut buffer));
            black_box(states)
                .iter()
                .for_each(|state| state.save(&mut out));
            buffer = out.finish().expect("saved");
        }));
        seconds[3].push(time(|| {
            buffer.clear();
            for state in black_box(states) {
                let bytes = std::mem::take(&mut buffer);
                buffer = postcard::to_extend(state, bytes).expect("serialised");
            }
        }));
        seconds[4].push(time(|| {
            for bytes in &ours {
                let mut input = Decoder::new(black_box(bytes));
                black_box(T::load(&mut input).expect("loaded"));
            }
        }));
        seconds[5].push(time(|| {
            for bytes in &theirs {
                black_box(postcard::from_bytes::<T>(black_box(bytes)).expect("deserialised"));
            }
        }));
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
            "  {name:34} {:10.1} {:10.1} {:6.2}",
            pair[0],
            pair[1],
            pair[0] / pair[1]
        );
    }
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .map_or(51, |text| text.parse().expect("a number of rounds"));
    let mut rng = fastrand::Rng::with_seed(7);
    println!("{rounds} rounds, medians in thousands of states a second");
    println!(
        "  {:34} {:>10} {:>10} {:>6}",
        "", "vivant", "postcard", "ratio"
    );
    let flights: Vec<_> = (0..2_000).map(|_| airline::flight(&mut rng)).collect();
    measure("flights of the airline", &flights, rounds);
    let customers: Vec<_> = (0..10_000)
        .map(|number| airline::customer(number, &mut rng))
        .collect();
    measure("customers of the airline", &customers, rounds);
    let desks: Vec<_> = (0..8)
        .map(|number| airline::desk(number, &mut rng))
        .collect();
    measure("desks of the airline", &desks, rounds);
    measure("managers", &[airline::manager(&mut rng)], rounds);
    let flights: Vec<_> = (0..400).map(|_| tickets::flight(&mut rng)).collect();
    measure("flights with tickets", &flights, rounds);
}
