//! Races of a cut with what actors do meanwhile (`phase/README.md`, "The races we fear").

mod bounded;
mod canaries;
mod cycles;
mod deferred;
mod detached;
mod ends;
mod last_address;
mod muted;
mod nested;
mod news;
mod outside;
mod panics;
mod requests;
mod tables;

use super::{Coordinator, Outcome, Step};
use crate::actor::{
    Envelope, Header, Lifecycle, Mute, Recorder, RunState, Signals, StateRef, TreeEnd,
    WaitingPlace, WaitsAs,
};
use crate::failures::Caught;
use crate::prelude::*;
use crate::simulation::Simulation;
use crate::sync::{Arc, Mutex, PoisonError};
use crate::system::System;
use bounded::{keeps_latest, keeps_latest_two};
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// A cut that is not complete after this number of steps hangs.
const STEPS_MAX: usize = 60_000;

type Code = Box<dyn FnOnce(&mut Doer, &Turn<'_, Doer>) + Send>;

/// An argument that runs code when it is dropped, also by the runtime.
struct OnDrop(Option<Box<dyn FnOnce() + Send>>);

impl OnDrop {
    fn new(code: impl FnOnce() + Send + 'static) -> OnDrop {
        OnDrop(Some(Box::new(code)))
    }

    /// Its drop reports that it has begun, and lasts until the sender sends or is dropped.
    fn held() -> (OnDrop, Sender<()>, Receiver<()>) {
        let (hold, held) = channel::<()>();
        let (begun, has_begun) = channel::<()>();
        let code = move || {
            begun.send(()).expect("the test waits for it");
            let _released = held.recv();
        };
        (OnDrop::new(code), hold, has_begun)
    }
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(code) = self.0.take() {
            code();
        }
    }
}

impl fmt::Debug for OnDrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnDrop")
    }
}

/// Runs the code that it is sent. Its gated behaviours defer their messages for ever.
#[derive(Actor)]
struct Doer {
    sum: u64,
    open: bool,
}

#[behaviours]
impl Doer {
    fn run(&mut self, t: &Turn<Self>, code: Code) {
        code(self, t);
    }

    fn plain(&mut self, amount: u64) {
        self.sum += amount;
    }

    #[when(self.open)]
    fn gated(&mut self, amount: u64) {
        self.sum += amount;
    }

    #[when(self.open)]
    fn gated_drop(&mut self, argument: OnDrop) {
        drop(argument);
    }

    #[then]
    fn answered(&mut self, _answer: Result<(), AskError>) {
        self.sum += 1000;
    }

    #[then]
    fn gone(&mut self, _reason: Result<StopReason, AskError>) {
        self.sum += 1000;
    }
}

fn doer() -> Doer {
    Doer {
        sum: 0,
        open: false,
    }
}

/// A record of a cut. The first field is the identity of the actor.
#[derive(Debug, Clone, PartialEq)]
enum Event {
    /// With the sum of a [`Doer`] that has a state.
    Captured(u64, Option<u64>),
    Life(u64, &'static str),
    Muted(u64),
    /// With the amount, if the message has one.
    Waits(u64, Option<u64>),
    Signalled(u64),
}

/// A recorder that keeps all records.
#[derive(Default)]
struct Log(Mutex<Vec<Event>>);

impl Log {
    fn add(&self, event: Event) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }

    fn all(&self) -> Vec<Event> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn has(&self, event: &Event) -> bool {
        self.all().contains(event)
    }

    /// What waits, in the order of the records; `None` is a message without an amount.
    fn waiting(&self) -> Vec<Option<u64>> {
        let amount_of = |event: &Event| match event {
            Event::Waits(_, amount) => Some(*amount),
            _ => None,
        };
        self.all().iter().filter_map(amount_of).collect()
    }

    /// The amounts that wait, in the order of the records.
    fn amounts(&self) -> Vec<u64> {
        self.waiting().into_iter().flatten().collect()
    }
}

impl Recorder for Log {
    fn captured(&self, actor: &Header, state: &mut StateRef<'_>) {
        let sum = state.look::<Doer, _>(|it| it.sum);
        self.add(Event::Captured(actor.id, sum));
    }

    fn captured_run_state(&self, actor: &Header, run_state: &RunState) {
        let life = match run_state.life {
            Lifecycle::Running => "running",
            Lifecycle::Stopping => "stopping",
            Lifecycle::Down => "down",
            Lifecycle::Ended => "ended",
        };
        self.add(Event::Life(actor.id, life));
        if run_state.mute == Mute::Muted {
            self.add(Event::Muted(actor.id));
        }
    }

