//! Customers: an actor for each, with the customer's profile and bookings.
//!
//! - [`Customer`]: the actor; it runs the booking protocol.
//! - [`Profile`]: the customer's personal data.
//! - [`Booking`]: a booked flight.
//!
//! **The booking protocol.** A trip has one or two legs, and each leg's seats belong to another
//! actor. The customer's actor draws a booking id for each leg and sends a request to reserve to
//! all flights at once. When all have answered:
//!
//! - B1 All reserved: the actor records the bookings, and only then answers.
//! - B2 One is sold out, has left, or failed: the actor releases every leg, and records nothing. A
//!   release of a seat that was never reserved does nothing. It cannot overtake its reservation:
//!   this actor sends both to that flight.
//! - B3 A cancellation removes the booking first and frees its seat second. So at all times each
//!   recorded booking has its seat; between the two steps there is a seat without a booking, never
//!   a booking without a seat.
//!
//! There is no lock and no order among flights, so two trips with the same two flights cannot wait
//! for each other.

mod booking;
mod profile;

pub use booking::{Booked, Booking, BookingLine, CustomerLedger, Leg};
pub use profile::{PASSWORD, PostalAddress, Profile, ProfileUpdate, customer_number, user_name};

use crate::data::Moment;
use crate::desk::Refusal;
use crate::flight::{Class, NoSeat, Released};
use crate::id::Id;
use std::collections::BTreeMap;
use vivant::prelude::*;

/// One customer.
#[derive(Actor, Debug)]
#[actor(saved, id = "airline::Customer")]
pub struct Customer {
    number: u32,
    password: String,
    profile: Profile,
    bookings: BTreeMap<Id, Booking>,
}

impl Customer {
    /// Customer `number`, with the loader's data, which are the same for all customers.
    pub fn new(number: u32) -> Customer {
        Customer {
            number,
            password: PASSWORD.to_owned(),
            profile: Profile::sample(number),
            bookings: BTreeMap::new(),
        }
    }
}

#[behaviours(id = "airline::Customer")]
impl Customer {
    /// Whether this is the customer's password.
    pub fn knows(&mut self, password: String) -> bool {
        self.password == password
    }

    /// The customer's data.
    pub fn profile(&mut self) -> Result<Profile, Refusal> {
        Ok(self.profile.clone())
    }

    /// Changes the customer's data, if the password is right.
    pub fn update(&mut self, update: ProfileUpdate) -> Result<Profile, Refusal> {
        if update.password != self.password {
            return Err(Refusal::WrongPassword);
        }
        self.profile.address = update.address;
        self.profile.phone_number = update.phone_number;
        self.profile.phone_number_type = update.phone_number_type;
        Ok(self.profile.clone())
    }

    /// Books a trip: all of its legs, or none.
    pub fn book(
        &mut self,
        t: &Turn<Self>,
        outbound: Leg,
        back: Option<Leg>,
    ) -> Promise<Result<Booked, Refusal>> {
        let legs: Vec<(Id, Leg)> = [Some(outbound), back]
            .into_iter()
            .flatten()
            .map(|leg| (Id::drawn(|| t.random()), leg))
            .collect();
        let seats = legs
            .iter()
            .map(|(booking, leg)| t.ask(leg.flight.reserve(*booking, self.number)));
        t.all(seats).then(t.me().reserved(legs))
    }

    #[then]
    fn reserved(
        &mut self,
        t: &Turn<Self>,
        seats: Result<Vec<Result<Class, NoSeat>>, AskError>,
        legs: Vec<(Id, Leg)>,
    ) -> Result<Booked, Refusal> {
        let refusal = match &seats {
            Err(error) => Some(Refusal::from(error)),
            Ok(seats) => (seats.iter().zip(&legs)).find_map(|(seat, (_, leg))| match seat {
                Ok(_) => None,
                Err(NoSeat::SoldOut) => Some(Refusal::SoldOut(leg.facts.id)),
                Err(NoSeat::Departed) => Some(Refusal::Departed(leg.facts.id)),
            }),
        };
        if let Some(refusal) = refusal {
            for (booking, leg) in &legs {
                t.send(leg.flight.release(*booking));
            }
            return Err(refusal);
        }
        let booked = Booked {
            outbound: legs[0].0,
            back: legs.get(1).map(|(booking, _)| *booking),
        };
        let made = Moment::of(t.wall());
        for (booking, leg) in legs {
            self.bookings.insert(booking, Booking { leg, made });
        }
        Ok(booked)
    }

    /// Cancels a booking and frees its seat.
    pub fn cancel(&mut self, t: &Turn<Self>, booking: Id) -> Promise<Result<(), Refusal>> {
        match self.bookings.remove(&booking) {
            Some(found) => t
                .ask(found.leg.flight.release(booking))
                .then(t.me().released()),
            None => Promise::ready(Err(Refusal::NoSuchBooking(booking))),
        }
    }

    #[then]
    fn released(&mut self, seat: Result<Released, AskError>) -> Result<(), Refusal> {
        seat.map(|_| ()).map_err(|error| Refusal::from(&error))
    }

    /// The customer's bookings, by id.
    pub fn bookings(&mut self) -> Result<Vec<BookingLine>, Refusal> {
        let line = |(booking, it): (&Id, &Booking)| BookingLine {
            booking: *booking,
            flight: it.leg.facts,
            made: it.made,
        };
        Ok(self.bookings.iter().map(line).collect())
    }

    /// Everything, for the audit.
    pub fn ledger(&mut self) -> CustomerLedger {
        CustomerLedger {
            customer: self.number,
            bookings: (self
                .bookings
                .iter()
                .map(|(booking, it)| (*booking, it.leg.facts.id)))
            .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FlightFacts;
    use crate::flight::{Cabin, Flight};
    use vivant::Saved as _;
    use vivant::codec::{Shapes, from_bytes, show, to_bytes};
    use vivant::simulation::Simulation;

    #[test]
    fn a_saved_customer_has_the_profile() {
        let mut customer = Customer::new(7);
        customer.profile.address.street_address2 = Some("2nd floor".to_owned());
        customer.password = "secret".to_owned();
        let loaded: Customer = from_bytes(&to_bytes(&customer).unwrap()).unwrap();
        assert_eq!(format!("{loaded:?}"), format!("{customer:?}"));
    }

    /// Only a restore finds the actor of an address, so the bytes are shown.
    #[test]
    fn a_saved_booking_names_its_flight() {
        let simulation = Simulation::new(1);
        let (id, departure) = (Id::drawn(|| 9), Moment(86_400_000));
        let flight = Flight::new(id, departure, Cabin::B747);
        let facts = FlightFacts {
            id,
            segment: 17,
            departure,
            arrival: Moment(100_000_000),
        };
        let leg = Leg {
            facts,
            flight: simulation.system().spawn_state(flight),
        };
        let made = Moment(5);
        let mut customer = Customer::new(7);
        (customer.bookings).insert(Id::drawn(|| 8), Booking { leg, made });
        let mut shapes = Shapes::default();
        let shape = shapes.add(Customer::SHAPE).unwrap();
        let mut text = String::new();
        let bytes = to_bytes(&customer).unwrap();
        show(&shapes, shape, &bytes, 10_000, &mut text).unwrap();
        for part in ["segment: 17", "flight: → airline::Flight", "made: "] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
