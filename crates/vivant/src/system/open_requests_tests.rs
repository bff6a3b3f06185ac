//! Random programs beside the model: at random stops, an inspection lists the open requests.

use super::open_requests_model::{ActorId, Event, Line, Model, RequestId};
use crate::AskFuture;
use crate::injected_fault::{InjectedFault, must_catch};
use crate::oracle::split_mix;
use crate::prelude::*;
use crate::services::RequestProgress;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::sync::{Arc, Mutex, lock};

const ACTORS: usize = 4;
const STEPS: usize = 24;

type Log = Arc<Mutex<Vec<Event>>>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Now,
    Later,
    Guarded,
    Through,
    Delegate,
}

const KINDS: [Kind; 5] = [
    Kind::Now,
    Kind::Later,
    Kind::Guarded,
    Kind::Through,
    Kind::Delegate,
];

/// A request that is to be made.
#[derive(Clone)]
struct Plan {
    id: RequestId,
    kind: Kind,
    to: ActorId,
    /// Of a request through an actor, or of a delegated request: the next.
    next: ActorId,
}

#[derive(Actor)]
struct Node {
    me: ActorId,
    log: Log,
    nodes: Vec<Address<Node>>,
    is_open: bool,
    kept: Vec<(RequestId, Resolver<u64>)>,
}

#[behaviours]
impl Node {
    fn meets(&mut self, nodes: Vec<Address<Node>>) {
        self.nodes = nodes;
    }

    fn asks(&mut self, t: &Turn<Self>, plan: Plan, is_wanted: bool) {
        let asked = self.asked(t, &plan);
        match is_wanted {
            true => asked.then_send(t.me().answered()),
            false => {
                self.note(Event::Closes(plan.id));
                drop(asked);
            }
        }
    }

    #[local]
    fn asked(&self, t: &Turn<Self>, plan: &Plan) -> Promise<u64> {
        let event = Event::Asks(Some(self.me), plan.id, plan.to, name_of(plan.kind));
        self.note(event);
        let to = &self.nodes[plan.to];
        match plan.kind {
            Kind::Now => t.ask(to.now(plan.id)),
            Kind::Later => t.ask(to.later(plan.id)),
            Kind::Guarded => t.ask(to.guarded(plan.id)),
            Kind::Through => t.ask(to.through(plan.id, plan.next)),
            Kind::Delegate => t.ask(to.delegate(plan.id, plan.next)),
        }
    }

    fn now(&mut self, id: RequestId) -> u64 {
        self.note(Event::Begins(id));
        self.note(Event::Closes(id));
        1
    }

    fn later(&mut self, t: &Turn<Self>, id: RequestId) -> Promise<u64> {
        self.note(Event::Begins(id));
        let (promise, resolver) = t.promise();
        self.kept.push((id, resolver));
        promise
    }

    #[when(self.is_open)]
    fn guarded(&mut self, id: RequestId) -> u64 {
        self.now(id)
    }

    /// Asks the next, with a number of its own, and answers with the answer.
    fn through(&mut self, t: &Turn<Self>, id: RequestId, next: ActorId) -> Promise<u64> {
        self.note(Event::Begins(id));
        let plan = Plan {
            id: id + 1,
            kind: Kind::Later,
            to: next,
            next,
        };
        self.asked(t, &plan).then(t.me().passes(id))
    }

    #[then]
    fn passes(&mut self, answer: Result<u64, AskError>, id: RequestId) -> u64 {
        self.note(Event::Closes(id));
        answer.unwrap_or(0)
    }

    fn delegate(&mut self, t: &Turn<Self>, id: RequestId, next: ActorId) -> Promise<u64> {
        self.note(Event::Begins(id));
        self.note(Event::PassesOn(id, next, name_of(Kind::Later)));
        t.delegate(self.nodes[next].later(id))
    }

    #[then]
    fn answered(&mut self, _answer: Result<u64, AskError>) {}

    fn opens(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    fn answers(&mut self, number: usize) {
        for (id, resolver) in self.kept.drain(..number.min(self.kept.len())) {
            lock(&self.log).push(Event::Closes(id));
            resolver.resolve(2);
        }
    }

    fn ends(&mut self, t: &Turn<Self>) {
        self.note(Event::Ends(self.me));
        t.stop();
    }

    #[local]
    fn note(&self, event: Event) {
        lock(&self.log).push(event);
    }
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Now => "now",
        Kind::Later => "later",
        Kind::Guarded => "guarded",
        Kind::Through => "through",
        Kind::Delegate => "delegate",
    }
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        (number % bound as u64) as usize
    }
}

