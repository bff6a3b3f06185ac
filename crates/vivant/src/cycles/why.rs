//! What keeps an actor alive: the shortest chain from a root.

use super::actor_graph::ActorGraph;
use crate::actor::{AddressRef, CellRef, OutgoingReference, Shared};
use crate::api::{Address, Target};
use crate::failures::catch;
use crate::interned::Name;
use std::any::Any;
use std::fmt;
use vivant_heap::Sharer;

/// Why an actor or an object is alive: [`System::why_alive`](crate::System::why_alive).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhyAlive {
    /// Path of the actor; for an object, `an object of` and that of its owner.
    pub what: String,
    /// For an object: the types of the objects of its owner through which it is kept, outermost
    /// first. Empty if it is kept by itself, if the owner's state keeps it, or for an actor.
    pub within: Vec<Name>,
    /// The retaining path: the actor that holds its address, or has the object; the actor that
    /// holds that one's address, and so on. Of all such chains the shortest, and of those the one
    /// through the actors that were made first. Empty if it is a root itself. For an object, each
    /// heap with objects on the way comes first, also those of actors that have ended; with
    /// [`KeptBy::Cycle`], the way to the cycle and once around it.
    pub through: Vec<Retainer>,
    /// What keeps the last actor or object of the chain, or the actor or object of the query if the
    /// chain is empty.
    pub by: KeptBy,
}

/// An actor of a retaining path: [`WhyAlive::through`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retainer {
    /// Path of the actor; `an actor that has ended` for the heap of such an actor.
    pub actor: String,
    /// The types of the objects of its heap on the way, outermost first: from its state, or from an
    /// object to which other heaps refer. The last of them holds the address of the actor before,
    /// or refers to the object. Empty if the state itself does, or if the way is not known because
    /// the actor runs.
    pub objects: Vec<Name>,
}

/// What keeps an actor or an object alive, other than actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptBy {
    /// [`System::keep`](crate::System::keep).
    Kept,
    /// It runs, or is about to. Its state is not known meanwhile. For an object: its owner runs, or
    /// belongs to another system.
    Running,
    /// Messages wait for it.
    Messages,
    /// It has a supervisor.
    Supervised,
    /// Number of addresses that are in no state where they can be traced: in messages, timers,
    /// futures, continuations, in other threads or systems, or in a field that does not show them
    /// ([`TraceReferences`](crate::TraceReferences)). For an object, the number of references in
    /// messages and threads, and the weights of those in regions (`Iso`), in other systems, and in
    /// heaps of actors that run at the moment.
    Outside(usize),
    /// Number of addresses in shared objects of actors (`Val`, objects with tags). Which actor's
    /// they are is not known, because any actor may have references to such an object. So a cycle
    /// of actors through a shared object is not found: break it in a turn.
    Shared(usize),
    /// Nothing but a cycle of objects of several actors, to which no state refers. The objects are
    /// freed when a group mark has found them, some time after their actors have become idle.
    Cycle,
    /// Nothing but the address of the query, or actors that are unreachable too: it is about to
    /// end. An object lives until its owner has been marked.
    Nothing,
    /// It has ended.
    Ended,
}

impl fmt::Display for KeptBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeptBy::Kept => f.write_str("kept by `System::keep`"),
            KeptBy::Running => f.write_str("running"),
            KeptBy::Messages => f.write_str("kept by messages that wait for it"),
            KeptBy::Supervised => f.write_str("kept by its supervisor"),
            KeptBy::Outside(1) => f.write_str("kept by 1 reference outside of what states show"),
            KeptBy::Outside(count) => {
                write!(f, "kept by {count} references outside of what states show")
            }
            KeptBy::Shared(1) => f.write_str("kept by 1 address in a shared object"),
            KeptBy::Shared(count) => write!(f, "kept by {count} addresses in shared objects"),
            KeptBy::Cycle => f.write_str("part of a cycle of objects that no state refers to"),
            KeptBy::Nothing => f.write_str("kept by nothing else"),
            KeptBy::Ended => f.write_str("over: it has ended"),
        }
    }
}

impl fmt::Display for WhyAlive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        within(f, &self.within)?;
        for retainer in &self.through {
            write!(f, ", known to {retainer}")?;
        }
        write!(f, ", which is {}", self.by)
    }
}

impl fmt::Display for Retainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.actor)?;
        within(f, &self.objects)
    }
}

