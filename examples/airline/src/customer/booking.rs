//! Bookings: what a customer has of a flight.

use crate::data::{FlightFacts, Moment};
use crate::flight::Flight;
use crate::id::Id;
use vivant::Saved;
use vivant::prelude::*;

/// A flight to be booked.
#[derive(Saved, Clone, Debug)]
pub struct Leg {
    /// Its immutable data.
    pub facts: FlightFacts,
    /// The actor that has its seats.
    pub flight: Address<Flight>,
}

/// A booking of one flight.
#[derive(Saved, Clone, Debug)]
pub struct Booking {
    /// What was booked.
    pub leg: Leg,
    /// When.
    pub made: Moment,
}

/// The ids of a trip's bookings.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booked {
    /// The booking of the flight out.
    pub outbound: Id,
    /// The booking of the flight back, if the trip has one.
    pub back: Option<Id>,
}

/// A line in a customer's list of bookings.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookingLine {
    /// The booking.
    pub booking: Id,
    /// The flight.
    pub flight: FlightFacts,
    /// When it was booked.
    pub made: Moment,
}

/// A customer's record for the audit.
#[derive(Saved, Clone, Debug, PartialEq, Eq)]
pub struct CustomerLedger {
    /// The customer's number.
    pub customer: u32,
    /// Bookings and their flights.
    pub bookings: Vec<(Id, Id)>,
}
