//! [`ModelledHeap`]: a heap with things, which it shares, and private nodes; and the model of its
//! content.

use super::Dice;
use super::model::Model;
use crate::numbered::Numbered;
use std::sync::Arc;
use vivant_heap::{Gc, Heap, Leaf, Mut, Object, Pacing, PageSource, Parcel, Val, Weak};

/// Shared from birth.
#[derive(Object)]
pub(crate) struct Thing<'gc> {
    noted: Leaf<Numbered>,
    parts: Vec<Val<'gc, Thing<'gc>>>,
}

/// Private, and mutable.
#[derive(Object)]
pub(crate) struct Node<'gc> {
    noted: Leaf<Numbered>,
    next: Option<Gc<'gc, Mut<Node<'gc>>>>,
    thing: Option<Val<'gc, Thing<'gc>>>,
}

/// The state of a heap.
#[derive(Object, Default)]
pub(crate) struct State<'gc> {
    things: Vec<Val<'gc, Thing<'gc>>>,
    nodes: Vec<Gc<'gc, Mut<Node<'gc>>>>,
    weak: Vec<Weak<'gc, Mut<Node<'gc>>>>,
    /// Makes the heap large.
    pub(crate) ballast: Option<Val<'gc, [u64]>>,
}

// Names the state.
root!(pub(crate) States = State<'gc>);

/// A thing in a parcel, and its number.
pub(crate) type Sent = (Parcel<Val<'static, Thing<'static>>>, usize);

/// The largest number of weak references in a heap, before it drops half of them.
const WEAK_MAX: usize = 40;

/// More words than heaps have that are marked stop-the-world.
const LARGE_WORDS: usize = 40_000;

/// How a heap is marked, and how it is run once detached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// Concurrently, and in steps.
    Large,
    /// Stop-the-world.
    Small,
}

/// A heap, and the model of its content.
pub(crate) struct ModelledHeap {
    pub(crate) heap: Heap<States>,
    /// The numbers of the objects in its state, in the same order.
    pub(crate) things: Vec<usize>,
    pub(crate) nodes: Vec<usize>,
}

impl ModelledHeap {
    /// An empty heap, which collects often.
    pub(crate) fn new(source: &Arc<PageSource>, size: Size) -> ModelledHeap {
        let pacing = Pacing::new().nursery(4 << 10).first(64 << 10).growth(1.2);
        let heap = Heap::new(source, pacing, |m| State {
            ballast: (size == Size::Large).then(|| m.val_slice(vec![0; LARGE_WORDS])),
            ..State::default()
        });
        let (things, nodes) = (Vec::new(), Vec::new());
        ModelledHeap {
            heap,
            things,
            nodes,
        }
    }

    /// Allocates a thing of up to two components.
    pub(crate) fn makes_thing(&mut self, dice: &mut Dice, model: &mut Model) {
        let many = dice.below(3);
        let place = |_| dice.place(self.things.len());
        let places: Vec<usize> = (0..many).filter_map(place).collect();
        let noted = model.adds(places.iter().map(|&place| self.things[place]).collect());
        self.things.push(noted.0.number);
        self.heap.turn(|m, state| {
            let parts = places.iter().map(|&place| state.things[place]).collect();
            state.things.push(m.val(Thing { noted, parts }));
        });
    }

    /// Allocates a node before another one, with a thing, if there are any.
    pub(crate) fn makes_node(&mut self, dice: &mut Dice, model: &mut Model) {
        let next = dice.place(self.nodes.len());
        let thing = dice.place(self.things.len());
        let edges = next.map(|place| self.nodes[place]).into_iter();
        let noted = model.adds(edges.chain(thing.map(|place| self.things[place])).collect());
        self.nodes.push(noted.0.number);
        self.heap.turn(|m, state| {
            let next = next.map(|place| state.nodes[place]);
            let thing = thing.map(|place| state.things[place]);
            let node = m.alloc(Mut::new(Node { noted, next, thing }));
            state.nodes.push(node);
            state.weak.push(Weak::new(m, node));
        });
    }

    /// Moves the references of a node to the state.
    pub(crate) fn cuts_node(&mut self, dice: &mut Dice, model: &mut Model) {
        let place = dice.below(self.nodes.len());
        model.cuts(self.nodes[place]);
        self.heap.turn(|m, state| {
            let mut node = state.nodes[place].borrow_mut(m);
            let (next, thing) = (node.next.take(), node.thing.take());
            drop(node);
            self.nodes
                .extend(next.map(|next| next.borrow().noted.0.number));
            state.nodes.extend(next);
            self.things.extend(thing.map(|thing| thing.noted.0.number));
            state.things.extend(thing);
        });
    }

    /// Upgrades a weak reference to a node that may have no other reference.
    pub(crate) fn upgrades(&mut self, dice: &mut Dice) {
        self.heap.turn(|m, state| {
            // One of the first, which are the oldest.
            let Some(place) = dice.place(state.weak.len().min(8)) else {
                return;
            };
            if let Some(node) = state.weak[place].upgrade(m) {
                self.nodes.push(node.borrow().noted.0.number);
                state.nodes.push(node);
            }
            if state.weak.len() > WEAK_MAX {
                state.weak.drain(..WEAK_MAX / 2);
            }
        });
    }

    /// Drops the oldest objects, or all.
    pub(crate) fn forgets(&mut self, dice: &mut Dice) {
        let things = dice.below(self.things.len() + 1);
        let nodes = dice.below(self.nodes.len() + 1);
        self.things.drain(..things);
        self.nodes.drain(..nodes);
        self.heap.turn(|_, state| {
            state.things.drain(..things);
            state.nodes.drain(..nodes);
        });
    }

    /// Moves the first component of a thing to the state.
    pub(crate) fn takes_part(&mut self, dice: &mut Dice) {
        let place = dice.below(self.things.len());
        self.heap.turn(|_, state| {
            let part = state.things[place].parts.first().copied();
            self.things.extend(part.map(|part| part.noted.0.number));
            state.things.extend(part);
        });
    }

    /// Packs a thing into a parcel; the heap keeps it.
    pub(crate) fn packs(&mut self, dice: &mut Dice) -> Sent {
        let place = dice.below(self.things.len());
        let parcel = self.heap.turn(|m, state| m.pack(state.things[place]));
        (parcel, self.things[place])
    }

    /// Unpacks a thing from a parcel.
    pub(crate) fn unpacks(&mut self, (parcel, number): Sent) {
        self.things.push(number);
        self.heap.turn(|m, state| {
            let thing = m.unpack(parcel);
            state.things.push(thing);
        });
    }

    /// Sometimes a whole collection, mostly a minor one.
    pub(crate) fn collects(&mut self, dice: &mut Dice) {
        match dice.below(4) {
            0 => self.heap.collect(),
            _ => self.heap.collect_young(),
        }
    }
}
