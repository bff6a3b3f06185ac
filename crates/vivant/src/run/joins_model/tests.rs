//! Runs random messages on real actors beside the model of joins.

use super::Model;
use super::program::{Care, Event, Fate, Join, Kind};
use crate::actor::Messages;
use crate::api::{AskFuture, Cancelled};
use crate::failures::Cause;
use crate::injected_fault::{InjectedFault, caught};
use crate::oracle::{below, split_mix};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::supervision::Supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

type Log = Arc<Mutex<Vec<Event>>>;

/// The limit of evaluations in the tests of this crate.
const EVALUATIONS: usize = 4;

/// What the driver needs of an actor type.
trait Subject: Actor {
    fn begin(
        system: &System,
        tree: Option<(&Address<Supervisor>, Messages)>,
        log: Log,
    ) -> Address<Self>;
    fn ask(to: &Address<Self>, kind: Kind, number: usize, value: u64) -> AskFuture<u64>;
}

macro_rules! subject {
    ($name:ident $(, $bound:ident)?) => {
        #[derive(Actor)]
        $(#[actor(mailbox = $bound(1_000))])?
        struct $name {
            gate_is_open: bool,
            level: u64,
            log: Log,
        }

        #[behaviours]
        impl $name {
            #[start]
            fn new(log: Log) -> Self {
                $name { gate_is_open: false, level: 0, log }
            }

            fn a(number: usize, value: u64) -> u64;
            fn b(number: usize, value: u64) -> u64;
            fn c(number: usize, value: u64) -> u64;
            fn d(number: usize, value: u64) -> u64;
            fn e(number: usize, value: u64) -> u64;
            fn f(number: usize, value: u64) -> u64;

            #[join(a, b)]
            fn ab(&mut self, a: usize, x: u64, b: usize, y: u64) -> (u64, u64) {
                self.ran(Event::Joined(Join::Ab, vec![a, b]));
                (x, y)
            }

            #[join(b, c)]
            #[when(self.gate_is_open)]
            fn bc(&mut self, b: usize, x: u64, c: usize, y: u64) -> (u64, u64) {
                self.ran(Event::Joined(Join::Bc, vec![b, c]));
                (x, y)
            }

            #[join(d, e, f)]
            #[when(x % 3 == y % 3 && y % 3 == z % 3)]
            fn def(&mut self, d: usize, x: u64, e: usize, y: u64, f: usize, z: u64) -> (u64, u64, u64) {
                self.ran(Event::Joined(Join::Def, vec![d, e, f]));
                (x, y, z)
            }

            #[join(d, e)]
            #[when(x + y <= self.level)]
            fn de(&mut self, d: usize, x: u64, e: usize, y: u64) -> (Promise<u64>, u64) {
                self.ran(Event::Joined(Join::De, vec![d, e]));
                (Promise::ready(x), y)
            }

            fn gate(&mut self, number: usize, value: u64) -> u64 {
                self.gate_is_open = !self.gate_is_open;
                self.ran(Event::Ran(number));
                value
            }

            fn level(&mut self, number: usize, value: u64) -> u64 {
                self.level = value;
                self.ran(Event::Ran(number));
                value
            }

            #[when(self.gate_is_open)]
            fn pass(&mut self, number: usize, value: u64) -> u64 {
                self.ran(Event::Ran(number));
                value
            }

            fn crash(&mut self, number: usize, value: u64) -> u64 {
                self.ran(Event::Ran(number));
                panic!("message {number} crashes: {value}");
            }

            #[local]
            fn ran(&self, event: Event) {
                lock(&self.log).push(event);
            }
        }

        impl Subject for $name {
            fn begin(
                system: &System,
                tree: Option<(&Address<Supervisor>, Messages)>,
                log: Log,
            ) -> Address<Self> {
                match tree {
                    Some((tree, messages)) => tree.add($name::child(log).messages(messages)),
                    None => $name::spawn(system, log),
                }
            }

            fn ask(to: &Address<Self>, kind: Kind, n: usize, value: u64) -> AskFuture<u64> {
                match kind {
                    Kind::A => to.a(n, value).ask(),
                    Kind::B => to.b(n, value).ask(),
                    Kind::C => to.c(n, value).ask(),
                    Kind::D => to.d(n, value).ask(),
                    Kind::E => to.e(n, value).ask(),
                    Kind::F => to.f(n, value).ask(),
                    Kind::Gate => to.gate(n, value).ask(),
                    Kind::Level => to.level(n, value).ask(),
                    Kind::Pass => to.pass(n, value).ask(),
                    Kind::Crash => to.crash(n, value).ask(),
                }
            }
        }
    };
}

subject!(Plain);
subject!(Bounded, reject);

struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        below(number, bound as u64) as usize
    }

    fn kind(&mut self, guarded_arguments: bool, care: Care) -> Kind {
        match self.below(24) {
            0..4 => Kind::A,
            4..8 => Kind::B,
            8..11 => Kind::C,
            11..17 if guarded_arguments => {
                [Kind::D, Kind::D, Kind::E, Kind::E, Kind::F, Kind::Level][self.below(6)]
            }
            11..17 => [Kind::A, Kind::B, Kind::C][self.below(3)],
            17..20 => Kind::Gate,
            20..22 => Kind::Level,
            22 => Kind::Pass,
            _ if care == Care::Ends && self.below(4) > 0 => Kind::Pass,
            _ => Kind::Crash,
        }
    }
}

