//! Every change of an old chunk executes the write barrier (H5, H9): after the change, each chunk
//! that is still clean is byte for byte what it was.

use crate::gc;
use crate::injected_fault::{self, InjectedFault};
use std::collections::HashMap as Map;
use std::sync::Arc;
use vivant_heap::raw::each_clean;
use vivant_heap::{Heap, Mutator, Pacing, PageSource, Root};

#[derive(Default)]
struct All<'gc> {
    vec: gc::Vec<'gc, u64>,
    queue: gc::VecDeque<'gc, u64>,
    hash: gc::HashMap<'gc, u64, u64>,
    ordered: gc::BTreeMap<'gc, u64, u64>,
    text: gc::String<'gc>,
}

struct State;

impl Root for State {
    type Of<'gc> = Parts<'gc>;
}

type Parts<'gc> = (
    gc::Vec<'gc, u64>,
    gc::VecDeque<'gc, u64>,
    gc::HashMap<'gc, u64, u64>,
    gc::BTreeMap<'gc, u64, u64>,
    gc::String<'gc>,
);

/// Large enough for several levels.
const MANY: u64 = 20_000;

fn filled() -> Heap<State> {
    let source = Arc::new(PageSource::new());
    let mut heap = Heap::<State>::new(&source, Pacing::default(), |m| {
        (
            gc::Vec::from_iter(m, 0..MANY),
            gc::VecDeque::from_iter(m, 0..MANY),
            gc::HashMap::from_iter(m, (0..MANY).map(|number| (number, number))),
            gc::BTreeMap::from_iter(m, (0..MANY).map(|number| (number * 7 % MANY, number))),
            gc::String::from_str(m, &"text".repeat(2000)),
        )
    });
    heap.collect();
    heap.sweep();
    heap
}

/// The words of all clean old chunks, by address.
fn clean(heap: &mut Heap<State>) -> Map<usize, Vec<u64>> {
    let mut clean = Map::new();
    each_clean(heap, |chunk, bytes| {
        // SAFETY: a chunk of this heap, of this size, and no turn runs.
        let read = |number| unsafe { chunk.cast::<u64>().add(number).read() };
        clean.insert(chunk.addr().get(), (0..bytes / 8).map(read).collect());
    });
    clean
}

/// A change of one of the collections.
type CountDelta = for<'gc> fn(&Mutator<'gc>, &mut All<'gc>);

