//! Runs programs on real actors beside the model. After each run of an actor, the events and the
//! fates of all requests must be those of the model.

use super::Model;
use super::actor::Item;
use super::program::{Care, Deed, Draws, Event, Fate, Questions, Way, Why};
use super::subjects::{Bounded, Drops, Graph, Log, Subject, Walker, World};
use crate::actor::{CellRef, Signals};
use crate::actor::{Messages, OnPanic};
use crate::api::AskFuture;
use crate::failures::Cause;
use crate::failures::Report;
use crate::prelude::*;
use crate::sched::RUN_MAX;
use crate::simulation::{Faults, Seeds, Simulation, check};
use crate::supervision::Supervisor;
use crate::sync::{Arc, Mutex, lock};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Whether panics are injected into turns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Hits {
    None,
    Some,
}

/// A running program, and its model.
struct Performance<'s, A: Subject> {
    simulation: &'s Simulation,
    hits: Hits,
    world: Arc<World<A>>,
    cells: Vec<CellRef>,
    /// The supervision tree lives as long as this address.
    _tree: Address<Supervisor>,
    model: Model,
    asked: BTreeMap<usize, AskFuture<usize>>,
}

impl<'s, A: Subject> Performance<'s, A> {
    fn begin(simulation: &'s Simulation, draws: &mut Draws, hits: Hits) -> Self {
        let questions = match A::MAILBOX.is_bounded() {
            true => Questions::None,
            false => Questions::Asked,
        };
        let program = Arc::new(draws.program(questions));
        let world = Arc::new(World::<A> {
            program: program.clone(),
            log: Arc::new(Log::default()),
            peers: Mutex::new(Vec::new()),
        });
        let rules = match draws.below(2) {
            0 => Supervisor::one_for_one(),
            _ => Supervisor::all_for_one(),
        };
        let system = simulation.system();
        let tree = rules.budget(1_000, Duration::from_secs(1)).spawn(system);
        for (me, care) in program.cares.iter().enumerate() {
            let below = |terms| A::begin_below(&tree, terms, me, world.clone());
            let actor = match care {
                Care::Nobody => A::begin(system, me, world.clone()),
                Care::Restarts => below((OnPanic::Restart, Messages::Kept)),
                Care::Returns => below((OnPanic::Restart, Messages::Returned)),
                Care::Resumes => below((OnPanic::Resume, Messages::Kept)),
            };
            lock(&world.peers).push(Some(actor));
        }
        let cell = |peer: &Address<A>| Address::counted(peer).cell();
        let cells = lock(&world.peers).iter().flatten().map(cell).collect();
        Performance {
            simulation,
            hits,
            cells,
            _tree: tree,
            model: Model::new(program, A::MAILBOX.bound()),
            asked: BTreeMap::new(),
            world,
        }
    }

    /// Sends a message from outside, with or without an answer.
    fn send(&mut self, number: usize, draws: &mut Draws) {
        self.model.send(number);
        let message = &self.world.program.messages[number];
        let Some(to) = self.world.peer(message.to).filter(|_| draws.below(2) > 0) else {
            return self.world.send(number);
        };
        let asked = match message.way {
            Way::Straight => A::walk(&to, number).ask(),
            Way::ThroughGate => A::pass(&to, number).ask(),
        };
        self.asked.insert(number, asked);
    }

    /// Another event reaches an actor from outside.
    fn befalls(&mut self, actor: usize, draws: &mut Draws) {
        match draws.below(6) {
            0..2 => {
                self.model.tell(actor, Why::Stopped);
                self.world.stop(actor);
            }
            2 => {
                self.model.tell(actor, Why::Shutdown);
                self.cells[actor].signal(Signals::SHUTDOWN);
            }
            3..5 => {
                if let Some(peer) = self.world.peer(actor) {
                    self.model.actors[actor].push(Item::StopMark);
                    Address::stop_after_queue(&peer);
                }
            }
            _ if self.world.program.cares[actor] == Care::Nobody => {
                self.model.actors[actor].is_unreferenced = true;
                let unreferenced = lock(&self.world.peers)[actor].take();
                drop(unreferenced);
            }
            _ => {}
        }
    }

    /// Runs one actor, or advances the time. Returns false if no work is left.
    fn goes_on(&mut self) -> bool {
        let is_going = self.simulation.step();
        self.look();
        is_going
    }

    fn look(&mut self) {
        let events = self.world.log.take();
        let turns = events
            .iter()
            .filter(|event| matches!(event, Event::Steps(..)));
        assert!(turns.count() <= RUN_MAX, "T6: a run without an end");
        let hit = self.is_hit(&events);
        // A panic is the end of a run.
        let last = events
            .iter()
            .rposition(|event| matches!(event, Event::Steps(..) | Event::Begins(_)));
        let (before, after) = events.split_at(last.map_or(0, |last| last + 1));
        before.iter().for_each(|event| self.model.happens(*event));
        hit.into_iter().for_each(|actor| self.model.is_hit(actor));
        after.iter().for_each(|event| self.model.happens(*event));
        let panics = self.simulation.system().shared().reports.panics();
        assert_eq!(panics, self.model.panics, "T4: panics are counted");
        let cells = &self.cells;
        self.model
            .end_unheard(|actor| cells[actor].ended().is_some());
        if A::DROPS == Drops::AtOnce {
            assert_eq!(self.model.leaked(), [], "T1: left, and never dropped");
        }
        self.hear();
    }

