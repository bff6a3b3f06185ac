//! Random graphs, turns and collections, compared with a model that never moves and never frees:
//! numbers in a vector.

#![allow(unsafe_code, reason = "what the derive writes, by hand")]

use crate::heaps::Collect;
use crate::numbered::{Drops, Numbered};
use crate::seeds;
use fastrand::Rng;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vivant_heap::{
    DeathWatch, Evacuator, Gc, Heap, Leaf, Mut, Mutator, Object, Pacing, PageSource, Stress,
    Tracer, When,
};

/// A reference, or none.
#[derive(Clone, Copy)]
enum Edge<'gc> {
    None,
    Node(Gc<'gc, Mut<Thing<'gc, 3>>>),
    Fixed(Gc<'gc, Thing<'gc, 2>>),
    Plain(Gc<'gc, Leaf<Numbered>>),
    /// Larger than objects that are born young.
    Large(Gc<'gc, Thing<'gc, 200>>),
    Wide(Gc<'gc, Mut<Thing<'gc, 150>>>),
    Empty(Gc<'gc, ()>),
}

struct Thing<'gc, const N: usize> {
    noted: Leaf<Numbered>,
    slots: [Edge<'gc>; N],
}

// SAFETY: an edge consists of what its variant holds.
unsafe impl<'gc> Object<'gc> for Edge<'gc> {
    type Static = Edge<'static>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self {
            Edge::None => {}
            Edge::Node(to) => to.trace(tracer),
            Edge::Fixed(to) => to.trace(tracer),
            Edge::Plain(to) => to.trace(tracer),
            Edge::Large(to) => to.trace(tracer),
            Edge::Wide(to) => to.trace(tracer),
            Edge::Empty(to) => to.trace(tracer),
        }
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        match self {
            Edge::None => {}
            Edge::Node(to) => to.evacuate(evacuator),
            Edge::Fixed(to) => to.evacuate(evacuator),
            Edge::Plain(to) => to.evacuate(evacuator),
            Edge::Large(to) => to.evacuate(evacuator),
            Edge::Wide(to) => to.evacuate(evacuator),
            Edge::Empty(to) => to.evacuate(evacuator),
        }
    }
}

// SAFETY: the slots have all its references.
unsafe impl<'gc, const N: usize> Object<'gc> for Thing<'gc, N> {
    type Static = Thing<'static, N>;
    const NEEDS_TRACE: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.slots.trace(tracer);
    }
    fn evacuate(&mut self, evacuator: &mut Evacuator<'_>) {
        self.slots.evacuate(evacuator);
    }
}

