//! Watches and links: which actors are notified of an end, and which fail together.

use crate::log::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{StopReason, Supervisor};

#[derive(Actor)]
struct Part {
    log: Log,
}

#[behaviours]
impl Part {
    #[start]
    fn new(log: Log) -> Self {
        log.note("begins");
        Part { log }
    }

    fn works(&self) -> bool {
        true
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn finish(&mut self, t: &Turn<Self>) {
        t.stop();
    }

    #[stop]
    fn ends(&mut self, reason: &StopReason) {
        if let StopReason::Linked(_) = reason {
            self.log.note("fails with the other");
        }
    }
}

#[derive(Actor)]
struct Watcher {
    log: Log,
}

#[behaviours]
impl Watcher {
    fn watch(&mut self, t: &Turn<Self>, part: Address<Part>) {
        drop(t.watch(&part).then(t.me().received()));
    }

    fn tie(&mut self, t: &Turn<Self>, part: Address<Part>) {
        t.link(&part);
    }

    fn untie(&mut self, t: &Turn<Self>, part: Address<Part>) {
        t.unlink(&part);
    }

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("as planned"));
    }

    #[then]
    fn received(&mut self, reason: Result<StopReason, AskError>) {
        self.log.note(match reason {
            Ok(reason) => reason.to_string(),
            Err(error) => error.to_string(),
        });
    }
}

#[test]
fn a_watch_reports_why_an_actor_ended() {
    let (simulation, log) = (Simulation::new(1), Log::default());
    let system = simulation.system();
    let watcher = system.spawn(Watcher { log: log.clone() });
    let part = Part::spawn(system, Log::default());
    watcher.watch(part.clone()).send();
    simulation.run();
    assert_eq!(log.take(), Vec::<String>::new());
    part.finish().send();
    simulation.run();
    assert_eq!(log.take(), ["it stopped itself"]);
    watcher.watch(part).send();
    simulation.run();
    assert_eq!(log.take(), ["it stopped itself"], "also afterwards");
}

#[test]
fn linked_actors_fail_together() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let pair = || {
        (
            system.spawn(Watcher {
                log: Log::default(),
            }),
            Part::spawn(system, Log::default()),
        )
    };
    let (watcher, part) = pair();
    watcher.tie(part.clone()).send();
    simulation.run();
    part.fail().send();
    simulation.run();
    let Ok(StopReason::Linked(linked)) = system.block_on(Address::ended(&watcher)) else {
        panic!("it did not fail with the other");
    };
    assert_eq!(linked.actor, Address::path(&part));
    let (watcher, part) = pair();
    watcher.tie(part.clone()).send();
    simulation.run();
    watcher.fail().send();
    simulation.run();
    assert!(matches!(
        system.block_on(Address::ended(&part)),
        Ok(StopReason::Linked(_))
    ));
    let (watcher, part) = pair();
    watcher.tie(part.clone()).send();
    part.finish().send();
    simulation.run();
    assert!(Address::is_alive(&watcher), "no failure");
    let (watcher, part) = pair();
    watcher.tie(part.clone()).send();
    watcher.untie(part.clone()).send();
    simulation.run();
    part.fail().send();
    simulation.run();
    assert!(Address::is_alive(&watcher), "unlinked");
    // A link to an actor that has failed already.
    watcher.tie(part).send();
    simulation.run();
    assert!(!Address::is_alive(&watcher));
}

#[test]
fn a_broken_link_restarts_a_supervised_actor() {
    let (simulation, log) = (Simulation::new(7), Log::default());
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let part = tree.add(Part::child(log.clone()));
    let watcher = simulation.system().spawn(Watcher {
        log: Log::default(),
    });
    watcher.tie(part.clone()).send();
    simulation.run();
    log.take();
    watcher.fail().send();
    simulation.run();
    assert_eq!(log.take(), ["fails with the other", "begins"]);
    assert_eq!(part.works().ask_blocking(), Ok(true));
}

#[test]
fn links_to_ended_actors_keep_no_memory() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let watcher = system.spawn(Watcher {
        log: Log::default(),
    });
    let tie_and_end = || {
        let part = Part::spawn(system, Log::default());
        watcher.tie(part.clone()).send();
        simulation.run();
        Address::stop(&part);
        drop(part);
        simulation.run();
        system.inspect().bytes
    };
    let once = tie_and_end();
    assert_eq!(tie_and_end(), once);
    assert!(Address::is_alive(&watcher));
}

#[test]
fn watchers_that_have_ended_keep_no_memory() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let part = Part::spawn(system, Log::default());
    let watch_and_end = |_| {
        drop(Address::ended(&part));
        let watcher = system.spawn(Watcher {
            log: Log::default(),
        });
        watcher.watch(part.clone()).send();
        simulation.run();
        Address::stop(&watcher);
        drop(watcher);
        simulation.run();
        system.inspect().bytes
    };
    let few = (0..20).map(watch_and_end).max();
    assert_eq!((0..200).map(watch_and_end).max(), few);
    let ended = Address::ended(&part);
    part.finish().send();
    assert_eq!(system.block_on(ended), Ok(StopReason::Finished));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    InFirstStart,
    InBehaviour,
}

