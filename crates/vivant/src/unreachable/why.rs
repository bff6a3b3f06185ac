//! What keeps an actor: the shortest chain from something that keeps itself.

use super::Acquaintance;
use super::graph::{Graph, Seen, Who};
use super::look::{Sight, shown};
use crate::address::{Address, Target};
use crate::cell::{AddressRef, CellRef, Occupied, Pin};
use crate::system::{Shared, System};
use std::fmt;

/// Why an actor is alive: [`System::why_alive`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WhyAlive {
    /// Path of the actor.
    pub actor: String,
    /// Paths of those through whom it is kept: who holds its address, who holds that one's, and so on. Of all such chains the shortest,
    /// and of those the one through the actors that were made first. Empty if it is kept by itself.
    pub through: Vec<String>,
    /// What keeps the last of them, or the actor itself.
    pub by: KeptBy,
}

/// What keeps an actor, other than other actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptBy {
    /// [`System::keep`].
    Kept,
    /// It runs, or is about to. What its state holds is not known meanwhile.
    Running,
    /// Messages wait for it.
    Messages,
    /// It has a supervisor.
    Supervised,
    /// So many addresses that are in no state where they can be seen: in messages, timers, futures, continuations, in other
    /// threads or systems, or in a field that does not show them ([`Acquainted`](crate::Acquainted)).
    Outside(usize),
    /// Nothing but the address that was asked with, or actors that nobody can reach either: it is about to end.
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
            KeptBy::Outside(1) => f.write_str("kept by 1 address outside of what states show"),
            KeptBy::Outside(count) => {
                write!(f, "kept by {count} addresses outside of what states show")
            }
            KeptBy::Nothing => f.write_str("kept by nothing else"),
            KeptBy::Ended => f.write_str("over: it has ended"),
        }
    }
}

impl fmt::Display for WhyAlive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.actor)?;
        for path in &self.through {
            write!(f, ", known to {path}")?;
        }
        write!(f, ", which is {}", self.by)
    }
}

impl System {
    /// Why an actor is alive, apart from the address that this is asked with: the shortest chain of actors that hold addresses of
    /// each other, and what keeps the first of them.
    ///
    /// For finding out why something does not end. Costs a look at every actor of the system: as long as it takes, some hundred
    /// nanoseconds for each, nobody is held up for longer than a look at one. While actors run, the answer is one of several moments.
    ///
    /// ```
    /// use vivant::KeptBy;
    /// use vivant::prelude::*;
    ///
    /// #[derive(Actor)] struct Leaf;
    /// #[behaviours] impl Leaf {}
    /// #[derive(Actor)] struct Tree { leaf: Address<Leaf> }
    /// #[behaviours] impl Tree {}
    ///
    /// let simulation = vivant::simulation::Simulation::new(1);
    /// let system = simulation.system();
    /// let leaf = system.spawn(Leaf);
    /// let tree = system.spawn(Tree { leaf: leaf.clone() });
    /// system.keep(&tree);
    /// drop(tree);
    ///
    /// let why = system.why_alive(&leaf);
    /// assert_eq!((why.through.len(), why.by), (1, KeptBy::Kept));
    /// assert!(why.to_string().ends_with("Tree/1, which is kept by `System::keep`"), "{why}");
    /// ```
    ///
    /// # Panics
    ///
    /// If the actor belongs to another system.
    pub fn why_alive<T: ?Sized + Target>(&self, address: &Address<T>) -> WhyAlive {
        let to = &Address::link(address).to;
        assert!(
            to.system.number == self.shared().number,
            "{} was asked about in a system that it does not belong to",
            to.path()
        );
        why_alive(self.shared(), to)
    }
}

