//! Random graphs that are written, tagged, referred to by weak references and merged, while markers
//! trace them.

use super::{Markers, Mode, source, with_seeds};
use crate::numbered::{Drops, Numbered};
use fastrand::Rng;
use std::collections::BTreeSet;
use vivant_heap::{Gc, Heap, Iso, Leaf, Mut, Mutator, Object, Tag, Weak};

type Link<'gc> = Gc<'gc, Mut<Node<'gc>>>;

#[derive(Object)]
struct Node<'gc> {
    noted: Leaf<Numbered>,
    to: [Option<Link<'gc>>; SLOTS],
    /// The same few references repeated; in some nodes more than are scanned at once.
    fixed: Option<Gc<'gc, [Option<Link<'gc>>]>>,
}

#[derive(Object)]
struct State<'gc> {
    roots: Vec<Option<Link<'gc>>>,
    weak: Vec<Weak<'gc, Mut<Node<'gc>>>>,
    tags: Vec<Tag<'gc, Mut<Node<'gc>>>>,
    isos: Vec<Iso<Link<'static>>>,
    ballast: Option<Gc<'gc, [u64]>>,
}

root!(Graph = State<'gc>);

const SLOTS: usize = 3;
const ROOTS: usize = 4;
/// More than are scanned at once.
const LONG: usize = if cfg!(miri) { 520 } else { 1_300 };
const STEPS: usize = if cfg!(miri) { 10 } else { 120 };
const ACTIONS: usize = if cfg!(miri) { 8 } else { 24 };

/// The references of a node.
#[derive(Clone)]
struct Edges {
    to: [Option<usize>; SLOTS],
    fixed: Vec<Option<usize>>,
}

struct Model {
    nodes: Vec<Edges>,
    roots: Vec<Option<usize>>,
    weak: Vec<usize>,
    tags: Vec<usize>,
    isos: Vec<usize>,
    ended: Drops,
    random: Rng,
}

type Picked<'gc> = (Option<Link<'gc>>, Option<usize>);

fn number(node: Link<'_>) -> usize {
    node.borrow().noted.0.number
}

