//! The network against Acme Air's own table of distances, where a copy of it lies beside the
//! workspace; and without one, against itself.
//!
//! The pairs are the same. The distances are not all: most of the original's that differ are miles
//! by way of other cities, as tickets count them (London to Tokyo: 9536), and some are shorter than
//! the globe allows. Ours are great circles.

use airline::data::{Airport, Network};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/data/acmeair/mileage.csv"
);

/// Segments that are in the original more than 3% longer than the great circle.
const LONGER: [&str; 26] = [
    "AMS DEL HKG CDG SYD NRT",
    "AKL DEL HKG LHR YUL SVO JFK CDG FCO NRT",
    "BKK LHR YUL JFK CDG FCO SYD",
    "BRU DEL HKG CDG SYD NRT",
    "CAI HKG YUL JFK SYD NRT",
    "FRA DEL HKG CDG SYD NRT",
    "GVA DEL HKG SYD NRT",
    "HKG FRA LHR YUL SVO JFK CDG FCO",
    "IST DEL FRA HKG YUL JFK SYD NRT",
    "KHI HKG LHR YUL JFK SYD NRT",
    "KWI IKA",
    "LOS BOM DEL HKG YUL SVO JFK SIN SYD NRT",
    "LHR DEL HKG SYD NRT",
    "MNL DEL LHR SVO JFK CDG FCO",
    "MEX BOM DEL FRA HKG LHR SVO CDG FCO SIN SYD IKA NRT",
    "YUL BOM HKG SVO SYD IKA NRT",
    "SVO HKG YUL JFK SYD",
    "JFK DEL HKG SVO SYD NRT",
    "CDG DEL HKG SYD NRT",
    "PRG BOM NRT",
    "GIG BOM DEL FRA HKG LHR YUL SVO SYD IKA NRT",
    "FCO FRA HKG SYD NRT",
    "ARN BOM DEL HKG YUL FCO SYD NRT",
    "SYD DEL FRA LHR YUL SVO JFK CDG FCO NRT",
    "IKA HKG YUL SVO JFK SYD NRT",
    "NRT DEL FRA LHR YUL JFK CDG FCO SYD",
];

/// Segments that are in the original more than 3% shorter than the great circle, which is
/// impossible.
const SHORTER: [&str; 8] = [
    "AKL FRA",
    "ARN FRA",
    "BRU LHR",
    "CDG FRA LHR",
    "KWI SIN",
    "LHR CDG",
    "MNL YUL",
    "YUL DEL",
];

type Pairs = BTreeSet<(String, String)>;

fn pairs(lines: &[&str]) -> Pairs {
    let mut pairs = Pairs::new();
    for line in lines {
        let mut codes = line.split(' ');
        let origin = codes.next().unwrap_or_default();
        pairs.extend(codes.map(|destination| (origin.to_owned(), destination.to_owned())));
    }
    pairs
}

fn ours() -> BTreeMap<(String, String), u32> {
    let network = Network::new();
    let segments = network.segments().iter();
    segments
        .map(|it| {
            (
                (it.origin.code.to_owned(), it.destination.code.to_owned()),
                it.miles,
            )
        })
        .collect()
}

/// The original's segments in the order of its table, if it is there.
fn theirs() -> Option<Vec<((String, String), u32)>> {
    let text = std::fs::read_to_string(Path::new(TABLE)).ok()?;
    let rows: Vec<Vec<&str>> = (text.lines())
        .map(|line| line.split(',').map(str::trim).collect())
        .collect();
    let mut segments = Vec::new();
    for row in &rows[2..] {
        for (destination, miles) in rows[1].iter().zip(&row[2..]) {
            if *miles != "NA" {
                let pair = (row[1].to_owned(), (*destination).to_owned());
                segments.push((pair, miles.parse().expect("miles are numbers")));
            }
        }
    }
    Some(segments)
}

#[test]
fn the_original_serves_the_same_segments_under_the_same_numbers() {
    let Some(theirs) = theirs() else {
        return is_consistent();
    };
    let network = Network::new();
    assert_eq!(theirs.len(), network.segments().len());
    for ((pair, _), ours) in theirs.iter().zip(network.segments()) {
        assert_eq!(
            (pair.0.as_str(), pair.1.as_str()),
            (ours.origin.code, ours.destination.code)
        );
    }
}

#[test]
fn distances_are_within_three_percent_of_the_originals_but_for_those_listed() {
    let Some(theirs) = theirs() else {
        return is_consistent();
    };
    let ours = ours();
    let (mut longer, mut shorter) = (Pairs::new(), Pairs::new());
    for (pair, their_miles) in theirs {
        let our_miles = f64::from(ours[&pair]);
        let more = f64::from(their_miles) / our_miles - 1.0;
        if (f64::from(their_miles) - our_miles).abs() <= 0.03 * f64::from(their_miles) {
            continue;
        }
        if more > 0.0 {
            longer.insert(pair);
        } else {
            shorter.insert(pair);
        }
    }
    assert_eq!(shorter, pairs(&SHORTER));
    assert_eq!(longer, pairs(&LONGER));
    assert_eq!(ours.len() - longer.len() - shorter.len(), 229);
}

/// The checks without the original's table: see also the unit tests of the network.
fn is_consistent() {
    let ours = ours();
    assert_eq!(ours.len(), 394);
    for ((origin, destination), miles) in &ours {
        let [from, to] = [origin, destination].map(|code| Airport::by_code(code).unwrap());
        assert_eq!(*miles, to.miles_to(from));
        for stop in Airport::destinations() {
            let detour = from.miles_to(stop) + stop.miles_to(to);
            assert!(
                detour + 2 >= *miles,
                "{origin} {destination} by way of {}",
                stop.code
            );
        }
    }
}

#[test]
fn the_network_is_consistent() {
    is_consistent();
}
