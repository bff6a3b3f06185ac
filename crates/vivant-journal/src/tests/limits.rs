//! What a file claims is compared with the memory limit before the allocation. Claims behind
//! checksums that agree are in `tests/hostile`, which counts allocations.

use crate::injected_fault::{InjectedFault, must_catch};
use crate::store::simulated_files::{Contents, Plan, SimulatedFiles};
use crate::{Catalog, DirectoryStore, Error, Journal, Settings};

const LIMIT: u64 = 10_000;

/// An image with this metadata, this many small records, and one value of this length.
fn image(metadata: usize, records: u64, value: usize) -> Contents {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = Journal::open(DirectoryStore::of(files.clone()), Settings::default()).unwrap();
    let image = journal.begin().unwrap();
    let mut segment = image.segment().unwrap();
    segment.append(0, 0, &vec![7; value]).unwrap();
    for id in 1..=records {
        segment.append(id, 0, b"").unwrap();
    }
    segment.finish().unwrap();
    image.publish(&vec![0; metadata]).unwrap();
    files.visible()
}

/// What is over the limit when this image is opened and its value is read.
fn over_limit(contents: &Contents) -> Option<&'static str> {
    let store = DirectoryStore::of(SimulatedFiles::of(contents, Plan::Nothing));
    let catalog = Catalog::new(store).memory_bytes_max(LIMIT);
    match catalog.image(1).and_then(|image| image.reader().value(0)) {
        Ok(value) => {
            assert!(value.len() as u64 <= LIMIT);
            None
        }
        Err(Error::OverLimit {
            what, bytes, limit, ..
        }) => {
            assert!(bytes > limit && limit == LIMIT);
            Some(what)
        }
        Err(error) => panic!("{error}"),
    }
}

fn limits_hold() {
    assert_eq!(over_limit(&image(0, 100, 10_000)), None);
    assert_eq!(over_limit(&image(10_000, 0, 0)), Some("manifest"));
    assert_eq!(over_limit(&image(0, 1_000, 0)), Some("table"));
    assert_eq!(over_limit(&image(0, 0, 10_001)), Some("value"));
}

#[test]
fn nothing_over_the_limit_is_allocated() {
    limits_hold();
}

#[test]
fn canary_a_length_that_is_not_bounded_is_caught() {
    must_catch(InjectedFault::LengthNotBounded, limits_hold);
}
