//! T4, edge cases: trees without children, children that end while they are down, late
//! notifications.

use crate::log::Log;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{Child, OnPanic, Report, Spawner, Supervision, Supervisor};

#[derive(Actor)]
struct Part {
    log: Log,
    count: u64,
}

#[behaviours]
impl Part {
    #[start]
    fn new(log: Log) -> Self {
        log.note("begins");
        Part { log, count: 0 }
    }

    fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn add_and_fail(&mut self, n: u64) {
        self.count += n;
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[when(self.count >= n)]
    fn wait_for(&mut self, n: u64) -> u64 {
        n
    }

    #[stop]
    fn ends(&mut self) {
        self.log.note("ends");
    }
}

fn simulated(rules: Supervision, test: impl FnOnce(&Simulation, Address<Supervisor>, Log)) {
    let simulation = Simulation::new(7);
    let tree = rules.spawn(simulation.system());
    test(&simulation, tree, Log::default());
}

#[test]
fn a_tree_without_children_is_settled() {
    simulated(Supervisor::one_for_one(), |_, tree, log| {
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        let branch = tree.add(Supervisor::one_for_one());
        assert_eq!(branch.settled().ask_blocking(), Ok(Ok(())));
        let _part = branch.add(Part::child(log.clone()));
        assert_eq!(branch.settled().ask_blocking(), Ok(Ok(())));
        assert_eq!(log.take(), ["begins"]);
        assert_eq!(tree.shut_down().ask_blocking(), Ok(()));
    });
}

#[test]
fn seeded_a_starting_branch_does_not_fail_with_a_stopped_child() {
    for seed in 0..if cfg!(miri) { 3 } else { 200 } {
        let simulation = Simulation::new(seed);
        let all = Supervisor::all_for_one().budget(0, Duration::from_secs(10));
        let tree = all.spawn(simulation.system());
        let log = Log::default();
        let _first = tree.add(Part::child(log.clone()));
        let branch = tree.add(Supervisor::one_for_one());
        let part = branch.add(Part::child(Log::default()));
        Address::stop(&part);
        simulation.run();
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())), "seed {seed}");
        assert_eq!(log.take(), ["begins"], "seed {seed}: once");
    }
}

#[test]
fn a_child_that_is_down_has_nothing_to_drain() {
    let wait = Duration::from_secs(100);
    simulated(
        Supervisor::one_for_one().back_off(wait, wait),
        |simulation, tree, log| {
            let part = tree.add(Part::child(log.clone()).drains());
            assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
            part.fail().send();
            simulation.run_for(Duration::from_secs(1));
            let began = simulation.now();
            assert_eq!(tree.shut_down().ask_blocking(), Ok(()));
            assert_eq!(simulation.now(), began, "no child is waited for");
            assert!(!is_overdue(simulation));
        },
    );
}

#[test]
fn a_child_that_panics_while_it_drains_ends() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let part = tree.add(Part::child(log.clone()).drains());
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        part.fail().send();
        let began = simulation.now();
        assert_eq!(tree.shut_down().ask_blocking(), Ok(()));
        assert_eq!(simulation.now(), began, "no child is waited for");
        assert_eq!(log.take(), ["begins", "ends"]);
        assert!(!is_overdue(simulation));
    });
}

fn is_overdue(simulation: &Simulation) -> bool {
    let reports = simulation.system().inspect().reports;
    let overdue = |report: &Report| matches!(report, Report::Overdue { .. });
    reports.iter().any(overdue)
}

#[derive(Actor)]
struct Stubborn;

