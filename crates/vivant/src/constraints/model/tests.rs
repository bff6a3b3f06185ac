//! Runs random messages and synchronizers on real actors beside the model.

use super::Model;
use super::program::{Care, Constraint, Event, Fate, Kind, Message, Pattern as Plan};
use crate::actor::Messages;
use crate::api::{AskFuture, Pattern, Patterns};
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::{below, split_mix};
use crate::patterns::Synchronizer;
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::supervision::Supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

type Log = Arc<Mutex<Vec<Event>>>;

#[derive(Actor)]
struct Helper;

#[behaviours]
impl Helper {
    fn help(&mut self) {}
}

#[derive(Actor)]
struct Subject {
    id: usize,
    helper: Address<Helper>,
    is_open: bool,
    peers: Peers,
    log: Log,
}

type Peers = Arc<Mutex<Vec<Address<Subject>>>>;

#[behaviours]
impl Subject {
    #[start]
    fn new(id: usize, helper: Address<Helper>, peers: Peers, log: Log) -> Self {
        Subject {
            peers,
            id,
            helper,
            is_open: true,
            log,
        }
    }

    fn give(&mut self, number: usize, value: u64) -> u64 {
        lock(&self.log).push(Event::Ran(number));
        value
    }

    #[when(self.is_open)]
    fn take(&mut self, number: usize, value: u64) -> u64 {
        lock(&self.log).push(Event::Ran(number));
        value
    }

    fn toggle(&mut self, number: usize, value: u64) -> u64 {
        self.is_open = !self.is_open;
        lock(&self.log).push(Event::Ran(number));
        value
    }

    fn wait(&mut self, t: &Turn<Self>, number: usize, value: u64) -> u64 {
        lock(&self.log).push(Event::Ran(number));
        let helped = t.ask(self.helper.help()).exclusive();
        let _waited = helped.then(t.me().waited());
        value
    }

    #[then]
    fn waited(&mut self, helped: Result<(), AskError>) {
        helped.expect("the helper is there");
        lock(&self.log).push(Event::Waited(self.id));
    }

    fn stop(&mut self, number: usize, value: u64) -> u64 {
        lock(&self.log).push(Event::Ran(number));
        let peers = lock(&self.peers).clone();
        Address::stop(&peers[(self.id + 1) % peers.len()]);
        value
    }

    #[stop]
    fn goes_down(&mut self, reason: &StopReason) {
        let event = match reason {
            StopReason::Stopped => Event::Stopped(self.id),
            StopReason::Restarting => Event::Restarted(self.id),
            _ => return,
        };
        lock(&self.log).push(event);
    }

    fn crash(&mut self, number: usize, value: u64) -> u64 {
        lock(&self.log).push(Event::Ran(number));
        panic!("message {number} crashes: {value}");
    }
}

fn ask(to: &Address<Subject>, message: Message, number: usize) -> AskFuture<u64> {
    let value = message.value;
    match message.kind {
        Kind::Give => to.give(number, value).ask(),
        Kind::Take => to.take(number, value).ask(),
        Kind::Toggle => to.toggle(number, value).ask(),
        Kind::Wait => to.wait(number, value).ask(),
        Kind::Crash => to.crash(number, value).ask(),
        Kind::Stop => to.stop(number, value).ask(),
    }
}

struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        below(number, bound as u64) as usize
    }

    fn message(&mut self, subjects: usize) -> Message {
        let kind = match self.below(48) {
            0..20 => Kind::Give,
            20..36 => Kind::Take,
            36..42 => Kind::Toggle,
            42..45 => Kind::Wait,
            45..47 => Kind::Crash,
            _ => Kind::Stop,
        };
        Message {
            subject: self.below(subjects),
            kind,
            value: self.below(2) as u64,
        }
    }

    fn plan(&mut self, subject: usize) -> Plan {
        Plan {
            subject,
            kind: [Kind::Give, Kind::Take][self.below(2)],
            value: [None, Some(0), Some(1)][self.below(3)],
        }
    }

    fn constraint(&mut self, subjects: usize) -> Constraint {
        let mut constraint = Constraint {
            limit: 1 + self.below(2) as i64,
            ..Constraint::default()
        };
        for _ in 0..self.below(3) {
            let first = self.below(subjects);
            let count = 2 + self.below(subjects - 1);
            let places = (0..count).map(|place| self.plan((first + place) % subjects));
            constraint.sets.push(places.collect());
        }
        if constraint.sets.is_empty() || self.below(2) == 0 {
            let gate = self.below(subjects);
            constraint.gates.push(self.plan(gate));
            constraint.up = constraint.gates.clone();
            let down = self.below(subjects);
            constraint.down.push(self.plan(down));
        }
        constraint
    }
}

