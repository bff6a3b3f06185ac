//! Hash maps and sets have the same bytes whatever their order is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use vivant_codec::{AnyOrder, LoadErrorKind, Saved, from_bytes, to_bytes};

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

/// The bytes of a set: the elements' bytes, sorted.
fn sorted<T: for<'gc> Saved<'gc>>(elements: &[T]) -> Vec<u8> {
    let mut all: Vec<_> = (elements.iter())
        .map(|element| to_bytes(element).unwrap())
        .collect();
    all.sort();
    let mut bytes = to_bytes(&all.len()).unwrap();
    all.iter().for_each(|element| bytes.extend(element));
    bytes
}

fn assert_sorted<T: for<'gc> Saved<'gc> + Hash + Eq + Clone>(elements: Vec<T>) {
    let set: HashSet<T> = elements.iter().cloned().collect();
    assert_eq!(to_bytes(&AnyOrder(set)).unwrap(), sorted(&elements));
}

#[test]
fn entries_stand_in_the_order_of_the_bytes_of_their_keys() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let integers: BTreeSet<u64> = (0..300).map(|_| rng.u64(..) >> rng.u32(0..64)).collect();
        assert_sorted(integers.into_iter().collect());
        // The same first bytes, and others behind them.
        let texts: BTreeSet<String> = (0..300)
            .map(|_| format!("customer{:04}", rng.u32(0..10_000)))
            .collect();
        assert_sorted(texts.into_iter().collect());
        let arrays: BTreeSet<[u8; 9]> = (0..300)
            .map(|_| std::array::from_fn(|_| rng.u8(0..2)))
            .collect();
        assert_sorted(arrays.into_iter().collect());
        let short: BTreeSet<(u8, u8)> = (0..300).map(|_| (rng.u8(..), rng.u8(0..2))).collect();
        assert_sorted(short.into_iter().collect());
    }
    assert_sorted(vec![()]);
    assert_sorted::<u8>(vec![]);
}

#[derive(Saved, PartialEq, Eq, Hash, Clone, Copy)]
struct Cached {
    number: u8,
    #[saved(skip)]
    cache: u8,
}

#[test]
fn entries_with_the_same_bytes_of_keys_are_sorted_by_their_own() {
    let entries: Vec<(Cached, u8)> = (0..50)
        .map(|cache| (Cached { number: 7, cache }, cache.wrapping_mul(37)))
        .collect();
    let expected = sorted(&entries);
    for _ in 0..5 {
        let map: HashMap<Cached, u8> = entries.iter().copied().collect();
        assert_eq!(to_bytes(&AnyOrder(map)).unwrap(), expected);
    }
}
