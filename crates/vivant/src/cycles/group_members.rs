//! [`MemberHeaps`]: the heaps of living actors, and detached heaps, as members of a group mark.

use super::pause_start::PauseStart;
use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::gc_state::{DetachedHeaps, GroupCandidates};
use crate::run::{Idle, Occupied};
use crate::sync::Arc;
use vivant_heap::{HeapShares, Member, Members, Visit};

/// Names a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeapKey {
    Actor(ActorKey),
    /// A detached heap, by its number.
    Detached(u64),
}

/// The heaps that a survey or a group mark visits, by their index.
pub(super) struct MemberHeaps<'s> {
    pub(super) system: &'s Arc<Shared>,
    pub(super) heaps: &'s [HeapKey],
    /// An actor between two of its runs.
    pub(super) held: Option<&'s mut Idle>,
    /// Actors that were not visited, because they run turns.
    pub(super) waits_for: &'s mut Vec<ActorKey>,
}

// SAFETY: an actor is held during a visit: no turn of it runs then (C1, X11). A detached heap has
// no turns, and is out of the table of detached heaps during a visit.
unsafe impl Members for MemberHeaps<'_> {
    fn visit(&mut self, member: usize, body: &mut dyn FnMut(Member<'_>)) -> Visit {
        match self.heaps[member] {
            HeapKey::Actor(key) => self.visit_actor(key, body),
            HeapKey::Detached(number) => DetachedHeaps::visit(self.system, number, body),
        }
    }
}

impl MemberHeaps<'_> {
    fn visit_actor(&mut self, key: ActorKey, body: &mut dyn FnMut(Member<'_>)) -> Visit {
        let candidates = GroupCandidates::of(self.system);
        let mut shares = HeapShares::Both;
        let mut body = |mut heap: Member<'_>| {
            shares = heap.shares();
            body(heap);
        };
        let held = self.held.as_deref_mut().filter(|held| held.id == key.id);
        let (visited, idle) = match held {
            Some(held) => (visit_idle(held, &mut body), None),
            None => match hold(self.system, key) {
                Ok(mut idle) => {
                    let pause = PauseStart::now(self.system);
                    let visited = visit_idle(&mut idle, &mut body);
                    pause.end(self.system, key);
                    (visited, Some(idle))
                }
                Err(failed) => (failed, None),
            },
        };
        match visited {
            Visit::Active => self.waits_for.push(key),
            Visit::Ended => candidates.remove(key),
            // While it is held: it calls for a group mark when that has changed.
            Visit::Done if shares != HeapShares::Both => candidates.remove(key),
            Visit::Done => {}
        }
        if let Some(idle) = idle {
            idle.park();
        }
        visited
    }
}

fn hold(system: &Shared, key: ActorKey) -> Result<Idle, Visit> {
    let cell = system.actor(key.id, key.place).ok_or(Visit::Ended)?;
    cell.hold_idle().map_err(|occupied| match occupied {
        Occupied::Active => Visit::Active,
        Occupied::Ended => Visit::Ended,
    })
}

/// Visits the heap of an idle actor. An actor without a heap has ended, for a group mark.
fn visit_idle(idle: &mut Idle, visit: &mut dyn FnMut(Member<'_>)) -> Visit {
    let mut visited = Visit::Ended;
    idle.sharer(&mut |heap| {
        visit(heap.member());
        visited = Visit::Done;
    });
    visited
}
