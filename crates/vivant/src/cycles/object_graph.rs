//! [`ObjectGraph`]: what refers to an object, in all heaps of a system.

use super::why::with_heap;
use crate::actor::{CellRef, Shared};
use crate::gc_state::DetachedHeaps;
use crate::interned::Name;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::iter;
use vivant_heap::__private::strongly_connected;
use vivant_heap::{HeapGraph, HeapId, ObjectName, Sharer};

/// The place of a heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum HeapPlace {
    /// With the actor at this index.
    Actor(usize),
    Detached(HeapId),
}

/// An object as it is known in a heap: an object of that heap, or one to which that heap refers.
pub(super) type Node = (HeapPlace, ObjectName);

/// The graphs of heaps, walked when the search comes to them.
pub(super) struct ObjectGraph<'s> {
    system: &'s Shared,
    all: &'s [CellRef],
    /// The heaps that refer to an object of another one, with their weights.
    importers: HashMap<ObjectName, Vec<(HeapPlace, i64)>>,
    /// `None` for that of an actor that runs.
    heaps: HashMap<HeapPlace, Option<HeapGraph>>,
}

/// The nodes from which an object is reached, nearest first.
pub(super) struct Reaching {
    pub(super) nodes: Vec<Node>,
    /// The node that each one refers to, on a shortest path to the object. None for the object.
    next: HashMap<Node, Option<Node>>,
}

impl<'s> ObjectGraph<'s> {
    pub(super) fn of(system: &'s Shared, all: &'s [CellRef]) -> ObjectGraph<'s> {
        let mut importers: HashMap<_, Vec<_>> = HashMap::new();
        let mut take = |place, heap: &dyn Sharer| {
            heap.imports(&mut |object, weight| {
                importers.entry(object).or_default().push((place, weight));
            });
        };
        for (at, cell) in all.iter().enumerate() {
            with_heap(cell, |heap| take(HeapPlace::Actor(at), heap));
        }
        DetachedHeaps::of(system).find(|heap| {
            take(HeapPlace::Detached(heap.id()), heap);
            None::<()>
        });
        ObjectGraph {
            system,
            all,
            importers,
            heaps: HashMap::new(),
        }
    }

    /// Where the heap with this number is, if it is in this system and does not run.
    pub(super) fn place_of(&self, id: HeapId) -> Option<HeapPlace> {
        let is_that = |cell| with_heap(cell, |heap| heap.id() == id) == Some(true);
        match self.all.iter().position(is_that) {
            Some(at) => Some(HeapPlace::Actor(at)),
            None => DetachedHeaps::of(self.system)
                .find(|heap| (heap.id() == id).then_some(HeapPlace::Detached(id))),
        }
    }

    /// A heap's graph; `None` if it runs.
    pub(super) fn heap(&mut self, place: HeapPlace) -> Option<&HeapGraph> {
        let walk = || match place {
            HeapPlace::Actor(at) => with_heap(&self.all[at], |heap| heap.graph()),
            HeapPlace::Detached(id) => {
                DetachedHeaps::of(self.system).find(|heap| (heap.id() == id).then(|| heap.graph()))
            }
        };
        self.heaps.entry(place).or_insert_with(walk).as_ref()
    }

    /// The nodes that refer to this one: those of other heaps first.
    pub(super) fn referrers(&mut self, (place, object): Node) -> Vec<Node> {
        let Some(heap) = self.heap(place) else {
            return Vec::new();
        };
        let own: Vec<_> = heap.referrers(object).to_vec();
        let is_exported = heap.count(object) > 0;
        let importers = self.importers.get(&object).filter(|_| is_exported);
        let others = importers.into_iter().flatten();
        others
            .map(|(place, _)| (*place, object))
            .chain(own.into_iter().map(|object| (place, object)))
            .collect()
    }

    /// Searches breadth-first for all nodes from which an object is reached.
    pub(super) fn reaching(&mut self, object: Node) -> Reaching {
        let mut found = Reaching {
            nodes: vec![object],
            next: HashMap::from([(object, None)]),
        };
        let mut done = 0;
        while let Some(node) = found.nodes.get(done).copied() {
            done += 1;
            for referrer in self.referrers(node) {
                if let Entry::Vacant(entry) = found.next.entry(referrer) {
                    entry.insert(Some(node));
                    found.nodes.push(referrer);
                }
            }
        }
        found
    }

    /// The number of references to an object of a heap in messages, threads and other systems.
    pub(super) fn outside(&mut self, (place, object): Node) -> i64 {
        let count = self.heap(place).map_or(0, |heap| heap.count(object));
        if count == 0 {
            return 0;
        }
        let importers = self.importers.get(&object).into_iter().flatten();
        count - importers.map(|(_, weight)| weight).sum::<i64>()
    }

    /// The nearest cycle of objects of several heaps that leads to the object: the way from the
    /// object to it, and once around; empty if there is none.
    pub(super) fn cycle(&mut self, reaching: &Reaching) -> Vec<Node> {
        let nodes = &reaching.nodes;
        let indices: HashMap<Node, usize> = nodes.iter().copied().zip(0..).collect();
        let referrers = |node: &Node| {
            let referrers = self.referrers(*node).into_iter();
            referrers.map(|referrer| indices[&referrer]).collect()
        };
        let edges: Vec<Vec<usize>> = nodes.iter().map(referrers).collect();
        // Components, and nodes within each, are in the order of their distance.
        for component in strongly_connected(&edges) {
            let is_inside = |node: &usize| component.binary_search(node).is_ok();
            for &node in &component {
                let leads_elsewhere = |to: &usize| nodes[*to].0 != nodes[node].0;
                let mut others = edges[node].iter().copied().filter(is_inside);
                if let Some(other) = others.find(leads_elsewhere) {
                    let mut path = reaching.path(nodes[node]);
                    let back = way(&edges, is_inside, other, node);
                    path.extend(back.into_iter().map(|node| nodes[node]));
                    return path;
                }
            }
        }
        Vec::new()
    }

    /// The names of the types of these objects. A tag, or an object of another heap, has none.
    pub(super) fn type_names<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) -> Vec<Name> {
        nodes
            .filter_map(|(place, object)| self.heap(*place)?.type_name(*object))
            .map(Name::new)
            .collect()
    }
}

/// A shortest way from one node to another, without the latter, through nodes of a component.
fn way(
    edges: &[Vec<usize>],
    is_inside: impl Fn(&usize) -> bool,
    from: usize,
    to: usize,
) -> Vec<usize> {
    // The node before each one.
    let (mut before, mut open) = (HashMap::from([(from, None)]), VecDeque::from([from]));
    while let Some(node) = open.pop_front() {
        for &next in edges[node].iter().filter(|node| is_inside(node)) {
            if next == to {
                let mut way: Vec<_> = iter::successors(Some(node), |node| before[node]).collect();
                way.reverse();
                return way;
            }
            if let Entry::Vacant(entry) = before.entry(next) {
                entry.insert(Some(node));
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

impl Reaching {
    /// The path from the object to a node that reaches it.
    pub(super) fn path(&self, from: Node) -> Vec<Node> {
        let mut path = vec![from];
        while let Some(next) = self.next[path.last().expect("it begins with one")] {
            path.push(next);
        }
        path.reverse();
        path
    }
}
