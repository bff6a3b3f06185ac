//! Airports: codes, cities and coordinates of the places that the airline serves.

use super::distance;

/// An airport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Airport {
    /// Its IATA code.
    pub code: &'static str,
    /// The city it is named after in timetables.
    pub city: &'static str,
    /// Degrees north of the equator.
    pub latitude: f64,
    /// Degrees east of Greenwich.
    pub longitude: f64,
    /// What can be flown from and to it.
    pub role: Role,
}

/// What an airport is good for in this airline's network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Flights leave from it, and none go there.
    Origin,
    /// Flights go there, and none leave.
    Destination,
    /// Both.
    Both,
}

impl Airport {
    const fn new(
        code: &'static str,
        city: &'static str,
        latitude: f64,
        longitude: f64,
        role: Role,
    ) -> Airport {
        Airport {
            code,
            city,
            latitude,
            longitude,
            role,
        }
    }

    /// The airport with this code.
    pub fn by_code(code: &str) -> Option<&'static Airport> {
        AIRPORTS.iter().find(|airport| airport.code == code)
    }

    /// Where flights leave from, by city.
    pub fn origins() -> impl Iterator<Item = &'static Airport> {
        AIRPORTS.iter().filter(|it| it.role != Role::Destination)
    }

    /// Where flights go, by city.
    pub fn destinations() -> impl Iterator<Item = &'static Airport> {
        AIRPORTS.iter().filter(|it| it.role != Role::Origin)
    }

    /// Miles to another airport along the great circle, rounded.
    pub fn miles_to(&self, other: &Airport) -> u32 {
        distance::miles(
            (self.latitude, self.longitude),
            (other.latitude, other.longitude),
        )
    }
}

use Role::{Both, Destination, Origin};

/// All airports, by city. 29 of them are origins and 14 are destinations, as in Acme Air.
#[rustfmt::skip]
pub const AIRPORTS: [Airport; 31] = [
    Airport::new("AMS", "Amsterdam",       52.3086,    4.7639, Origin),
    Airport::new("AKL", "Auckland",       -37.0081,  174.7917, Origin),
    Airport::new("BKK", "Bangkok",         13.6811,  100.7475, Origin),
    Airport::new("BRU", "Brussels",        50.9014,    4.4844, Origin),
    Airport::new("CAI", "Cairo",           30.1219,   31.4056, Origin),
    Airport::new("DEL", "Delhi",           28.5665,   77.1031, Destination),
    Airport::new("DXB", "Dubai",           25.2528,   55.3644, Origin),
    Airport::new("FRA", "Frankfurt",       50.0333,    8.5706, Both),
    Airport::new("GVA", "Geneva",          46.2381,    6.1089, Origin),
    Airport::new("HKG", "Hong Kong",       22.3089,  113.9146, Both),
    Airport::new("IST", "Istanbul",        41.2753,   28.7519, Origin),
    Airport::new("KHI", "Karachi",         24.9065,   67.1608, Origin),
    Airport::new("KWI", "Kuwait",          29.2267,   47.9689, Origin),
    Airport::new("LOS", "Lagos",            6.5774,    3.3212, Origin),
    Airport::new("LHR", "London",          51.4775,   -0.4614, Both),
    Airport::new("MNL", "Manila",          14.5086,  121.0194, Origin),
    Airport::new("MEX", "Mexico City",     19.4363,  -99.0721, Origin),
    Airport::new("YUL", "Montreal",        45.4706,  -73.7408, Both),
    Airport::new("SVO", "Moscow",          55.9726,   37.4146, Both),
    Airport::new("BOM", "Mumbai",          19.0887,   72.8679, Destination),
    Airport::new("NBO", "Nairobi",         -1.3192,   36.9278, Origin),
    Airport::new("JFK", "New York",        40.6398,  -73.7789, Both),
    Airport::new("CDG", "Paris",           49.0128,    2.5500, Both),
    Airport::new("PRG", "Prague",          50.1008,   14.2600, Origin),
    Airport::new("GIG", "Rio de Janeiro", -22.8100,  -43.2506, Origin),
    Airport::new("FCO", "Rome",            41.8045,   12.2508, Both),
    Airport::new("SIN", "Singapore",        1.3502,  103.9944, Both),
    Airport::new("ARN", "Stockholm",       59.6519,   17.9186, Origin),
    Airport::new("SYD", "Sydney",         -33.9461,  151.1772, Both),
    Airport::new("IKA", "Tehran",          35.4161,   51.1522, Both),
    Airport::new("NRT", "Tokyo",           35.7647,  140.3864, Both),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_have_three_capitals() {
        let codes: BTreeSet<_> = AIRPORTS.iter().map(|it| it.code).collect();
        assert_eq!(codes.len(), AIRPORTS.len());
        for code in codes {
            assert!(code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()));
            assert_eq!(Airport::by_code(code).map(|it| it.code), Some(code));
        }
        assert_eq!(Airport::by_code("XXX"), None);
    }

    #[test]
    fn there_are_29_origins_and_14_destinations() {
        assert_eq!(Airport::origins().count(), 29);
        assert_eq!(Airport::destinations().count(), 14);
    }

    #[test]
    fn the_table_is_in_the_order_of_cities() {
        assert!(AIRPORTS.is_sorted_by_key(|it| it.city));
    }
}
