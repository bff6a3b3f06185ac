//! For each kind of observation a turn that makes it: the turn reaches the seam, and the same code
//! outside of a turn does not.

use super::kind::SourceData;
use super::record::{Recorded, take};
use super::{Answered, Observation, Table};
use crate::failures::Cause;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::{Group, Lagged, Pattern, Router, StreamItem, Synchronizer, Topic};
use futures_core::Stream;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

const LATER: Duration = Duration::from_secs(1);

type Code = Box<dyn FnOnce(&Turn<'_, Witness>) + Send>;

/// Runs any code in a turn.
#[derive(Actor)]
#[actor(mailbox = reject(10))]
struct Witness {
    heard: u64,
}

#[behaviours]
impl Witness {
    fn run(&mut self, t: &Turn<Self>, code: Code) {
        code(t);
    }

    fn rest(&mut self) {}

    fn is_awaited(&self, _t: &Turn<Self>, asker: &Asker) -> bool {
        asker.is_waiting()
    }

    #[then]
    fn item(&mut self, _item: StreamItem<u64>) {}

    #[then]
    fn heard(&mut self, value: Result<u64, Lagged>) {
        self.heard += value.unwrap_or_default();
    }
}

/// A stream without items.
struct Empty;

impl Stream for Empty {
    type Item = u64;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u64>> {
        Poll::Ready(None)
    }
}

/// An actor with a heap.
#[derive(Actor)]
struct KeeperState<'gc> {
    object: Gc<'gc, u64>,
}

#[behaviours]
impl<'gc> KeeperState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Keeper>) -> Self {
        KeeperState { object: t.alloc(1) }
    }

    fn watch(&mut self, t: &Turn<'gc, Keeper>) {
        let watch = t.on_death(self.object, t.me().rest());
        t.forget_death(watch);
    }

    fn rest(&mut self) {}
}

