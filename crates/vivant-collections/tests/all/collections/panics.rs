//! User code that panics: nothing is lost, and nothing is dropped twice.

use super::kinds::{Noted, assert_all_ended};
use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_collections::gc;
use vivant_heap::{Heap, Leaf, Mutator, Pacing, PageSource, Stress, When};

thread_local! {
    /// After this number of calls of user code a call panics; 0: no call does.
    static FUSE: Cell<u32> = const { Cell::new(0) };
}

fn burn() {
    let left = FUSE.get();
    FUSE.set(left.saturating_sub(1));
    assert_ne!(left, 1, "user code");
}

/// A key. All of its functions can panic.
struct Touchy(u64, Noted);

impl Touchy {
    fn new(number: u64) -> Leaf<Touchy> {
        Leaf(Touchy(number, Noted::new()))
    }
}

impl Hash for Touchy {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.1.assert_alive();
        burn();
        // Many collide.
        hasher.write_u64(self.0 / 3);
    }
}

impl PartialEq for Touchy {
    fn eq(&self, other: &Touchy) -> bool {
        self.1.assert_alive();
        other.1.assert_alive();
        burn();
        self.0 == other.0
    }
}

impl Eq for Touchy {}

impl PartialOrd for Touchy {
    fn partial_cmp(&self, other: &Touchy) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Touchy {
    fn cmp(&self, other: &Touchy) -> Ordering {
        self.1.assert_alive();
        other.1.assert_alive();
        burn();
        self.0.cmp(&other.0)
    }
}

/// Its destructor can panic; its content is dropped all the same.
struct Loud(#[expect(dead_code, reason = "counts its end")] Noted);

impl Drop for Loud {
    fn drop(&mut self) {
        burn();
    }
}

type Entry = (Leaf<Touchy>, Leaf<Loud>);

fn entry(number: u64) -> Entry {
    (Touchy::new(number), Leaf(Loud(Noted::new())))
}

struct All<'gc> {
    hash: gc::HashMap<'gc, Leaf<Touchy>, Leaf<Loud>>,
    ordered: gc::BTreeMap<'gc, Leaf<Touchy>, Leaf<Loud>>,
    vec: gc::Vec<'gc, Entry>,
    queue: gc::VecDeque<'gc, Entry>,
}

type Parts<'gc> = (
    gc::HashMap<'gc, Leaf<Touchy>, Leaf<Loud>>,
    gc::BTreeMap<'gc, Leaf<Touchy>, Leaf<Loud>>,
    gc::Vec<'gc, Entry>,
    gc::VecDeque<'gc, Entry>,
);

root!(State = Parts<'gc>);

impl<'gc> All<'gc> {
    fn operate(&mut self, m: &Mutator<'gc>, step: u64) {
        let number = step * 7 % 400;
        match step % 10 {
            0..4 => {
                let (key, value) = entry(number);
                self.hash.insert(m, key, value);
                let (key, value) = entry(number);
                self.ordered.insert(m, key, value);
                self.vec.push(m, entry(number));
                self.queue.push_front(m, entry(number));
            }
            4 => {
                self.hash.remove(m, &Touchy::new(number));
                self.ordered.remove(m, &Touchy::new(number));
            }
            5 => drop(self.vec.swap_remove(m, number as usize % 50)),
            6 => {
                let keep = |key: &Leaf<Touchy>| {
                    burn();
                    key.0.0 % 16 != number % 16
                };
                self.hash.retain(m, |key, _| keep(key));
                self.ordered.retain(m, |key, _| keep(key));
                self.vec.retain(m, |entry| keep(&entry.0));
                self.queue.retain(m, |entry| keep(&entry.0));
            }
            7 => {
                let len = self.queue.len();
                self.queue.truncate(m, len - len / 8);
            }
            8 => {
                let make = |_: &Mutator<'gc>| {
                    burn();
                    Leaf(Loud(Noted::new()))
                };
                self.hash.get_or_insert_with(m, Touchy::new(number), make);
                self.ordered
                    .get_or_insert_with(m, Touchy::new(number), make);
            }
            _ => {
                self.ordered.pop_first(m);
                self.ordered.pop_last(m);
            }
        }
    }

    /// Asserts that all entries are live, and that there are as many as the length says.
    fn look(&self) {
        let keys = self.hash.keys().chain(self.ordered.keys());
        let keys = keys.chain(self.vec.iter().map(|entry| &entry.0));
        let keys = keys.chain(self.queue.iter().map(|entry| &entry.0));
        let alive = keys.inspect(|key| key.0.1.assert_alive()).count();
        let len = self.hash.len() + self.ordered.len() + self.vec.len() + self.queue.len();
        assert_eq!(alive, len);
        let order: Vec<u64> = self.ordered.keys().map(|key| key.0.0).collect();
        assert!(order.is_sorted_by(|one, other| one < other));
    }
}

#[test]
fn panicking_user_code_loses_and_duplicates_no_element() {
    let source = Arc::new(PageSource::new());
    let mut pacing = Pacing::default();
    pacing.nursery = 4096;
    pacing.stress = Some(Stress::new(When::Chance, 7));
    let mut heap = Heap::<State>::new(&source, pacing, |_| Default::default());
    let mut panicked = 0;
    let steps = if cfg!(miri) { 150 } else { 6000 };
    for step in 0..steps {
        heap.turn(|m, state| {
            let (hash, ordered, vec, queue) = std::mem::take(state);
            let mut all = All {
                hash,
                ordered,
                vec,
                queue,
            };
            FUSE.set((step * 31 % 97) as u32);
            let turn = catch_unwind(AssertUnwindSafe(|| all.operate(m, step)));
            FUSE.set(0);
            panicked += u64::from(turn.is_err());
            all.look();
            *state = (all.hash, all.ordered, all.vec, all.queue);
        });
        if step % 50 == 49 {
            // Destructors of dead objects panic too.
            FUSE.set(5);
            heap.collect();
            heap.sweep();
            FUSE.set(0);
        } else if step % 10 == 0 {
            heap.pace();
        }
    }
    assert!(panicked > steps / 10, "{panicked}");
    heap.turn(|_, state| *state = Default::default());
    // One destructor in each chunk panics, and the rest is dropped all the same.
    FUSE.set(3);
    heap.collect();
    heap.sweep();
    FUSE.set(0);
    assert!(heap.stats().panics > 0);
    drop(heap);
    assert_all_ended();
}
