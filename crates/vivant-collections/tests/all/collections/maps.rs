//! `gc::HashMap` and `gc::HashSet`.

use super::kinds::{Colliding, Ending, Key, Kind, Large, Nothing, Number, Reference, Shared, Text};
use super::{Pair, run, unless_refused, with_seeds};
use fastrand::Rng;
use std::collections::HashMap;
use std::collections::hash_map as model;
use std::marker::PhantomData;
use std::sync::Arc;
use vivant_collections::gc::{self, hash_map};
use vivant_heap::{Heap, Leaf, Mutator, Pacing, PageSource, Root};

/// A map of the heap, and its model.
struct Maps<K: Key, E> {
    model: HashMap<K::Of, u64>,
    last: u64,
    kind: PhantomData<E>,
}

impl<K: Key, E: Kind> Root for Maps<K, E> {
    type Of<'gc> = gc::HashMap<'gc, K::Of, E::Of<'gc>>;
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

    /// Each way to use an entry.
    fn use_entry<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        map: &mut gc::HashMap<'gc, K::Of, E::Of<'gc>>,
        key: K::Of,
        number: u64,
        random: &mut Rng,
    ) {
        let entry = map.entry(m, key.clone());
        assert_eq!(entry.key(), &key);
        match (entry, self.model.entry(key)) {
            (hash_map::Entry::Vacant(vacant), model::Entry::Vacant(expected)) => {
                let value = match random.usize(..4) {
                    0 => {
                        assert_eq!(&vacant.into_key(), expected.key());
                        return;
                    }
                    1 => vacant.insert(E::make(m, number)),
                    2 => hash_map::Entry::Vacant(vacant).or_insert_with(|| E::make(m, number)),
                    _ => hash_map::Entry::Vacant(vacant)
                        .and_modify(|_| panic!("there is none"))
                        .or_insert_with_key(|key| {
                            assert_eq!(key, expected.key());
                            E::make(m, number)
                        }),
                };
                assert_eq!(E::number(value), number);
                expected.insert(number);
            }
            (hash_map::Entry::Occupied(mut there), model::Entry::Occupied(mut expected)) => {
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
                        let entry = hash_map::Entry::Occupied(there);
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
    let keys = if random.usize(..3) == 0 { KEYS } else { 30 };
    K::make(random.usize(..keys) as u64)
}

impl<K: Key, E: Kind> Pair for Maps<K, E> {
    type State = Maps<K, E>;

    fn operate<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        map: &mut gc::HashMap<'gc, K::Of, E::Of<'gc>>,
        random: &mut Rng,
    ) {
        let many = match random.usize(..8) {
            0 => random.usize(..KEYS / 8),
            1 | 2 => random.usize(..40),
            _ => 1,
        };
        match random.usize(..12) {
            0..5 => {
                for _ in 0..many {
                    let (key, number) = (key::<K>(random), self.next());
                    let value = E::make(m, number);
                    let before = map.insert(m, key.clone(), value);
                    let model = self.model.insert(key, number);
                    assert_eq!(before.as_ref().map(E::number), model);
                }
            }
            5 | 6 => {
                for _ in 0..many {
                    let key = key::<K>(random);
                    let gone = map.remove(m, &key);
                    assert_eq!(gone.as_ref().map(E::number), self.model.remove(&key));
                }
            }
            7 if random.bool() => {
                let (key, number) = (key::<K>(random), self.next());
                self.use_entry(m, map, key, number, random);
            }
            7 => {
                let (key, number) = (key::<K>(random), self.next());
                let there = map.get_or_insert_with(m, key.clone(), |m| E::make(m, number));
                let model = self.model.entry(key).or_insert(number);
                assert_eq!(E::number(there), *model);
            }
            8 => {
                let (key, number) = (key::<K>(random), self.next());
                let value = E::make(m, number);
                if let Some(there) = map.get_mut(m, &key) {
                    *there = value;
                    *self.model.get_mut(&key).unwrap() = number;
                }
            }
            9 if random.usize(..4) == 0 => {
                let modulus = 2 + random.usize(..5) as u64;
                map.retain(m, |_, value| E::number(value) % modulus != 1);
                self.model.retain(|_, number| *number % modulus != 1);
            }
            10 if random.usize(..10) == 0 => {
                map.clear();
                self.model.clear();
            }
            11 if random.usize(..4) == 0 => {
                for (key, value) in map.iter_mut(m) {
                    let number = self.model.get_mut(key).unwrap();
                    assert_eq!(E::number(value), *number);
                    self.last += 1;
                    let new = (size_of::<E::Of<'_>>() != 0).then_some(self.last);
                    let new = new.unwrap_or(0);
                    if let Some(made) = unless_refused(|| E::make(m, new)) {
                        *value = made;
                        *number = new;
                    }
                }
            }
            _ => {
                let key = key::<K>(random);
                assert_eq!(map.contains_key(&key), self.model.contains_key(&key));
            }
        }
    }

    fn compare<'gc>(&self, map: &gc::HashMap<'gc, K::Of, E::Of<'gc>>) {
        assert_eq!(map.len(), self.model.len());
        assert_eq!(map.iter().count(), self.model.len());
        for (key, value) in map {
            assert_eq!(Some(&E::number(value)), self.model.get(key));
        }
        for (key, number) in &self.model {
            assert_eq!(map.get(key).map(E::number), Some(*number));
        }
    }
}

fn maps<K: Key, E: Kind>() {
    with_seeds(|seed| {
        let maps = Maps::<K, E> {
            model: HashMap::new(),
            last: 0,
            kind: PhantomData,
        };
        run(maps, seed, |_| gc::HashMap::new());
    });
}

#[test]
fn seeded_hash_maps_are_those_of_std() {
    maps::<Number, Number>();
    maps::<Number, Reference>();
    maps::<Number, Nothing>();
    maps::<Text, Ending>();
    maps::<Text, Large>();
}

#[test]
fn seeded_hash_maps_of_odd_keys_are_those_of_std() {
    maps::<Colliding, Ending>();
    maps::<Shared, Reference>();
}

/// Keys of a type that is no object by itself are found without their `Leaf`.
#[test]
fn leaves_are_looked_up_by_what_they_hold() {
    struct Shops;
    impl Root for Shops {
        type Of<'gc> = gc::HashMap<'gc, Leaf<Vec<u8>>, u64>;
    }
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<Shops>::new(&source, Pacing::default(), |_| gc::HashMap::new());
    heap.turn(|m, shops| {
        shops.insert(m, Leaf(b"till".to_vec()), 1);
        shops.insert(m, Leaf(b"door".to_vec()), 2);
        assert_eq!(shops.get(b"door".as_slice()), Some(&2));
        assert_eq!(shops.get(&b"till".to_vec()), Some(&1));
        assert_eq!(shops.remove(m, b"till".as_slice()), Some(1));
        assert!(!shops.contains_key(b"till".as_slice()));
    });
}
