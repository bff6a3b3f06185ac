//! Immutable data of the airline: places, connections and the timetable.
//!
//! - [`Airport`]: codes, cities, coordinates.
//! - [`Segment`] and [`Network`]: which airports are connected, and how far they are apart.
//! - [`Timetable`]: the flights of some days.
//! - [`Day`] and [`Moment`]: the calendar.

mod airport;
mod date;
mod distance;
mod network;
mod timetable;

pub use airport::{AIRPORTS, Airport, Role};
pub use date::{Day, Moment};
pub use network::{Network, Segment};
pub use timetable::{FlightFacts, Timetable};
