//! The end of a system: at once, or after the queues; stop hooks and their futures.

use crate::log::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, Shutdown, StopReason, Supervisor};

/// A stage of a pipeline.
#[derive(Actor)]
struct Stage {
    next: Option<Address<Stage>>,
    done: Arc<AtomicU64>,
}

#[behaviours]
impl Stage {
    fn pass(&mut self, t: &Turn<Self>, number: u64) {
        match &self.next {
            Some(next) => t.send(next.pass(number)),
            None => {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn pass_later(&mut self, t: &Turn<Self>, number: u64) {
        let clock = t.clock();
        t.spawn(async move { clock.sleep(Duration::from_millis(20)).await })
            .then_send(t.me().slept(number));
    }

    #[then]
    fn slept(&mut self, t: &Turn<Self>, _: Result<(), AskError>, number: u64) {
        self.pass(t, number);
    }

    fn pass_on_a_timer(&mut self, t: &Turn<Self>) {
        t.every(Duration::from_millis(1), t.me().pass(0));
    }

    #[when(self.next.is_some() && self.next.is_none())]
    fn never(&mut self) {}

    fn for_ever(&mut self, t: &Turn<Self>) {
        t.send(t.me().for_ever());
    }

    fn pending(&mut self, t: &Turn<Self>) {
        let clock = t.clock();
        drop(t.spawn(async move { clock.sleep(A_DAY).await }));
    }
}

fn pipeline(system: &System, stages: usize) -> (Address<Stage>, Arc<AtomicU64>) {
    let done = Arc::new(AtomicU64::new(0));
    let mut next = None;
    for _ in 0..stages {
        let done = done.clone();
        next = Some(system.spawn(Stage { next, done }));
    }
    (next.expect("a stage"), done)
}

/// Longer than any limit.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

const MESSAGES: u64 = if cfg!(miri) { 100 } else { 100_000 };

#[test]
fn after_the_queues_no_message_is_lost() {
    let system = System::new();
    let (first, done) = pipeline(&system, 5);
    (0..MESSAGES).for_each(|number| first.pass(number).send());
    let report = system.shutdown_by(Shutdown::after_queues());
    assert_eq!(done.load(Ordering::Relaxed), MESSAGES);
    assert_eq!((report.unprocessed, report.dead_letters), (0, 0));
    assert_eq!(report.remaining.len(), 5);
    assert!(report.is_complete());
}

#[test]
fn now_the_queues_are_lost() {
    let system = System::new();
    let (first, done) = pipeline(&system, 2);
    (0..MESSAGES).for_each(|number| first.pass(number).send());
    let report = system.shutdown_by(Shutdown::now());
    assert_eq!(done.load(Ordering::Relaxed) + report.unprocessed, MESSAGES);
}

#[vivant::test(seeds = 30)]
fn after_the_queues_of_a_simulation_no_message_is_lost(simulation: &Simulation) {
    let (first, done) = pipeline(simulation.system(), 4);
    (0..10).for_each(|number| first.pass(number).send());
    (0..10).for_each(|number| first.pass_later(number).send());
    first.pass_on_a_timer().send();
    first.never().send();
    let report = simulation.system().shutdown_by(Shutdown::after_queues());
    assert!(done.load(Ordering::Relaxed) >= 20);
    assert_eq!(report.unprocessed, 1, "the guard of `never` is false");
}

#[test]
fn futures_of_turns_are_waited_for() {
    let system = System::new();
    let (first, done) = pipeline(&system, 2);
    (0..10).for_each(|number| first.pass_later(number).send());
    let report = system.shutdown_by(Shutdown::after_queues());
    assert_eq!(done.load(Ordering::Relaxed), 10);
    assert_eq!(report.unprocessed, 0);
}

#[test]
fn a_limit_ends_what_would_never_end() {
    for busy in [true, false] {
        let system = System::new();
        let (first, _) = pipeline(&system, 1);
        match busy {
            true => first.for_ever().send(),
            false => first.pending().send(),
        }
        let how = Shutdown::after_queues().within(Duration::from_millis(100));
        assert!(system.shutdown_by(how).is_complete());
        assert!(!Address::is_alive(&first));
    }
}

#[vivant::test(seeds = 20)]
fn a_limit_ends_what_would_never_end_in_a_simulation(simulation: &Simulation) {
    let (first, _) = pipeline(simulation.system(), 1);
    first.pending().send();
    first.pass_on_a_timer().send();
    let how = Shutdown::after_queues().within(Duration::from_secs(1));
    assert!(simulation.system().shutdown_by(how).is_complete());
}

/// Its stop hook needs time.
#[derive(Actor)]
struct Slow {
    log: Log,
    stops: Stops,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stops {
    WithAPromise,
    WithAFuture,
    InTwoSteps,
    Never,
}

#[behaviours]
impl Slow {
    fn fail(&self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn link_with(&self, t: &Turn<Self>, peer: Address<Slow>) {
        t.link(&peer);
    }

    #[stop]
    fn stopping(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (log, clock) = (self.log.clone(), t.clock());
        let saved = t.spawn(async move {
            clock.sleep(Duration::from_millis(20)).await;
            log.note("saved");
        });
        match self.stops {
            Stops::WithAPromise => saved,
            Stops::WithAFuture => {
                drop(saved);
                Promise::ready(())
            }
            Stops::InTwoSteps => saved.then(t.me().then_closed()),
            Stops::Never => {
                let clock = t.clock();
                t.spawn(async move { clock.sleep(A_DAY).await })
            }
        }
    }

    #[then]
    fn then_closed(&mut self, t: &Turn<Self>, _: Result<(), AskError>) -> Promise<()> {
        let log = self.log.clone();
        t.spawn(async move { log.note("closed") })
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.log.note("dropped");
    }
}

/// What happens in each mode.
const WAYS: [(Stops, &[&str]); 3] = [
    (Stops::WithAPromise, &["saved", "dropped"]),
    (Stops::WithAFuture, &["dropped", "saved"]),
    (Stops::InTwoSteps, &["saved", "closed", "dropped"]),
];

#[test]
fn stop_hooks_finish_on_threads() {
    for (stops, events) in WAYS {
        for how in [Shutdown::now(), Shutdown::after_queues()] {
            let (system, log) = (System::new(), Log::default());
            let slow = system.spawn(Slow {
                log: log.clone(),
                stops,
            });
            assert!(system.shutdown_by(how).is_complete());
            assert_eq!(*log.lines(), events);
            drop(slow);
        }
    }
}

#[vivant::test(seeds = 20)]
fn stop_hooks_finish_in_a_simulation(simulation: &Simulation) {
    let seed = simulation.seed() as usize;
    let (stops, events) = WAYS[seed % WAYS.len()];
    let log = Log::default();
    let slow = simulation.system().spawn(Slow {
        log: log.clone(),
        stops,
    });
    let how = [Shutdown::now(), Shutdown::after_queues()][seed / WAYS.len() % 2];
    assert!(simulation.system().shutdown_by(how).is_complete());
    assert_eq!(*log.lines(), events);
    drop(slow);
}

/// The actor has ended before, and the future of its hook has not.
#[vivant::test(seeds = 20)]
fn the_future_of_an_earlier_stop_hook_finishes(simulation: &Simulation) {
    let log = Log::default();
    let slow = simulation.system().spawn(Slow {
        log: log.clone(),
        stops: Stops::WithAFuture,
    });
    Address::stop(&slow);
    simulation.run_for(Duration::from_millis(1));
    assert_eq!(*log.lines(), ["dropped"]);
    let how = [Shutdown::now(), Shutdown::after_queues()][simulation.seed() as usize % 2];
    assert!(simulation.system().shutdown_by(how).is_complete());
    assert_eq!(*log.lines(), ["dropped", "saved"]);
}

#[test]
fn a_stop_hook_that_never_ends_is_cut_off_by_the_limit() {
    let (system, log) = (System::new(), Log::default());
    let stops = Stops::Never;
    let slow = system.spawn(Slow {
        log: log.clone(),
        stops,
    });
    let report = system.shutdown_within(Duration::from_millis(100));
    assert!(report.is_complete(), "{report}");
    assert_eq!(log.lines().last().map(String::as_str), Some("dropped"));
    drop(slow);
}

#[vivant::test(seeds = 20)]
fn a_stop_hook_of_a_simulation_is_cut_off_by_the_limit(simulation: &Simulation) {
    let log = Log::default();
    let stops = Stops::Never;
    let slow = simulation.system().spawn(Slow {
        log: log.clone(),
        stops,
    });
    let report = simulation.system().shutdown();
    assert!(report.is_complete(), "{report}");
    assert_eq!(*log.lines(), ["saved", "dropped"]);
    drop(slow);
}

/// A child is down, or has ended, when its stop hook is over.
#[vivant::test(seeds = 50)]
fn a_supervisor_waits_for_stop_hooks(simulation: &Simulation) {
    let log = Log::default();
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let of_child = log.clone();
    let slow = tree.add(Child::new(move |_: &Turn<'_, Slow>| {
        of_child.note("begins");
        Slow {
            log: of_child.clone(),
            stops: Stops::InTwoSteps,
        }
    }));
    slow.fail().send();
    simulation.run();
    let incarnation = ["begins", "saved", "closed", "dropped"];
    assert_eq!(*log.lines(), [&incarnation[..], &["begins"]].concat());
    tree.shut_down().ask_blocking().expect("it ends");
    assert_eq!(*log.lines(), [incarnation, incarnation].concat());
}

#[tokio::test(flavor = "current_thread")]
async fn async_code_waits_for_the_shutdown() {
    let system = System::new();
    let (first, done) = pipeline(&system, 3);
    (0..1000).for_each(|number| first.pass(number).send());
    let report = system.shutdown_async(Shutdown::after_queues()).await;
    assert_eq!(done.load(Ordering::Relaxed), 1000);
    assert_eq!(report.unprocessed, 0);
    assert!(first.pass(0).try_send().is_err());
}

/// Its first start fails.
#[derive(Actor)]
struct Restarted {
    log: Log,
}

#[behaviours]
impl Restarted {
    #[start]
    fn new(log: Log) -> Self {
        log.note("begins");
        if log.lines().len() == 1 {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        Restarted { log }
    }

    fn note(&mut self) {
        self.log.note("noted");
    }
}

/// One message alone waits in the backlog of a child that is down.
#[test]
fn after_the_queues_waits_for_a_restart() {
    let (system, log) = (System::new(), Log::default());
    let slow = Duration::from_millis(50);
    let tree = Supervisor::one_for_one()
        .back_off(slow, slow)
        .spawn(&system);
    let child = tree.add(Restarted::child(log.clone()));
    while log.lines().is_empty() {
        std::thread::yield_now();
    }
    child.note().send();
    let report = system.shutdown_by(Shutdown::after_queues());
    assert_eq!(report.unprocessed, 0, "{report}");
    assert_eq!(*log.lines(), ["begins", "begins", "noted"]);
}

/// Timers do not count, and so the time of a simulation stands still.
#[vivant::test(seeds = 20)]
fn after_the_queues_no_timer_fires(simulation: &Simulation) {
    let (first, done) = pipeline(simulation.system(), 1);
    first.pass_on_a_timer().send();
    first.pass(0).send();
    let report = simulation.system().shutdown_by(Shutdown::after_queues());
    assert_eq!(done.load(Ordering::Relaxed), 1);
    assert_eq!(report.unprocessed, 0);
}

/// An end for another reason does not cut a stop hook short.
#[vivant::test(seeds = 20)]
fn a_linked_actor_that_fails_leaves_the_stop_hook_alone(simulation: &Simulation) {
    let [log, other] = [Log::default(), Log::default()];
    let stops = Stops::InTwoSteps;
    let of_slow = log.clone();
    let slow = simulation.system().spawn(Slow {
        log: of_slow,
        stops,
    });
    let peer = simulation.system().spawn(Slow { log: other, stops });
    slow.link_with(peer.clone()).send();
    simulation.run();
    Address::stop(&slow);
    simulation.run_for(Duration::from_millis(1));
    peer.fail().send();
    simulation.run();
    assert_eq!(*log.lines(), ["saved", "closed", "dropped"]);
}

/// Waits for the ends of others, and for a reply that never comes.
#[derive(Actor)]
struct Mourner {
    others: Vec<Address<Mourner>>,
    kept: Vec<Resolver<u64>>,
    heard: u64,
}

#[behaviours]
impl Mourner {
    #[start]
    fn new() -> Self {
        Mourner {
            others: Vec::new(),
            kept: Vec::new(),
            heard: 0,
        }
    }

    fn watch(&mut self, t: &Turn<Self>, others: Vec<Address<Mourner>>) {
        for other in &others {
            t.watch(other).then_send(t.me().mourn());
            t.watch(other).then_local(t, |state, _, _| state.heard += 1);
            t.ask(other.never()).then_send(t.me().answered());
        }
        self.others = others;
    }

    fn never(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, resolver) = t.promise();
        self.kept.push(resolver);
        promise
    }

    #[when(self.heard > 1000)]
    fn wait(&mut self) {}

    #[then]
    fn mourn(&mut self, _: Result<StopReason, AskError>) {
        self.heard += 1;
    }

    #[then]
    fn answered(&mut self, _: Result<u64, AskError>) {
        self.heard += 1;
    }
}

/// What follows from the shutdown itself is no message that it has lost.
#[vivant::test(seeds = 50)]
fn notices_of_the_ends_are_not_unprocessed(simulation: &Simulation) {
    let system = simulation.system();
    let tree = Supervisor::one_for_one().spawn(system);
    let children = [(); 3].map(|()| tree.add(Mourner::child()));
    let mourners = [(); 3].map(|()| Mourner::spawn(system));
    for (child, mourner) in children.iter().zip(&mourners) {
        child.watch(mourners.to_vec()).send();
        mourner.watch(children.to_vec()).send();
    }
    simulation.run();
    mourners[0].wait().send();
    let report = system.shutdown_by(Shutdown::now());
    let lost: Vec<_> = system.dead_letters().counts();
    assert_eq!(report.unprocessed, 1, "{lost:?}");
    assert!(report.dead_letters >= 1);
}