fn why_alive(system: &Shared, asked: &AddressRef) -> WhyAlive {
    let all = system.registry.all();
    let alive = Everybody::of(&all);
    let actor = asked.path();
    let Ok(first) = all.binary_search_by_key(&asked.id, |cell| cell.id) else {
        let (through, by) = (Vec::new(), KeptBy::Ended);
        return WhyAlive { actor, through, by };
    };
    let (chain, by) = alive.kept_by(system, first);
    let through = chain.into_iter().map(|at| all[at].path()).collect();
    WhyAlive { actor, through, by }
}

/// All actors, and who knows whom.
struct Everybody {
    graph: Graph,
    /// Who is known by whom, in order of creation.
    known_to: Vec<Vec<usize>>,
    pins: Vec<Option<KeptBy>>,
    /// So many are in the registry. Others have come since.
    count: usize,
}

impl Everybody {
    fn of(all: &[CellRef]) -> Everybody {
        let mut graph = Graph::default();
        for cell in all {
            graph.meet(who(cell.id, cell.place()));
        }
        let pins = all
            .iter()
            .enumerate()
            .map(|(at, cell)| {
                let mut knows = Vec::new();
                let (seen, pin) = look_at(cell, &mut knows);
                graph.is_seen(at, seen, &knows);
                pin
            })
            .collect();
        let count = all.len();
        let mut known_to = vec![Vec::new(); graph.len()];
        for at in 0..count {
            for other in graph.knows(at) {
                known_to[other].push(at);
            }
        }
        Everybody {
            graph,
            known_to,
            pins,
            count,
        }
    }

    /// From `first` on to whoever knows it, the nearest first, until somebody is kept by himself.
    fn kept_by(&self, system: &Shared, first: usize) -> (Vec<usize>, KeptBy) {
        // By whom each was come to.
        let mut from = vec![None; self.graph.len()];
        from[first] = Some(first);
        let mut ring = vec![first];
        while !ring.is_empty() {
            let mut next = Vec::new();
            for at in ring {
                if let Some(by) = self.root(system, at, first) {
                    return (chain(&from, at, first), by);
                }
                for other in &self.known_to[at] {
                    if from[*other].is_none() {
                        from[*other] = Some(at);
                        next.push(*other);
                    }
                }
            }
            next.sort_unstable();
            ring = next;
        }
        (Vec::new(), KeptBy::Nothing)
    }

    fn root(&self, system: &Shared, at: usize, first: usize) -> Option<KeptBy> {
        if at >= self.count {
            return None;
        }
        if system.is_kept(self.graph.node(at).who.id) {
            return Some(KeptBy::Kept);
        }
        if let Some(by) = self.pins[at] {
            return Some(by);
        }
        // That which was asked with.
        let own = u32::from(at == first);
        match self.graph.outside(at).saturating_sub(own) {
            0 => None,
            count => Some(KeptBy::Outside(count as usize)),
        }
    }
}

fn who(id: u64, place: u32) -> Who {
    Who { id, place }
}

fn look_at(cell: &CellRef, knows: &mut Vec<Who>) -> (Seen, Option<KeptBy>) {
    let mut idle = match cell.hold_idle() {
        Ok(idle) => idle,
        Err(Occupied::Active) => return (Seen::Pinned, Some(KeptBy::Running)),
        Err(Occupied::Ended) => return (Seen::Gone, Some(KeptBy::Ended)),
    };
    let by = match idle.pin() {
        Some(Pin::Messages) => Some(KeptBy::Messages),
        Some(Pin::Supervised) => Some(KeptBy::Supervised),
        None => None,
    };
    let (addresses, turns) = (idle.addresses(), idle.facts.turns());
    let take = |one: Acquaintance| knows.push(one.who);
    if shown(&mut idle, take) == Sight::Faulty {
        knows.clear();
    }
    idle.let_go();
    (Seen::Idle { addresses, turns }, by)
}

/// The way from behind `first` to `at`.
fn chain(from: &[Option<usize>], at: usize, first: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut next = at;
    while next != first {
        chain.push(next);
        match from[next] {
            Some(before) => next = before,
            None => break,
        }
    }
    chain.reverse();
    chain
}