root!(Graph = Vec<Edge<'gc>>);

/// The expected content of the heap.
struct Model {
    /// By number: the references of each object.
    objects: Vec<Vec<Option<usize>>>,
    roots: Vec<Option<usize>>,
    ended: Drops,
    /// Death watches, by number; removed watches and reported ones are gone.
    watched: BTreeMap<u64, DeathWatch>,
    random: Rng,
}

const ROOTS: usize = 4;
/// The slots that are used in objects with many slots.
const USED: [usize; 4] = [0, 1, 77, 149];

impl Model {
    fn slot(&mut self, slots: usize) -> usize {
        match slots {
            0..4 => self.random.usize(..slots),
            _ => USED[self.random.usize(..4)],
        }
    }

    /// Picks a random object that the roots reach, or none.
    fn pick<'gc>(&mut self, state: &[Edge<'gc>]) -> (Edge<'gc>, Option<usize>) {
        let root = self.random.usize(..ROOTS);
        let (mut at, mut number) = (state[root], self.roots[root]);
        for _ in 0..self.random.usize(..6) {
            let Some(here) = number.filter(|&here| !self.objects[here].is_empty()) else {
                break;
            };
            let slot = self.slot(self.objects[here].len());
            (at, number) = (slots(at)[slot], self.objects[here][slot]);
        }
        (at, number)
    }

    fn new_object<'gc>(
        &mut self,
        m: &Mutator<'gc>,
        state: &[Edge<'gc>],
    ) -> (Edge<'gc>, Option<usize>) {
        let kind = self.random.usize(..16);
        let count = match kind {
            0..6 => 3,
            6..10 => 2,
            10..13 => 0,
            13 => 200,
            14 => 150,
            _ => return (Edge::Empty(m.alloc(())), None),
        };
        let number = self.objects.len();
        let noted = Numbered::next(&self.ended);
        let mut to = vec![(Edge::None, None); count];
        for _ in 0..count.min(4) {
            let slot = self.slot(count);
            to[slot] = self.pick(state);
        }
        self.objects.push(to.iter().map(|to| to.1).collect());
        let at = |slot: usize| to[slot].0;
        let edge = match count {
            3 => Edge::Node(m.alloc(Mut::new(thing(noted, at)))),
            2 => Edge::Fixed(m.alloc(thing(noted, at))),
            200 => Edge::Large(m.alloc(thing(noted, at))),
            150 => Edge::Wide(m.alloc(Mut::new(thing(noted, at)))),
            _ => Edge::Plain(m.alloc(noted)),
        };
        if self.random.usize(..4) == 0 {
            self.watched
                .insert(number as u64, watch(m, edge, number as u64));
        }
        (edge, Some(number))
    }

    fn turn<'gc>(&mut self, m: &Mutator<'gc>, state: &mut [Edge<'gc>]) {
        for _ in 0..self.random.usize(..40) {
            let (edge, number) = match self.random.usize(..8) {
                0 => (Edge::None, None),
                1..3 => self.pick(state),
                _ => self.new_object(m, state),
            };
            let root = self.random.usize(..ROOTS);
            let (target, into) = self.pick(state);
            match (target, into) {
                (Edge::Node(node), Some(into)) => {
                    let slot = self.slot(3);
                    node.borrow_mut(m).slots[slot] = edge;
                    self.objects[into][slot] = number;
                }
                (Edge::Wide(wide), Some(into)) => {
                    let slot = self.slot(150);
                    wide.borrow_mut(m).slots[slot] = edge;
                    self.objects[into][slot] = number;
                }
                _ => {
                    state[root] = edge;
                    self.roots[root] = number;
                }
            }
        }
    }

    /// Asserts that deaths are reported in the order of watching, of unreachable objects, and once.
    fn check_deaths(&mut self, heap: &mut Heap<Graph>, reached: &[bool]) {
        let deaths = heap.take_deaths();
        assert!(deaths.is_sorted(), "{deaths:?}");
        for token in deaths {
            let watched = self.watched.remove(&token);
            assert!(watched.is_some(), "{token} is reported twice, or unwatched");
            assert!(!reached[token as usize], "{token} is alive");
        }
        let nth = self.random.usize(..20);
        let some = self.watched.iter().nth(nth);
        if let Some((&token, &watch)) = some {
            self.watched.remove(&token);
            heap.turn(|m, _| {
                assert_eq!(m.unwatch_death(watch), Some(token));
                assert_eq!(m.unwatch_death(watch), None);
            });
        }
    }

    /// Asserts that the heap has its expected content. Returns which numbers are reachable.
    fn compare(&self, heap: &mut Heap<Graph>) -> Vec<bool> {
        let mut reached = vec![false; self.objects.len()];
        heap.turn(|_, state| {
            let mut places = HashMap::new();
            let mut left: Vec<_> = state.iter().copied().zip(self.roots.clone()).collect();
            while let Some((edge, number)) = left.pop() {
                assert_eq!(number_of(edge), number);
                let Some(number) = number else { continue };
                let place = places.entry(number).or_insert(address(edge));
                assert_eq!(*place, address(edge), "one object in two places");
                if !std::mem::replace(&mut reached[number], true) {
                    left.extend(slots(edge).into_iter().zip(self.objects[number].clone()));
                }
            }
        });
        let ended = self.ended.lock().unwrap();
        for number in 0..reached.len() {
            assert!(ended[number] <= u32::from(!reached[number]), "{number}");
        }
        reached
    }
}

fn watch<'gc>(m: &Mutator<'gc>, edge: Edge<'gc>, token: u64) -> DeathWatch {
    match edge {
        Edge::Node(to) => m.watch_death(to, token),
        Edge::Fixed(to) => m.watch_death(to, token),
        Edge::Large(to) => m.watch_death(to, token),
        Edge::Wide(to) => m.watch_death(to, token),
        Edge::Plain(to) => m.watch_death(to, token),
        Edge::Empty(to) => m.watch_death(to, token),
        Edge::None => unreachable!("nothing is not watched"),
    }
}

fn thing<'gc, const N: usize>(
    noted: Leaf<Numbered>,
    slot: impl Fn(usize) -> Edge<'gc>,
) -> Thing<'gc, N> {
    let slots = std::array::from_fn(slot);
    Thing { noted, slots }
}

