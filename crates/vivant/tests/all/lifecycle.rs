//! Start and end of actors: start, stop hooks and their reasons, addresses, pins, shutdown.

use crate::log::Log;
use crate::waits::wait_while;
use std::sync::{Arc, Barrier, mpsc};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Mortal {
    log: Log,
}

#[behaviours]
impl Mortal {
    #[start]
    fn new(t: &Turn<Self>, log: Log) -> Self {
        log.note(format!("start {}", t.me()));
        Mortal { log }
    }

    fn live(&mut self) -> usize {
        self.log.lines().len()
    }

    fn finish(&mut self, t: &Turn<Self>) -> &'static str {
        t.stop();
        "last words"
    }

    fn fail(&mut self) {
        panic!("as planned");
    }

    fn have_child(&mut self, t: &Turn<Self>) -> String {
        Address::path(&Mortal::spawn(t, self.log.clone()))
    }

    #[stop]
    fn stopping(&mut self, reason: &StopReason) {
        let reason = match reason {
            StopReason::Panicked(panic) => format!("panicked: {}", panic.message()),
            other => format!("{other:?}"),
        };
        self.log.note(format!("stop {reason}"));
    }
}

fn mortal(system: &System) -> (Address<Mortal>, Log) {
    let log = Log::default();
    (Mortal::spawn(system, log.clone()), log)
}

fn last(log: &Log) -> String {
    log.lines().last().cloned().unwrap_or_default()
}

#[test]
fn start_runs_in_the_actors_own_first_turn() {
    let simulation = Simulation::new(0);
    let (actor, log) = mortal(simulation.system());
    assert!(log.lines().is_empty(), "spawning is a message, not a call");
    assert_eq!(actor.live().ask_blocking(), Ok(1));
    assert_eq!(last(&log), format!("start {actor}"));
}

#[test]
fn each_way_to_end_has_its_reason() {
    let simulation = Simulation::new(0);
    let system = simulation.system();

    let (actor, log) = mortal(system);
    actor.live().send();
    drop(actor);
    simulation.run();
    assert_eq!(last(&log), "stop Unreferenced");

    let (actor, log) = mortal(system);
    assert_eq!(actor.finish().ask_blocking(), Ok("last words"));
    simulation.run();
    assert_eq!(last(&log), "stop Finished");

    let (actor, log) = mortal(system);
    actor.live().ask_blocking().unwrap();
    let waiting = actor.live().ask();
    Address::stop(&actor);
    simulation.run();
    assert_eq!(last(&log), "stop Stopped");
    assert!(
        matches!(system.block_on(waiting), Err(AskError::Stopped(_))),
        "it waited behind the stop"
    );
    assert!(!Address::is_alive(&actor));

    let (actor, log) = mortal(system);
    let before = actor.live().ask();
    Address::stop_after_queue(&actor);
    let after = actor.live().ask();
    assert_eq!(system.block_on(before), Ok(1));
    assert!(matches!(system.block_on(after), Err(AskError::Stopped(_))));
    assert_eq!(last(&log), "stop Drained");

    let (actor, log) = mortal(system);
    let error = actor.fail().ask_blocking().unwrap_err();
    simulation.run();
    let AskError::Panicked(panic) = error else {
        panic!("{error}")
    };
    assert_eq!(panic.message(), "as planned");
    assert!(
        panic
            .place()
            .is_some_and(|place| place.contains("lifecycle.rs:")),
        "{panic}"
    );
    assert!(panic.behaviour().ends_with("Mortal::fail"));
    assert_eq!(panic.actor(), Address::path(&actor));
    assert_eq!(last(&log), "stop panicked: as planned");

    let (_actor, log) = mortal(system);
    simulation.run();
    let report = system.shutdown();
    assert_eq!(last(&log), "stop Shutdown");
    assert!(report.is_complete());
}

