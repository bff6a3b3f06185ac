//! `val::OrdMap`.

use super::kinds::{Colliding, Key, Kind, Nothing, Number, Reference, Text};
use super::{Pair, run, with_seeds};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Bound;
use vivant_collections::val;
use vivant_heap::Mutator;

struct Ordered<K, E>(PhantomData<(K, E)>);

/// The number of keys to choose from.
const KEYS: usize = if cfg!(miri) { 80 } else { 1500 };

fn key<K: Key>(random: &mut Rng) -> K::Of {
    let keys = if random.usize(..3) == 0 { 30 } else { KEYS };
    K::make(random.usize(..keys) as u64)
}

impl<K: Key, E: Kind> Pair for Ordered<K, E> {
    type Of<'gc> = val::OrdMap<'gc, K::Of, E::Of<'gc>>;
    type Model = BTreeMap<K::Of, u64>;

    fn new<'gc>() -> Self::Of<'gc> {
        val::OrdMap::new()
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
                let given = entries.iter();
                let given = given.map(|(key, number)| (key.clone(), E::make(m, *number)));
                map = map.extend(m, given);
                model.extend(entries);
            }
            2 => {
                let given = model.iter();
                let given = given.map(|(key, number)| (key.clone(), E::make(m, *number)));
                let made = val::OrdMap::from_iter(m, given);
                assert_eq!(made, map);
                map = made;
            }
            3 | 4 => {
                for _ in 0..many.min(100) {
                    let (key, number) = (key::<K>(random), number(random));
                    map = map.insert(m, key.clone(), E::make(m, number));
                    model.insert(key, number);
                }
            }
            5 => {
                // A range of neighbours is removed: nodes are merged.
                let from = key::<K>(random);
                let keys: Vec<K::Of> = model.range(from..).map(|(key, _)| key.clone()).collect();
                for key in keys.iter().take(many) {
                    map = map.remove(m, key);
                    model.remove(key);
                }
            }
            _ => {
                for _ in 0..many.min(100) {
                    let key = key::<K>(random);
                    let less = map.remove(m, &key);
                    let was_there = model.remove(&key).is_some();
                    assert_eq!(less.ptr_eq(map), !was_there);
                    map = less;
                }
            }
        }
        ranges::<K, E>(map, &model, random);
        (map, model)
    }

    fn compare(map: Self::Of<'_>, model: &Self::Model) {
        map.verify().unwrap();
        assert_eq!(map.len(), model.len());
        let of = |(key, value)| (key, E::number(value));
        let model = || model.iter().map(|(key, number)| (key, *number));
        assert!(map.iter().map(of).eq(model()));
        assert!(map.iter().rev().map(of).eq(model().rev()));
        assert_eq!(map.first().map(of), model().next());
        assert_eq!(map.last().map(of), model().next_back());
    }
}

fn ranges<K: Key, E: Kind>(
    map: val::OrdMap<'_, K::Of, E::Of<'_>>,
    model: &BTreeMap<K::Of, u64>,
    random: &mut Rng,
) {
    for _ in 0..4 {
        let (one, other) = (key::<K>(random), key::<K>(random));
        assert_eq!(map.get(&one).map(E::number), model.get(&one).copied());
        let rank = model.range(..&one).count();
        assert_eq!(map.rank(&one), rank);
        assert_eq!(map.at(rank).map(|(key, _)| key), model.keys().nth(rank));
        let (from, to) = if one < other {
            (one, other)
        } else {
            (other, one)
        };
        let bound = |kind, key| match kind {
            0 => Bound::Included(key),
            1 if from != to => Bound::Excluded(key),
            _ => Bound::Unbounded,
        };
        let range = (
            bound(random.usize(..3), &from),
            bound(random.usize(..3), &to),
        );
        let expected = || model.range::<K::Of, _>(range).map(|(key, _)| key);
        let mut own = map.range::<K::Of>(range);
        assert!(own.clone().map(|(key, _)| key).eq(expected()));
        let mut expected = expected();
        loop {
            assert_eq!(own.len(), expected.clone().count());
            let (one, other) = match random.usize(..2) {
                0 => (own.next(), expected.next()),
                _ => (own.next_back(), expected.next_back()),
            };
            assert_eq!(one.map(|(key, _)| key), other);
            if own.len() % 16 == 0 {
                break;
            }
        }
    }
}

#[test]
fn seeded_ordered_maps_are_those_of_std() {
    with_seeds(run::<Ordered<Number, Number>>);
    with_seeds(run::<Ordered<Number, Nothing>>);
    with_seeds(run::<Ordered<Text, Reference>>);
    with_seeds(run::<Ordered<Colliding, Text>>);
}

#[test]
fn a_range_that_ends_before_it_begins_is_empty() {
    use std::sync::Arc;
    use vivant_heap::{Heap, Pacing, PageSource};
    root!(State = val::OrdMap<'gc, u64, u64>);
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |m| {
        val::OrdMap::from_iter(m, (0..100).map(|key| (key, key)))
    });
    heap.turn(|_, map| {
        assert_eq!(
            map.range((Bound::Included(&50), Bound::Excluded(&20)))
                .count(),
            0
        );
        assert_eq!(
            map.range((Bound::Excluded(&50), Bound::Excluded(&50)))
                .count(),
            0
        );
        assert_eq!(map.range(50..=50).count(), 1);
    });
}