fn declare(constraint: &Constraint, subjects: &[Address<Subject>]) -> Option<Synchronizer> {
    use subject_messages::{Give, Take};
    let pattern = |plan: &Plan| {
        let (to, value) = (&subjects[plan.subject], plan.value);
        let is_it = move |args: &(usize, u64)| value.is_none_or(|value| value == args.1);
        match plan.kind {
            Kind::Give => Pattern::<Give<Subject>>::at(to).when(is_it).into_patterns(),
            _ => Pattern::<Take<Subject>>::at(to).when(is_it).into_patterns(),
        }
    };
    let all = |plans: &[Plan]| plans.iter().flat_map(&pattern).collect::<Vec<_>>();
    let mut synchronizer = Synchronizer::with(constraint.state);
    for set in &constraint.sets {
        synchronizer = synchronizer.atomic(all(set));
    }
    let limit = constraint.limit;
    if !constraint.gates.is_empty() {
        synchronizer = synchronizer.disable(all(&constraint.gates), move |state| *state >= limit);
    }
    let up = constraint.up.iter().map(|plan| (plan, 1));
    for (plan, change) in up.chain(constraint.down.iter().map(|plan| (plan, -1))) {
        let (to, value) = (&subjects[plan.subject], plan.value);
        let is_it = move |args: &(usize, u64)| value.is_none_or(|value| value == args.1);
        let add = move |_: &(usize, u64)| move |state: &mut i64| *state += change;
        synchronizer = match plan.kind {
            Kind::Give => synchronizer.upon(Pattern::<Give<Subject>>::at(to).when(is_it), add),
            _ => synchronizer.upon(Pattern::<Take<Subject>>::at(to).when(is_it), add),
        };
    }
    synchronizer.declare().ok()
}

/// The states after an event. If no state allows it, commits that are not seen may come before.
fn after(worlds: &[Model], event: Event) -> Vec<Model> {
    let mut before = worlds.to_vec();
    for _ in 0..4 {
        let after: Vec<Model> = before
            .iter()
            .flat_map(|model| model.happens(event))
            .collect();
        if !after.is_empty() {
            return after;
        }
        before = before.iter().flat_map(Model::commits).collect();
    }
    panic!("S1 to S5: {event:?} is not allowed in {worlds:?}");
}

/// Number of exclusive waits that may pass a message, for each subject (S9).
const PASSES_MAX: usize = 20;
/// Number of exclusive waits of a subject that begin one after the other.
const FLOOD: usize = 5 * PASSES_MAX;

/// Counts the exclusive waits that pass messages (S9).
fn count_passes(passes: usize, event: Event, worlds: &[Model]) -> usize {
    let kind = |number: usize| worlds[0].messages[number].kind;
    match event {
        Event::Ran(number) if kind(number) == Kind::Wait => {
            match worlds.iter().all(Model::passes_over) {
                true => passes + 1,
                false => 0,
            }
        }
        // A commit, or what waits has changed.
        Event::Ran(_) | Event::Stopped(_) | Event::Restarted(_) => 0,
        Event::Waited(_) => passes,
    }
}

fn run_beside_the_model(simulation: &Simulation) {
    run_with_floods(simulation, FLOOD);
}

/// Messages that are late are not passed.
fn run_without_floods(simulation: &Simulation) {
    run_with_floods(simulation, 1);
}

fn run_with_floods(simulation: &Simulation, flood: usize) {
    let mut draws = Draws(simulation.seed());
    let (system, log) = (simulation.system(), Log::default());
    let helper = system.spawn(Helper);
    let tree = match draws.below(2) {
        0 => Supervisor::one_for_one(),
        _ => Supervisor::all_for_one(),
    };
    let tree = tree.budget(1_000, Duration::from_secs(1)).spawn(system);
    let cares: Vec<Care> = (0..2 + draws.below(3))
        .map(|_| [Care::Ends, Care::Restarts, Care::Restarts, Care::Returns][draws.below(4)])
        .collect();
    let peers = Peers::default();
    let subject = |(id, care): (usize, &Care)| {
        let (helper, peers, log) = (helper.clone(), peers.clone(), log.clone());
        let child = |messages| {
            let child = Subject::child(id, helper.clone(), peers.clone(), log.clone());
            tree.add(child.messages(messages))
        };
        match care {
            Care::Ends => Subject::spawn(system, id, helper, peers, log),
            Care::Restarts => child(Messages::Kept),
            Care::Returns => child(Messages::Returned),
        }
    };
    let subjects: Vec<Address<Subject>> = cares.iter().enumerate().map(subject).collect();
    *lock(&peers) = subjects.clone();
    simulation.run();
    let mut worlds = vec![Model::new(cares)];
    let mut declared: BTreeMap<usize, Synchronizer> = BTreeMap::new();
    let mut asked: BTreeMap<usize, AskFuture<u64>> = BTreeMap::new();
    for round in 0..3 + draws.below(8) {
        if round == 0 || draws.below(4) == 0 {
            let mut constraint = draws.constraint(subjects.len());
            if let Some(synchronizer) = declare(&constraint, &subjects) {
                constraint.state = 0;
                declared.insert(round, synchronizer);
                for model in &mut worlds {
                    model.constraints.insert(round, constraint.clone());
                }
            }
        } else if draws.below(6) == 0
            && let Some((number, synchronizer)) = declared.pop_first()
        {
            synchronizer.lift();
            for model in &mut worlds {
                model.constraints.remove(&number);
            }
        }
        // Its members learn of it before the messages come.
        simulation.run();
        for _ in 0..1 + draws.below(7) {
            let message = draws.message(subjects.len());
            let times = match message.kind {
                Kind::Wait if draws.below(12) == 0 => flood,
                _ => 1,
            };
            for _ in 0..times {
                let number = worlds[0].messages.len();
                worlds.iter_mut().for_each(|model| model.send(message));
                asked.insert(number, ask(&subjects[message.subject], message, number));
            }
        }
        simulation.run();
        let mut passes = 0;
        for event in std::mem::take(&mut *lock(&log)) {
            passes = count_passes(passes, event, &worlds);
            assert!(
                passes <= PASSES_MAX * subjects.len(),
                "S9: {passes} exclusive waits pass a message in {worlds:?}"
            );
            worlds = after(&worlds, event);
        }
        for (number, subject) in subjects.iter().enumerate() {
            // It was stopped while it was down, without a stop hook.
            if !Address::is_alive(subject) && !worlds[0].subjects[number].has_ended {
                worlds = after(&worlds, Event::Stopped(number));
            }
        }
        let not_even = worlds.clone();
        worlds.retain(Model::is_even);
        assert!(
            !worlds.is_empty(),
            "S1: a part of a group alone: {not_even:?}"
        );
        let not_quiet = worlds.clone();
        worlds.retain(Model::is_quiet);
        assert!(
            !worlds.is_empty(),
            "S6: a group is open, and waits: {not_quiet:?}"
        );
        worlds.truncate(1);
        hear(&mut worlds[0], &mut asked);
        let actors = system.inspect().actors;
        let deferred: usize = actors.iter().map(|actor| actor.deferred).sum();
        assert_eq!(deferred, worlds[0].waiting.len(), "S6: what waits");
    }
    lock(&peers).clear();
}