fn slots<'gc>(edge: Edge<'gc>) -> Vec<Edge<'gc>> {
    match edge {
        Edge::Node(to) => to.borrow().slots.to_vec(),
        Edge::Fixed(to) => to.slots.to_vec(),
        Edge::Large(to) => to.slots.to_vec(),
        Edge::Wide(to) => to.borrow().slots.to_vec(),
        Edge::None | Edge::Plain(_) | Edge::Empty(_) => Vec::new(),
    }
}

fn number_of(edge: Edge<'_>) -> Option<usize> {
    match edge {
        Edge::Node(to) => Some(to.borrow().noted.0.number),
        Edge::Fixed(to) => Some(to.noted.0.number),
        Edge::Large(to) => Some(to.noted.0.number),
        Edge::Wide(to) => Some(to.borrow().noted.0.number),
        Edge::Plain(to) => Some(to.0.number),
        Edge::None | Edge::Empty(_) => None,
    }
}

fn address(edge: Edge<'_>) -> usize {
    match edge {
        Edge::Node(to) => std::ptr::from_ref(&*to).addr(),
        Edge::Fixed(to) => std::ptr::from_ref(&*to).addr(),
        Edge::Large(to) => std::ptr::from_ref(&*to).addr(),
        Edge::Wide(to) => std::ptr::from_ref(&*to).addr(),
        Edge::Plain(to) => std::ptr::from_ref(&*to).addr(),
        Edge::Empty(to) => std::ptr::from_ref(&*to).addr(),
        Edge::None => 0,
    }
}

fn run(seed: u64) {
    // A bound stops turns, and never a collection.
    let source = Arc::new(match seed % 4 {
        3 => PageSource::bounded(40),
        _ => PageSource::new(),
    });
    let mut model = Model {
        objects: Vec::new(),
        roots: vec![None; ROOTS],
        ended: Drops::default(),
        watched: BTreeMap::new(),
        random: Rng::with_seed(seed),
    };
    let mut pacing = Pacing::default();
    pacing.nursery = 1 << (8 + model.random.usize(..10));
    pacing.first = 1 << (8 + model.random.usize(..10));
    pacing.growth = 1.0 + model.random.usize(..20) as f64 / 10.0;
    // Mostly at random; a heap that never collects shows faults that are not the collector's.
    let when = match model.random.usize(..9) {
        _ if seed % 50 == 49 => When::Never,
        0 => When::Paced,
        1 => When::Young,
        2 => When::All,
        3..6 => When::Chance,
        _ => When::Concurrent,
    };
    let stress = Stress::new(when, seed);
    pacing.stress = Some(match model.random.usize(..3) {
        0 => stress.refusing(5),
        _ => stress,
    });
    let mut heap = Heap::<Graph>::new(&source, pacing, |_| vec![Edge::None; ROOTS]);
    let steps = if cfg!(miri) { 8 } else { 60 };
    for _ in 0..steps {
        // A turn that gets no memory is over: its changes until then stay.
        let turn = catch_unwind(AssertUnwindSafe(|| {
            heap.turn(|m, state| model.turn(m, state));
        }));
        if let Err(panic) = turn {
            let says = panic.downcast_ref::<String>().map_or("", String::as_str);
            assert!(says.starts_with("no memory"), "{says}");
        }
        match model.random.usize(..10) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 | 3 => heap.collect_young(),
            4 => heap.return_nursery(),
            _ => heap.pace(),
        }
        let reached = model.compare(&mut heap);
        model.check_deaths(&mut heap, &reached);
    }
    heap.collect_and_sweep();
    let reached = model.compare(&mut heap);
    model.check_deaths(&mut heap, &reached);
    if when != When::Never {
        let alive = |number: &u64| reached[*number as usize];
        assert!(model.watched.keys().all(alive), "deaths are not reported");
        let ended = model.ended.lock().unwrap();
        for (number, &reached) in reached.iter().enumerate() {
            assert_eq!(ended[number], u32::from(!reached), "{number}");
        }
    }
    drop(heap);
    assert!(model.ended.lock().unwrap().iter().all(|&times| times == 1));
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_graphs_match_the_model() {
    for seed in seeds::seeds(if cfg!(miri) { 2 } else { 30 }) {
        seeds::run(seed, || run(seed));
    }
}