/// Runs a random program; returns the number of requests that were open at a stop, and of those
/// that were closed.
fn check_requests(simulation: &Simulation) -> (usize, usize) {
    let log = Log::default();
    let node = |me| {
        let node = Node {
            me,
            log: log.clone(),
            nodes: Vec::new(),
            is_open: false,
            kept: Vec::new(),
        };
        simulation.system().spawn(node)
    };
    let nodes: Vec<Address<Node>> = (0..ACTORS).map(node).collect();
    let paths: Vec<String> = nodes.iter().map(Address::path).collect();
    nodes
        .iter()
        .for_each(|node| node.meets(nodes.clone()).send());
    simulation.run();
    let mut chance = Chance(simulation.seed());
    let (mut model, mut stops) = (Model::default(), 0);
    let mut outside = Vec::new();
    for number in 0..STEPS {
        let at = &nodes[chance.below(ACTORS)];
        let plan = Plan {
            // A request through an actor has the next number too.
            id: 2 * number,
            kind: KINDS[chance.below(KINDS.len())],
            to: chance.below(ACTORS),
            next: chance.below(ACTORS),
        };
        match chance.below(16) {
            0..7 => at.asks(plan, chance.below(4) > 0).send(),
            7..10 => outside.push((plan.id, ask_from_outside(&log, &nodes, &plan))),
            10..12 => at.answers(1 + chance.below(2)).send(),
            12 | 13 => at.opens(chance.below(2) == 0).send(),
            14 if !outside.is_empty() => {
                let (id, dropped) = outside.swap_remove(chance.below(outside.len()));
                lock(&log).push(Event::Closes(id));
                drop(dropped);
            }
            15 if chance.below(4) == 0 => at.ends().send(),
            _ => {}
        }
        for _ in 0..chance.below(4) {
            let _moved = simulation.step();
        }
        if chance.below(8) == 0 {
            simulation.run();
        }
        stops += compare(simulation, &log, &mut model, &paths);
    }
    simulation.run();
    stops += compare(simulation, &log, &mut model, &paths);
    (stops, model.closed())
}

fn ask_from_outside(log: &Log, nodes: &[Address<Node>], plan: &Plan) -> AskFuture<u64> {
    let event = Event::Asks(None, plan.id, plan.to, name_of(plan.kind));
    lock(log).push(event);
    let to = &nodes[plan.to];
    match plan.kind {
        Kind::Now => to.now(plan.id).ask(),
        Kind::Later => to.later(plan.id).ask(),
        Kind::Guarded => to.guarded(plan.id).ask(),
        Kind::Through => to.through(plan.id, plan.next).ask(),
        Kind::Delegate => to.delegate(plan.id, plan.next).ask(),
    }
}

/// Returns the number of open requests.
fn compare(simulation: &Simulation, log: &Log, model: &mut Model, paths: &[String]) -> usize {
    let events = std::mem::take(&mut *lock(log));
    events.into_iter().for_each(|event| model.step(event));
    let inspection = simulation.system().inspect();
    let number_of = |path: &str| paths.iter().position(|other| other == path);
    let line = |request: &crate::OpenRequest| {
        let asker = request.asker.actor().and_then(number_of);
        let answerer = request.answerer.as_deref().and_then(number_of);
        let behaviour = request.behaviour.rsplit("::").next().unwrap_or_default();
        let begun = request.progress == RequestProgress::Begun;
        (asker, answerer, behaviour.to_owned(), begun)
    };
    let mut listed: Vec<Line> = inspection.requests.iter().map(line).collect();
    listed.sort();
    assert_eq!(listed, model.lines());
    listed.len()
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 200 });

#[test]
fn seeded_an_inspection_lists_the_open_requests() {
    let name = "seeded_an_inspection_lists_the_open_requests";
    let sums = Arc::new(Mutex::new((0, 0)));
    let sum = sums.clone();
    check(name, SEEDS, &Faults::none(), |simulation| {
        let (open, closed) = check_requests(simulation);
        let mut sum = lock(&sum);
        *sum = (sum.0 + open, sum.1 + closed);
    });
    let (open, closed) = *lock(&sums);
    assert!(open > 0 && closed > 0, "{open} open, {closed} closed");
}

fn assert_caught(bug: InjectedFault) {
    must_catch(bug, || {
        check("a canary", Seeds(200), &Faults::none(), |simulation| {
            let _sums = check_requests(simulation);
        });
    });
}

#[test]
fn seeded_canary_an_answered_request_that_stays_is_caught() {
    assert_caught(InjectedFault::AnsweredRequestStays);
}

#[test]
fn seeded_canary_a_dropped_request_that_stays_is_caught() {
    assert_caught(InjectedFault::DroppedRequestStays);
}

#[test]
fn seeded_canary_a_delegated_request_of_its_first_actor_is_caught() {
    assert_caught(InjectedFault::RequestNotPassedOn);
}
