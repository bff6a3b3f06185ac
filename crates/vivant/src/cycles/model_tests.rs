//! Random programs under seeds, beside the model; and injected faults that this must detect.

use super::model::{Action, Liveness, Model, Upgrade};
use crate::api::WeakAddress;
#[cfg(not(miri))]
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::{below, split_mix};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::system::System;
use std::sync::Arc;
use std::time::Duration;

const ACTORS_MAX: usize = 12;

#[derive(Actor, Default)]
struct Node {
    references: Vec<Address<Node>>,
    hidden: Arc<Vec<Address<Node>>>,
}

#[behaviours]
impl Node {
    fn add_reference(&mut self, target: Address<Node>) {
        self.references.push(target);
    }

    fn hide_reference(&mut self, target: Address<Node>) {
        let before = self.hidden.iter().cloned();
        self.hidden = Arc::new(before.chain([target]).collect());
    }

    fn remove_reference(&mut self) {
        self.references.pop();
    }

    fn add_self_reference(&mut self, t: &Turn<Self>) {
        self.references.push(t.me());
    }

    /// Sends another actor the address that it was last given.
    fn pass_reference(&mut self, t: &Turn<Self>, to: Address<Node>) {
        if let Some(last) = self.references.last() {
            t.send(to.add_reference(last.clone()));
        }
    }
}

struct Program<'s> {
    simulation: &'s Simulation,
    chance: u64,
    model: Model,
    held: Vec<Vec<Address<Node>>>,
    weak: Vec<WeakAddress<Node>>,
}

impl<'s> Program<'s> {
    fn new(simulation: &'s Simulation) -> Program<'s> {
        Program {
            simulation,
            chance: split_mix(simulation.seed() ^ 0x0a_c7_02).1,
            model: Model::default(),
            held: Vec::new(),
            weak: Vec::new(),
        }
    }

    fn system(&self) -> &System {
        self.simulation.system()
    }

    fn draw(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.chance);
        self.chance = state;
        below(number, bound as u64) as usize
    }

    /// Any actor that the test has an address of.
    fn any_held(&mut self) -> Option<usize> {
        let held = |id: &usize| !self.held[*id].is_empty();
        let all: Vec<usize> = (0..self.held.len()).filter(held).collect();
        (!all.is_empty()).then(|| all[self.draw(all.len())])
    }

    fn choose(&mut self) -> Option<Action> {
        let kind = self.draw(20);
        if self.held.len() < ACTORS_MAX && (self.held.is_empty() || kind < 2) {
            return Some(Action::Spawn);
        }
        let id = self.any_held();
        match kind {
            3..=8 => Some(Action::AddReference {
                id: id?,
                target: self.any_held()?,
            }),
            9 => Some(Action::HideReference {
                id: id?,
                target: self.any_held()?,
            }),
            10 => Some(Action::RemoveReference(id?)),
            11 => Some(Action::PassReference {
                id: id?,
                to: self.any_held()?,
            }),
            12 => Some(Action::Keep(id?)),
            13 => Some(Action::Release(id?)),
            14 => Some(Action::Stop(id?)),
            15 => Some(Action::Upgrade(self.draw(self.held.len()))),
            16 => Some(Action::AddSelfReference(id?)),
            _ => Some(Action::Drop(id?)),
        }
    }

