//! The reference model of liveness: actors, their references, and what keeps them, as plain data.
//! `model_tests.rs` applies to it every deed of a program on real actors. The model says which
//! actors must be alive, and which must be gone when nothing is left to do.
//!
//! | model | real |
//! |---|---|
//! | `Actor::knows` | addresses that its state shows (`TraceReferences`) |
//! | `Actor::hides` | those that it does not |
//! | `Model::held` | addresses of the test itself |
//! | `Model::kept` | `System::keep` |
//! | `Model::reachable` | what a look and its verdict leave (`trial_deletion.rs`, `commit.rs`) |
//! | `Model::settles` | `Simulation::run` |
//!
//! A message counts as processed when it is sent: an address in a mailbox keeps its actor as one in
//! that actor's state does. Left out: time, threads, and the schedule of passes.

use std::collections::BTreeSet;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Life {
    Alive,
    Ended,
}

#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) life: Life,
    knows: Vec<usize>,
    hides: Vec<usize>,
}

/// A deed of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Spawn,
    Knows {
        who: usize,
        whom: usize,
    },
    Hides {
        who: usize,
        whom: usize,
    },
    Forgets(usize),
    /// By its own address, which it makes.
    KnowsItself(usize),
    Passes {
        who: usize,
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
    /// Any deed but an upgrade: its outcome is seen first.
    pub(super) fn does(&mut self, deed: Deed) {
        match deed {
            Deed::Spawn => {
                self.actors.push(Actor {
                    life: Life::Alive,
                    knows: Vec::new(),
                    hides: Vec::new(),
                });
                self.held.push(1);
            }
            Deed::Knows { who, whom } if self.is_alive(who) => self.actors[who].knows.push(whom),
            Deed::Hides { who, whom } if self.is_alive(who) => self.actors[who].hides.push(whom),
            Deed::Forgets(who) => drop(self.actors[who].knows.pop()),
            Deed::KnowsItself(who) if self.is_alive(who) => self.actors[who].knows.push(who),
            // The test has seen which actor it was.
            Deed::Passes { .. }
            | Deed::Knows { .. }
            | Deed::Hides { .. }
            | Deed::KnowsItself(_) => {}
            Deed::Drop(who) => self.held[who] -= 1,
            Deed::Keep(who) => drop(self.kept.insert(who)),
            Deed::Release(who) => drop(self.kept.remove(&who)),
            Deed::Upgrade(who) => self.held[who] += 1,
            Deed::Stop(who) => self.ends(who),
        }
    }

    fn is_alive(&self, who: usize) -> bool {
        self.actors[who].life == Life::Alive
    }

    fn ends(&mut self, who: usize) {
        let (knows, hides) = (Vec::new(), Vec::new());
        let life = Life::Ended;
        self.actors[who] = Actor { life, knows, hides };
    }

    /// The actor that it was last given an address of.
    pub(super) fn latest(&self, who: usize) -> Option<usize> {
        self.actors[who].knows.last().copied()
    }

    /// What an upgrade of a weak address must return now.
    pub(super) fn upgrade(&self, who: usize) -> Upgrade {
        match (
            self.settled().reachable().contains(&who),
            self.actors[who].life,
        ) {
            (true, _) => Upgrade::Some,
            (false, Life::Ended) if !self.has_address(who) => Upgrade::None,
            (false, _) => Upgrade::Either,
        }
    }

    /// Whether any address of it is left, anywhere.
    fn has_address(&self, who: usize) -> bool {
        let by = |actor: &Actor| actor.knows.contains(&who) || actor.hides.contains(&who);
        self.held[who] > 0 || self.kept.contains(&who) || self.actors.iter().any(by)
    }

    /// Actors that are reachable from outside, or may be: an address hidden in the state of a live
    /// actor counts as outside.
    pub(super) fn reachable(&self) -> BTreeSet<usize> {
        let all = 0..self.actors.len();
        let hidden = |who: &usize| self.actors.iter().any(|actor| actor.hides.contains(who));
        let is_root = |who: &usize| self.held[*who] > 0 || self.kept.contains(who) || hidden(who);
        let mut open: Vec<usize> = all.filter(is_root).collect();
        let mut reached = BTreeSet::new();
        while let Some(who) = open.pop() {
            if reached.insert(who) {
                open.extend(&self.actors[who].knows);
            }
        }
        reached
    }

    /// The model when nothing is left to do: an actor that is reachable then is reachable at any
    /// time until then.
    pub(super) fn settled(&self) -> Model {
        let mut then = self.clone();
        then.settles();
        then
    }

    /// Nothing is left to do: unreachable actors have ended, and the addresses that they hid are
    /// gone.
    pub(super) fn settles(&mut self) {
        loop {
            let reached = self.reachable();
            let lost = |who: &usize| self.is_alive(*who) && !reached.contains(who);
            let lost: Vec<usize> = (0..self.actors.len()).filter(lost).collect();
            if lost.is_empty() {
                return;
            }
            lost.into_iter().for_each(|who| self.ends(who));
        }
    }
}
