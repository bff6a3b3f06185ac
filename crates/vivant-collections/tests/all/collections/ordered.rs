//! `gc::BTreeMap`.

use super::kinds::{Ending, Huge, Key, Kind, Large, Nothing, Number, Reference, Shared, Text};
use super::{Pair, run, unless_refused, with_seeds};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::collections::btree_map as model;
use std::marker::PhantomData;
use vivant_collections::gc::{self, btree_map};
use vivant_heap::{Mutator, Root};

struct Maps<K: Key, E> {
    model: BTreeMap<K::Of, u64>,
    last: u64,
    kind: PhantomData<E>,
}

impl<K: Key, E: Kind> Root for Maps<K, E> {
    type Of<'gc> = gc::BTreeMap<'gc, K::Of, E::Of<'gc>>;
}

/// The number of keys to choose from.
const KEYS: usize = if cfg!(miri) { 150 } else { 4000 };

impl<K: Key, E: Kind> Maps<K, E> {
    fn next(&mut self) -> u64 {
        self.last += 1;
        match size_of::<E::Of<'_>>() {
            0 => 0,
            _ => self.last,
        }
    }

    fn insert<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        map: &mut gc::BTreeMap<'gc, K::Of, E::Of<'gc>>,
        key: K::Of,
    ) {
        let number = self.next();
        let value = E::make(m, number);
        let before = map.insert(m, key.clone(), value);
        let model = self.model.insert(key, number);
        assert_eq!(before.as_ref().map(E::number), model);
    }

    /// Each way to use an entry.
    fn use_entry<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        map: &mut gc::BTreeMap<'gc, K::Of, E::Of<'gc>>,
        key: K::Of,
        number: u64,
        random: &mut Rng,
    ) {
        let entry = map.entry(m, key.clone());
        assert_eq!(entry.key(), &key);
        match (entry, self.model.entry(key)) {
            (btree_map::Entry::Vacant(vacant), model::Entry::Vacant(expected)) => {
                let value = match random.usize(..4) {
                    0 => {
                        assert_eq!(&vacant.into_key(), expected.key());
                        return;
                    }
                    1 => vacant.insert(E::make(m, number)),
                    2 => btree_map::Entry::Vacant(vacant).or_insert_with(|| E::make(m, number)),
                    _ => btree_map::Entry::Vacant(vacant)
                        .and_modify(|_| panic!("there is none"))
                        .or_insert_with_key(|key| {
                            assert_eq!(key, expected.key());
                            E::make(m, number)
                        }),
                };
                assert_eq!(E::number(value), number);
                expected.insert(number);
            }
            (btree_map::Entry::Occupied(mut there), model::Entry::Occupied(mut expected)) => {
                assert_eq!(there.key(), expected.key());
                assert_eq!(E::number(there.get()), *expected.get());
                match random.usize(..5) {
                    0 => *there.get_mut() = E::make(m, number),
                    1 => {
                        let before = there.insert(E::make(m, number));
                        assert_eq!(E::number(&before), *expected.get());
                    }
                    2 => *there.into_mut() = E::make(m, number),
                    3 => {
                        let entry = btree_map::Entry::Occupied(there);
                        let changed = entry.and_modify(|value| *value = E::make(m, number));
                        let value = changed.or_insert_with(|| panic!("there is one"));
                        assert_eq!(E::number(value), number);
                    }
                    _ => {
                        let (gone, value) = there.remove_entry();
                        let (expected, number) = expected.remove_entry();
                        assert_eq!((gone, E::number(&value)), (expected, number));
                        return;
                    }
                }
                expected.insert(number);
            }
            _ => panic!("one of the maps has an entry, and the other has none"),
        }
    }
}

fn key<K: Key>(random: &mut Rng) -> K::Of {
    let keys = if random.usize(..3) == 0 { KEYS } else { 60 };
    K::make(random.usize(..keys) as u64)
}

