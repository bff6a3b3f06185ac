//! `val::Map`.

use super::kinds::{Colliding, Crowded, Key, Kind, Nothing, Number, Reference, Text};
use super::{Pair, run, with_seeds};
use fastrand::Rng;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use vivant_collections::val;
use vivant_heap::{FixedState, Mutator};

struct Maps<K, E>(PhantomData<(K, E)>);

/// The number of keys to choose from.
const KEYS: usize = if cfg!(miri) { 60 } else { 600 };

fn key<K: Key>(random: &mut Rng) -> K::Of {
    let keys = if random.usize(..3) == 0 { KEYS } else { 30 };
    K::make(random.usize(..keys) as u64)
}

fn hash(key: &impl Hash) -> u64 {
    FixedState.hash_one(key)
}

impl<K: Key, E: Kind> Pair for Maps<K, E> {
    type Of<'gc> = val::Map<'gc, K::Of, E::Of<'gc>>;
    type Model = HashMap<K::Of, u64>;

    fn new<'gc>() -> Self::Of<'gc> {
        val::Map::new()
    }

    fn update<'gc>(
        m: &Mutator<'gc>,
        versions: &[Self::Of<'gc>],
        models: &[Self::Model],
        random: &mut Rng,
    ) -> (Self::Of<'gc>, Self::Model) {
        let place = random.usize(..versions.len());
        let (mut map, mut model) = (versions[place], models[place].clone());
        let number = |random: &mut Rng| match size_of::<E::Of<'_>>() {
            0 => 0,
            _ => random.usize(..1 << 20) as u64,
        };
        let many = match random.usize(..6) {
            0 => random.usize(..KEYS),
            1 | 2 => random.usize(..40),
            _ => 1,
        };
        match random.usize(..8) {
            0 | 1 => {
                let entry = |random: &mut Rng| (key::<K>(random), number(random));
                let entries: Vec<_> = (0..many).map(|_| entry(random)).collect();
                let given = entries
                    .iter()
                    .map(|(key, number)| (key.clone(), E::make(m, *number)));
                map = map.extend(m, given);
                model.extend(entries);
            }
            2 => {
                let given = model
                    .iter()
                    .map(|(key, number)| (key.clone(), E::make(m, *number)));
                let made = val::Map::from_iter(m, given);
                assert_eq!(made, map);
                map = made;
            }
            3..6 => {
                for _ in 0..many {
                    let (key, number) = (key::<K>(random), number(random));
                    map = map.insert(m, key.clone(), E::make(m, number));
                    model.insert(key, number);
                }
            }
            _ => {
                for _ in 0..many {
                    let key = key::<K>(random);
                    let less = map.remove(m, &key);
                    let was_there = model.remove(&key).is_some();
                    assert_eq!(less.ptr_eq(map), !was_there);
                    map = less;
                }
            }
        }
        (map, model)
    }

    fn compare(map: Self::Of<'_>, model: &Self::Model) {
        map.verify().unwrap();
        assert_eq!(map.len(), model.len());
        assert_eq!(map.iter().len(), model.len());
        assert!(map.keys().map(hash).is_sorted());
        let mut count = 0;
        for (key, value) in map {
            assert_eq!(Some(&E::number(value)), model.get(key));
            count += 1;
        }
        assert_eq!(count, model.len());
        for (key, number) in model {
            assert_eq!(map.get(key).map(E::number), Some(*number));
        }
        for number in 0..20 {
            let key = K::make(number);
            assert_eq!(map.contains_key(&key), model.contains_key(&key));
        }
    }
}

#[test]
fn seeded_maps_are_those_of_std() {
    with_seeds(run::<Maps<Number, Number>>);
    with_seeds(run::<Maps<Number, Reference>>);
    with_seeds(run::<Maps<Number, Nothing>>);
    with_seeds(run::<Maps<Text, Text>>);
}

#[test]
fn seeded_maps_of_odd_keys_are_those_of_std() {
    with_seeds(run::<Maps<Colliding, Reference>>);
    with_seeds(run::<Maps<Crowded, Number>>);
}
