//! What keeps a shared object alive: the states and the objects that refer to it, in all heaps.

use super::actor_graph::ActorGraph;
use super::object_graph::{HeapPlace, Node, ObjectGraph};
use super::why::sealed::Sealed;
use super::why::{KeptBy, Retained, Retainer, WhyAlive, actor_chain};
use crate::actor::{CellRef, Shared};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use vivant_heap::Held;

#[allow(private_interfaces, reason = "as in the trait")]
impl<T: ?Sized> Retained for Held<T> {
    fn why_alive(&self, system: &Shared) -> WhyAlive {
        let all = system.actors();
        let mut objects = ObjectGraph::of(system, &all);
        let node = objects.place_of(self.owner()).map(|at| (at, self.object()));
        let Some(node) = node.filter(|(owner, _)| objects.heap(*owner).is_some()) else {
            return WhyAlive {
                what: "an object".to_owned(),
                within: Vec::new(),
                through: Vec::new(),
                by: KeptBy::Running,
            };
        };
        let owner = match node.0 {
            HeapPlace::Actor(at) => all[at].path(),
            HeapPlace::Detached(_) => ENDED.to_owned(),
        };
        let (path, others, by) = retaining_path(system, &all, &mut objects, node);
        let mut chain = chain(&all, &mut objects, &path);
        let within = match chain.split_first_mut() {
            // The owner is named once: as what the object is of, unless its own state keeps it.
            Some((_, [])) if !others.is_empty() => Vec::new(),
            Some(_) => chain.remove(0).objects,
            None => Vec::new(),
        };
        chain.extend(actor_chain(&all, &others));
        WhyAlive {
            what: format!("an object of {owner}"),
            within,
            through: chain,
            by,
        }
    }
}

impl<T: ?Sized> Sealed for Held<T> {}

const ENDED: &str = "an actor that has ended";

/// The path from an object to the node that a state or another reference keeps; the actors from
/// the one with that state to a root; and what keeps the last of these, or that node.
fn retaining_path(
    system: &Shared,
    all: &[CellRef],
    objects: &mut ObjectGraph<'_>,
    object: Node,
) -> (Vec<Node>, Vec<usize>, KeptBy) {
    let reaching = objects.reaching(object);
    // The first node to which each actor's own state refers. That of an actor that runs is unknown.
    let (mut holders, mut held) = (Vec::new(), HashMap::new());
    for (place, name) in &reaching.nodes {
        if let HeapPlace::Actor(at) = place
            && objects.heap(*place).is_none_or(|heap| heap.is_root(*name))
            && let Entry::Vacant(entry) = held.entry(*at)
        {
            entry.insert((*place, *name));
            holders.push(*at);
        }
    }
    if let Some((path, by)) = ActorGraph::of(all).path_to_root(system, &holders, None) {
        return (reaching.path(held[&path[0]]), path, by);
    }
    let (mut outside, mut from) = (0, None);
    for node in &reaching.nodes {
        // The reference passed to the query is one of those that the owner counts.
        let others = objects.outside(*node) - i64::from(*node == object);
        if others > 0 {
            outside += others;
            from = from.or(Some(*node));
        }
    }
    if let (Some(node), Ok(count @ 1..)) = (from, usize::try_from(outside)) {
        return (reaching.path(node), Vec::new(), KeptBy::Outside(count));
    }
    // What actors hold is freed after these have ended.
    let cycle = match holders.is_empty() {
        true => objects.cycle(&reaching),
        false => Vec::new(),
    };
    match cycle.is_empty() {
        true => (vec![object], Vec::new(), KeptBy::Nothing),
        false => (cycle, Vec::new(), KeptBy::Cycle),
    }
}

/// The heaps on a path from an object, each with the types of its objects on the path. The object
/// to which the heap before refers is left out.
fn chain(all: &[CellRef], objects: &mut ObjectGraph<'_>, path: &[Node]) -> Vec<Retainer> {
    let heaps = path.chunk_by(|one, next| one.0 == next.0);
    heaps
        .map(|nodes| Retainer {
            actor: match nodes[0].0 {
                HeapPlace::Actor(at) => all[at].path(),
                HeapPlace::Detached(_) => ENDED.to_owned(),
            },
            objects: objects.type_names(nodes[1..].iter().rev()),
        })
        .collect()
}
