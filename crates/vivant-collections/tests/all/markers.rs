//! Collections of each kind grow and shrink while markers trace their chunks.

#[path = "../../../vivant-heap/tests/all/markers/threads.rs"]
mod threads;

use fastrand::Rng;
use std::collections::{BTreeMap, HashMap, VecDeque};
use threads::{Markers, Mode, source, with_seeds};
use vivant_collections::gc;
use vivant_heap::{Gc, Heap, Mut, Mutator, Object};

type Number<'gc> = Gc<'gc, Mut<u64>>;

#[derive(Object)]
struct Kinds<'gc> {
    vec: gc::Vec<'gc, Number<'gc>>,
    deque: gc::VecDeque<'gc, Number<'gc>>,
    hash: gc::HashMap<'gc, u64, Number<'gc>>,
    set: gc::HashSet<'gc, u64>,
    tree: gc::BTreeMap<'gc, u64, Number<'gc>>,
    text: gc::String<'gc>,
    /// Collections of `std`, in one object: scanned as a whole.
    plain: HashMap<u64, Number<'gc>>,
    list: Vec<Number<'gc>>,
}

#[derive(Object)]
struct Shelf<'gc> {
    kinds: Gc<'gc, Mut<Kinds<'gc>>>,
    ballast: Option<Gc<'gc, [u64]>>,
}

root!(Shelves = Shelf<'gc>);

#[derive(Default)]
struct Model {
    vec: Vec<u64>,
    deque: VecDeque<u64>,
    hash: HashMap<u64, u64>,
    tree: BTreeMap<u64, u64>,
    text: String,
    list: Vec<u64>,
    last: u64,
}

const STEPS: usize = if cfg!(miri) { 10 } else { 150 };
const MANY: usize = if cfg!(miri) { 12 } else { 120 };
const KEYS: usize = if cfg!(miri) { 40 } else { 600 };

impl Model {
    fn next<'gc>(&mut self, m: &Mutator<'gc>) -> (u64, Number<'gc>) {
        self.last += 1;
        (self.last, m.alloc(Mut::new(self.last)))
    }

    fn turn<'gc>(&mut self, m: &Mutator<'gc>, kinds: &mut Kinds<'gc>, random: &mut Rng) {
        let many = 1 + random.usize(..MANY);
        let key = random.usize(..KEYS) as u64;
        match random.usize(..16) {
            0 => (0..many).for_each(|_| {
                let (number, new) = self.next(m);
                self.vec.push(number);
                kinds.vec.push(m, new);
            }),
            1 => {
                let length = random.usize(..self.vec.len() + 1);
                self.vec.truncate(length);
                kinds.vec.truncate(m, length);
            }
            2 | 3 if !self.vec.is_empty() => {
                // A chunk that was scanned, or was not.
                let (one, other) = (
                    random.usize(..self.vec.len()),
                    random.usize(..self.vec.len()),
                );
                self.vec.swap(one, other);
                kinds.vec.swap(m, one, other);
                let (number, new) = self.next(m);
                self.vec[one] = number;
                *kinds.vec.get_mut(m, one).unwrap() = new;
            }
            4 => (0..many).for_each(|n| {
                let (number, new) = self.next(m);
                if n % 2 == 0 {
                    self.deque.push_back(number);
                    kinds.deque.push_back(m, new);
                } else {
                    self.deque.push_front(number);
                    kinds.deque.push_front(m, new);
                }
            }),
            5 => (0..many).for_each(|n| {
                let (gone, model) = match n % 2 {
                    0 => (kinds.deque.pop_front(m), self.deque.pop_front()),
                    _ => (kinds.deque.pop_back(m), self.deque.pop_back()),
                };
                assert_eq!(gone.map(|gone| gone.get()), model);
            }),
            6 | 7 => (0..many as u64).for_each(|n| {
                let (number, new) = self.next(m);
                let before = kinds.hash.insert(m, key + n, new);
                assert_eq!(before.map(|it| it.get()), self.hash.insert(key + n, number));
                kinds.set.insert(m, key + n);
                kinds.plain.insert(key + n, new);
            }),
            8 => {
                let keep = |key: &u64| !key.is_multiple_of(3);
                self.hash.retain(|key, _| keep(key));
                kinds.hash.retain(m, |key, _| keep(key));
                kinds.plain.retain(|key, _| keep(key));
                kinds.set.retain(m, keep);
            }
            9 | 10 => (0..many as u64).for_each(|n| {
                let (number, new) = self.next(m);
                let before = kinds.tree.insert(m, key + n, new);
                assert_eq!(before.map(|it| it.get()), self.tree.insert(key + n, number));
            }),
            11 => (0..many as u64).for_each(|n| {
                let gone = kinds.tree.remove(m, &(key + n)).map(|gone| gone.get());
                assert_eq!(gone, self.tree.remove(&(key + n)));
            }),
            12 => {
                let text = "rain, ".repeat(many);
                self.text += &text;
                kinds.text.push_str(m, &text);
            }
            13 => {
                let length = random.usize(..self.text.len() + 1);
                self.text.truncate(length);
                kinds.text.truncate(m, length);
            }
            14 => {
                let turned = self.vec.len().min(self.list.len() / 2);
                self.list.rotate_left(turned);
                kinds.list.rotate_left(turned);
                let (number, new) = self.next(m);
                self.list.push(number);
                kinds.list.push(new);
            }
            _ => self.clear(m, kinds, random),
        }
    }

    /// Empties one of them in constant time; its content goes to another place.
    fn clear<'gc>(&mut self, m: &Mutator<'gc>, kinds: &mut Kinds<'gc>, random: &mut Rng) {
        match random.usize(..3) {
            0 => {
                self.list.append(&mut self.vec);
                kinds.list.extend(kinds.vec.iter().copied());
                kinds.vec.clear();
            }
            1 => {
                self.list
                    .extend(std::mem::take(&mut self.tree).into_values());
                kinds.list.extend(kinds.tree.values().copied());
                kinds.tree.clear();
            }
            _ => {
                let keep = self.list.len() / 4;
                self.vec.extend(self.list.drain(keep..));
                let moved: Vec<_> = kinds.list.drain(keep..).collect();
                kinds.vec.extend(m, moved);
            }
        }
    }

    fn compare(&self, kinds: &Kinds<'_>) {
        let number = |it: &Number<'_>| it.get();
        assert!(kinds.vec.iter().map(number).eq(self.vec.iter().copied()));
        assert!(kinds.list.iter().map(number).eq(self.list.iter().copied()));
        assert!(
            kinds
                .deque
                .iter()
                .map(number)
                .eq(self.deque.iter().copied())
        );
        let tree = kinds.tree.iter().map(|(key, it)| (*key, number(it)));
        assert!(tree.eq(self.tree.iter().map(|(key, number)| (*key, *number))));
        assert!(kinds.text == *self.text);
        assert_eq!(kinds.hash.len(), self.hash.len());
        assert_eq!(kinds.plain.len(), self.hash.len());
        for (key, expected) in &self.hash {
            assert_eq!(kinds.hash.get(key).map(number), Some(*expected));
            assert_eq!(kinds.plain.get(key).map(number), Some(*expected));
            assert!(kinds.set.contains(key));
        }
    }
}