    fn address(&self, id: usize) -> &Address<Node> {
        self.held[id].last().expect("chosen from those")
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Spawn => {
                let address = self.system().spawn(Node::default());
                self.weak.push(Address::downgrade(&address));
                self.held.push(vec![address]);
            }
            Action::AddReference { id, target } => {
                let target = self.address(target).clone();
                self.address(id).add_reference(target).send();
            }
            Action::HideReference { id, target } => {
                let target = self.address(target).clone();
                self.address(id).hide_reference(target).send();
            }
            Action::RemoveReference(id) => self.address(id).remove_reference().send(),
            Action::AddSelfReference(id) => self.address(id).add_self_reference().send(),
            Action::PassReference { id, to } => return self.pass_reference(id, to),
            Action::Drop(id) => drop(self.held[id].pop()),
            Action::Keep(id) => self.system().keep(self.address(id)),
            Action::Release(id) => drop(self.system().release(self.address(id))),
            Action::Upgrade(id) => return self.upgrade(id),
            Action::Stop(id) => {
                // Messages sent before are processed, as in the model.
                self.simulation.run();
                self.model.settle();
                Address::stop(self.address(id));
            }
        }
        self.model.apply(action);
    }

    /// When nothing is left to run, so that the address to be sent is known.
    fn pass_reference(&mut self, id: usize, to: usize) {
        self.simulation.run();
        self.model.settle();
        let target_address = self.address(to).clone();
        self.address(id).pass_reference(target_address).send();
        if let Some(target) = self.model.latest(id) {
            self.model.apply(Action::AddReference { id: to, target });
        }
        self.simulation.run();
    }

    fn upgrade(&mut self, id: usize) {
        let (expected, found) = (self.model.upgrade(id), self.weak[id].upgrade());
        match (expected, &found) {
            (Upgrade::Some, None) => panic!("{id} can be reached, and its weak address fails"),
            (Upgrade::None, Some(_)) => panic!("{id} is gone, and its weak address does not fail"),
            _ => {}
        }
        if let Some(address) = found {
            self.held[id].push(address);
            self.model.apply(Action::Upgrade(id));
        }
    }

    /// Reachable actors are alive, at any time.
    fn assert_safe(&self) {
        let reached = self.model.settled().reachable();
        let ended = |id: usize| self.weak[id].has_ended();
        for id in reached {
            let expected = self.model.actors[id].liveness == Liveness::Ended;
            assert!(expected || !ended(id), "{id} can be reached, and has ended");
        }
    }

    /// When nothing is left to do, unreachable actors have ended.
    fn assert_complete(&mut self) {
        self.simulation.run();
        self.model.settle();
        for (id, weak) in self.weak.iter().enumerate() {
            let expected = self.model.actors[id].liveness;
            let found = match weak.has_ended() {
                true => Liveness::Ended,
                false => Liveness::Alive,
            };
            assert_eq!(found, expected, "of {id}");
        }
    }

    fn run_steps(&mut self, bound: usize) {
        for _ in 0..self.draw(bound) {
            self.simulation.step();
            self.assert_safe();
        }
    }

    fn run(&mut self) {
        for _ in 0..60 {
            if let Some(action) = self.choose() {
                self.apply(action);
            }
            self.run_steps(6);
            if self.draw(12) == 0 {
                self.assert_complete();
            }
        }
        self.assert_complete();
        // Leak oracle: when the test drops all addresses, only the kept actors stay, and those
        // behind a hidden address.
        for id in 0..self.held.len() {
            while !self.held[id].is_empty() {
                self.apply(Action::Drop(id));
            }
        }
        self.assert_complete();
        let alive = |actor: &&super::model::Actor| actor.liveness == Liveness::Alive;
        let expected = self.model.actors.iter().filter(alive).count();
        assert_eq!(self.system().inspect().actors.len(), expected);
    }
}

fn run_programs(seeds: u64) {
    check("programs", Seeds(seeds), &Faults::none(), |simulation| {
        Program::new(simulation).run();
    });
}

/// Two actors that refer to each other are released, and become reachable again during a pass, or a
/// commit.
fn release_and_upgrade(seeds: u64) {
    check("returns", Seeds(seeds), &Faults::none(), |simulation| {
        let mut program = Program::new(simulation);
        let (a, b) = (0, 1);
        for action in [
            Action::Spawn,
            Action::Spawn,
            Action::AddReference { id: a, target: b },
            Action::AddReference { id: b, target: a },
        ] {
            program.apply(action);
        }
        program.assert_complete();
        program.apply(Action::Drop(a));
        program.apply(Action::Drop(b));
        program.run_steps(12);
        program.apply(Action::Upgrade(b));
        program.run_steps(6);
        program.apply(Action::Upgrade(a));
        if program.held.iter().all(|held| !held.is_empty()) {
            program.run_steps(3);
            program.apply(Action::RemoveReference(a));
            program.apply(Action::Drop(a));
            program.run_steps(12);
        }
        program.assert_complete();
    });
}

