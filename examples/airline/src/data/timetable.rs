//! The timetable: the immutable data of the flights of some days.

use super::{Day, Moment, Network, Segment};
use crate::id::Id;
use std::collections::BTreeMap;

/// Miles an hour that every aeroplane flies.
const SPEED: u32 = 600;
const MINUTES_PER_DAY: usize = 24 * 60;

/// The immutable data of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightFacts {
    /// Its id.
    pub id: Id,
    /// The number of its segment.
    pub segment: usize,
    /// When it leaves.
    pub departure: Moment,
    /// When it lands.
    pub arrival: Moment,
}

/// The flights of some days: one a day on each segment, as Acme Air's loader for Node.js makes
/// them.
#[derive(Clone, Debug)]
pub struct Timetable {
    network: Network,
    first_day: Day,
    days: usize,
    flights: Vec<FlightFacts>,
    by_id: BTreeMap<Id, usize>,
}

impl Timetable {
    /// A timetable that begins on `first_day`. The ids of flights come from `draw`.
    pub fn new(first_day: Day, days: usize, mut draw: impl FnMut() -> u64) -> Timetable {
        let network = Network::new();
        let mut flights = Vec::with_capacity(network.segments().len() * days);
        for (number, segment) in network.segments().iter().enumerate() {
            for day in 0..days {
                let departure = Day(first_day.0 + day as i32).at_minute(departure_minute(number));
                let id = Id::drawn(&mut draw);
                flights.push(FlightFacts {
                    id,
                    segment: number,
                    departure,
                    arrival: Moment(departure.0 + flying_ms(segment)),
                });
            }
        }
        let by_id = (flights.iter().enumerate()).map(|(number, flight)| (flight.id, number));
        Timetable {
            network,
            first_day,
            days,
            by_id: by_id.collect(),
            flights,
        }
    }

    /// The segments.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// All flights, by number.
    pub fn flights(&self) -> &[FlightFacts] {
        &self.flights
    }

    /// The segment of a flight.
    pub fn segment_of(&self, flight: &FlightFacts) -> &Segment {
        &self.network.segments()[flight.segment]
    }

    /// The number of the flight with this id.
    pub fn by_id(&self, id: Id) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The number of the flight between two airports on a day, if there is one.
    pub fn on(&self, origin: &str, destination: &str, day: Day) -> Option<usize> {
        let segment = self.network.between(origin, destination)?;
        let offset = usize::try_from(i64::from(day.0) - i64::from(self.first_day.0)).ok()?;
        (offset < self.days).then(|| segment * self.days + offset)
    }

    /// The day it begins on.
    pub fn first_day(&self) -> Day {
        self.first_day
    }

    /// The number of its days.
    pub fn days(&self) -> usize {
        self.days
    }
}

/// Departures are spread over the day, five minutes apart (in Acme Air all flights leave at
/// midnight).
fn departure_minute(segment: usize) -> u32 {
    (segment * 35 % MINUTES_PER_DAY) as u32
}

fn flying_ms(segment: &Segment) -> i64 {
    i64::from(segment.miles) * 60 * 60 * 1000 / i64::from(SPEED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timetable(days: usize) -> Timetable {
        let mut next = 0;
        Timetable::new(Day(20_000), days, || {
            next += 1;
            next
        })
    }

    #[test]
    fn five_days_have_1970_flights() {
        let timetable = timetable(5);
        assert_eq!(timetable.flights().len(), 1970);
        for (number, flight) in timetable.flights().iter().enumerate() {
            assert_eq!(timetable.by_id(flight.id), Some(number));
            let segment = timetable.segment_of(flight);
            let (origin, destination) = (segment.origin.code, segment.destination.code);
            let found = timetable.on(origin, destination, flight.departure.day());
            assert_eq!(found, Some(number));
            assert!(flight.arrival > flight.departure);
        }
    }

    #[test]
    fn there_are_no_flights_on_other_days_and_between_other_places() {
        let timetable = timetable(5);
        assert!(timetable.on("JFK", "LHR", Day(20_004)).is_some());
        assert_eq!(timetable.on("JFK", "LHR", Day(20_005)), None);
        assert_eq!(timetable.on("JFK", "LHR", Day(19_999)), None);
        assert_eq!(timetable.on("JFK", "LHR", Day(i32::MIN)), None);
        assert_eq!(timetable.on("JFK", "JFK", Day(20_000)), None);
    }
}