const CHANGES: [(&str, CountDelta); 34] = [
    ("Vec::push", |m, all| all.vec.push(m, 1)),
    ("Vec::pop", |m, all| {
        all.vec.pop(m);
    }),
    ("Vec::get_mut", |m, all| {
        *all.vec.get_mut(m, 7000).unwrap() = 1
    }),
    ("Vec::swap", |m, all| all.vec.swap(m, 3, 9000)),
    ("Vec::truncate", |m, all| all.vec.truncate(m, 4000)),
    ("Vec::insert", |m, all| all.vec.insert(m, 19_000, 3)),
    ("Vec::remove", |m, all| {
        all.vec.remove(m, 19_000);
    }),
    ("Vec::swap_remove", |m, all| {
        all.vec.swap_remove(m, 50);
    }),
    ("Vec::retain", |m, all| {
        all.vec.retain(m, |number| *number % 3 == 0)
    }),
    ("Vec::iter_mut", |m, all| {
        all.vec
            .iter_mut(m)
            .take(900)
            .for_each(|number| *number += 1)
    }),
    ("Vec::chunks_mut", |m, all| {
        all.vec.chunks_mut(m).nth_back(2).unwrap()[0] = 1
    }),
    ("VecDeque::push_front", |m, all| {
        all.queue.pop_front(m);
        all.queue.push_front(m, 1);
    }),
    ("VecDeque::pop_front", |m, all| {
        for _ in 0..2000 {
            all.queue.pop_front(m);
        }
    }),
    ("VecDeque::pop_back", |m, all| {
        all.queue.pop_back(m);
    }),
    ("HashMap::insert", |m, all| {
        for number in 0..20_000 {
            all.hash.insert(m, MANY + number, number);
        }
    }),
    ("HashMap::insert again", |m, all| {
        all.hash.insert(m, 77, 1);
    }),
    ("HashMap::get_mut", |m, all| {
        *all.hash.get_mut(m, &77).unwrap() = 1
    }),
    ("HashMap::remove", |m, all| {
        all.hash.remove(m, &77);
    }),
    ("HashMap::retain", |m, all| {
        all.hash.retain(m, |number, _| *number != 78)
    }),
    ("HashMap::iter_mut", |m, all| {
        all.hash
            .iter_mut(m)
            .take(200)
            .for_each(|entry| *entry.1 += 1)
    }),
    ("BTreeMap::insert", |m, all| {
        for number in 0..20_000 {
            all.ordered.insert(m, number * 3, number);
        }
    }),
    ("BTreeMap::get_mut", |m, all| {
        *all.ordered.get_mut(m, &77).unwrap() = 1
    }),
    ("BTreeMap::remove", |m, all| {
        for number in 3000..9000 {
            all.ordered.remove(m, &number);
        }
    }),
    ("BTreeMap::pop_first", |m, all| {
        all.ordered.pop_first(m);
    }),
    ("BTreeMap::range_mut", |m, all| {
        all.ordered
            .range_mut(m, 500..700)
            .for_each(|entry| *entry.1 += 1)
    }),
    ("BTreeMap::retain", |m, all| {
        all.ordered.retain(m, |number, _| number % 7 != 0)
    }),
    ("HashMap::entry, inserted", |m, all| {
        for number in 0..20_000 {
            all.hash.entry(m, MANY + number).or_insert(number);
        }
    }),
    ("HashMap::entry, written", |m, all| {
        *all.hash.entry(m, 77).or_default() = 1
    }),
    ("HashMap::entry, removed", |m, all| {
        match all.hash.entry(m, 77) {
            gc::hash_map::Entry::Occupied(entry) => entry.remove(),
            gc::hash_map::Entry::Vacant(entry) => *entry.insert(1),
        };
    }),
    ("BTreeMap::entry, inserted", |m, all| {
        for number in 0..20_000 {
            all.ordered.entry(m, number * 3).or_insert(number);
        }
    }),
    ("BTreeMap::entry, written", |m, all| {
        *all.ordered.entry(m, 77).or_default() = 1
    }),
    ("BTreeMap::entry, removed", |m, all| {
        match all.ordered.entry(m, 77) {
            gc::btree_map::Entry::Occupied(entry) => entry.remove(),
            gc::btree_map::Entry::Vacant(entry) => *entry.insert(1),
        };
    }),
    ("String::push", |m, all| all.text.push(m, 'x')),
    ("String::pop", |m, all| {
        for _ in 0..3000 {
            all.text.pop(m);
        }
    }),
];

/// Returns the number of chunks that were changed and are still clean, and of those that are no
/// longer clean.
fn changed(change: CountDelta) -> (usize, usize) {
    let mut heap = filled();
    let before = clean(&mut heap);
    assert!(before.len() > 500);
    heap.turn(|m, state| {
        let (vec, queue, hash, ordered, text) = std::mem::take(state);
        let mut all = All {
            vec,
            queue,
            hash,
            ordered,
            text,
        };
        change(m, &mut all);
        *state = (all.vec, all.queue, all.hash, all.ordered, all.text);
    });
    let after = clean(&mut heap);
    let differs = |&(at, words): &(&usize, &Vec<u64>)| before.get(at) != Some(words);
    let secret = after.iter().filter(differs).count();
    (secret, before.len() - after.len())
}

#[test]
fn every_change_runs_the_barrier() {
    for (name, change) in CHANGES {
        let (secret, told) = changed(change);
        assert_eq!(secret, 0, "{name}");
        assert!(told > 0, "{name} changes nothing");
    }
}

#[test]
fn self_test_a_removal_that_skips_the_barrier_is_caught() {
    let removals = [
        ("Vec::pop", CHANGES[1].1),
        ("BTreeMap::remove", CHANGES[22].1),
    ];
    for (name, change) in removals {
        let (secret, _) = injected_fault::with(InjectedFault::SecretChange, || changed(change));
        assert!(secret > 0, "{name}");
    }
}
