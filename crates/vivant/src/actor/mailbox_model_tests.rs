//! Steps a real mailbox and its model side by side: every message has the fate of the model, in the
//! order of the model.

use super::injected_fault;
use super::mailbox_model::{Deed, Fate, Model};
use crate::api::{Call, Message};
use crate::failures::Cause;
use crate::oracle::{below, split_mix};
use crate::prelude::*;
use crate::simulation::{Faults, Seeds, Simulation, check, check_fails};
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use std::collections::BTreeMap;
use std::panic::resume_unwind;

/// What the real actor did, and the next number of a message.
#[derive(Default)]
struct Log {
    begun: Mutex<Vec<u64>>,
    next_number: AtomicU64,
}

impl Log {
    fn next_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }
}

/// An actor with a mailbox bound of three.
trait Subject: crate::api::InlineActor {
    type Act: Message<Args = (u64, Deed), Reply = ()>;
    fn new(log: Arc<Log>) -> Self;
    fn act(this: &Address<Self>, number: u64, deed: Deed) -> Call<'_, Self::Act>;
}

macro_rules! subject {
    ($name:ident, $policy:ident, $act:ty) => {
        #[derive(Actor)]
        #[actor(mailbox = $policy(3), crate = crate)]
        struct $name {
            gate_is_open: bool,
            log: Arc<Log>,
        }

        #[behaviours(crate = crate)]
        impl $name {
            #[when(deed != Deed::PassesGate || self.gate_is_open)]
            fn act(&mut self, t: &Turn<Self>, number: u64, deed: Deed) {
                lock(&self.log.begun).push(number);
                match deed {
                    Deed::Nothing | Deed::PassesGate => {}
                    Deed::TurnsGate => self.gate_is_open = !self.gate_is_open,
                    Deed::Sends(count) => {
                        for _ in 0..count {
                            t.send(t.me().act(self.log.next_number(), Deed::Nothing));
                        }
                    }
                    Deed::StopsItself => t.stop(),
                    Deed::Panics => resume_unwind(Box::new("planned")),
                }
            }
        }

        impl Subject for $name {
            type Act = $act;
            fn new(log: Arc<Log>) -> Self {
                $name {
                    gate_is_open: true,
                    log,
                }
            }
            fn act(this: &Address<Self>, number: u64, deed: Deed) -> Call<'_, Self::Act> {
                this.act(number, deed)
            }
        }
    };
}

subject!(Rejects, reject, rejects_messages::Act<Rejects>);
subject!(
    DropsNewest,
    drop_newest,
    drops_newest_messages::Act<DropsNewest>
);
subject!(
    DropsOldest,
    drop_oldest,
    drops_oldest_messages::Act<DropsOldest>
);

/// The seed's choices.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        below(number, bound)
    }

    fn deed(&mut self) -> Deed {
        match self.below(20) {
            0..8 => Deed::Nothing,
            8..13 => Deed::PassesGate,
            13..16 => Deed::TurnsGate,
            16..19 => Deed::Sends(self.below(5)),
            _ if self.below(6) > 0 => Deed::Nothing,
            _ if self.below(2) > 0 => Deed::StopsItself,
            _ => Deed::Panics,
        }
    }
}

