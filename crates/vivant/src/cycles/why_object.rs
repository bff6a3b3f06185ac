//! What keeps a shared object alive: its holders, or a container of which it is a component; its
//! owner, if that refers to it; and what keeps these.

use super::actor_graph::ActorGraph;
use super::why::sealed::Sealed;
use super::why::{KeptBy, Retained, WhyAlive, with_heap};
use crate::actor::{CellRef, Shared};
use crate::gc_state::DetachedHeaps;
use vivant_heap::{HeapId, Held, ObjectName, Retainers, Sharer};

#[allow(private_interfaces, reason = "as in the trait")]
impl<T: ?Sized> Retained for Held<T> {
    fn why_alive(&self, system: &Shared) -> WhyAlive {
        let all = system.actors();
        let graph = ActorGraph::of(&all);
        let Some((owner, retainers)) = owner(system, &all, self.owner(), self.object()) else {
            return WhyAlive {
                what: "an object".to_owned(),
                through: Vec::new(),
                by: KeptBy::Running,
            };
        };
        // The reference passed to the query is among those that the owner counts.
        let mut outside = retainers.weight - 1;
        let mut holders = Vec::new();
        for (at, cell) in all.iter().enumerate() {
            let weight = with_heap(cell, |heap| heap.weight_of(&retainers.containers)).flatten();
            outside -= weight.unwrap_or(0);
            if weight.is_some() || retainers.own && owner == Some(at) {
                holders.push(at);
            }
        }
        let (through, by) = match graph.path_to_root(system, &holders, None) {
            Some(found) => found,
            None => match usize::try_from(outside) {
                Ok(count @ 1..) => (Vec::new(), KeptBy::Outside(count)),
                _ => (Vec::new(), KeptBy::Nothing),
            },
        };
        let of = match owner {
            Some(at) => all[at].path(),
            None => "an actor that has ended".to_owned(),
        };
        WhyAlive {
            what: format!("an object of {of}"),
            through: through.into_iter().map(|at| all[at].path()).collect(),
            by,
        }
    }
}

impl<T: ?Sized> Sealed for Held<T> {}

/// The owner, if it has not ended, and its retainers of the object; nothing if it runs, or belongs
/// to another system.
fn owner(
    system: &Shared,
    all: &[CellRef],
    owner: HeapId,
    object: ObjectName,
) -> Option<(Option<usize>, Retainers)> {
    let retainers = |heap: &mut dyn Sharer| (heap.id() == owner).then(|| heap.retainers(object));
    let mut living = all.iter().enumerate().filter_map(|(at, cell)| {
        let known = with_heap(cell, retainers).flatten();
        known.map(|known| (Some(at), known))
    });
    living.next().or_else(|| {
        let known = DetachedHeaps::of(system).retainers(owner, object);
        known.map(|known| (None, known))
    })
}
