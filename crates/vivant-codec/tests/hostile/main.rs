//! Hostile bytes: each change of valid bytes is loaded as a value or is a typed error, without a
//! panic, in bounded memory and depth.
//!
//! `VIVANT_SEEDS` is the number of seeds, `VIVANT_SEED` names one.

mod memory;
mod mutate;
mod types;

use memory::{alone, bounded};
use mutate::{mutated, seeds};
use types::{Everything, New, Ordered};
use vivant_codec::{
    Comparison, LoadError, Saved, ShapeId, Shapes, from_bytes, load_stored, show, to_bytes,
};

/// A table with the shape of `T`.
fn table<T: for<'gc> Saved<'gc>>() -> (Shapes, ShapeId) {
    let mut shapes = Shapes::default();
    let id = shapes.add(T::SHAPE).unwrap();
    (shapes, id)
}

/// What reading by name says of the same bytes.
fn by_name<T: for<'gc> Saved<'gc>>(bytes: &[u8]) -> Result<T, LoadError> {
    let (shapes, id) = table::<T>();
    load_stored(bytes, &Comparison::by_name(&shapes), id)
}

/// A value without sets and maps: there is one encoding, and both ways of reading agree.
#[test]
fn seeded_mutated_values_are_values_or_errors() {
    let _alone = alone();
    let (mut values, mut errors) = (0, 0);
    seeds(300, |rng| {
        let bytes = to_bytes(&Ordered::random(rng)).unwrap();
        for _ in 0..20 {
            let bytes = mutated(&bytes, rng);
            let loaded = bounded(bytes.len(), || from_bytes::<Ordered>(&bytes));
            let named = bounded(bytes.len(), || by_name::<Ordered>(&bytes));
            assert_eq!(loaded, named);
            match loaded {
                Ok(value) => {
                    values += 1;
                    assert_eq!(to_bytes(&value).unwrap(), bytes);
                }
                Err(error) => {
                    errors += 1;
                    assert!(error.offset() <= bytes.len());
                    assert!(error.to_string().len() < 2000);
                }
            }
        }
    });
    assert!(values > 0 && errors > 0, "{values} values, {errors} errors");
}

/// All types, of which some do not keep what was wrong: maps in another order.
#[test]
fn seeded_mutated_values_of_all_types_are_loaded_in_bounds() {
    let _alone = alone();
    let (shapes, id) = table::<Everything>();
    seeds(300, |rng| {
        let bytes = to_bytes(&Everything::random(rng)).unwrap();
        assert_eq!(
            to_bytes(&from_bytes::<Everything>(&bytes).unwrap()).unwrap(),
            bytes
        );
        for _ in 0..20 {
            let bytes = mutated(&bytes, rng);
            let loaded = bounded(bytes.len(), || from_bytes::<Everything>(&bytes));
            // As a type of which every part has changed.
            let comparison = Comparison::new(&shapes);
            let _ = bounded(bytes.len(), || load_stored::<New>(&bytes, &comparison, id));
            let mut text = String::new();
            let shown = show(&shapes, id, &bytes, 4000, &mut text);
            assert!(text.len() < 10_000);
            // What is a value can be shown.
            if let Ok(value) = loaded {
                assert_eq!(shown, Ok(()));
                let again = to_bytes(&value).unwrap();
                assert_eq!(
                    to_bytes(&from_bytes::<Everything>(&again).unwrap()).unwrap(),
                    again
                );
            }
        }
    });
}

#[test]
fn seeded_mutated_tables_are_tables_or_errors() {
    let _alone = alone();
    let (shapes, id) = table::<Everything>();
    let table = to_bytes(&shapes).unwrap();
    let mut tables = 0;
    seeds(300, |rng| {
        let bytes = to_bytes(&Everything::random(rng)).unwrap();
        for _ in 0..10 {
            let table = mutated(&table, rng);
            let Ok(shapes) = bounded(table.len(), || from_bytes::<Shapes>(&table)) else {
                continue;
            };
            tables += 1;
            assert_eq!(to_bytes(&shapes).unwrap(), table);
            let comparison = Comparison::new(&shapes);
            let size = bytes.len() + table.len();
            let _ = bounded(size, || load_stored::<Everything>(&bytes, &comparison, id));
            let _ = bounded(size, || load_stored::<New>(&bytes, &comparison, id));
            let mut text = String::new();
            let _ = show(&shapes, id, &bytes, 1000, &mut text);
            assert!(text.len() < 10_000);
        }
    });
    assert!(tables > 0);
}

/// Bytes that announce as many elements as can be, of large types, at each depth.
#[test]
fn announced_lengths_reserve_little() {
    type Large = [u64; 100];
    let _alone = alone();
    let most = to_bytes(&vivant_codec::EMPTY_ELEMENTS_MAX).unwrap();
    for levels in 1..20 {
        let bytes = most.repeat(levels);
        bounded(bytes.len(), || {
            from_bytes::<Vec<Large>>(&bytes).unwrap_err()
        });
        bounded(bytes.len(), || {
            from_bytes::<Vec<Vec<Vec<Vec<Large>>>>>(&bytes).unwrap_err()
        });
        let bytes = to_bytes(&(u64::MAX / 3)).unwrap().repeat(levels);
        bounded(bytes.len(), || {
            from_bytes::<Vec<Vec<Large>>>(&bytes).unwrap_err()
        });
        bounded(bytes.len(), || {
            from_bytes::<Vec<String>>(&bytes).unwrap_err()
        });
    }
}
