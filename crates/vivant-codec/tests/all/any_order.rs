//! Hash maps and sets have the same bytes whatever their order is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use vivant_codec::{LoadErrorKind, Saved, from_bytes, to_bytes};

#[derive(Saved, Debug, PartialEq)]
struct Indexed {
    #[saved(any_order)]
    by_name: HashMap<String, u16>,
    #[saved(any_order, default)]
    seen: HashSet<u64>,
}

#[derive(Saved)]
struct Sorted {
    by_name: BTreeMap<String, u16>,
    seen: BTreeSet<u64>,
}

#[test]
fn equal_maps_have_equal_bytes() {
    for seed in 0..50 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut entries: Vec<(String, u16)> = (0..rng.u8(0..100))
            .map(|i| (format!("{i:03}"), rng.u16(..)))
            .collect();
        let mut seen: Vec<u64> = (0..rng.u64(0..60)).collect();
        let sorted = Sorted {
            by_name: entries.iter().cloned().collect(),
            seen: seen.iter().copied().collect(),
        };
        let expected = to_bytes(&sorted).unwrap();
        for _ in 0..5 {
            rng.shuffle(&mut entries);
            rng.shuffle(&mut seen);
            let indexed = Indexed {
                by_name: entries.iter().cloned().collect(),
                seen: seen.iter().copied().collect(),
            };
            // Keys of one length and numbers below 128 have the same order as their bytes.
            assert_eq!(to_bytes(&indexed).unwrap(), expected);
            assert_eq!(from_bytes::<Indexed>(&expected).unwrap(), indexed);
        }
    }
}

#[test]
fn a_key_that_stands_twice_is_an_error() {
    let error = from_bytes::<Indexed>(b"\x02\x01a\x01\x01a\x02\x00").unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::Duplicate);
    assert!(error.to_string().contains("Indexed.by_name"), "{error}");
    let error = from_bytes::<BTreeSet<u8>>(&[2, 7, 7]).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::Duplicate);
    let error = from_bytes::<BTreeMap<u8, ()>>(&[2, 7, 7]).unwrap_err();
    assert_eq!(error.kind(), &LoadErrorKind::Duplicate);
}
