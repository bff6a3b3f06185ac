//! Actors that wait for each other's answers: a pending promise keeps its owner alive only as long
//! as the actor with its resolver is reachable.

use super::Ends;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{KeptBy, StopReason};

/// Answers only when it is told to.
#[derive(Actor)]
struct Answerer {
    ends: Ends,
    waiting: Vec<Resolver<u64>>,
    friend: Option<Address<Asker>>,
}

#[behaviours]
impl Answerer {
    /// Passes the answer on through so many promises.
    fn wait_behind(&mut self, t: &Turn<Self>, promises: u64) -> Promise<u64> {
        match promises {
            0 => {
                let (promise, resolver) = t.promise();
                self.waiting.push(resolver);
                promise
            }
            _ => t.ask(t.me().wait_behind(promises - 1)),
        }
    }

    fn befriend(&mut self, friend: Address<Asker>) {
        self.friend = Some(friend);
    }

    fn answer(&mut self) {
        for resolver in self.waiting.drain(..) {
            resolver.resolve(7);
        }
    }

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        self.ends.note(1, reason);
    }
}

#[derive(Actor)]
struct Asker {
    ends: Ends,
    answerer: Address<Answerer>,
    answers: u64,
}

/// How the asker continues.
#[derive(Clone, Copy, Debug)]
enum Continues {
    ByName,
    ByClosure,
}

#[behaviours]
impl Asker {
    fn begin(&mut self, t: &Turn<Self>, continues: Continues, promises: u64) {
        let answer = t.ask(self.answerer.wait_behind(promises));
        match continues {
            Continues::ByName => drop(answer.then(t.me().got())),
            Continues::ByClosure => drop(answer.then_local(t, |asker, _, answer| {
                asker.answers += answer.unwrap_or(0);
            })),
        }
    }

    #[then]
    fn got(&mut self, answer: Result<u64, AskError>) {
        self.answers += answer.unwrap_or(0);
    }

    fn answers(&self) -> u64 {
        self.answers
    }

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        self.ends.note(0, reason);
    }
}

fn waiting(
    simulation: &Simulation,
    ends: &Ends,
    continues: Continues,
    promises: u64,
) -> (Address<Asker>, Address<Answerer>) {
    let system = simulation.system();
    let answerer = system.spawn(Answerer {
        ends: ends.clone(),
        waiting: Vec::new(),
        friend: None,
    });
    let asker = system.spawn(Asker {
        ends: ends.clone(),
        answerer: answerer.clone(),
        answers: 0,
    });
    asker.begin(continues, promises).send();
    simulation.run();
    (asker, answerer)
}

#[test]
fn actors_on_a_cycle_through_a_pending_promise_end() {
    for continues in [Continues::ByName, Continues::ByClosure] {
        for promises in [0, 1, 5] {
            let (simulation, ends) = (Simulation::new(1), Ends::default());
            let (asker, answerer) = waiting(&simulation, &ends, continues, promises);
            assert_eq!(ends.count(), 0);
            drop((asker, answerer));
            simulation.run();
            let reasons = ends.reasons();
            assert_eq!(reasons.len(), 2, "{continues:?}, {promises}");
            assert!(reasons.values().all(|reason| reason == "Unreachable"));
        }
    }
}

#[test]
fn an_actor_waits_as_long_as_the_answer_may_come() {
    let (simulation, ends) = (Simulation::new(1), Ends::default());
    let (asker, answerer) = waiting(&simulation, &ends, Continues::ByName, 3);
    answerer.befriend(asker.clone()).send();
    drop(asker);
    simulation.run();
    assert_eq!(ends.count(), 0);
    answerer.answer().send();
    simulation.run();
    assert_eq!(ends.count(), 0);
    drop(answerer);
    simulation.run();
    assert_eq!(ends.count(), 2);
}

#[test]
fn why_alive_names_the_actor_that_has_to_answer() {
    let (simulation, ends) = (Simulation::new(1), Ends::default());
    let (asker, answerer) = waiting(&simulation, &ends, Continues::ByName, 0);
    let why = simulation.system().why_alive(&asker);
    assert_eq!(why.through.len(), 1, "{why}");
    assert!(why.through[0].actor.contains("Answerer"), "{why}");
    assert_eq!(why.by, KeptBy::Outside(1));
    answerer.answer().send();
    simulation.run();
    assert_eq!(asker.answers().ask_blocking(), Ok(7));
    assert_eq!(simulation.system().why_alive(&asker).by, KeptBy::Nothing);
}

#[test]
fn a_long_chain_of_promises_is_traced_without_recursion() {
    let promises = if cfg!(miri) { 100 } else { 100_000 };
    let (simulation, ends) = (Simulation::new(1), Ends::default());
    drop(waiting(&simulation, &ends, Continues::ByName, promises));
    simulation.run();
    assert_eq!(ends.count(), 2);
}
