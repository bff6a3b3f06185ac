//! Trips: a customer's query, and the airline's offers.

use crate::data::{Day, FlightFacts};
use crate::flight::Availability;
use crate::id::Id;
use vivant::Saved;

/// A customer's query.
#[derive(Saved, Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Code of the airport where the trip begins.
    pub from: String,
    /// Code of the airport where it goes.
    pub to: String,
    /// The day of the flight out.
    pub day: Day,
    /// The day of the flight back, if there is to be one.
    pub back: Option<Day>,
}

/// The airline's offers.
#[derive(Saved, Clone, Debug)]
pub struct Options {
    /// For each leg of the trip, one or two, its flights.
    pub legs: Vec<Vec<Offer>>,
}

/// A flight that can be booked.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The flight.
    pub flight: FlightFacts,
    /// Its seats when it was asked.
    pub seats: Availability,
}

/// An order of a trip.
#[derive(Saved, Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The passenger: the login name of the customer.
    pub user: String,
    /// The flight out.
    pub outbound: Id,
    /// The flight back, if there is to be one.
    pub back: Option<Id>,
}