/// The observations of the code, when it runs in a turn.
fn in_turn(
    simulation: &Simulation,
    code: impl FnOnce(&Turn<'_, Witness>) + Send + 'static,
) -> Vec<Recorded> {
    let witness = simulation.system().spawn(Witness { heard: 0 });
    take();
    witness.run(Box::new(code)).send();
    simulation.run();
    take()
}

/// An actor that has ended.
fn ended(simulation: &Simulation) -> Address<Witness> {
    let gone = simulation.system().spawn(Witness { heard: 0 });
    Address::stop(&gone);
    simulation.run();
    gone
}

/// The observations of a turn that makes one of this kind.
fn witnessed(kind: Observation, simulation: &Simulation) -> Vec<Recorded> {
    let system = simulation.system().clone();
    match kind {
        Observation::Alive => in_turn(simulation, |t| {
            Address::is_alive(&t.me());
        }),
        Observation::Upgrade => in_turn(simulation, |t| {
            Address::downgrade(&t.me()).upgrade();
        }),
        Observation::Send => in_turn(simulation, |t| {
            t.me().rest().try_send().expect("it has room");
        }),
        Observation::Room => in_turn(simulation, |t| {
            let me = t.me();
            let offer = async move { me.rest().offer().await.is_ok() };
            drop(t.spawn(offer));
        }),
        Observation::Refused => {
            let gone = ended(simulation);
            in_turn(simulation, move |t| t.send(gone.rest()))
        }
        Observation::Birth => in_turn(simulation, |t| drop(t.spawn_actor(Witness { heard: 0 }))),
        Observation::Kept => in_turn(simulation, move |t| {
            system.keep(&t.me());
            system.release(&t.me());
        }),
        Observation::Register => in_turn(simulation, |t| {
            t.register("ada", &t.me()).expect("it is free");
        }),
        Observation::Unregister => in_turn(simulation, |t| {
            t.unregister("ada");
        }),
        Observation::Lookup => in_turn(simulation, |t| {
            t.lookup::<Witness>("ada").expect_err("no actor has it");
        }),
        Observation::Registry => in_turn(simulation, |t| drop(t.topic::<u64>("news"))),
        Observation::Join | Observation::Leave | Observation::Members => in_turn(simulation, |t| {
            let group = Group::new();
            group.join(&t.me());
            group.broadcast(|member| member.rest());
            group.leave(&t.me());
        }),
        Observation::Subscribe | Observation::Subscribers | Observation::Admission => {
            in_turn(simulation, |t| {
                let topic = Topic::new();
                let _subscription = topic.subscribe(t.me().heard());
                topic.publish(1);
            })
        }
        Observation::Missed => in_turn(simulation, |t| {
            let topic = Topic::new();
            topic.subscribe_bounded(1, t.me().heard()).forever();
            (0..3).for_each(|value| topic.publish(value));
        }),
        Observation::Attach => in_turn(simulation, |t| {
            t.attach(Empty).then_each(t.me().item()).forever();
        }),
        Observation::Position | Observation::Load => in_turn(simulation, |t| {
            let router: Router<_> = [t.me()].into_iter().collect();
            router.next();
            router.least_loaded();
        }),
        Observation::TimerSet => in_turn(simulation, |t| {
            t.timer("rest").after(LATER, t.me().rest());
        }),
        Observation::TimerCancel => in_turn(simulation, |t| {
            t.after(LATER, t.me().rest()).cancel();
        }),
        Observation::TimerRestart => in_turn(simulation, |t| {
            t.after(LATER, t.me().rest()).restart();
        }),
        Observation::Awaited => in_turn(simulation, |t| t.send(t.me().is_awaited())),
        Observation::Withdrawal => {
            let asked = simulation.system().spawn(Witness { heard: 0 }).rest().ask();
            in_turn(simulation, |_| {
                asked.cancel();
            })
        }
        Observation::Reply => in_turn(simulation, |t| {
            let me = t.me();
            drop(t.spawn(async move { me.rest().ask().await }));
        }),
        Observation::Pipeline => in_turn(simulation, |t| {
            let (promise, resolver) = t.promise::<Address<Witness>>();
            t.pipeline(promise).address();
            resolver.resolve(t.me());
        }),
        Observation::Synchronizer => in_turn(simulation, |t| {
            let other = t.spawn_actor(Witness { heard: 0 });
            let both = (pattern(&t.me()), pattern(&other));
            drop(Synchronizer::new().atomic(both).declare());
        }),
        Observation::DeathWatch => {
            let keeper = Keeper::spawn(&system);
            simulation.run();
            take();
            keeper.watch().send();
            simulation.run();
            take()
        }
        Observation::DeadLetters => in_turn(simulation, move |_| {
            system.dead_letters().total();
        }),
        Observation::Inspection => in_turn(simulation, move |_| drop(system.inspect())),
    }
}

fn pattern(at: &Address<Witness>) -> Pattern<witness_messages::Rest<Witness>> {
    Pattern::at(at)
}

#[test]
fn each_kind_of_observation_reaches_the_seam() {
    for (seed, &kind) in (1..).zip(Observation::ALL) {
        let simulation = Simulation::new(seed);
        let seen = witnessed(kind, &simulation);
        let count = seen.iter().filter(|(of, ..)| *of == kind).count();
        assert!(count > 0, "{kind:?} is not in {seen:?}");
    }
}

#[test]
fn each_kind_of_observation_is_in_the_table_of_the_readme() {
    let readme = include_str!("README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut rows: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let mut kinds: Vec<String> = Observation::ALL
        .iter()
        .map(|kind| format!("{kind:?}"))
        .collect();
    rows.sort_unstable();
    kinds.sort_unstable();
    assert_eq!(rows, kinds);
}

#[test]
fn a_recorded_observation_has_source_and_answer() {
    let simulation = Simulation::new(1);
    let gone = ended(&simulation);
    let dead = Address::link(&gone).to.cell();
    let seen = in_turn(&simulation, move |t| {
        Address::is_alive(&gone);
        t.send(gone.rest());
        t.register("ada", &t.me()).expect("it is free");
        t.lookup::<Witness>("ada").expect("it is registered");
        t.lookup::<Witness>("bob").expect_err("no actor has it");
    });
    let kinds: Vec<_> = seen.iter().map(|(kind, ..)| *kind).collect();
    assert_eq!(
        kinds,
        [
            Observation::Alive,
            Observation::Refused,
            Observation::Register,
            Observation::Register,
            Observation::Lookup,
            Observation::Upgrade,
            Observation::Lookup,
        ]
    );
    let ended = SourceData::Actor(dead.id);
    assert_eq!((seen[0].1, &seen[0].2), (ended, &Answered::Bool(false)));
    assert_eq!(
        (seen[1].1, &seen[1].2),
        (ended, &Answered::Cause(Cause::Ended))
    );
    let absent = SourceData::Table(Table::Names);
    assert_eq!((seen[2].1, &seen[2].2), (absent, &Answered::Nothing));
    let me = dead.id + 1;
    let (system, id) = (dead.system.number, me);
    let found = Answered::Actor { system, id };
    assert_eq!(
        (seen[4].1, &seen[4].2),
        (SourceData::Entry(Table::Names), &found)
    );
    assert_eq!((seen[5].1, &seen[5].2), (SourceData::Actor(me), &found));
    assert_eq!((seen[6].1, &seen[6].2), (absent, &Answered::Nothing));
}

#[test]
fn nothing_is_observed_outside_of_a_turn() {
    let simulation = Simulation::new(1);
    let (system, gone) = (simulation.system(), ended(&simulation));
    let witness = system.spawn(Witness { heard: 0 });
    simulation.run();
    take();
    Address::is_alive(&gone);
    Address::downgrade(&witness).upgrade();
    gone.rest().send();
    gone.rest().try_send().expect_err("it has ended");
    system.register("ada", &witness).expect("it is free");
    system.lookup::<Witness>("ada").expect("it is registered");
    let group = system.group("all").expect("it has no other type");
    group.join(&witness);
    group.broadcast(|member| member.rest());
    simulation.run();
    assert_eq!(take(), []);
}