    fn waits(&self, actor: &Header, _: WaitingPlace, _: WaitsAs, message: &Envelope) -> usize {
        let plain = message
            .args_of::<doer_messages::Plain<Doer>>()
            .map(|(a,)| *a);
        let gated = message
            .args_of::<doer_messages::Gated<Doer>>()
            .map(|(a,)| *a);
        let bounded = keeps_latest::amount(message).or(keeps_latest_two::amount(message));
        self.add(Event::Waits(actor.id, plain.or(gated).or(bounded)));
        0
    }

    fn is_signalled(&self, actor: &Header, _: Option<&TreeEnd>, _: Signals) {
        self.add(Event::Signalled(actor.id));
    }

    fn panicked(&self, caught: Caught) {
        panic!("{}", caught.message);
    }
}

fn id<A: Actor>(address: &Address<A>) -> u64 {
    Address::counted(address).cell().id
}

/// Begins a cut: what is sent from here on, outside of turns that run, is behind its line.
fn begin(system: &System) -> (Coordinator, Arc<Log>) {
    let mut coordinator = Coordinator::new(system.shared());
    let log = Arc::new(Log::default());
    coordinator.begin(system.shared(), log.clone());
    (coordinator, log)
}

/// Steps until the cut is complete.
fn finish(coordinator: &mut Coordinator, system: &System) -> Outcome {
    finish_within(STEPS_MAX, coordinator, system).expect("the cut hangs")
}

/// `None` if the cut is not complete after `steps`.
fn finish_within(steps: usize, coordinator: &mut Coordinator, system: &System) -> Option<Outcome> {
    (0..steps).find_map(|_| match coordinator.step(system.shared()) {
        Step::Complete(outcome) => Some(outcome),
        _ => {
            pause(Duration::from_micros(50));
            None
        }
    })
}

/// Steps of the coordinator and of the simulation in turn, until the cut is complete.
fn finish_simulated(coordinator: &mut Coordinator, simulation: &Simulation) -> Outcome {
    for _ in 0..STEPS_MAX {
        if let Step::Complete(outcome) = coordinator.step(simulation.system().shared()) {
            return outcome;
        }
        if !simulation.step() {
            // The coordinator waits for a thread outside, which may belong to another test.
            thread::yield_now();
        }
    }
    panic!("the cut hangs");
}

/// Steps until the mailbox pass has begun.
fn reach_mailbox_pass(coordinator: &mut Coordinator, system: &System) {
    for _ in 0..STEPS_MAX {
        if system.shared().passes.now().number() >= 2 {
            return;
        }
        let _step = coordinator.step(system.shared());
        thread::yield_now();
    }
    panic!("the capture pass hangs");
}

/// A turn of `actor` has begun; it does `then` when the sender sends.
fn held_turn(
    actor: &Address<Doer>,
    then: impl FnOnce(&mut Doer, &Turn<'_, Doer>) + Send + 'static,
) -> Sender<()> {
    let (to_turn, in_turn) = channel::<()>();
    let (to_test, in_test) = channel::<()>();
    let code: Code = Box::new(move |me, t| {
        to_test.send(()).expect("the test waits for it");
        in_turn.recv().expect("the test releases the turn");
        then(me, t);
    });
    actor.run(code).send();
    in_test.recv().expect("the turn begins");
    to_turn
}

fn release(held: &Sender<()>) {
    held.send(()).expect("what is held waits for it");
}

#[allow(
    clippy::disallowed_methods,
    reason = "workers get time to come where a race is; a test on too slow a machine may pass in vain"
)]
fn pause(length: Duration) {
    thread::sleep(length);
}

/// Gives the workers time for what they have begun.
fn settle() {
    pause(Duration::from_millis(20));
}

/// Stops `actor`, and waits until it has ended.
fn stop_and_await(actor: &Address<Doer>) {
    Address::stop(actor);
    let cell = Address::counted(actor).cell();
    wait_until(|| cell.ended().is_some());
    pause(Duration::from_millis(5));
}

/// Waits until `condition` holds.
fn wait_until(condition: impl Fn() -> bool) {
    for _ in 0..STEPS_MAX {
        if condition() {
            return;
        }
        pause(Duration::from_micros(50));
    }
    panic!("what the test waits for does not come");
}