fn within(f: &mut fmt::Formatter<'_>, objects: &[Name]) -> fmt::Result {
    match objects {
        [] => Ok(()),
        objects => write!(f, " (in {})", objects.join(" > ")),
    }
}

/// An argument of [`System::why_alive`](crate::System::why_alive): an actor, by its [`Address`]; an
/// object, by its [holder root](crate::heap::Held).
#[allow(
    private_interfaces,
    reason = "sealed: only this crate can name what it is called with"
)]
pub trait Retained: sealed::Sealed {
    #[doc(hidden)]
    fn why_alive(&self, system: &Shared) -> WhyAlive;
}

#[allow(private_interfaces, reason = "as in the trait")]
impl<T: ?Sized + Target> Retained for Address<T> {
    fn why_alive(&self, system: &Shared) -> WhyAlive {
        let to = &Address::link(self).to;
        assert!(
            to.system.number == system.number,
            "{} was asked about in a system that it does not belong to",
            to.path()
        );
        why_alive(system, to)
    }
}

pub(super) mod sealed {
    pub trait Sealed {}
}

impl<T: ?Sized + Target> sealed::Sealed for Address<T> {}

/// What keeps an actor with so many addresses that no state shows.
fn outside(all: &[CellRef], kept: &CellRef, count: usize) -> KeptBy {
    let (id, system) = (kept.id, kept.system.number);
    let mut shared = 0;
    let mut take = |held: &dyn Any| {
        let is_kept = |one: OutgoingReference| one.who.id == id && one.system == system;
        shared += usize::from(OutgoingReference::held(held).is_some_and(is_kept));
    };
    for cell in all {
        // User code may panic; then its addresses count as any others.
        let _shown = with_heap(cell, |heap| heap.show_shared(&mut take));
    }
    match shared == count {
        true => KeptBy::Shared(count),
        false => KeptBy::Outside(count),
    }
}

/// Runs `ask` on an actor's heap; nothing if it has none, or runs.
pub(super) fn with_heap<T>(cell: &CellRef, mut ask: impl FnMut(&mut dyn Sharer) -> T) -> Option<T> {
    let mut idle = cell.hold_idle().ok()?;
    let mut answer = None;
    let asked = catch(|| {
        idle.sharer(&mut |heap| {
            heap.drain();
            answer = Some(ask(heap));
        });
    });
    idle.park();
    asked.ok().and(answer)
}

fn why_alive(system: &Shared, queried: &AddressRef) -> WhyAlive {
    let all = system.actors();
    let graph = ActorGraph::of(&all);
    let (through, by) = match all.binary_search_by_key(&queried.id, |cell| cell.id) {
        Ok(first) => {
            let found = graph.path_to_root(system, &[first], Some(first));
            let (path, by) = found.unwrap_or((vec![first], KeptBy::Nothing));
            let by = match (by, path.last()) {
                (KeptBy::Outside(count), Some(last)) => outside(&all, &all[*last], count),
                (by, _) => by,
            };
            (actor_chain(&all, &path), by)
        }
        Err(_) => (Vec::new(), KeptBy::Ended),
    };
    WhyAlive {
        what: queried.path(),
        within: Vec::new(),
        through,
        by,
    }
}

/// The actors of a path after the first one, each with the objects that hold the address of the one
/// before.
pub(super) fn actor_chain(all: &[CellRef], path: &[usize]) -> Vec<Retainer> {
    let steps = path.windows(2);
    steps
        .map(|step| Retainer {
            actor: all[step[1]].path(),
            objects: objects_to(&all[step[1]], &all[step[0]]),
        })
        .collect()
}

/// The types of the objects from an actor's state to an object that has an address of `to`; none if
/// the state does, or is not known.
fn objects_to(holder: &CellRef, to: &CellRef) -> Vec<Name> {
    let (id, system) = (to.id, to.system.number);
    let is_that = |one: OutgoingReference| one.who.id == id && one.system == system;
    let path = with_heap(holder, |heap| {
        let mut holding = Vec::new();
        heap.external_edges(&mut |object, held| {
            if OutgoingReference::held(held).is_some_and(is_that) {
                holding.push(object);
            }
        });
        match holding.into_iter().collect::<Option<Vec<_>>>() {
            Some(objects) => {
                let path = heap.graph().path_to(&objects);
                path.into_iter().map(Name::new).collect()
            }
            None => Vec::new(),
        }
    });
    path.unwrap_or_default()
}