/// Each request has its answer as soon as there is one.
fn hear(model: &mut Model, asked: &mut BTreeMap<usize, AskFuture<u64>>) {
    asked.retain(|number, asked| {
        let mut context = Context::from_waker(Waker::noop());
        let met = match Pin::new(asked).poll(&mut context) {
            Poll::Pending => Fate::Open,
            Poll::Ready(Ok(_)) => Fate::Done,
            Poll::Ready(Err(AskError::Panicked(_))) => Fate::Panicked,
            Poll::Ready(Err(AskError::Stopped(_))) => Fate::Ended,
            Poll::Ready(Err(AskError::Restarted(_))) => Fate::Returned,
            Poll::Ready(Err(AskError::Constrained(_))) => Fate::Constrained,
            Poll::Ready(Err(other)) => panic!("an answer that does not fit: {other}"),
        };
        if model.is_hopeless(*number) {
            let message = model.messages[*number];
            let has_guard = message.kind == Kind::Take && !model.subjects[message.subject].is_open;
            match met {
                // Before its subject panicked, if it has.
                Fate::Constrained => model.meets(*number, met),
                Fate::Open => assert!(has_guard, "S8: {number} waits in {model:?}"),
                _ => {}
            }
        }
        assert_eq!(
            Some(&met),
            model.fates.get(number),
            "S8: the answer to {number} in {model:?}"
        );
        met == Fate::Open
    });
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 1_000 });

#[test]
fn seeded_synchronizers_do_what_the_model_says() {
    let name = "seeded_synchronizers_do_what_the_model_says";
    check(name, SEEDS, &Faults::none(), run_beside_the_model);
}

#[test]
fn seeded_synchronizers_with_delays_and_muting_do_what_the_model_says() {
    let name = "seeded_synchronizers_with_delays_and_muting_do_what_the_model_says";
    let faults = Faults::none().full_mailboxes();
    let faults = faults.delays(200_000, Duration::from_millis(3));
    check(name, Seeds(SEEDS.0 / 5), &faults, run_without_floods);
}

#[track_caller]
fn is_noticed(bug: InjectedFault, words: &str) {
    let said = caught(bug, || {
        check(
            "a canary",
            Seeds(300),
            &Faults::none(),
            run_beside_the_model,
        );
    });
    assert!(
        said.contains(words),
        "{bug:?} was noticed, but not as such: {said}"
    );
}

#[test]
fn seeded_canary_a_constraint_forgotten_on_restart_is_caught() {
    is_noticed(InjectedFault::ForgottenConstraint, "S1");
}

#[test]
fn seeded_canary_a_hold_that_lets_messages_pass_is_caught() {
    is_noticed(InjectedFault::LeakyHold, "S1");
}

#[test]
fn seeded_canary_a_gate_that_is_not_tested_is_caught() {
    is_noticed(InjectedFault::OpenGate, "S1 to S5: ");
}

#[test]
fn seeded_canary_a_forgotten_offer_is_caught() {
    is_noticed(InjectedFault::ForgottenOffer, "S6: ");
}