impl Model {
    fn pick<'gc>(&mut self, state: &State<'gc>) -> Picked<'gc> {
        let root = self.random.usize(..ROOTS);
        let (mut at, mut here) = (state.roots[root], self.roots[root]);
        for _ in 0..self.random.usize(..6) {
            let (Some(node), Some(edges)) = (at, here.map(|here| &self.nodes[here])) else {
                break;
            };
            let slot = self.random.usize(..SLOTS + 1);
            (at, here) = match edges.fixed.first() {
                Some(first) if slot == SLOTS => (node.borrow().fixed.unwrap()[0], *first),
                None if slot == SLOTS => (None, None),
                _ => (node.borrow().to[slot], edges.to[slot]),
            };
        }
        (at, here)
    }

    fn new_node<'gc>(&mut self, m: &Mutator<'gc>, state: &State<'gc>) -> Picked<'gc> {
        let picked: [Picked<'gc>; SLOTS] = std::array::from_fn(|_| self.pick(state));
        let few: Vec<Picked<'gc>> = (0..self.random.usize(..3))
            .map(|_| self.pick(state))
            .collect();
        let elements = [few.len(), LONG][usize::from(self.random.usize(..8) == 0)];
        let fixed = (!few.is_empty()).then(|| {
            let elements = few.iter().map(|few| few.0).cycle().take(elements);
            m.alloc_iter(elements)
        });
        let noted = Numbered::next(&self.ended);
        let number = noted.0.number;
        self.nodes.push(Edges {
            to: picked.map(|picked| picked.1),
            fixed: few.iter().map(|few| few.1).collect(),
        });
        let to = picked.map(|picked| picked.0);
        let node = m.alloc(Mut::new(Node { noted, to, fixed }));
        (Some(node), Some(number))
    }

    /// Creates a region with a chain of new nodes. Returns the region and the number of the first
    /// node.
    fn region(&mut self, m: &Mutator<'_>) -> (Iso<Link<'static>>, usize) {
        let mut last = None;
        let length = 1 + self.random.usize(..4);
        let iso = m.iso::<Link<'static>>(|r| {
            let mut next: Option<Link<'_>> = None;
            for _ in 0..length {
                let noted = Numbered::next(&self.ended);
                let edges = Edges {
                    to: [last, None, None],
                    fixed: Vec::new(),
                };
                last = Some(noted.0.number);
                self.nodes.push(edges);
                next = Some(r.alloc(Mut::new(Node {
                    noted,
                    to: [next, None, None],
                    fixed: None,
                })));
            }
            next.unwrap()
        });
        (iso, last.unwrap())
    }

    fn turn<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        for _ in 0..self.random.usize(..ACTIONS) {
            match self.random.usize(..16) {
                0..8 => self.writes(m, state),
                8 => self.watches(m, state),
                9 | 10 => self.upgrades(m, state),
                11 => {
                    if let (Some(node), Some(number)) = self.pick(state) {
                        state.tags.push(m.tag(node));
                        self.tags.push(number);
                    }
                }
                12 => self.opens(m, state),
                13 => {
                    let (iso, first) = self.region(m);
                    state.isos.push(iso);
                    self.isos.push(first);
                }
                14 => self.merges(m, state),
                _ => self.exchanges(m, state),
            }
        }
    }

    /// Writes a reference to an existing object, to a new one, or none, over a random reference.
    fn writes<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        let (link, number) = match self.random.usize(..5) {
            0 => (None, None),
            1 => self.pick(state),
            _ => self.new_node(m, state),
        };
        match self.pick(state) {
            (Some(node), Some(into)) if self.random.usize(..4) != 0 => {
                let slot = self.random.usize(..SLOTS);
                node.borrow_mut(m).to[slot] = link;
                self.nodes[into].to[slot] = number;
            }
            _ => self.root(state, link, number),
        }
    }

    fn root<'gc>(&mut self, state: &mut State<'gc>, link: Option<Link<'gc>>, is: Option<usize>) {
        let root = self.random.usize(..ROOTS);
        state.roots[root] = link;
        self.roots[root] = is;
    }

    fn exchanges<'gc>(&mut self, m: &Mutator<'gc>, state: &State<'gc>) {
        if let (Some(one), Some(first)) = self.pick(state)
            && let (Some(other), Some(second)) = self.pick(state)
            && first != second
        {
            std::mem::swap(&mut one.borrow_mut(m).to, &mut other.borrow_mut(m).to);
            let to = self.nodes[first].to;
            self.nodes[first].to = std::mem::replace(&mut self.nodes[second].to, to);
        }
    }

    fn watches<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        if state.weak.len() > 20 {
            state.weak.clear();
            self.weak.clear();
        }
        if let (Some(node), Some(number)) = self.pick(state) {
            state.weak.push(Weak::new(m, node));
            self.weak.push(number);
        }
    }

    /// A weak reference leads to its object. If there is no other reference to the object, it may
    /// be empty.
    fn upgrades<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        if self.weak.is_empty() {
            return;
        }
        let place = self.random.usize(..self.weak.len());
        let expected = self.weak[place];
        match state.weak[place].upgrade(m) {
            Some(node) => {
                assert_eq!(number(node), expected);
                self.root(state, Some(node), Some(expected));
            }
            None => assert!(!self.reached().contains(&expected), "{expected} is alive"),
        }
    }

    fn opens<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        if self.tags.is_empty() {
            return;
        }
        let place = self.random.usize(..self.tags.len());
        let node = state.tags[place].open(m).unwrap();
        let expected = self.tags[place];
        assert_eq!(number(node), expected);
        assert_eq!(m.tag(node), state.tags[place]);
        if self.random.usize(..2) == 0 {
            state.tags.swap_remove(place);
            self.tags.swap_remove(place);
        }
        self.root(state, Some(node), Some(expected));
    }

    fn merges<'gc>(&mut self, m: &Mutator<'gc>, state: &mut State<'gc>) {
        if let (Some(mut iso), Some(first)) = (state.isos.pop(), self.isos.pop()) {
            if self.random.usize(..2) == 0 {
                iso.open_in(m, |r, node| node.borrow_mut(r).to[1] = Some(*node));
                self.nodes[first].to[1] = Some(first);
            }
            let node = iso.merge(m);
            self.root(state, Some(node), Some(first));
        }
    }

    fn reached(&self) -> BTreeSet<usize> {
        let mut queue: Vec<usize> = self.roots.iter().copied().flatten().collect();
        queue.extend(self.tags.iter().chain(&self.isos));
        let mut reached = BTreeSet::new();
        while let Some(node) = queue.pop() {
            if reached.insert(node) {
                let Edges { to, fixed } = &self.nodes[node];
                queue.extend(to.iter().chain(fixed).copied().flatten());
            }
        }
        reached
    }

    /// Asserts that all reachable objects are as expected, and were not dropped.
    fn compare(&self, heap: &mut Heap<Graph>) {
        heap.turn(|_, state| {
            let mut met = BTreeSet::new();
            let roots = state.roots.iter().copied().zip(self.roots.iter().copied());
            let mut left: Vec<_> = roots.collect();
            while let Some((link, expected)) = left.pop() {
                assert_eq!(link.map(number), expected);
                let Some((node, expected)) = link.zip(expected) else {
                    continue;
                };
                if !met.insert(expected) {
                    continue;
                }
                let (node, edges) = (node.borrow(), &self.nodes[expected]);
                left.extend(node.to.iter().copied().zip(edges.to));
                let fixed = node.fixed.map_or(&[][..], |fixed| Gc::as_ref(fixed));
                let pattern = edges.fixed.iter().copied().cycle();
                left.extend(fixed.iter().copied().zip(pattern));
            }
        });
        let ended = self.ended.lock().unwrap();
        for node in self.reached() {
            assert_eq!(ended[node], 0, "{node} has ended, and is reached");
        }
    }
}