/// Links its peer in one turn only, and panics in that turn.
#[derive(Actor)]
struct Linking {
    peer: Address<Part>,
}

#[behaviours]
impl Linking {
    #[start]
    fn new(t: &Turn<Self>, peer: Address<Part>, panics: Panics, starts: Arc<AtomicUsize>) -> Self {
        if starts.fetch_add(1, Ordering::Relaxed) == 0 && panics == Panics::InFirstStart {
            t.link(&peer);
            std::panic::resume_unwind(Box::new("as planned"));
        }
        Linking { peer }
    }

    fn link_and_fail(&mut self, t: &Turn<Self>) {
        t.link(&self.peer);
        std::panic::resume_unwind(Box::new("as planned"));
    }

    fn is_up(&self) -> bool {
        true
    }
}

/// A link made in a turn that panics is one of the incarnation that fails: its peer fails with it,
/// and the next incarnation has no link.
fn a_link_made_before_a_panic_belongs_to_the_incarnation_that_made_it(panics: Panics) {
    let (simulation, log) = (Simulation::new(7), Log::default());
    let starts = Arc::new(AtomicUsize::new(0));
    let tree = Supervisor::one_for_one().spawn(simulation.system());
    let peer = tree.add(Part::child(log.clone()));
    let linking = tree.add(Linking::child(peer.clone(), panics, starts.clone()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    if panics == Panics::InBehaviour {
        linking.link_and_fail().send();
    }
    simulation.run();
    assert_eq!(starts.load(Ordering::Relaxed), 2);
    assert_eq!(log.take(), ["begins", "fails with the other", "begins"]);
    peer.fail().send();
    simulation.run();
    assert_eq!(log.take(), ["begins"]);
    assert_eq!(linking.is_up().ask_blocking(), Ok(true));
    assert_eq!(
        starts.load(Ordering::Relaxed),
        2,
        "the next incarnation has no link"
    );
}

#[test]
fn a_link_of_a_start_that_panics_does_not_bind_the_next_incarnation() {
    a_link_made_before_a_panic_belongs_to_the_incarnation_that_made_it(Panics::InFirstStart);
}

#[test]
fn a_link_of_a_turn_that_panics_does_not_bind_the_next_incarnation() {
    a_link_made_before_a_panic_belongs_to_the_incarnation_that_made_it(Panics::InBehaviour);
}

/// Links the child before it in its start function.
#[derive(Actor)]
struct Dependent {
    starts: Arc<AtomicUsize>,
}

#[behaviours]
impl Dependent {
    #[start]
    fn new(t: &Turn<Self>, before: Address<Part>, starts: Arc<AtomicUsize>) -> Self {
        starts.fetch_add(1, Ordering::Relaxed);
        t.link(&before);
        Dependent { starts }
    }

    fn starts(&self) -> usize {
        self.starts.load(Ordering::Relaxed)
    }
}

/// The news of the failure waits in the mailbox of the actor, which is ordered down first. It is no
/// news of the link that the next incarnation makes.
#[vivant::test(seeds = 50)]
fn news_of_a_former_link_does_not_break_the_next_one(simulation: &Simulation) {
    let starts = Arc::new(AtomicUsize::new(0));
    let tree = Supervisor::rest_for_one().spawn(simulation.system());
    let first = tree.add(Part::child(Log::default()));
    let second = tree.add(Dependent::child(first.clone(), starts.clone()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    for failures in 1..4 {
        first.fail().send();
        simulation.run();
        assert_eq!(second.starts().ask_blocking(), Ok(1 + failures));
    }
    // The link holds: with one for each incarnation they would fail more than once.
    assert_eq!(first.works().ask_blocking(), Ok(true));
}

/// All children restart together: each tells the other that it has ended.
#[vivant::test(seeds = 50)]
fn a_link_holds_after_all_have_restarted(simulation: &Simulation) {
    let (log, starts) = (Log::default(), Arc::new(AtomicUsize::new(0)));
    let tree = Supervisor::all_for_one().spawn(simulation.system());
    let first = tree.add(Part::child(log.clone()));
    let second = tree.add(Dependent::child(first.clone(), starts.clone()));
    let third = tree.add(Part::child(Log::default()));
    assert_eq!(tree.settled().ask_blocking(), Ok(Ok(())));
    third.fail().send();
    simulation.run();
    assert_eq!(second.starts().ask_blocking(), Ok(2));
    // Outside of the tree a failure ends an actor. The linked actor fails with it.
    let outside = simulation.system().spawn(Watcher {
        log: Log::default(),
    });
    outside.tie(first.clone()).send();
    simulation.run();
    log.take();
    outside.fail().send();
    simulation.run();
    assert_eq!(log.take(), ["fails with the other", "begins"]);
    assert_eq!(second.starts().ask_blocking(), Ok(3));
}