#[test]
fn a_start_that_panics_ends_the_actor_and_answers_its_askers() {
    #[derive(Actor)]
    struct Unborn;
    #[behaviours]
    impl Unborn {
        #[start]
        fn new(why: String) -> Self {
            panic!("{why}");
        }
        fn live(&mut self) {}
        #[stop]
        fn stopping(&mut self) {
            unreachable!("there is no state to stop");
        }
    }
    let simulation = Simulation::new(0);
    let actor = Unborn::spawn(simulation.system(), "not today".to_owned());
    match actor.live().ask_blocking() {
        Err(AskError::Stopped(it)) => {
            assert!(it.reason.to_string().contains("not today"), "{}", it.reason)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn paths_contain_parent_and_number() {
    let simulation = Simulation::new(0);
    let (first, _) = mortal(simulation.system());
    let (second, _) = mortal(simulation.system());
    assert_eq!(Address::path(&first), "all::lifecycle::Mortal/0");
    assert_eq!(
        second.have_child().ask_blocking().unwrap(),
        "all::lifecycle::Mortal/1/0"
    );
    assert_eq!(
        second.have_child().ask_blocking().unwrap(),
        "all::lifecycle::Mortal/1/1"
    );
    assert_eq!(format!("{second:?}"), "Address(all::lifecycle::Mortal/1)");
    assert!(first < second);
    assert_ne!(first, second);
}

#[test]
fn weak_addresses_do_not_keep_alive_and_pins_do() {
    let simulation = Simulation::new(0);
    let system = simulation.system();
    let (actor, log) = mortal(system);
    let weak = Address::downgrade(&actor);
    assert_eq!(weak.upgrade().as_ref(), Some(&actor));
    system.keep(&actor);
    drop(actor);
    simulation.run();
    let again = weak.upgrade().expect("kept");
    assert_eq!(again.live().ask_blocking(), Ok(1));
    assert!(system.release(&again));
    assert!(!system.release(&again), "released before");
    drop(again);
    simulation.run();
    assert!(weak.upgrade().is_none());
    assert_eq!(last(&log), "stop Unreferenced");
    assert_eq!(
        weak.path(),
        "all::lifecycle::Mortal/0",
        "a path outlives its actor"
    );
}

#[test]
fn calls_after_shutdown_return_errors() {
    for system in [
        System::builder().workers(2).build(),
        Simulation::new(0).system().clone(),
    ] {
        let (before, _) = mortal(&system);
        before.live().ask_blocking().unwrap();
        // The answer comes within the run, which still has an address of its own that the start
        // made.
        wait_while(|| system.inspect().actors[0].because.addresses > 1);
        let report = system.shutdown();
        assert_eq!(report.remaining.len(), 1);
        assert_eq!(report.remaining[0].actor, "all::lifecycle::Mortal/0");
        assert_eq!(report.remaining[0].because.addresses, 1);
        match before.live().ask_blocking() {
            Err(AskError::Stopped(it)) => assert_eq!(it.reason, StopReason::Shutdown),
            other => panic!("{other:?}"),
        }
        before.live().send();
        assert!(before.live().try_send().is_err(), "the message comes back");
        let (late, log) = mortal(&system);
        assert!(matches!(
            late.live().ask_blocking(),
            Err(AskError::Stopped(_))
        ));
        assert!(
            log.lines().is_empty(),
            "an actor born too late never starts"
        );
        drop((before, late));
        assert_eq!(system.inspect().actors.len(), 0);
        assert_eq!(system.inspect().bytes, 0);
        assert!(system.shutdown().is_complete(), "twice is once");
    }
}

#[test]
fn an_endless_turn_is_reported_at_shutdown() {
    #[derive(Actor)]
    struct Stuck;
    #[behaviours]
    impl Stuck {
        fn wait(&mut self, gate: Arc<std::sync::Barrier>) {
            gate.wait();
        }
    }
    let system = System::builder().workers(1).build();
    let gate = Arc::new(std::sync::Barrier::new(2));
    let stuck = system.spawn(Stuck);
    stuck.wait(gate.clone()).send();
    wait_while(|| system.inspect().actors[0].current.is_none());
    let report = system.shutdown_within(Duration::from_millis(20));
    assert!(!report.is_complete());
    assert_eq!(report.still_running[0].actor, Address::path(&stuck));
    assert!(
        report.still_running[0]
            .because
            .current
            .is_some_and(|behaviour| behaviour.ends_with("Stuck::wait"))
    );
    // Released, it ends as all the others did.
    gate.wait();
    wait_while(|| !system.inspect().actors.is_empty());
}

#[test]
fn dropping_the_last_handle_ends_the_actors() {
    for simulated in [false, true] {
        let log = Log::default();
        let actor = if simulated {
            let simulation = Simulation::new(0);
            let actor = Mortal::spawn(simulation.system(), log.clone());
            actor.live().ask_blocking().unwrap();
            actor
        } else {
            let system = System::builder().workers(1).build();
            let actor = Mortal::spawn(&system, log.clone());
            actor.live().ask_blocking().unwrap();
            actor
        };
        wait_while(|| Address::is_alive(&actor));
        assert_eq!(last(&log), "stop Shutdown");
    }
}

#[test]
fn a_long_chain_of_actors_ends_without_deep_recursion() {
    #[derive(Actor)]
    struct Chained {
        _next: Option<Address<Chained>>,
    }
    #[behaviours]
    impl Chained {}
    for system in [
        System::builder().workers(2).build(),
        Simulation::new(0).system().clone(),
    ] {
        let mut head = None;
        for _ in 0..if cfg!(miri) { 20 } else { 100_000 } {
            head = Some(system.spawn(Chained { _next: head }));
        }
        drop(head);
        while system.inspect().bytes > 0 {
            // A simulation runs only while a caller waits for it.
            let _ = system.spawn(Chained { _next: None });
            system.block_on(system.clock().sleep(Duration::from_millis(1)));
        }
    }
}

#[test]
fn a_drop_that_panics_is_reported_and_harms_no_other_actor() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    #[derive(Actor)]
    struct Holder {
        _grenade: Grenade,
    }
    #[behaviours]
    impl Holder {
        fn take(&mut self, grenade: Grenade2) {
            std::mem::forget(grenade);
        }
    }
    struct Grenade2(#[allow(dead_code)] Grenade);
    // Simulated, so that the messages are surely in the mailbox when the actor ends.
    let system = Simulation::new(0).system().clone();
    let holder = system.spawn(Holder { _grenade: Grenade });
    holder.take(Grenade2(Grenade)).ask_blocking().unwrap();
    // These two can only be refused, and dropping them panics.
    holder.take(Grenade2(Grenade)).send();
    let refused = holder.take(Grenade2(Grenade)).ask();
    Address::stop(&holder);
    assert!(matches!(
        system.block_on(refused),
        Err(AskError::Stopped(_))
    ));
    let (other, _) = mortal(&system);
    assert_eq!(other.live().ask_blocking(), Ok(1));
    assert_eq!(system.inspect().panics, 3, "the state's and two messages'");
    assert!(system.shutdown().is_complete());
}

/// Signals its end by closing a channel.
#[derive(Actor)]
struct Telltale {
    _ended: mpsc::Sender<()>,
}

#[behaviours]
impl Telltale {
    fn work(&mut self, gate: Arc<Barrier>) {
        gate.wait();
    }
}

/// Drops addresses in a turn that does not end before their actors do.
#[derive(Actor)]
struct Dropper;

#[behaviours]
impl Dropper {
    fn drop_and_wait(
        &mut self,
        last: Address<Telltale>,
        gate: Arc<Barrier>,
        ended: mpsc::Receiver<()>,
    ) -> bool {
        // The other actor is in its turn, so this address is cached; it must not be cached for
        // ever.
        drop(last);
        gate.wait();
        ended.recv_timeout(Duration::from_secs(60)) == Err(mpsc::RecvTimeoutError::Disconnected)
    }
}

#[test]
fn an_address_dropped_in_a_long_turn_keeps_no_actor_alive() {
    let system = System::builder().workers(2).build();
    let (ends, ended) = mpsc::channel();
    let telltale = system.spawn(Telltale { _ended: ends });
    let dropper = system.spawn(Dropper);
    let gate = Arc::new(Barrier::new(2));
    telltale.work(gate.clone()).send();
    let reported = dropper.drop_and_wait(telltale, gate, ended).ask_blocking();
    assert_eq!(reported, Ok(true), "it outlives its last address");
}

/// Its turn outlives the shutdown of its system, and spawns then.
#[derive(Actor)]
#[actor(blocking)]
struct RemainingActor;

#[behaviours]
impl RemainingActor {
    fn spawn_late(&self, t: &Turn<Self>, gate: Arc<Barrier>, spawned: mpsc::Sender<()>) {
        gate.wait();
        gate.wait();
        drop(t.spawn_actor(RemainingActor));
        spawned.send(()).expect("the test waits");
    }
}

#[test]
fn a_turn_that_outlives_the_shutdown_may_spawn() {
    let system = System::builder().workers(1).build();
    let (gate, (sender, spawned)) = (Arc::new(Barrier::new(2)), mpsc::channel());
    let survivor = system.spawn(RemainingActor);
    survivor.spawn_late(gate.clone(), sender).send();
    gate.wait();
    assert!(!system.shutdown_within(Duration::ZERO).is_complete());
    gate.wait();
    spawned.recv().expect("the turn does not panic");
    drop(survivor);
    wait_while(|| !system.inspect().actors.is_empty());
}
