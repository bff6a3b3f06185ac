//! Random programs beside the model: ways through actors, which wait exclusively at some of them.

use super::model::{ActorId, Answer, Event, Model, RequestId, Waits};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::split_mix;
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::sync::{Arc, Mutex, lock};
use std::time::Duration;

const ACTORS: usize = 4;
const HOPS_MAX: usize = 5;
const WAYS: usize = 4;
const PHASES: usize = 3;

type Log = Arc<Mutex<Vec<Event>>>;
/// The number of requests, or the error of one of them.
type Counted = Result<usize, AskError>;

#[derive(Clone)]
struct Hop {
    request: RequestId,
    waits: Waits,
    to: Address<Node>,
    id: ActorId,
}

#[derive(Actor)]
struct Node {
    me: ActorId,
    log: Log,
}

#[behaviours]
impl Node {
    /// Goes the rest of the way, and counts its requests.
    fn go(&mut self, t: &Turn<Self>, request: RequestId, way: Vec<Hop>) -> Promise<Counted> {
        self.note(Event::Begins(self.me, request));
        let Some((hop, rest)) = way.split_first() else {
            return Promise::ready(Ok(1));
        };
        self.note(Event::Asks(Some(self.me), hop.request, hop.id, hop.waits));
        let asked = t.ask(hop.to.go(hop.request, rest.to_vec()));
        let asked = match hop.waits {
            Waits::Exclusively => asked.exclusive(),
            Waits::Openly => asked,
        };
        asked.then(t.me().counted(hop.request))
    }

    #[then]
    fn counted(&mut self, counted: Result<Counted, AskError>, request: RequestId) -> Counted {
        let answer = match &counted {
            Ok(Ok(_)) => Answer::Value,
            Ok(Err(_)) => Answer::Failed,
            Err(AskError::WaitCycle(cycle)) => {
                let ends = cycle.edges.iter().map(|edge| &edge.deferred_by);
                let begins = cycle.edges.iter().map(|edge| &edge.actor);
                let shifted = begins.cycle().skip(1).take(cycle.edges.len());
                assert!(ends.eq(shifted), "no cycle: {cycle}");
                Answer::Closed
            }
            Err(error) => panic!("{error}"),
        };
        self.note(Event::Answered(self.me, request, answer));
        counted.and_then(|counted| counted).map(|count| count + 1)
    }

    #[local]
    fn note(&self, event: Event) {
        lock(&self.log).push(event);
    }
}

/// Which actors a phase's ways lead to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Any,
    /// Upwards in an order that the seed draws for each phase: no cycle can arise.
    Upwards,
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        (number % bound as u64) as usize
    }
}

/// Runs a random program; returns the number of cycles.
fn check_waits(simulation: &Simulation, direction: Direction) -> usize {
    let log = Log::default();
    let node = |me| {
        let log = log.clone();
        simulation.system().spawn(Node { me, log })
    };
    let nodes: Vec<Address<Node>> = (0..ACTORS).map(node).collect();
    let mut chance = Chance(simulation.seed());
    let mut model = Model::default();
    let mut requests = 0;
    for _ in 0..PHASES {
        let mut order: Vec<ActorId> = (0..ACTORS).collect();
        (1..ACTORS).for_each(|at| order.swap(at, chance.below(at + 1)));
        let mut asked = Vec::new();
        for _ in 0..WAYS {
            let mut way = way(&mut chance, &nodes, &order, direction, &mut requests);
            let first = way.remove(0);
            let event = Event::Asks(None, first.request, first.id, Waits::Openly);
            lock(&log).push(event);
            asked.push((first.request, first.to.go(first.request, way).ask()));
            for _ in 0..chance.below(4) {
                let _moved = simulation.step();
            }
        }
        simulation.run();
        let events = std::mem::take(&mut *lock(&log));
        events.into_iter().for_each(|event| model.step(event));
        for (request, asked) in asked {
            let answer = match simulation.system().block_on(asked) {
                Ok(Ok(_)) => Answer::Value,
                Ok(Err(_)) => Answer::Failed,
                Err(error) => panic!("request {request}: {error}"),
            };
            model.step(Event::Answered(ACTORS, request, answer));
        }
        model.rests();
    }
    model.cycles()
}

fn way(
    chance: &mut Chance,
    nodes: &[Address<Node>],
    order: &[ActorId],
    direction: Direction,
    requests: &mut RequestId,
) -> Vec<Hop> {
    let mut actors: Vec<usize> = (0..=chance.below(HOPS_MAX))
        .map(|_| chance.below(ACTORS))
        .collect();
    if direction == Direction::Upwards {
        actors.sort_unstable();
        actors.dedup();
    }
    let hop = |at: usize| {
        *requests += 1;
        let waits = [Waits::Exclusively, Waits::Exclusively, Waits::Openly];
        Hop {
            request: *requests,
            waits: waits[chance.below(waits.len())],
            to: nodes[order[at]].clone(),
            id: order[at],
        }
    };
    actors.into_iter().map(hop).collect()
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 300 });

#[test]
fn seeded_every_request_is_answered_or_closes_a_cycle() {
    let name = "seeded_every_request_is_answered_or_closes_a_cycle";
    let cycles = Arc::new(Mutex::new(0));
    let sum = cycles.clone();
    check(name, SEEDS, &Faults::none(), |simulation| {
        *lock(&sum) += check_waits(simulation, Direction::Any);
    });
    assert!(*lock(&cycles) > 0, "no cycle in all seeds");
}

#[test]
fn seeded_ways_in_one_direction_close_no_cycle() {
    let name = "seeded_ways_in_one_direction_close_no_cycle";
    for faults in [
        Faults::none(),
        Faults::none().delays(100_000, Duration::from_millis(1)),
    ] {
        check(name, SEEDS, &faults, |simulation| {
            assert_eq!(check_waits(simulation, Direction::Upwards), 0);
        });
    }
}

fn assert_caught(bug: InjectedFault, direction: Direction) {
    must_catch(bug, || {
        check("a canary", Seeds(200), &Faults::none(), |simulation| {
            check_waits(simulation, direction);
        });
    });
}

#[test]
fn seeded_canary_an_edge_that_stays_is_caught() {
    assert_caught(InjectedFault::EdgeThatStays, Direction::Any);
}

#[test]
fn seeded_canary_an_edge_that_is_not_added_is_caught() {
    assert_caught(InjectedFault::MissingEdge, Direction::Any);
}

#[test]
fn seeded_canary_a_message_in_a_wait_is_caught() {
    assert_caught(InjectedFault::MessageInWait, Direction::Any);
}