fn program(mode: Mode, seed: u64) {
    let (source, mut random, mut model) = (source(), Rng::with_seed(seed), Model::default());
    let mut heap = Heap::<Shelves>::new(&source, mode.pacing(seed), |m| Shelf {
        kinds: m.alloc(Mut::new(Kinds {
            vec: gc::Vec::new(),
            deque: gc::VecDeque::new(),
            hash: gc::HashMap::default(),
            set: gc::HashSet::default(),
            tree: gc::BTreeMap::new(),
            text: gc::String::new(),
            plain: HashMap::new(),
            list: Vec::new(),
        })),
        ballast: mode.ballast(m),
    });
    let markers = Markers::new(2);
    for step in 0..STEPS {
        heap.turn(|m, shelf| {
            for _ in 0..1 + random.usize(..4) {
                model.turn(m, &mut shelf.kinds.borrow_mut(m), &mut random);
            }
        });
        match random.usize(..30) {
            0 => heap.collect(),
            1..4 => heap.collect_young(),
            _ => heap.pace(),
        }
        markers.follow(&heap);
        if step % 4 == 0 || step + 1 == STEPS {
            heap.turn(|_, shelf| model.compare(&shelf.kinds.borrow()));
        }
    }
    assert!(heap.stats().begun > 0, "no mark was begun beside the turns");
    drop(heap);
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_collections_change_beside_markers() {
    with_seeds(4, program);
}