    /// Returns the actor with a turn that panicked before its behaviour began.
    fn is_hit(&self, events: &[Event]) -> Option<usize> {
        let messages = &self.world.program.messages;
        let is_planned = |event: &&Event| match **event {
            Event::Steps(_, number, step, _) => messages[number].deeds[step] == Deed::Panics,
            _ => false,
        };
        let planned = events.iter().filter(is_planned).count() as u64;
        let reports = &self.simulation.system().shared().reports;
        if reports.panics() == self.model.panics + planned {
            return None;
        }
        assert!(self.hits == Hits::Some, "a panic that nobody planned");
        match reports.latest().pop() {
            Some(Report::Panicked(panic)) => {
                let mut cells = self.cells.iter();
                cells.position(|cell| cell.path() == panic.actor())
            }
            other => panic!("a panic, and the last report is {other:?}"),
        }
    }

    /// T3, T4: checks that each request has its answer as soon as there is one.
    fn hear(&mut self) {
        let fates = &self.model.fates;
        self.asked.retain(|number, asked| {
            let mut context = Context::from_waker(Waker::noop());
            let met = match Pin::new(asked).poll(&mut context) {
                Poll::Pending => Fate::Open,
                Poll::Ready(Ok(answer)) => {
                    assert_eq!(answer, *number, "the answer to another question");
                    Fate::Done
                }
                Poll::Ready(Err(AskError::Panicked(_))) => Fate::Panicked,
                Poll::Ready(Err(AskError::Stopped(_))) => Fate::Dead(Cause::Ended),
                Poll::Ready(Err(AskError::Restarted(_))) => Fate::Dead(Cause::Restarted),
                Poll::Ready(Err(AskError::Overloaded(_))) => Fate::Dead(Cause::Rejected),
                Poll::Ready(Err(other)) => panic!("T3: an answer that does not fit: {other}"),
            };
            assert_eq!(Some(&met), fates.get(number), "T3: the answer to {number}");
            met == Fate::Open
        });
    }

    fn rests(&mut self) {
        let mut runs = 0;
        while self.goes_on() {
            runs += 1;
            assert!(runs < 100_000, "it never rests");
        }
        self.model.rests();
    }

    /// Ends all actors, and checks that nothing is left.
    fn ends(mut self) {
        for (actor, cell) in self.cells.iter().enumerate() {
            self.model.tell(actor, Why::Shutdown);
            cell.signal(Signals::SHUTDOWN);
        }
        self.rests();
        assert_eq!(self.model.leaked(), [], "T1: left, and never dropped");
        let mut dead: BTreeMap<Cause, u64> = BTreeMap::new();
        for (number, fate) in &self.model.fates {
            assert_ne!(*fate, Fate::Open, "T3: what became of {number}");
            if let Fate::Dead(cause) = fate {
                *dead.entry(*cause).or_default() += 1;
            }
        }
        let system = self.simulation.system();
        let mut counted: BTreeMap<Cause, u64> = BTreeMap::new();
        for line in system.dead_letters().counts() {
            assert!(
                line.place.contains("subjects.rs"),
                "T3: a letter from {}",
                line.place
            );
            *counted.entry(line.cause).or_default() += line.count;
        }
        assert_eq!(counted, dead, "T3: dead letters");
        assert!(system.shutdown().is_complete());
        lock(&self.world.peers).clear();
        drop(self);
        assert_eq!(system.inspect().bytes, 0, "something is held");
    }
}

pub(super) fn run_beside_the_model<A: Subject>(simulation: &Simulation, hits: Hits) {
    let mut draws = Draws(simulation.seed());
    let mut performance = Performance::<A>::begin(simulation, &mut draws, hits);
    let program = performance.world.program.clone();
    let mut outside = program.outside.iter();
    for _ in 0..8 + draws.below(40) {
        match draws.below(16) {
            0..6 => {
                if let Some(number) = outside.next() {
                    performance.send(*number, &mut draws);
                }
            }
            6 if draws.below(2) == 0 => {
                let actor = draws.below(program.cares.len());
                performance.befalls(actor, &mut draws);
            }
            _ => {
                performance.goes_on();
            }
        }
        performance.look();
    }
    if draws.below(3) > 0 {
        performance.rests();
    }
    performance.ends();
}

const SEEDS: Seeds = Seeds(if cfg!(miri) { 1 } else { 200 });

fn seeded<A: Subject>(name: &str) {
    check(name, SEEDS, &Faults::none(), |simulation| {
        run_beside_the_model::<A>(simulation, Hits::None);
    });
}

#[test]
fn seeded_steps_of_plain_actors_do_what_the_model_says() {
    seeded::<Walker>("seeded_steps_of_plain_actors_do_what_the_model_says");
}

#[test]
fn seeded_steps_behind_a_bound_do_what_the_model_says() {
    seeded::<Bounded>("seeded_steps_behind_a_bound_do_what_the_model_says");
}

#[test]
fn seeded_steps_of_graphs_do_what_the_model_says() {
    seeded::<Graph>("seeded_steps_of_graphs_do_what_the_model_says");
}

pub(super) fn faulty() -> Faults {
    let late = Duration::from_millis(5);
    Faults::none().panics(30_000).delays(100_000, late)
}

fn seeded_with_faults<A: Subject>(name: &str) {
    let kinds = [faulty().full_mailboxes(), faulty()];
    for faults in kinds.into_iter().take(if cfg!(miri) { 1 } else { 2 }) {
        check(name, SEEDS, &faults, |simulation| {
            run_beside_the_model::<A>(simulation, Hits::Some);
        });
    }
}

#[test]
fn seeded_steps_and_faults_do_what_the_model_says() {
    let name = "seeded_steps_and_faults_do_what_the_model_says";
    seeded_with_faults::<Walker>(name);
    seeded_with_faults::<Bounded>(name);
}

#[test]
fn seeded_steps_of_graphs_and_faults_do_what_the_model_says() {
    seeded_with_faults::<Graph>("seeded_steps_of_graphs_and_faults_do_what_the_model_says");
}
