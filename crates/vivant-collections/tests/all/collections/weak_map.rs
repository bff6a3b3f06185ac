//! `gc::WeakMap`: entries with dead values are gone at once, and their memory is freed gradually.

use crate::seeds::seeds;
use fastrand::Rng;
use std::collections::HashMap;
use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Gc, Heap, MarkStart, Mut, Object, Pacing, PageSource, Progress, Stress, When};

type Value<'gc> = Gc<'gc, Mut<u64>>;

#[derive(Object)]
struct State<'gc> {
    /// Keys are boxed, so that they have a destructor.
    map: gc::WeakMap<'gc, Box<u64>, Mut<u64>>,
    kept: gc::HashMap<'gc, u64, Value<'gc>>,
    ballast: Option<Gc<'gc, [u64]>>,
}

root!(States = State<'gc>);

fn heap(pacing: Pacing) -> Heap<States> {
    Heap::<States>::new(&Arc::new(PageSource::new()), pacing, |_| State {
        map: gc::WeakMap::new(),
        kept: gc::HashMap::new(),
        ballast: None,
    })
}

/// Inserts entries with values that are kept live.
fn keep(heap: &mut Heap<States>, keys: std::ops::Range<u64>) {
    heap.turn(|m, state| {
        for key in keys {
            let value = m.alloc(Mut::new(key));
            assert!(state.map.insert(m, Box::new(key), value).is_none());
            state.kept.insert(m, key, value);
        }
    });
}

/// Beside maps of `std`, under random collections: kept values are in the map; other values are in
/// it unchanged, or not at all.
#[test]
fn seeded_a_weak_map_has_the_live_entries() {
    let (most, steps) = if cfg!(miri) { (2, 60) } else { (1_000, 600) };
    for seed in seeds(10).take(most) {
        let when = [When::Chance, When::Concurrent][seed as usize % 2];
        let mut heap = heap(Pacing::new().stressed(Stress::new(when, seed)));
        let mut chance = Rng::with_seed(seed);
        let (mut kept, mut was) = (HashMap::new(), HashMap::new());
        for step in 0..steps {
            let (key, what) = (chance.usize(..80) as u64, chance.usize(..8));
            heap.turn(|m, state| match what {
                0..4 => {
                    let value = m.alloc(Mut::new(step));
                    let before = state.map.insert(m, Box::new(key), value);
                    let before = before.map(|value| value.get());
                    assert!(before.is_none() || before == was.get(&key).copied());
                    if let Some(kept) = kept.insert(key, step) {
                        assert_eq!(before, Some(kept));
                    }
                    was.insert(key, step);
                    state.kept.insert(m, key, value);
                }
                4..6 => {
                    kept.remove(&key);
                    state.kept.remove(m, &key);
                }
                6 => {
                    let there = state.map.remove(m, &key).map(|value| value.get());
                    assert!(there.is_none() || there == was.get(&key).copied());
                    if let Some(kept) = kept.get(&key) {
                        assert_eq!(there, Some(*kept));
                    }
                    kept.remove(&key);
                    was.remove(&key);
                    state.kept.remove(m, &key);
                }
                _ => {
                    let value = state.map.get_or_insert_with(m, Box::new(key), |m| {
                        assert!(!kept.contains_key(&key));
                        m.alloc(Mut::new(step))
                    });
                    if let Some(kept) = kept.get(&key) {
                        assert_eq!(value.get(), *kept);
                    }
                    was.insert(key, value.get());
                }
            });
            heap.pace();
            heap.turn(|m, state| {
                for (key, value) in &kept {
                    assert_eq!(
                        state.map.get(m, key).map(|value| value.get()),
                        Some(*value),
                        "{seed}"
                    );
                }
            });
        }
        heap.turn(|_, state| state.kept.clear());
        heap.collect();
        heap.turn(|m, state| {
            assert_eq!(state.map.iter(m).count(), 0);
            state.map.purge(m);
            assert_eq!(state.map.entries(), 0);
        });
        heap.verify().unwrap();
    }
}

#[test]
fn entries_of_dead_keys_are_removed_by_insertions() {
    let many = if cfg!(miri) { 300 } else { 5_000 };
    let mut heap = heap(Pacing::new());
    keep(&mut heap, 0..many);
    heap.turn(|_, state| {
        assert_eq!(state.map.entries(), many as usize);
        state.kept.clear();
    });
    heap.collect();
    // Half as many again, and at most one batch of the search remains.
    keep(&mut heap, many..many * 3 / 2 + 64);
    heap.turn(|m, state| {
        assert!(
            state.map.entries() <= many as usize / 2 + 128,
            "{}",
            state.map.entries()
        );
        assert_eq!(state.map.iter(m).count(), many as usize / 2 + 64);
    });
}

/// The search for dead entries must not resurrect values: each mark would then keep all of them.
#[test]
fn a_lookup_does_not_resurrect_a_dead_key() {
    let many = if cfg!(miri) { 300 } else { 5_000 };
    let mut heap = heap(Pacing::new().growth(50.0));
    heap.turn(|m, state| state.ballast = Some(m.alloc_slice(vec![7; 40_000])));
    keep(&mut heap, 0..many);
    heap.collect();
    heap.sweep();
    heap.turn(|_, state| state.kept.clear());
    assert_eq!(heap.begin_mark(), MarkStart::Running);
    keep(&mut heap, many..many * 2);
    heap.turn(|m, state| {
        state.map.purge(m);
        assert_eq!(
            state.map.entries(),
            many as usize * 2,
            "none is known to be dead"
        );
    });
    heap.pace();
    while heap.help_mark(1_000) != Progress::Drained {}
    while heap.stats().ended == 0 {
        heap.pace();
    }
    heap.turn(|m, state| {
        assert_eq!(state.map.iter(m).count(), many as usize);
        state.map.purge(m);
        assert_eq!(state.map.entries(), many as usize);
    });
    heap.verify().unwrap();
}
