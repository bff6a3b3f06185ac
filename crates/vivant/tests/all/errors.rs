//! Wrong use gives an error that names actor, behaviour and place, and never a hang.

use crate::waits::wait_while;
use std::sync::{Arc, Mutex};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, DeadLetter, Name, Place, Report, Undelivered};

#[derive(Actor)]
struct Target {
    received: Arc<Mutex<Vec<DeadLetter>>>,
}

#[behaviours]
impl Target {
    fn ping(&mut self) -> u64 {
        1
    }

    /// Waits for itself inside its own turn.
    fn wait_for_oneself(&mut self, t: &Turn<Self>) -> String {
        t.me().ping().ask_blocking().unwrap_err().to_string()
    }

    fn block_inside(&mut self, t: &Turn<Self>) -> String {
        let asked = t.me().ping().ask();
        format!("{asked:?}")
    }

    fn send_inside(&mut self, t: &Turn<Self>) {
        t.me().ping().send();
    }

    fn block_on_inside(&mut self, system: System) {
        system.block_on(std::future::ready(()));
    }

    fn shut_down_inside(&mut self, system: System) {
        system.shutdown();
    }

    fn listen(&mut self, t: &Turn<Self>) {
        t.on_dead_letters(t.me().received());
    }

    #[then]
    fn received(&mut self, letter: DeadLetter) {
        self.received.lock().unwrap().push(letter);
    }

    fn no_interval(&mut self, t: &Turn<Self>) {
        t.every(std::time::Duration::ZERO, t.me().ping());
    }
}

fn target(system: &System) -> Address<Target> {
    system.spawn(Target {
        received: Arc::default(),
    })
}

#[test]
fn an_ask_of_a_stopped_actor_names_actor_behaviour_and_place() {
    let simulation = Simulation::new(0);
    let actor = target(simulation.system());
    Address::stop(&actor);
    simulation.run();
    let error = actor.ping().ask_blocking().unwrap_err();
    let AskError::Stopped(it) = &error else {
        panic!("{error}")
    };
    assert_eq!(it.actor, "all::errors::Target/0");
    assert!(it.behaviour.ends_with("Target::ping"));
    assert!(it.place.file().ends_with("errors.rs"));
    assert_eq!(it.reason, StopReason::Stopped);
    let text = error.to_string();
    // As a file supplies it: equal, and the same text.
    let supplied = AskError::Stopped(Arc::new(Undelivered {
        behaviour: Name::intern(&String::from(it.behaviour)),
        place: Place::intern(it.place.file(), it.place.line(), it.place.column()),
        ..it.as_ref().clone()
    }));
    assert_eq!((&supplied, supplied.to_string()), (&error, text.clone()));
    assert!(
        text.contains("Target::ping")
            && text.contains("errors.rs:")
            && text.contains("it was stopped"),
        "{text}"
    );
}

#[test]
fn an_undelivered_message_is_returned_whole() {
    let simulation = Simulation::new(0);
    let actor = target(simulation.system());
    Address::stop(&actor);
    simulation.run();
    let received = actor
        .block_on_inside(simulation.system().clone())
        .try_send()
        .unwrap_err();
    assert_eq!(received.actor, "all::errors::Target/0");
    let (_system,) = received.call.into_args();
}

#[test]
fn waiting_inside_a_turn_is_an_error_that_names_the_behaviour() {
    for system in [
        Simulation::new(0).system().clone(),
        System::builder().workers(1).build(),
    ] {
        let actor = target(&system);
        let text = actor.wait_for_oneself().ask_blocking().unwrap();
        assert!(
            text.contains("Target::wait_for_oneself") && text.contains("all::errors::Target/0"),
            "{text}"
        );
        assert!(
            text.contains("t.ask("),
            "it says what to do instead: {text}"
        );
        assert_eq!(
            actor.block_inside().ask_blocking().unwrap(),
            "Asked(answered)"
        );
        // Sending inside a turn is sending from that turn.
        actor.send_inside().ask_blocking().unwrap();
        system.shutdown();
    }
}

#[test]
fn blocking_calls_inside_a_turn_panic_with_an_explanation() {
    let simulation = Simulation::new(0);
    let system = simulation.system();
    for call in [Misuse::BlockOn, Misuse::ShutDown, Misuse::NoInterval] {
        let actor = target(system);
        let error = match call {
            Misuse::BlockOn => actor.block_on_inside(system.clone()).ask_blocking(),
            Misuse::ShutDown => actor.shut_down_inside(system.clone()).ask_blocking(),
            Misuse::NoInterval => actor.no_interval().ask_blocking(),
        };
        let Err(AskError::Panicked(panic)) = error else {
            panic!("{error:?}")
        };
        let expected = match call {
            Misuse::BlockOn => "would hold up its worker",
            Misuse::ShutDown => "would wait for itself",
            Misuse::NoInterval => "an interval of no length",
        };
        assert!(panic.message().contains(expected), "{panic}");
    }
}