fn run_beside_the_model<A: Subject>(simulation: &Simulation) {
    let log = Arc::new(Log::default());
    let mut model = Model::new(A::MAILBOX);
    let actor = simulation.system().spawn(A::new(log.clone()));
    let cell = Address::counted(&actor);
    let queue = cell.bounded_queue().expect("its mailbox has a bound");
    let mut draws = Draws(simulation.seed());
    let mut asked = Vec::new();
    for _ in 0..60 {
        let (deed, step) = (draws.deed(), draws.below(12));
        match step {
            0..3 => {
                model.run();
                simulation.run();
                assert!(
                    model.has_ended || queue.taken() == model.taken(),
                    "M8: who waits"
                );
            }
            3 if draws.below(12) == 0 => {
                model.stop();
                Address::stop(&actor);
            }
            3 if draws.below(12) == 0 => {
                model.stop_after_queue();
                Address::stop_after_queue(&actor);
            }
            4..6 => {
                let number = log.next_number();
                model.offer(number, deed, Fate::Returned);
                if let Err(error) = A::act(&actor, number, deed).try_send() {
                    assert_eq!(error.call.into_args(), (number, deed));
                    assert_eq!(model.fates.get(&number), Some(&Fate::Returned));
                }
            }
            6..9 => {
                let number = log.next_number();
                model.send(number, deed);
                A::act(&actor, number, deed).send();
            }
            _ => {
                let number = log.next_number();
                model.send(number, deed);
                asked.push((number, A::act(&actor, number, deed).ask()));
            }
        }
        assert!(model.has_ended || queue.taken() <= 3, "M8: the bound");
    }
    model.stop();
    model.run();
    Address::stop(&actor);
    simulation.run();
    assert_eq!(*lock(&log.begun), model.begun, "T2: what has begun");
    for (number, asked) in asked {
        let fate = match simulation.system().block_on(asked) {
            Ok(()) | Err(AskError::Panicked(_)) => Fate::Begun,
            Err(AskError::Stopped(_)) => Fate::Dead(Cause::Ended),
            Err(AskError::Overloaded(_)) => Fate::Dead(queue.cause()),
            Err(other) => panic!("T3: an answer that does not fit: {other}"),
        };
        assert_eq!(Some(&fate), model.fates.get(&number), "message {number}");
    }
    assert_counted(simulation, &model, queue.lost());
}

/// T3: every loss is counted under its cause, a loss to the bound also in the statistics of the
/// actor, and no message is left.
fn assert_counted(simulation: &Simulation, model: &Model, lost: u64) {
    let mut expected: BTreeMap<Cause, u64> = BTreeMap::new();
    for fate in model.fates.values() {
        if let Fate::Dead(cause) = fate {
            *expected.entry(*cause).or_default() += 1;
        }
    }
    let mut counted: BTreeMap<Cause, u64> = BTreeMap::new();
    for line in simulation.system().dead_letters().counts() {
        *counted.entry(line.cause).or_default() += line.count;
    }
    assert_eq!(counted, expected, "T3");
    let by_bound = |(cause, count): (&Cause, &u64)| (*cause != Cause::Ended).then_some(*count);
    assert_eq!(lost, expected.iter().filter_map(by_bound).sum::<u64>());
    let cell = crate::api::class_of::<Rejects>().bytes;
    assert_eq!(
        simulation.system().inspect().bytes,
        cell as i64,
        "a message is held"
    );
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 2 } else { 300 });

#[test]
fn seeded_a_mailbox_that_rejects_does_what_the_model_does() {
    let name = "seeded_a_mailbox_that_rejects_does_what_the_model_does";
    check(
        name,
        SEEDS,
        &Faults::none(),
        run_beside_the_model::<Rejects>,
    );
}

#[test]
fn seeded_a_mailbox_that_drops_the_newest_does_what_the_model_does() {
    let name = "seeded_a_mailbox_that_drops_the_newest_does_what_the_model_does";
    check(
        name,
        SEEDS,
        &Faults::none(),
        run_beside_the_model::<DropsNewest>,
    );
}

#[test]
fn seeded_a_mailbox_that_drops_the_oldest_does_what_the_model_does() {
    let name = "seeded_a_mailbox_that_drops_the_oldest_does_what_the_model_does";
    check(
        name,
        SEEDS,
        &Faults::none(),
        run_beside_the_model::<DropsOldest>,
    );
}

fn finds(bug: injected_fault::Bug, expected: &str) {
    let _planted = injected_fault::plant(bug);
    let run = run_beside_the_model::<DropsOldest>;
    check_fails(Seeds(100), &Faults::none(), expected, run);
}

#[test]
fn canary_a_displaced_message_that_is_lost_is_noticed() {
    finds(
        injected_fault::Bug::LosesTheDisplaced,
        "T3: an answer that does not fit",
    );
}

#[test]
fn canary_a_newest_displaced_for_the_oldest_is_noticed() {
    finds(injected_fault::Bug::DisplacesTheNewest, "M8: who waits");
}

#[test]
fn canary_a_place_that_is_not_freed_is_noticed() {
    finds(injected_fault::Bug::FreesNoPlace, "M8: who waits");
}