impl<K: Key, E: Kind> Pair for Maps<K, E> {
    type State = Maps<K, E>;

    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        map: &mut gc::BTreeMap<'gc, K::Of, E::Of<'gc>>,
        random: &mut Rng,
    ) {
        let many = match random.usize(..8) {
            0 => random.usize(..KEYS / 8),
            1 | 2 => random.usize(..40),
            _ => 1,
        };
        match random.usize(..16) {
            0..4 => {
                for _ in 0..many {
                    self.insert(m, map, key::<K>(random));
                }
            }
            // In order, one way and the other.
            4 => {
                let first = random.usize(..KEYS) as u64;
                for step in 0..many as u64 {
                    self.insert(m, map, K::make(first + step));
                }
            }
            5 => {
                let first = (KEYS + random.usize(..KEYS)) as u64;
                for step in 0..many as u64 {
                    self.insert(m, map, K::make(first - step));
                }
            }
            6 | 7 => {
                for _ in 0..many {
                    let key = key::<K>(random);
                    let gone = map.remove(m, &key);
                    assert_eq!(gone.as_ref().map(E::number), self.model.remove(&key));
                }
            }
            8 => {
                for _ in 0..many {
                    let gone = map.pop_first(m);
                    let gone = gone
                        .as_ref()
                        .map(|(key, value)| (key.clone(), E::number(value)));
                    assert_eq!(gone, self.model.pop_first());
                }
            }
            9 => {
                for _ in 0..many {
                    let gone = map.pop_last(m);
                    let gone = gone
                        .as_ref()
                        .map(|(key, value)| (key.clone(), E::number(value)));
                    assert_eq!(gone, self.model.pop_last());
                }
            }
            10 if random.bool() => {
                let (key, number) = (key::<K>(random), self.next());
                self.use_entry(m, map, key, number, random);
            }
            10 => {
                let (key, number) = (key::<K>(random), self.next());
                let there = map.get_or_insert_with(m, key.clone(), |m| E::make(m, number));
                let model = self.model.entry(key).or_insert(number);
                assert_eq!(E::number(there), *model);
            }
            11 => {
                let (key, number) = (key::<K>(random), self.next());
                let value = E::make(m, number);
                if let Some(there) = map.get_mut(m, &key) {
                    *there = value;
                    *self.model.get_mut(&key).unwrap() = number;
                }
            }
            12 if random.usize(..4) == 0 => {
                let modulus = 2 + random.usize(..5) as u64;
                map.retain(m, |_, value| E::number(value) % modulus != 1);
                self.model.retain(|_, number| *number % modulus != 1);
            }
            13 if random.usize(..10) == 0 => {
                map.clear();
                self.model.clear();
            }
            14 => {
                let (one, other) = (key::<K>(random), key::<K>(random));
                let (from, to) = (one.clone().min(other.clone()), one.max(other));
                let mut numbers = self.model.range_mut(from.clone()..=to.clone());
                for (_, value) in map.range_mut(m, from..=to) {
                    let (_, number) = numbers.next().unwrap();
                    assert_eq!(E::number(value), *number);
                    self.last += 1;
                    let new = (size_of::<E::Of<'_>>() != 0).then_some(self.last);
                    let new = new.unwrap_or(0);
                    if let Some(made) = unless_refused(|| E::make(m, new)) {
                        *value = made;
                        *number = new;
                    }
                }
                assert!(numbers.next().is_none());
            }
            _ => {
                let (one, other) = (key::<K>(random), key::<K>(random));
                let (from, to) = (one.clone().min(other.clone()), one.max(other));
                let ours = map.range(from.clone()..to.clone());
                let ours: Vec<_> = ours.map(|(_, value)| E::number(value)).collect();
                let theirs = self.model.range(from.clone()..to.clone());
                assert!(ours.iter().eq(theirs.map(|(_, number)| number)));
                let ours = map.range(from.clone()..=to.clone()).rev();
                let theirs = self.model.range(from.clone()..=to).rev();
                assert!(ours.map(|entry| entry.0).eq(theirs.map(|entry| entry.0)));
                let after = (std::ops::Bound::Excluded(from), std::ops::Bound::Unbounded);
                let first = map.range(after.clone()).next().map(|entry| entry.0);
                assert_eq!(first, self.model.range(after).next().map(|entry| entry.0));
            }
        }
    }

    fn compare<'gc>(&self, map: &gc::BTreeMap<'gc, K::Of, E::Of<'gc>>) {
        assert_eq!(map.len(), self.model.len());
        let ours = map.iter().map(|(key, value)| (key, E::number(value)));
        assert!(ours.eq(self.model.iter().map(|(key, number)| (key, *number))));
        let ours = map.keys().rev();
        assert!(ours.eq(self.model.keys().rev()));
        for (key, number) in &self.model {
            assert_eq!(map.get(key).map(E::number), Some(*number));
        }
        let first = map.first_key_value().map(|entry| entry.0);
        assert_eq!(first, self.model.first_key_value().map(|entry| entry.0));
        let last = map.last_key_value().map(|entry| entry.0);
        assert_eq!(last, self.model.last_key_value().map(|entry| entry.0));
    }
}

fn maps<K: Key, E: Kind>() {
    with_seeds(|seed| {
        let maps = Maps::<K, E> {
            model: BTreeMap::new(),
            last: 0,
            kind: PhantomData,
        };
        run(maps, seed, |_| gc::BTreeMap::new());
    });
}

#[test]
fn seeded_ordered_maps_are_those_of_std() {
    maps::<Number, Number>();
    maps::<Number, Reference>();
    maps::<Number, Nothing>();
    maps::<Text, Ending>();
}

#[test]
fn seeded_ordered_maps_of_large_entries_are_those_of_std() {
    maps::<Text, Large>();
    maps::<Number, Huge>();
    maps::<Shared, Reference>();
}