fn program(mode: Mode, seed: u64) {
    let source = source();
    let mut model = Model {
        nodes: Vec::new(),
        roots: vec![None; ROOTS],
        weak: Vec::new(),
        tags: Vec::new(),
        isos: Vec::new(),
        ended: Drops::default(),
        random: Rng::with_seed(seed),
    };
    let mut heap = Heap::<Graph>::new(&source, mode.pacing(seed), |m| State {
        roots: vec![None; ROOTS],
        weak: Vec::new(),
        tags: Vec::new(),
        isos: Vec::new(),
        ballast: mode.ballast(m),
    });
    let markers = Markers::new(2);
    for _ in 0..STEPS {
        heap.turn(|m, state| model.turn(m, state));
        match model.random.usize(..24) {
            0 => heap.collect(),
            1 => heap.sweep(),
            2 | 3 => heap.collect_young(),
            4 => {
                let _begun = heap.begin_mark();
            }
            5 => {
                let _more = heap.help_mark(9);
            }
            _ => heap.pace(),
        }
        markers.follow(&heap);
        if model.random.usize(..4) == 0 {
            model.compare(&mut heap);
        }
    }
    model.compare(&mut heap);
    let begun = heap.stats().begun;
    assert!(begun > 0, "no mark was begun beside the turns");
    heap.turn(|_, state| assert!(state.ballast.is_none_or(|ballast| ballast[39_999] == 7)));
    // During a mark, or without one.
    drop(heap);
    assert!(model.ended.lock().unwrap().iter().all(|&times| times == 1));
    assert_eq!(source.stats().pages, 0);
}

#[test]
fn seeded_graphs_match_the_model_beside_markers() {
    with_seeds(12, program);
}
