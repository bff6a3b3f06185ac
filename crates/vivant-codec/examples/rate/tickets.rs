//! Flights with all that their tickets say: texts, rows of seats, prices, and the customers
//! themselves. Large states of many types.

use std::collections::BTreeMap;
use vivant_codec::Saved;

#[derive(Saved, serde::Serialize, serde::Deserialize, PartialEq, Debug)]
pub(crate) struct Flight {
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

pub(crate) fn flight(rng: &mut fastrand::Rng) -> Flight {
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