enum Misuse {
    BlockOn,
    ShutDown,
    NoInterval,
}

#[test]
fn sending_after_shutdown_is_counted_and_answered() {
    let system = System::builder().workers(1).build();
    let actor = target(&system);
    system.shutdown();
    actor.ping().send();
    let error = actor.ping().ask_blocking().unwrap_err();
    assert!(
        error.to_string().contains("the system shut down"),
        "{error}"
    );
    assert_eq!(system.dead_letters().total(), 2);
}

#[test]
fn dead_letters_are_counted_by_behaviour_and_place_and_published() {
    let simulation = Simulation::new(0);
    let system = simulation.system();
    let received: Arc<Mutex<Vec<DeadLetter>>> = Arc::default();
    let listener = system.spawn(Target {
        received: received.clone(),
    });
    listener.listen().ask_blocking().unwrap();
    let actor = target(system);
    Address::stop(&actor);
    simulation.run();
    for _ in 0..3 {
        actor.ping().send();
    }
    actor.send_inside().send();
    simulation.run();
    let counts = system.dead_letters().counts();
    assert_eq!(counts.len(), 2, "{counts:?}");
    let pings = counts
        .iter()
        .find(|line| line.behaviour.ends_with("Target::ping"))
        .unwrap();
    assert_eq!((pings.count, pings.cause), (3, Cause::Ended));
    assert!(pings.place.contains("errors.rs:"));
    assert_eq!(received.lock().unwrap().len(), 4);
    assert_eq!(received.lock().unwrap()[0].actor, Address::path(&actor));
    // A subscriber that has ended is removed, and makes no dead letters of dead letters.
    Address::stop(&listener);
    simulation.run();
    actor.ping().send();
    simulation.run();
    assert_eq!(system.dead_letters().total(), 5);
}

#[test]
fn a_system_without_workers_is_refused() {
    let refused = std::panic::catch_unwind(|| System::builder().workers(0));
    assert!(refused.is_err());
}

/// Asks in its drop, which is refused within a turn.
struct AsksWhenDropped {
    whom: Address<Quiet>,
    received: std::sync::mpsc::Sender<Result<u64, AskError>>,
}

impl Drop for AsksWhenDropped {
    fn drop(&mut self) {
        let _ = self.received.send(self.whom.ping().ask_blocking());
    }
}

#[derive(Actor)]
struct Quiet;

#[behaviours]
impl Quiet {
    fn ping(&mut self) -> u64 {
        1
    }

    fn go(
        &mut self,
        t: &Turn<Self>,
        other: Address<Quiet>,
        ended: Address<Late>,
        bomb: AsksWhenDropped,
    ) {
        drop(t.ask(other.ping()).then(ended.got(bomb)));
    }
}

#[derive(Actor)]
struct Late;

#[behaviours]
impl Late {
    #[then]
    fn got(&mut self, _number: Result<u64, AskError>, _bomb: AsksWhenDropped) {}
}

#[test]
fn a_refused_continuation_is_dropped_within_a_turn() {
    let system = System::builder().workers(1).build();
    let (quiet, ended) = (system.spawn(Quiet), system.spawn(Late));
    Address::stop(&ended);
    wait_while(|| Address::is_alive(&ended));
    let (received, receives) = std::sync::mpsc::channel();
    let bomb = AsksWhenDropped {
        whom: quiet.clone(),
        received,
    };
    quiet.go(system.spawn(Quiet), ended, bomb).send();
    let answer = receives.recv().expect("the bomb is dropped");
    assert!(matches!(answer, Err(AskError::InsideTurn(_))), "{answer:?}");
    assert_eq!(quiet.ping().ask_blocking(), Ok(1), "its worker goes on");
}

#[derive(Actor)]
struct Fuse;

#[behaviours]
impl Fuse {
    fn blow(&mut self) {
        panic!("too much");
    }
}

#[test]
fn every_report_of_a_panic_names_its_place() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let fuse = system.spawn(Fuse);
    let ended = Address::ended(&fuse);
    // The ask is answered while the panic unwinds, and nothing is leaked by that.
    let asked = fuse.blow().ask_blocking();
    let Err(AskError::Panicked(reported)) = asked else {
        panic!("{asked:?}")
    };
    assert!(reported.place().is_some_and(|it| it.contains("errors.rs:")));
    assert_eq!(
        system.block_on(ended),
        Ok(StopReason::Panicked(reported.clone()))
    );
    let reports = system.inspect().reports;
    assert!(matches!(&reports[..], [Report::Panicked(it)] if *it == reported));
}
