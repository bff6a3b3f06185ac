//! The states of the actors in `examples/airline`, field by field. An address is the number that a
//! snapshot has for it. An id is 16 bytes here, and the bytes of a `Uuid` in serde, as there.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;
use vivant_codec::Saved;

type Address = u64;

#[derive(Saved, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Id([u8; 16]);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        struct Bytes;

        impl<'de> Visitor<'de> for Bytes {
            type Value = Id;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("16 bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Id, E> {
                let bytes = bytes.try_into();
                bytes.map(Id).map_err(|_| E::custom("not 16 bytes"))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Id, A::Error> {
                Err(A::Error::custom("not bytes"))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Flight {
    id: Id,
    departure: i64,
    cabin: Cabin,
    seats: BTreeMap<Id, Seat>,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Cabin {
    first: u32,
    economy: u32,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Seat {
    customer: u32,
    class: Class,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
enum Class {
    Economy,
    First,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Customer {
    number: u32,
    password: String,
    profile: Profile,
    bookings: BTreeMap<Id, Booking>,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Profile {
    id: String,
    status: String,
    total_miles: u64,
    miles_ytd: u64,
    address: PostalAddress,
    phone_number: String,
    phone_number_type: String,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct PostalAddress {
    street_address1: String,
    street_address2: Option<String>,
    city: String,
    state_province: String,
    country: String,
    postal_code: String,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Booking {
    leg: Leg,
    made: i64,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Leg {
    facts: FlightFacts,
    flight: Address,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct FlightFacts {
    id: Id,
    segment: usize,
    departure: i64,
    arrival: i64,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Desk {
    number: u16,
    load: u64,
    manager: Option<Address>,
    sessions: Sessions,
}

#[derive(Saved, Serialize, Deserialize, Debug, Default)]
struct Sessions {
    by_id: BTreeMap<Id, Session>,
    by_end: BTreeSet<(Duration, Id)>,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Session {
    customer: u32,
    ends: Duration,
}

/// Without the work that a manager seldom does.
#[derive(Saved, Serialize, Deserialize, Debug)]
pub(crate) struct Manager {
    desks: Vec<Address>,
    directory: Option<Directory>,
    loads: u64,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Directory {
    load: u64,
    timetable: Timetable,
    flights: Vec<Address>,
    customers: Vec<Address>,
}

#[derive(Saved, Serialize, Deserialize, Debug)]
struct Timetable {
    first_day: i32,
    days: usize,
    flights: Vec<FlightFacts>,
}

fn id(rng: &mut fastrand::Rng) -> Id {
    Id(rng.u128(..).to_be_bytes())
}

fn facts(rng: &mut fastrand::Rng) -> FlightFacts {
    let departure = 1_790_000_000_000 + 60_000 * rng.i64(0..20_000);
    FlightFacts {
        id: id(rng),
        segment: rng.usize(0..394),
        departure,
        arrival: departure + rng.i64(3_600_000..40_000_000),
    }
}

/// A flight with some passengers, and one in ten with many.
pub(crate) fn flight(rng: &mut fastrand::Rng) -> Flight {
    let facts = facts(rng);
    let passengers = match rng.u8(0..10) {
        0 => rng.u32(0..200),
        _ => rng.u32(0..20),
    };
    let seat = |_| {
        let class = match rng.u8(0..20) {
            0 => Class::First,
            _ => Class::Economy,
        };
        let customer = rng.u32(0..10_000);
        (id(rng), Seat { customer, class })
    };
    Flight {
        id: facts.id,
        departure: facts.departure,
        cabin: Cabin {
            first: 10,
            economy: 200,
        },
        seats: (0..passengers).map(seat).collect(),
    }
}

/// A customer with the loader's data, and up to three bookings.
pub(crate) fn customer(number: u32, rng: &mut fastrand::Rng) -> Customer {
    let booking = |_| {
        let (facts, flight) = (facts(rng), rng.u64(0..12_000));
        let made = facts.departure - rng.i64(0..400_000_000);
        let leg = Leg { facts, flight };
        (id(rng), Booking { leg, made })
    };
    Customer {
        number,
        password: "password".to_owned(),
        bookings: (0..number % 4).map(booking).collect(),
        profile: Profile {
            id: format!("uid{number}@email.com"),
            status: "GOLD".to_owned(),
            total_miles: 1_000_000,
            miles_ytd: 1_000,
            address: PostalAddress {
                street_address1: "123 Main St.".to_owned(),
                street_address2: None,
                city: "Anytown".to_owned(),
                state_province: "NC".to_owned(),
                country: "USA".to_owned(),
                postal_code: "27617".to_owned(),
            },
            phone_number: "919-123-4567".to_owned(),
            phone_number_type: "BUSINESS".to_owned(),
        },
    }
}

/// A desk with a thousand sessions.
pub(crate) fn desk(number: u16, rng: &mut fastrand::Rng) -> Desk {
    let mut sessions = Sessions::default();
    for _ in 0..1_000 {
        let (id, customer) = (id(rng), rng.u32(0..10_000));
        let ends = Duration::from_nanos(rng.u64(86_400_000_000_000..90_000_000_000_000));
        sessions.by_id.insert(id, Session { customer, ends });
        sessions.by_end.insert((ends, id));
    }
    Desk {
        number,
        load: 1,
        manager: Some(8),
        sessions,
    }
}

/// A manager with the directory of five days and 10,000 customers.
pub(crate) fn manager(rng: &mut fastrand::Rng) -> Manager {
    Manager {
        desks: (0..8).collect(),
        directory: Some(Directory {
            load: 1,
            timetable: Timetable {
                first_day: 20_700,
                days: 5,
                flights: (0..1_970).map(|_| facts(rng)).collect(),
            },
            flights: (9..1_979).collect(),
            customers: (1_979..11_979).collect(),
        }),
        loads: 1,
    }
}
