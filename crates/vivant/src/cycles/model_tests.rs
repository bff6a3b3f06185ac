//! Random programs under seeds, beside the model; and injected faults that this must detect.

use super::model::{Deed, Life, Model, Upgrade};
use crate::api::WeakAddress;
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
    known: Vec<Address<Node>>,
    hidden: Arc<Vec<Address<Node>>>,
}

#[behaviours]
impl Node {
    fn knows(&mut self, whom: Address<Node>) {
        self.known.push(whom);
    }

    fn hides(&mut self, whom: Address<Node>) {
        let before = self.hidden.iter().cloned();
        self.hidden = Arc::new(before.chain([whom]).collect());
    }

    fn forgets(&mut self) {
        self.known.pop();
    }

    fn knows_itself(&mut self, t: &Turn<Self>) {
        self.known.push(t.me());
    }

    /// Sends another actor the address that it was last given.
    fn passes(&mut self, t: &Turn<Self>, to: Address<Node>) {
        if let Some(last) = self.known.last() {
            t.send(to.knows(last.clone()));
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
        let held = |who: &usize| !self.held[*who].is_empty();
        let all: Vec<usize> = (0..self.held.len()).filter(held).collect();
        (!all.is_empty()).then(|| all[self.draw(all.len())])
    }

    fn choose(&mut self) -> Option<Deed> {
        let kind = self.draw(20);
        if self.held.len() < ACTORS_MAX && (self.held.is_empty() || kind < 2) {
            return Some(Deed::Spawn);
        }
        let who = self.any_held();
        match kind {
            3..=8 => Some(Deed::Knows {
                who: who?,
                whom: self.any_held()?,
            }),
            9 => Some(Deed::Hides {
                who: who?,
                whom: self.any_held()?,
            }),
            10 => Some(Deed::Forgets(who?)),
            11 => Some(Deed::Passes {
                who: who?,
                to: self.any_held()?,
            }),
            12 => Some(Deed::Keep(who?)),
            13 => Some(Deed::Release(who?)),
            14 => Some(Deed::Stop(who?)),
            15 => Some(Deed::Upgrade(self.draw(self.held.len()))),
            16 => Some(Deed::KnowsItself(who?)),
            _ => Some(Deed::Drop(who?)),
        }
    }

    fn address(&self, who: usize) -> &Address<Node> {
        self.held[who].last().expect("chosen from those")
    }

    fn does(&mut self, deed: Deed) {
        match deed {
            Deed::Spawn => {
                let address = self.system().spawn(Node::default());
                self.weak.push(Address::downgrade(&address));
                self.held.push(vec![address]);
            }
            Deed::Knows { who, whom } => {
                let whom = self.address(whom).clone();
                self.address(who).knows(whom).send();
            }
            Deed::Hides { who, whom } => {
                let whom = self.address(whom).clone();
                self.address(who).hides(whom).send();
            }
            Deed::Forgets(who) => self.address(who).forgets().send(),
            Deed::KnowsItself(who) => self.address(who).knows_itself().send(),
            Deed::Passes { who, to } => return self.passes(who, to),
            Deed::Drop(who) => drop(self.held[who].pop()),
            Deed::Keep(who) => self.system().keep(self.address(who)),
            Deed::Release(who) => drop(self.system().release(self.address(who))),
            Deed::Upgrade(who) => return self.upgrades(who),
            Deed::Stop(who) => {
                // Messages sent before are processed, as in the model.
                self.simulation.run();
                self.model.settles();
                Address::stop(self.address(who));
            }
        }
        self.model.does(deed);
    }

    /// When nothing is left to run, so that the address to be sent is known.
    fn passes(&mut self, who: usize, to: usize) {
        self.simulation.run();
        self.model.settles();
        let to_whom = self.address(to).clone();
        self.address(who).passes(to_whom).send();
        if let Some(whom) = self.model.latest(who) {
            self.model.does(Deed::Knows { who: to, whom });
        }
        self.simulation.run();
    }

    fn upgrades(&mut self, who: usize) {
        let (expected, found) = (self.model.upgrade(who), self.weak[who].upgrade());
        match (expected, &found) {
            (Upgrade::Some, None) => panic!("{who} can be reached, and its weak address fails"),
            (Upgrade::None, Some(_)) => panic!("{who} is gone, and its weak address does not fail"),
            _ => {}
        }
        if let Some(address) = found {
            self.held[who].push(address);
            self.model.does(Deed::Upgrade(who));
        }
    }

    /// Reachable actors are alive, at any time.
    fn is_safe(&self) {
        let reached = self.model.settled().reachable();
        let ended = |who: usize| self.weak[who].has_ended();
        for who in reached {
            let expected = self.model.actors[who].life == Life::Ended;
            assert!(
                expected || !ended(who),
                "{who} can be reached, and has ended"
            );
        }
    }

    /// When nothing is left to do, unreachable actors have ended.
    fn is_complete(&mut self) {
        self.simulation.run();
        self.model.settles();
        for (who, weak) in self.weak.iter().enumerate() {
            let expected = self.model.actors[who].life;
            let found = match weak.has_ended() {
                true => Life::Ended,
                false => Life::Alive,
            };
            assert_eq!(found, expected, "of {who}");
        }
    }

    fn steps(&mut self, bound: usize) {
        for _ in 0..self.draw(bound) {
            self.simulation.step();
            self.is_safe();
        }
    }

    fn runs(&mut self) {
        for _ in 0..60 {
            if let Some(deed) = self.choose() {
                self.does(deed);
            }
            self.steps(6);
            if self.draw(12) == 0 {
                self.is_complete();
            }
        }
        self.is_complete();
        // Leak oracle: when the test drops all addresses, only the kept actors stay, and those
        // behind a hidden address.
        for who in 0..self.held.len() {
            while !self.held[who].is_empty() {
                self.does(Deed::Drop(who));
            }
        }
        self.is_complete();
        let alive = |actor: &&super::model::Actor| actor.life == Life::Alive;
        let expected = self.model.actors.iter().filter(alive).count();
        assert_eq!(self.system().inspect().actors.len(), expected);
    }
}

fn programs(seeds: u64) {
    check("programs", Seeds(seeds), &Faults::none(), |simulation| {
        Program::new(simulation).runs();
    });
}

/// Two actors that refer to each other are released, and become reachable again during a pass, or a
/// verdict.
fn returns(seeds: u64) {
    check("returns", Seeds(seeds), &Faults::none(), |simulation| {
        let mut program = Program::new(simulation);
        let (a, b) = (0, 1);
        for deed in [
            Deed::Spawn,
            Deed::Spawn,
            Deed::Knows { who: a, whom: b },
            Deed::Knows { who: b, whom: a },
        ] {
            program.does(deed);
        }
        program.is_complete();
        program.does(Deed::Drop(a));
        program.does(Deed::Drop(b));
        program.steps(12);
        program.does(Deed::Upgrade(b));
        program.steps(6);
        program.does(Deed::Upgrade(a));
        if program.held.iter().all(|held| !held.is_empty()) {
            program.steps(3);
            program.does(Deed::Forgets(a));
            program.does(Deed::Drop(a));
            program.steps(12);
        }
        program.is_complete();
    });
}

/// Of two actors that refer to each other one has a message when both are released; and there are
/// enough other candidates that the pass does not wait for the timer.
fn runs_on(seeds: u64) {
    check("runs_on", Seeds(seeds), &Faults::none(), |simulation| {
        let mut program = Program::new(simulation);
        let knows = [(0, 1), (1, 0), (2, 2), (3, 3)];
        for _ in knows {
            program.does(Deed::Spawn);
        }
        for (who, whom) in knows {
            program.does(Deed::Knows { who, whom });
        }
        program.is_complete();
        program.does(Deed::Knows { who: 1, whom: 2 });
        for (who, _) in knows {
            program.does(Deed::Drop(who));
        }
        program.is_complete();
    });
}

#[test]
fn seeded_who_runs_while_it_is_looked_at_is_looked_at_again() {
    runs_on(if cfg!(miri) { 2 } else { 200 });
}

#[test]
fn seeded_a_system_ends_within_a_look() {
    let test = |simulation: &Simulation| {
        let mut program = Program::new(simulation);
        for who in 0..5 {
            program.does(Deed::Spawn);
            program.does(Deed::Knows { who, whom: 0 });
            program.does(Deed::Knows { who: 0, whom: who });
        }
        simulation.run();
        (0..5).for_each(|who| program.does(Deed::Drop(who)));
        program.steps(30);
        assert!(program.system().shutdown().is_complete());
    };
    let seeds = if cfg!(miri) { 2 } else { 300 };
    check("ends", Seeds(seeds), &Faults::none(), test);
}

#[test]
fn seeded_programs_agree_with_the_model() {
    programs(if cfg!(miri) { 1 } else { 400 });
}

#[test]
fn seeded_who_comes_back_before_the_verdict_stays() {
    returns(if cfg!(miri) { 2 } else { 1_000 });
}

#[test]
fn seeded_programs_with_delays_agree_with_the_model() {
    let faults = Faults::none().delays(200_000, Duration::from_millis(50));
    check(
        "delays",
        Seeds(if cfg!(miri) { 1 } else { 200 }),
        &faults,
        |simulation| {
            Program::new(simulation).runs();
        },
    );
}

/// The self-tests need no interpreter.
#[cfg(not(miri))]
mod canaries {
    use super::*;

    fn is_caught(bug: InjectedFault) {
        must_catch(bug, || programs(400));
    }

    #[test]
    fn an_address_that_is_counted_twice_is_caught() {
        is_caught(InjectedFault::ShownTwice);
    }

    #[test]
    fn a_count_that_is_not_checked_is_caught() {
        is_caught(InjectedFault::UncheckedCount);
    }

    #[test]
    fn a_verdict_from_the_first_look_is_caught() {
        must_catch(InjectedFault::StaleVerdict, || returns(1_000));
    }

    #[test]
    fn a_pardon_that_is_forgotten_is_caught() {
        must_catch(InjectedFault::ForgottenPardon, || returns(1_000));
    }

    #[test]
    fn a_suspect_that_ran_and_is_forgotten_is_caught() {
        must_catch(InjectedFault::ForgottenSuspect, || runs_on(200));
    }

    #[test]
    fn a_drop_that_makes_no_suspect_is_caught() {
        is_caught(InjectedFault::UnnoticedDrop);
    }
}