/// Of two actors that refer to each other one has a message when both are released; and there are
/// enough other candidates that the pass does not wait for the timer.
fn release_with_message_waiting(seeds: u64) {
    check("runs_on", Seeds(seeds), &Faults::none(), |simulation| {
        let mut program = Program::new(simulation);
        let references = [(0, 1), (1, 0), (2, 2), (3, 3)];
        for _ in references {
            program.apply(Action::Spawn);
        }
        for (id, target) in references {
            program.apply(Action::AddReference { id, target });
        }
        program.assert_complete();
        program.apply(Action::AddReference { id: 1, target: 2 });
        for (id, _) in references {
            program.apply(Action::Drop(id));
        }
        program.assert_complete();
    });
}

#[test]
fn seeded_a_candidate_that_runs_during_a_pass_is_examined_again() {
    release_with_message_waiting(if cfg!(miri) { 2 } else { 200 });
}

#[test]
fn seeded_a_system_shuts_down_during_a_pass() {
    let test = |simulation: &Simulation| {
        let mut program = Program::new(simulation);
        for id in 0..5 {
            program.apply(Action::Spawn);
            program.apply(Action::AddReference { id, target: 0 });
            program.apply(Action::AddReference { id: 0, target: id });
        }
        simulation.run();
        (0..5).for_each(|id| program.apply(Action::Drop(id)));
        program.run_steps(30);
        assert!(program.system().shutdown().is_complete());
    };
    let seeds = if cfg!(miri) { 2 } else { 300 };
    check("ends", Seeds(seeds), &Faults::none(), test);
}

#[test]
fn seeded_programs_agree_with_the_model() {
    run_programs(if cfg!(miri) { 1 } else { 400 });
}

#[test]
fn seeded_an_actor_upgraded_before_the_commit_stays_alive() {
    release_and_upgrade(if cfg!(miri) { 2 } else { 1_000 });
}

#[test]
fn seeded_programs_with_delays_agree_with_the_model() {
    let faults = Faults::none().delays(200_000, Duration::from_millis(50));
    check(
        "delays",
        Seeds(if cfg!(miri) { 1 } else { 200 }),
        &faults,
        |simulation| {
            Program::new(simulation).run();
        },
    );
}

/// The self-tests need no interpreter.
#[cfg(not(miri))]
mod canaries {
    use super::*;

    fn assert_caught(bug: InjectedFault) {
        must_catch(bug, || run_programs(400));
    }

    #[test]
    fn an_address_that_is_counted_twice_is_caught() {
        assert_caught(InjectedFault::ShownTwice);
    }

    #[test]
    fn a_count_that_is_not_checked_is_caught() {
        assert_caught(InjectedFault::UncheckedCount);
    }

    #[test]
    fn a_commit_from_stale_counts_is_caught() {
        must_catch(InjectedFault::StaleCommit, || release_and_upgrade(1_000));
    }

    #[test]
    fn an_abort_that_restores_no_member_is_caught() {
        must_catch(InjectedFault::ForgottenAbort, || release_and_upgrade(1_000));
    }

    #[test]
    fn a_candidate_dropped_after_an_inconsistent_pass_is_caught() {
        must_catch(InjectedFault::ForgottenCandidate, || {
            release_with_message_waiting(200)
        });
    }

    #[test]
    fn a_drop_that_makes_no_candidate_is_caught() {
        assert_caught(InjectedFault::UnnoticedDrop);
    }
}
