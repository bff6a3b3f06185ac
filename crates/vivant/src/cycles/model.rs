//! The reference model of liveness: actors, their references, and what keeps them, as plain data.
//! `model_tests.rs` applies to it every action of a program on real actors. The model says which
//! actors must be alive, and which must be gone when nothing is left to do.
//!
//! | model | real |
//! |---|---|
//! | `Actor::references` | addresses that its state shows (`TraceReferences`) |
//! | `Actor::hidden` | addresses that its state does not show |
//! | `Model::held` | addresses of the test itself |
//! | `Model::kept` | `System::keep` |
//! | `Model::reachable` | actors that a pass and its commits leave (`trial_deletion.rs`, `commit.rs`) |
//! | `Model::settle` | `Simulation::run` |
//!
//! A message counts as processed when it is sent: an address in a mailbox keeps its actor as one in
//! that actor's state does. Left out: time, threads, and the schedule of passes.

use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Liveness {
    Alive,
    Ended,
}

#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) liveness: Liveness,
    references: Vec<usize>,
    hidden: Vec<usize>,
}

/// An action of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Spawn,
    AddReference {
        id: usize,
        target: usize,
    },
    HideReference {
        id: usize,
        target: usize,
    },
    RemoveReference(usize),
    /// By its own address, which it makes.
    AddSelfReference(usize),
    PassReference {
        id: usize,
        to: usize,
    },
    Drop(usize),
    Keep(usize),
    Release(usize),
    Upgrade(usize),
    Stop(usize),
}

/// What an upgrade must return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Upgrade {
    Some,
    None,
    /// It is unreachable, and perhaps not found yet.
    Either,
}

#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) actors: Vec<Actor>,
    /// Number of addresses of each that the test has.
    pub(super) held: Vec<usize>,
    kept: BTreeSet<usize>,
}

impl Model {
    /// Applies an action. The outcome of an upgrade is checked before that.
    pub(super) fn apply(&mut self, action: Action) {
        match action {
            Action::Spawn => {
                self.actors.push(Actor {
                    liveness: Liveness::Alive,
                    references: Vec::new(),
                    hidden: Vec::new(),
                });
                self.held.push(1);
            }
            Action::AddReference { id, target } if self.is_alive(id) => {
                self.actors[id].references.push(target)
            }
            Action::HideReference { id, target } if self.is_alive(id) => {
                self.actors[id].hidden.push(target)
            }
            Action::RemoveReference(id) => drop(self.actors[id].references.pop()),
            Action::AddSelfReference(id) if self.is_alive(id) => {
                self.actors[id].references.push(id)
            }
            // The test has seen which actor it was.
            Action::PassReference { .. }
            | Action::AddReference { .. }
            | Action::HideReference { .. }
            | Action::AddSelfReference(_) => {}
            Action::Drop(id) => self.held[id] -= 1,
            Action::Keep(id) => drop(self.kept.insert(id)),
            Action::Release(id) => drop(self.kept.remove(&id)),
            Action::Upgrade(id) => self.held[id] += 1,
            Action::Stop(id) => self.end(id),
        }
    }

    fn is_alive(&self, id: usize) -> bool {
        self.actors[id].liveness == Liveness::Alive
    }

    fn end(&mut self, id: usize) {
        let (references, hidden) = (Vec::new(), Vec::new());
        let liveness = Liveness::Ended;
        self.actors[id] = Actor {
            liveness,
            references,
            hidden,
        };
    }

    /// The actor that it was last given an address of.
    pub(super) fn latest(&self, id: usize) -> Option<usize> {
        self.actors[id].references.last().copied()
    }

    /// What an upgrade of a weak address must return now.
    pub(super) fn upgrade(&self, id: usize) -> Upgrade {
        match (
            self.settled().reachable().contains(&id),
            self.actors[id].liveness,
        ) {
            (true, _) => Upgrade::Some,
            (false, Liveness::Ended) if !self.has_address(id) => Upgrade::None,
            (false, _) => Upgrade::Either,
        }
    }

    /// Whether any address of it is left, anywhere.
    fn has_address(&self, id: usize) -> bool {
        let by = |actor: &Actor| actor.references.contains(&id) || actor.hidden.contains(&id);
        self.held[id] > 0 || self.kept.contains(&id) || self.actors.iter().any(by)
    }

    /// Actors that are reachable from outside, or may be: an address hidden in the state of a live
    /// actor counts as outside.
    pub(super) fn reachable(&self) -> BTreeSet<usize> {
        let all = 0..self.actors.len();
        let hidden = |id: &usize| self.actors.iter().any(|actor| actor.hidden.contains(id));
        let is_root = |id: &usize| self.held[*id] > 0 || self.kept.contains(id) || hidden(id);
        let mut open: Vec<usize> = all.filter(is_root).collect();
        let mut reached = BTreeSet::new();
        while let Some(id) = open.pop() {
            if reached.insert(id) {
                open.extend(&self.actors[id].references);
            }
        }
        reached
    }

    /// The model when nothing is left to do: an actor that is reachable then is reachable at any
    /// time until then.
    pub(super) fn settled(&self) -> Model {
        let mut then = self.clone();
        then.settle();
        then
    }

    /// Nothing is left to do: unreachable actors have ended, and the addresses that they hid are
    /// gone.
    pub(super) fn settle(&mut self) {
        loop {
            let reached = self.reachable();
            let unreachable = |id: &usize| self.is_alive(*id) && !reached.contains(id);
            let unreachable: Vec<usize> = (0..self.actors.len()).filter(unreachable).collect();
            if unreachable.is_empty() {
                return;
            }
            unreachable.into_iter().for_each(|id| self.end(id));
        }
    }
}
