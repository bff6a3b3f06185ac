//! The rate of this codec beside that of postcard with serde, on states like those of an airline.
//!
//! `cargo run --release -p vivant-codec --example rate [ROUNDS]`. Both write the same bytes. Rounds
//! alternate, so that both meet the same machine; the medians count.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;
use vivant_codec::{Decoder, Encoder, Saved};

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Flight {
    number: String,
    from: String,
    to: String,
    /// Seconds since 1970.
    departs: i64,
    arrives: i64,
    seats: Vec<Seat>,
    prices: BTreeMap<String, u32>,
    bookings: BTreeMap<u64, Booking>,
    is_open: bool,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Seat {
    row: u16,
    letter: char,
    class: Class,
    taken_by: Option<u64>,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
enum Class {
    Economy,
    Business { lounge: bool },
    First,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Booking {
    customer: Customer,
    paid: u64,
    made: i64,
    luggage: Vec<u32>,
    fee: f64,
}

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
struct Customer {
    name: String,
    email: String,
    miles: u64,
    language: Option<String>,
}

fn flight(rng: &mut fastrand::Rng) -> Flight {
    let code = |rng: &mut fastrand::Rng| -> String { (0..3).map(|_| rng.uppercase()).collect() };
    let name = |rng: &mut fastrand::Rng, most: usize| -> String {
        (0..rng.usize(4..most)).map(|_| rng.lowercase()).collect()
    };
    let departs = 1_790_000_000 + rng.i64(0..10_000_000);
    let seats = (1..=30).flat_map(|row| ('A'..='F').map(move |letter| (row, letter)));
    Flight {
        number: format!("VV{}", rng.u16(100..9999)),
        from: code(rng),
        to: code(rng),
        departs,
        arrives: departs + rng.i64(3_000..40_000),
        seats: seats
            .map(|(row, letter)| Seat {
                row,
                letter,
                class: match row {
                    1..3 => Class::First,
                    3..8 => Class::Business { lounge: rng.bool() },
                    _ => Class::Economy,
                },
                taken_by: rng.bool().then(|| rng.u64(..)),
            })
            .collect(),
        prices: (0..4)
            .map(|_| (name(rng, 9), rng.u32(5_000..200_000)))
            .collect(),
        bookings: (0..90)
            .map(|_| {
                let booking = Booking {
                    customer: Customer {
                        name: name(rng, 20),
                        email: format!("{}@example.org", name(rng, 12)),
                        miles: rng.u64(0..1_000_000),
                        language: rng.bool().then(|| "de".to_owned()),
                    },
                    paid: rng.u64(5_000..200_000),
                    made: departs - rng.i64(0..5_000_000),
                    luggage: (0..rng.usize(0..3))
                        .map(|_| rng.u32(5_000..32_000))
                        .collect(),
                    fee: rng.f64() * 20.0,
                };
                (rng.u64(..), booking)
            })
            .collect(),
        is_open: true,
    }
}

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

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .map_or(51, |text| text.parse().expect("a number of rounds"));
    let mut rng = fastrand::Rng::with_seed(7);
    let flights: Vec<Flight> = (0..400).map(|_| flight(&mut rng)).collect();
    let bytes = vivant_codec::to_bytes(&flights).expect("flights can be saved");
    assert_eq!(
        bytes,
        postcard::to_allocvec(&flights).expect("flights can be serialised")
    );

    let mut seconds: [Vec<f64>; 6] = Default::default();
    let mut buffer = Vec::with_capacity(bytes.len());
    for _ in 0..rounds {
        seconds[0].push(time(|| {
            for flight in &flights {
                black_box(vivant_codec::to_bytes(black_box(flight)).expect("saved"));
            }
        }));
        seconds[1].push(time(|| {
            for flight in &flights {
                black_box(postcard::to_allocvec(black_box(flight)).expect("serialised"));
            }
        }));
        seconds[2].push(time(|| {
            buffer.clear();
            let mut out = Encoder::new().append_to(std::mem::take(&mut buffer));
            black_box(&flights).save(&mut out);
            buffer = out.finish().expect("saved");
        }));
        seconds[3].push(time(|| {
            buffer.clear();
            buffer = postcard::to_extend(black_box(&flights), std::mem::take(&mut buffer))
                .expect("serialised");
        }));
        seconds[4].push(time(|| {
            let mut input = Decoder::new(black_box(&bytes));
            black_box(Vec::<Flight>::load(&mut input).expect("loaded"));
        }));
        seconds[5].push(time(|| {
            black_box(
                postcard::from_bytes::<Vec<Flight>>(black_box(&bytes)).expect("deserialised"),
            );
        }));
    }
    let rates = seconds.map(|seconds| bytes.len() as f64 / median(seconds) / 1e6);
    println!(
        "{} flights, {} bytes, {rounds} rounds, medians in MB/s",
        flights.len(),
        bytes.len()
    );
    println!("{:34} {:>8} {:>9} {:>6}", "", "vivant", "postcard", "ratio");
    let names = [
        "encode, a new buffer for each",
        "encode, one buffer for all",
        "decode",
    ];
    for (name, pair) in names.iter().zip(rates.chunks(2)) {
        println!(
            "{name:34} {:8.0} {:9.0} {:6.2}",
            pair[0],
            pair[1],
            pair[0] / pair[1]
        );
    }
}
