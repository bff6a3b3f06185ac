//! The timetable: the immutable data of the flights of some days.

use super::{Day, Moment, Network, Segment};
use crate::id::Id;
use std::collections::BTreeMap;
use vivant::Saved;
use vivant::codec::{Decoder, Encoder, LoadError, Shape};

/// Miles an hour that every aeroplane flies.
const SPEED: u32 = 600;
const MINUTES_PER_DAY: usize = 24 * 60;

/// The immutable data of a flight.
#[derive(Saved, Clone, Copy, Debug, PartialEq, Eq)]
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

impl FlightFacts {
    /// Its segment.
    pub fn segment(&self) -> &'static Segment {
        &Network::shared().segments()[self.segment]
    }
}

/// The flights of some days: one a day on each segment, as Acme Air's loader for Node.js makes
/// them. After a roll also earlier flights that have passengers.
#[derive(Clone, Debug, PartialEq)]
pub struct Timetable {
    first_day: Day,
    days: usize,
    flights: Vec<FlightFacts>,
    by_id: BTreeMap<Id, usize>,
    by_day: BTreeMap<(usize, Day), usize>,
}

impl Timetable {
    /// A timetable that begins on `first_day`. The ids of flights come from `draw`.
    pub fn new(first_day: Day, days: usize, draw: impl FnMut() -> u64) -> Timetable {
        Timetable::of(first_day, days, Vec::new()).filled(draw)
    }

    /// The same number of days from a later one. The flights with the numbers in `kept` come first,
    /// in that order; then those that are new.
    pub fn rolled(&self, first_day: Day, kept: &[usize], draw: impl FnMut() -> u64) -> Timetable {
        let kept = kept.iter().map(|number| self.flights[*number]).collect();
        Timetable::of(first_day, self.days, kept).filled(draw)
    }

    /// A timetable of these flights alone.
    fn of(first_day: Day, days: usize, flights: Vec<FlightFacts>) -> Timetable {
        let mut timetable = Timetable {
            first_day,
            days,
            flights: Vec::with_capacity(flights.len()),
            by_id: BTreeMap::new(),
            by_day: BTreeMap::new(),
        };
        flights.into_iter().for_each(|it| timetable.add(it));
        timetable
    }

    /// The same, and the flights of its days that it does not have.
    fn filled(mut self, mut draw: impl FnMut() -> u64) -> Timetable {
        for (number, segment) in self.network().segments().iter().enumerate() {
            for day in 0..self.days {
                let day = Day(self.first_day.0 + day as i32);
                if self.by_day.contains_key(&(number, day)) {
                    continue;
                }
                let departure = day.at_minute(departure_minute(number));
                self.add(FlightFacts {
                    id: Id::drawn(&mut draw),
                    segment: number,
                    departure,
                    arrival: Moment(departure.0 + flying_ms(segment)),
                });
            }
        }
        self
    }

    fn add(&mut self, flight: FlightFacts) {
        let number = self.flights.len();
        self.by_id.insert(flight.id, number);
        let key = (flight.segment, flight.departure.day());
        self.by_day.insert(key, number);
        self.flights.push(flight);
    }

    /// The segments.
    pub fn network(&self) -> &'static Network {
        Network::shared()
    }

    /// All flights, by number.
    pub fn flights(&self) -> &[FlightFacts] {
        &self.flights
    }

    /// The number of the flight with this id.
    pub fn by_id(&self, id: Id) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// The number of the flight between two airports on a day, if there is one.
    pub fn on(&self, origin: &str, destination: &str, day: Day) -> Option<usize> {
        let segment = self.network().between(origin, destination)?;
        self.by_day.get(&(segment, day)).copied()
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

/// What is saved of a timetable: all else follows from it.
#[derive(Saved)]
#[saved(name = "airline::Timetable")]
struct SavedTimetable {
    first_day: Day,
    days: usize,
    flights: Vec<FlightFacts>,
}

impl<'gc> Saved<'gc> for Timetable {
    const SHAPE: &'static Shape = SavedTimetable::SHAPE;

    fn save(&self, out: &mut Encoder<'_>) {
        let saved = SavedTimetable {
            first_day: self.first_day,
            days: self.days,
            flights: self.flights.clone(),
        };
        saved.save(out);
    }

    fn load(input: &mut Decoder<'gc, '_>) -> Result<Timetable, LoadError> {
        let saved = SavedTimetable::load(input)?;
        let segments = Network::shared().segments().len();
        if saved
            .flights
            .iter()
            .any(|flight| flight.segment >= segments)
        {
            return Err(input.error("a flight on a segment that this program's network has not"));
        }
        Ok(Timetable::of(saved.first_day, saved.days, saved.flights))
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
    use vivant::codec::{from_bytes, to_bytes};

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
            let segment = flight.segment();
            let (origin, destination) = (segment.origin.code, segment.destination.code);
            let found = timetable.on(origin, destination, flight.departure.day());
            assert_eq!(found, Some(number));
            assert!(flight.arrival > flight.departure);
        }
    }

    #[test]
    fn a_later_timetable_has_the_same_flights_and_those_of_the_new_days() {
        let before = timetable(3);
        let day = |number: usize| before.flights()[number].departure.day();
        // All from the second day on, and one of the first day.
        let kept: Vec<_> = (0..before.flights().len())
            .filter(|number| day(*number) > Day(20_000) || *number == 0)
            .collect();
        let after = before.rolled(Day(20_001), &kept, || 1 << 40);
        assert_eq!(after.flights().len(), 1 + 3 * 394);
        for (number, kept) in kept.iter().enumerate() {
            assert_eq!(after.flights()[number], before.flights()[*kept]);
        }
        for day in 20_001..20_004 {
            assert!(after.on("JFK", "LHR", Day(day)).is_some());
        }
        assert_eq!(after.on("JFK", "LHR", Day(20_000)), None);
        assert_eq!(after.on("JFK", "LHR", Day(20_004)), None);
        assert_eq!((after.first_day(), after.days()), (Day(20_001), 3));
    }

    #[test]
    fn a_saved_timetable_comes_back() {
        // Two days of flights, one of the day before, and the numbers of a roll.
        let timetable = timetable(2).rolled(Day(20_001), &[5, 400], || 1 << 40);
        let bytes = to_bytes(&timetable).unwrap();
        assert_eq!(from_bytes::<Timetable>(&bytes).unwrap(), timetable);
        // Of a flight: 16 bytes of the id, 2 of the segment, and twice 6 of a moment.
        let flights = timetable.flights().len();
        assert!(bytes.len() <= 30 * flights + 10, "{}", bytes.len());
    }

    #[test]
    fn a_segment_that_the_network_has_not_is_refused() {
        let mut timetable = timetable(1);
        timetable.flights[7].segment = 394;
        let bytes = to_bytes(&timetable).unwrap();
        let error = from_bytes::<Timetable>(&bytes).unwrap_err().to_string();
        assert!(error.contains("network"), "{error}");
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
