//! The network: which airports are connected.

use super::Airport;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A connection from one airport to another; a flight serves one segment on one day.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its number with the airline's letters: `AA17`.
    pub id: String,
    /// Where it begins.
    pub origin: &'static Airport,
    /// Where it ends.
    pub destination: &'static Airport,
    /// Its length.
    pub miles: u32,
}

/// Every segment.
#[derive(Clone, Debug)]
pub struct Network {
    segments: Vec<Segment>,
    by_codes: BTreeMap<(&'static str, &'static str), usize>,
}

impl Default for Network {
    fn default() -> Self {
        Network::new()
    }
}

impl Network {
    /// The airline's network, by one rule: from every origin to every destination, except to
    /// itself. These are the 394 segments of Acme Air, with the same numbers; the distances are our
    /// own.
    pub fn new() -> Network {
        let mut segments = Vec::new();
        let mut by_codes = BTreeMap::new();
        for origin in Airport::origins() {
            for destination in by_city_after_mumbai() {
                if origin.code == destination.code {
                    continue;
                }
                by_codes.insert((origin.code, destination.code), segments.len());
                segments.push(Segment {
                    id: format!("AA{}", segments.len()),
                    origin,
                    destination,
                    miles: origin.miles_to(destination),
                });
            }
        }
        Network { segments, by_codes }
    }

    /// The same network for all: it is data of the program, and no actor saves it.
    pub fn shared() -> &'static Network {
        static NETWORK: LazyLock<Network> = LazyLock::new(Network::new);
        &NETWORK
    }

    /// All segments, by number.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The number of the segment between two airports, if they are connected.
    pub fn between(&self, origin: &str, destination: &str) -> Option<usize> {
        // The keys are static; a shorter-lived pair compares just as well.
        let key: (&str, &str) = (origin, destination);
        self.by_codes.get(&key).copied()
    }
}

/// Destinations in the order that gives segments the numbers they have in Acme Air: Mumbai, once
/// Bombay, comes first.
fn by_city_after_mumbai() -> impl Iterator<Item = &'static Airport> {
    let mumbai = Airport::destinations().filter(|it| it.code == "BOM");
    mumbai.chain(Airport::destinations().filter(|it| it.code != "BOM"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_is_connected_with_every_destination_but_itself() {
        let network = Network::new();
        assert_eq!(network.segments().len(), 29 * 14 - 12);
        for (number, segment) in network.segments().iter().enumerate() {
            assert_eq!(segment.id, format!("AA{number}"));
            assert_ne!(segment.origin, segment.destination);
            let found = network.between(segment.origin.code, segment.destination.code);
            assert_eq!(found, Some(number));
        }
        assert_eq!(network.between("LHR", "LHR"), None);
        assert_eq!(network.between("BOM", "LHR"), None);
        assert_eq!(network.between("LHR", "XXX"), None);
    }

    #[test]
    fn distances_are_the_same_both_ways_and_shorter_than_half_the_globe() {
        let network = Network::new();
        for segment in network.segments() {
            assert!((100..=12_450).contains(&segment.miles), "{segment:?}");
            if let Some(back) = network.between(segment.destination.code, segment.origin.code) {
                assert_eq!(network.segments()[back].miles, segment.miles);
            }
        }
    }
}
