//! Flights: an actor for each, because customers compete for seats.

use crate::data::Moment;
use crate::id::Id;
use serde::Serialize;
use std::collections::BTreeMap;
use vivant::Saved;
use vivant::prelude::*;

/// The number of seats of each class in an aeroplane.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cabin {
    /// Seats in the first class.
    pub first: u32,
    /// Seats in the economy class.
    pub economy: u32,
}

impl Cabin {
    /// The Boeing 747 of Acme Air.
    pub const B747: Cabin = Cabin {
        first: 10,
        economy: 200,
    };

    /// All seats.
    pub fn seats(self) -> u32 {
        self.first + self.economy
    }
}

/// The class of a passenger's seat.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// In the back, as long as there are seats.
    Economy,
    /// The front: sold when the back is full, so no passenger is refused while a seat is free.
    First,
}

/// Why a flight has no seat for a passenger.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSeat {
    /// All are taken.
    SoldOut,
    /// It has left.
    Departed,
}

/// Seats that are still free.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SeatsLeft {
    /// In the first class.
    #[serde(rename = "firstClassSeatsLeft")]
    pub first: u32,
    /// In the economy class.
    #[serde(rename = "economyClassSeatsLeft")]
    pub economy: u32,
}

/// A flight's offer.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Availability {
    /// The seats it has.
    pub cabin: Cabin,
    /// Those that are free.
    pub left: SeatsLeft,
}

/// Whether there was a seat to give back.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// There was, and it is free again.
    Freed,
    /// The booking had no seat here.
    HadNone,
}

/// One flight: its seats and their passengers.
///
/// The check for a free seat and its reservation are one message, so no seat is sold twice, however
/// requests interleave.
#[derive(Actor, Debug, PartialEq)]
#[actor(saved, id = "airline::Flight")]
pub struct Flight {
    id: Id,
    departure: Moment,
    cabin: Cabin,
    seats: BTreeMap<Id, Seat>,
}

#[derive(Saved, Clone, Copy, Debug, PartialEq)]
struct Seat {
    customer: u32,
    class: Class,
}

impl Flight {
    /// An empty flight.
    pub fn new(id: Id, departure: Moment, cabin: Cabin) -> Flight {
        Flight {
            id,
            departure,
            cabin,
            seats: BTreeMap::new(),
        }
    }

    fn left(&self) -> SeatsLeft {
        let taken = |class| self.seats.values().filter(|it| it.class == class).count() as u32;
        SeatsLeft {
            first: self.cabin.first - taken(Class::First),
            economy: self.cabin.economy - taken(Class::Economy),
        }
    }
}

#[behaviours(id = "airline::Flight")]
impl Flight {
    /// Takes a seat for a booking of a customer, until the flight leaves. A booking has at most one
    /// seat: asked again, it gets the same.
    pub fn reserve(&mut self, t: &Turn<Self>, booking: Id, customer: u32) -> Result<Class, NoSeat> {
        if let Some(seat) = self.seats.get(&booking) {
            return Ok(seat.class);
        }
        if Moment::of(t.wall()) >= self.departure {
            return Err(NoSeat::Departed);
        }
        let left = self.left();
        let class = match left {
            SeatsLeft { economy: 1.., .. } => Class::Economy,
            SeatsLeft { first: 1.., .. } => Class::First,
            _ => return Err(NoSeat::SoldOut),
        };
        self.seats.insert(booking, Seat { customer, class });
        Ok(class)
    }

    /// Frees the seat of a booking. Without a seat nothing happens, so a caller can release a
    /// reservation without knowing whether it succeeded.
    pub fn release(&mut self, booking: Id) -> Released {
        match self.seats.remove(&booking) {
            Some(_) => Released::Freed,
            None => Released::HadNone,
        }
    }

    /// The number of its seats, and of the free ones.
    pub fn availability(&mut self) -> Availability {
        Availability {
            cabin: self.cabin,
            left: self.left(),
        }
    }

    /// The number of taken seats.
    pub fn sold(&mut self) -> u64 {
        self.seats.len() as u64
    }

    /// Everything, for the audit.
    pub fn ledger(&mut self) -> FlightLedger {
        FlightLedger {
            flight: self.id,
            seats: self.cabin.seats(),
            taken: (self
                .seats
                .iter()
                .map(|(booking, seat)| (*booking, seat.customer)))
            .collect(),
        }
    }
}

/// A flight's record for the audit.
#[derive(Saved, Clone, Debug, PartialEq, Eq)]
pub struct FlightLedger {
    /// The flight.
    pub flight: Id,
    /// The number of seats.
    pub seats: u32,
    /// The taken seats: each one's booking, and the number of its customer.
    pub taken: Vec<(Id, u32)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivant::codec::{from_bytes, to_bytes};

    #[test]
    fn a_saved_flight_has_its_passengers() {
        let id = Id::drawn(|| 7);
        let mut flight = Flight::new(id, Moment(1_790_000_000_000), Cabin::B747);
        for (number, class) in [(1, Class::Economy), (2, Class::First)] {
            let seat = Seat {
                customer: number,
                class,
            };
            flight.seats.insert(Id::drawn(|| number.into()), seat);
        }
        let bytes = to_bytes(&flight).unwrap();
        assert_eq!(from_bytes::<Flight>(&bytes).unwrap(), flight);
        flight.seats.pop_first();
        assert_ne!(from_bytes::<Flight>(&bytes).unwrap(), flight);
    }
}