#[behaviours]
impl Stubborn {
    fn fail_when_notified(&mut self, when: Receiver<()>) {
        let _notified = when.recv();
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn wait_until_notified(&mut self, when: Receiver<()>) {
        let _notified = when.recv();
    }
}

#[test]
fn a_late_notification_does_not_cancel_an_alarm() {
    let system = System::builder().workers(2).build();
    let tree = Supervisor::one_for_one().spawn(&system);
    let child = Child::new(|_| Stubborn).on_panic(OnPanic::Resume).drains();
    let part = tree.add(child.ends_within(Duration::from_millis(20)));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    let ((fail, failing), (go_on, waiting)) = (channel(), channel());
    part.fail_when_notified(failing).send();
    part.wait_until_notified(waiting).send();
    let ended = tree.shut_down().ask();
    assert!(
        tree.children().ask_blocking().is_ok(),
        "it was notified to end"
    );
    // Now it reports that it goes on, and then does nothing more.
    drop(fail);
    let ended = system.block_on(ended.within(Duration::from_secs(60)));
    assert_eq!(ended, Ok(()), "it is overdue");
    drop(go_on);
}

#[test]
fn a_resumed_actor_evaluates_its_guards() {
    simulated(Supervisor::one_for_one(), |simulation, tree, log| {
        let part = tree.add(Part::child(log.clone()).on_panic(OnPanic::Resume));
        assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
        let guarded = part.wait_for(5).ask();
        part.add_and_fail(5).send();
        assert_eq!(simulation.system().block_on(guarded), Ok(5));
    });
}

/// Held by a system as long as the system exists.
struct Alive(Arc<()>);

#[test]
fn a_supervisor_spawned_after_shutdown_keeps_no_system_alive() {
    let alive = Arc::new(());
    let held = Alive(alive.clone());
    let builder = System::builder().on_report(move |_| drop(held.0.clone()));
    let simulation = Simulation::with(1, Faults::none(), builder);
    simulation.system().shutdown();
    drop(Supervisor::one_for_one().spawn(simulation.system()));
    drop(simulation);
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// At its end it leaves a tree with another one.
#[derive(Actor)]
struct Hydra {
    trees: Arc<Mutex<Vec<Address<Supervisor>>>>,
}

#[behaviours]
impl Hydra {
    #[start]
    fn new(trees: Arc<Mutex<Vec<Address<Supervisor>>>>) -> Self {
        Hydra { trees }
    }

    #[stop]
    fn ends(&mut self, t: &Turn<Self>) {
        grow(t, &self.trees);
    }
}

fn grow(spawner: &impl Spawner, trees: &Arc<Mutex<Vec<Address<Supervisor>>>>) {
    let tree = Supervisor::one_for_one().spawn(spawner);
    let _hydra = tree.add(Hydra::child(trees.clone()).drains());
    let mut trees = trees.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(trees.len() < 100, "it never ends");
    trees.push(tree);
}

#[test]
fn a_shutdown_ends_although_trees_spawn_trees() {
    let (simulation, trees) = (Simulation::new(1), Arc::default());
    grow(simulation.system(), &trees);
    simulation.run();
    assert!(simulation.system().shutdown().is_complete());
    let after = simulation.system().inspect();
    assert!(after.actors.is_empty());
    assert_eq!(after.panics, 0);
}

#[derive(Actor)]
struct Sender {
    to: Address<Part>,
}

#[behaviours]
impl Sender {
    fn flood(&mut self, t: &Turn<Self>) {
        for _ in 0..10 {
            t.send(self.to.add(1));
        }
    }

    fn works(&self) -> bool {
        true
    }
}

/// T5: an actor that takes no messages mutes no sender.
#[test]
fn an_actor_that_never_started_mutes_no_sender() {
    let simulation = Simulation::with(1, Faults::none(), System::builder().overload(4));
    let wait = Duration::from_secs(100);
    let rules = Supervisor::one_for_one().back_off(wait, wait);
    let tree = rules.spawn(simulation.system());
    let log = Log::default();
    let part = tree.add(Child::new({
        let log = log.clone();
        move |_| {
            log.note("begins");
            if log.lines().len() == 1 {
                std::panic::resume_unwind(Box::new("as planned"));
            }
            Part {
                log: log.clone(),
                count: 0,
            }
        }
    }));
    simulation.run_for(Duration::from_secs(1));
    let sender = simulation.system().spawn(Sender { to: part.clone() });
    sender.flood().send();
    assert_eq!(sender.works().ask_blocking(), Ok(true));
    assert_eq!(log.lines().len(), 1, "it is still down");
    assert_eq!(part.add(1).ask_blocking(), Ok(11));
}

#[test]
fn seeded_a_child_on_its_way_down_has_nothing_to_drain() {
    let delays = Faults::none().delays(500_000, Duration::from_millis(50));
    for seed in 0..if cfg!(miri) { 3 } else { 1_000 } {
        let simulation = Simulation::with(seed, delays.clone(), System::builder());
        let tree = Supervisor::all_for_one().spawn(simulation.system());
        let first = tree.add(Part::child(Log::default()));
        let _last = tree.add(Part::child(Log::default()).drains());
        for _ in 0..3 {
            first.fail().send();
        }
        simulation.run_for(Duration::from_millis(seed % 200));
        assert_eq!(tree.shut_down().ask_blocking(), Ok(()), "seed {seed}");
        assert!(!is_overdue(&simulation), "seed {seed}");
    }
}

#[test]
fn a_tree_is_not_settled_while_a_child_is_overdue() {
    let (seen, overdue) = channel();
    let listener = move |report: &Report| {
        if let Report::Overdue { .. } = report {
            let _received = seen.send(());
        }
    };
    let system = System::builder().workers(2).on_report(listener).build();
    let tree = Supervisor::one_for_one().spawn(&system);
    let (go_on, waiting) = channel();
    let waiting = Mutex::new(Some(waiting));
    let start = move |_: &Turn<Stubborn>| {
        let first = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let _notified: Option<Result<(), _>> = first.map(|notified: Receiver<()>| notified.recv());
        Stubborn
    };
    // It is late with its first start, and then with going down for that.
    let child = Child::new(start).starts_within(Duration::from_millis(5));
    tree.add(child.ends_within(Duration::from_millis(5)));
    let settled = tree.settled().ask();
    for _ in 0..2 {
        overdue.recv().expect("the supervisor reports it");
    }
    let facts = tree.children().ask_blocking().expect("it answers");
    assert_eq!(facts[0].state, vivant::ChildState::Halting);
    drop(go_on);
    assert_eq!(system.block_on(settled), Ok(Ok(())));
    let facts = tree.children().ask_blocking().expect("it answers");
    assert_eq!(
        (facts[0].state, facts[0].restarts),
        (vivant::ChildState::Up, 1)
    );
}
