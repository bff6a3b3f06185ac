//! Starts and stops that take their time: `#[start]` and `#[stop]` return promises.

use crate::exclusive::{Oracle, lines};
use crate::log::Log;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Leaf, OnPanic, StopReason, Supervisor};

/// A state that comes later, by a promise.
#[derive(Actor)]
struct Loaded {
    value: u64,
    log: Log,
}

#[behaviours]
impl Loaded {
    #[start]
    fn new(t: &Turn<Self>, oracle: Address<Oracle>, log: Log) -> Promise<Self> {
        log.note("begins");
        t.spawn(async move {
            let value = oracle.ask().ask().await.expect("a value");
            Loaded { value, log }
        })
    }

    fn value(&self) -> u64 {
        self.value
    }

    fn fail(&self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (log, clock) = (self.log.clone(), t.clock());
        log.note("stops");
        t.spawn(async move {
            clock.sleep(Duration::from_secs(1)).await;
            log.note("has stopped");
        })
    }
}

#[vivant::test(seeds = 50)]
fn messages_wait_for_a_state_that_comes_later(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let loaded = Loaded::spawn(simulation.system(), oracle.clone(), log.clone());
    let value = loaded.value().ask();
    simulation.run();
    assert_eq!(lines(&log), ["begins"]);
    oracle.answer(5).send();
    assert_eq!(simulation.system().block_on(value), Ok(5));
    Address::stop(&loaded);
    let late = loaded.value().ask();
    simulation.run();
    assert_eq!(lines(&log), ["begins", "stops", "has stopped"]);
    assert!(matches!(
        simulation.system().block_on(late),
        Err(AskError::Stopped(_))
    ));
}

/// Not under `vivant::test`, which takes the panic of a future for a failure.
#[test]
fn an_actor_with_a_start_that_breaks_ends() {
    let simulation = Simulation::new(1);
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let loaded = Loaded::spawn(simulation.system(), oracle.clone(), log.clone());
    let value = loaded.value().ask();
    simulation.run();
    oracle.forget().send();
    let Err(AskError::Stopped(stopped)) = simulation.system().block_on(value) else {
        panic!("it has started");
    };
    let StopReason::NotStarted(why) = &stopped.reason else {
        panic!("it has started: {}", stopped.reason);
    };
    assert!(why.error.contains("a value"), "{why:?}");
    assert_eq!(lines(&log), ["begins"]);
}

#[vivant::test(seeds = 50)]
fn a_supervised_actor_is_up_when_its_promise_has_settled(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let loaded = tree.add(Loaded::child(oracle.clone(), log.clone()));
    let mut settled = pin!(tree.settled().ask());
    simulation.run_for(Duration::from_secs(1));
    assert_eq!(lines(&log), ["begins"]);
    let looks = settled
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    assert!(looks.is_pending(), "its promise has not settled: {looks:?}");
    oracle.answer(1).send();
    assert_eq!(simulation.system().block_on(settled), Ok(Ok(())));
    loaded.fail().send();
    let value = loaded.value().ask();
    simulation.run_for(Duration::from_secs(2));
    assert_eq!(lines(&log)[1..], ["stops", "has stopped", "begins"]);
    oracle.answer(2).send();
    assert_eq!(simulation.system().block_on(value), Ok(2));
    tree.shut_down().ask_blocking().expect("it ends");
    assert_eq!(lines(&log)[4..], ["stops", "has stopped"]);
}

/// The late state of an earlier incarnation is dropped.
#[vivant::test(seeds = 50)]
fn a_state_that_comes_too_late_is_dropped(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let tree = Supervisor::all_for_one().spawn(simulation.system());
    let loaded = tree.add(Loaded::child(oracle.clone(), log.clone()));
    simulation.run_for(Duration::from_secs(1));
    tree.shut_down().ask_blocking().expect("it ends");
    oracle.answer(1).send();
    simulation.run();
    assert!(loaded.value().ask_blocking().is_err());
    assert_eq!(lines(&log), ["begins"]);
}

/// It begins with a state, and has started later.
#[derive(Actor)]
#[actor(name = Graph)]
struct GraphState<'gc> {
    values: gc::Vec<'gc, u64>,
    log: Leaf<Log>,
}

#[behaviours]
impl<'gc> GraphState<'gc> {
    #[start]
    fn new(t: &Turn<'gc, Graph>, oracle: Address<Oracle>, log: Log) -> (Self, Promise<()>) {
        let ready = t.ask(oracle.ask()).then(t.me().loaded());
        let values = gc::Vec::new();
        let log = Leaf(log);
        (GraphState { values, log }, ready)
    }

    #[then]
    fn loaded(&mut self, t: &Turn<'gc, Graph>, value: Result<u64, AskError>) {
        self.log.0.note("loaded");
        self.values.push(t, value.expect("a value"));
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<'gc, Graph>) -> Promise<()> {
        let log = self.log.0.clone();
        t.spawn(async move { log.note("has stopped") })
    }
}

#[vivant::test(seeds = 50)]
fn messages_wait_until_a_graph_is_loaded(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let graph = Graph::spawn(simulation.system(), oracle.clone(), log.clone());
    let count = graph.count().ask();
    simulation.run();
    assert!(lines(&log).is_empty());
    oracle.answer(1).send();
    assert_eq!(simulation.system().block_on(count), Ok(1));
    Address::stop(&graph);
    simulation.run();
    assert_eq!(lines(&log), ["loaded", "has stopped"]);
}

#[vivant::test(seeds = 50)]
fn a_graph_whose_load_fails_ends_with_the_reason(simulation: &Simulation) {
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let graph = Graph::spawn(simulation.system(), oracle.clone(), log.clone());
    let count = graph.count().ask();
    simulation.run();
    Address::stop(&oracle);
    let Err(AskError::Stopped(stopped)) = simulation.system().block_on(count) else {
        panic!("it has started");
    };
    assert!(stopped.reason.is_failure());
}

/// A start that fails is no turn that panics: nothing is resumed.
#[test]
fn a_start_that_breaks_is_not_resumed() {
    let simulation = Simulation::new(1);
    let log = Log::default();
    let oracle = simulation.system().spawn(Oracle { asked: Vec::new() });
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let child = Loaded::child(oracle.clone(), log.clone()).on_panic(OnPanic::Resume);
    let loaded = tree.add(child);
    let value = loaded.value().ask();
    simulation.run_for(Duration::from_secs(1));
    oracle.forget().send();
    simulation.run_for(Duration::from_secs(1));
    assert_eq!(lines(&log), ["begins", "begins"]);
    oracle.answer(3).send();
    assert_eq!(simulation.system().block_on(value), Ok(3));
}