fn run_beside_the_model<A: Subject>(simulation: &Simulation) {
    let mut draws = Draws(simulation.seed());
    let (system, log) = (simulation.system(), Log::default());
    let care = [Care::Ends, Care::Restarts, Care::Returns][draws.below(3)];
    let tree = Supervisor::one_for_one();
    let tree = tree.budget(1_000, Duration::from_secs(1)).spawn(system);
    let subject = match care {
        Care::Ends => A::begin(system, None, log.clone()),
        Care::Restarts => A::begin(system, Some((&tree, Messages::Kept)), log.clone()),
        Care::Returns => A::begin(system, Some((&tree, Messages::Returned)), log.clone()),
    };
    simulation.run();
    let guarded_arguments = draws.below(2) == 0;
    let mut model = Model {
        care,
        kinds: Vec::new(),
        queue: VecDeque::new(),
        waiting: Vec::new(),
        withdrawn: Default::default(),
        fates: BTreeMap::new(),
        has_ended: false,
        gate_is_open: false,
        level: 0,
    };
    let mut asked: BTreeMap<usize, AskFuture<u64>> = BTreeMap::new();
    for _ in 0..1 + draws.below(12) {
        for _ in 0..1 + draws.below(6) {
            let (number, value) = (model.kinds.len(), draws.below(9) as u64);
            let kind = draws.kind(guarded_arguments, care);
            model.kinds.push((kind, value));
            model.send(number);
            asked.insert(number, A::ask(&subject, kind, number, value));
        }
        simulation.run();
        for event in std::mem::take(&mut *lock(&log)) {
            if finds_first(&model) {
                assert_eq!(model.next().as_ref(), Some(&event), "J2: what runs");
            } else {
                model.arrives(&event);
            }
            model.happens(&event);
        }
        assert_eq!(model.next(), None, "J2: it is open, and waits");
        hear(&model, &mut asked);
        if !guarded_arguments && draws.below(2) == 0 && !model.waiting.is_empty() {
            let number = model.waiting[draws.below(model.waiting.len())];
            if let Some(asked) = asked.remove(&number) {
                assert_eq!(asked.cancel(), Cancelled::Withdrawn, "J5");
                model.withdrawn.insert(number);
            }
        }
        let actors = system.inspect().actors;
        let deferred: usize = actors.iter().map(|actor| actor.deferred).sum();
        assert_eq!(deferred, model.waiting.len(), "J1: what waits");
    }
    Address::stop(&subject);
    simulation.run();
    let lost: Vec<usize> = model.waiting.drain(..).collect();
    for number in lost {
        model.fates.insert(number, Fate::Dead(Cause::Ended));
    }
    hear(&model, &mut asked);
    let is_dead = |fate: &&Fate| matches!(fate, Fate::Dead(_));
    let dead = model.fates.values().filter(is_dead).count();
    assert_eq!(
        system.dead_letters().total(),
        dead as u64,
        "T3: dead letters"
    );
}

/// Returns true if no join has more combinations of messages with guarded arguments than are
/// evaluated at a time (J4).
fn finds_first(model: &Model) -> bool {
    let count = |kind: Kind| {
        let all = model.waiting.iter().chain(&model.queue);
        all.filter(|number| model.kinds[**number].0 == kind).count()
    };
    [Join::Def, Join::De].into_iter().all(|join| {
        join.kinds()
            .iter()
            .map(|kind| count(*kind))
            .product::<usize>()
            <= EVALUATIONS
    })
}

/// T3, T4: each request has its answer as soon as there is one.
fn hear(model: &Model, asked: &mut BTreeMap<usize, AskFuture<u64>>) {
    asked.retain(|number, asked| {
        let mut context = Context::from_waker(Waker::noop());
        let met = match Pin::new(asked).poll(&mut context) {
            Poll::Pending => Fate::Open,
            Poll::Ready(Ok(answer)) => {
                assert_eq!(
                    answer, model.kinds[*number].1,
                    "the answer to another message"
                );
                Fate::Done
            }
            Poll::Ready(Err(AskError::Panicked(_))) => Fate::Panicked,
            Poll::Ready(Err(AskError::Stopped(_))) => Fate::Dead(Cause::Ended),
            Poll::Ready(Err(AskError::Restarted(_))) => Fate::Dead(Cause::Restarted),
            Poll::Ready(Err(other)) => panic!("T3: an answer that does not fit: {other}"),
        };
        assert_eq!(
            Some(&met),
            model.fates.get(number),
            "T3: the answer to {number}"
        );
        met == Fate::Open
    });
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 300 });

#[test]
fn seeded_joins_do_what_the_model_says() {
    let name = "seeded_joins_do_what_the_model_says";
    check(name, SEEDS, &Faults::none(), run_beside_the_model::<Plain>);
}

#[test]
fn seeded_joins_behind_a_bound_do_what_the_model_says() {
    let name = "seeded_joins_behind_a_bound_do_what_the_model_says";
    check(
        name,
        SEEDS,
        &Faults::none(),
        run_beside_the_model::<Bounded>,
    );
}

#[track_caller]
fn is_noticed(bug: InjectedFault, words: &[&str]) {
    let said = caught(bug, || {
        let faults = Faults::none();
        check(
            "a canary",
            Seeds(300),
            &faults,
            run_beside_the_model::<Plain>,
        );
    });
    let is_meant = words.iter().any(|words| said.contains(words));
    assert!(is_meant, "{bug:?} was noticed, but not as such: {said}");
}

#[test]
fn seeded_canary_a_join_that_matches_twice_is_caught() {
    is_noticed(InjectedFault::JoinedTwice, &["J1: ", "J2: what runs"]);
}

#[test]
fn seeded_canary_a_forgotten_combination_is_caught() {
    is_noticed(InjectedFault::ForgottenCombination, &["J2: "]);
}

#[test]
fn seeded_canary_a_combination_of_the_newest_is_caught() {
    is_noticed(InjectedFault::NewestJoined, &["J2: what runs"]);
}
