//! Recorders that panic.

use super::*;

struct Panics;

impl Recorder for Panics {
    fn captured(&self, _: &Header, _: &mut StateRef<'_>) {
        panic!("a recorder panics");
    }

    fn captured_run_state(&self, _: &Header, _: &RunState) {}

    fn waits(&self, _: &Header, _: WaitingPlace, _: WaitsAs, _: &Envelope) -> usize {
        0
    }

    fn is_signalled(&self, _: &Header, _: Option<&TreeEnd>, _: Signals) {}

    fn panicked(&self, _: Caught) {}
}

/// The cut fails, `actor` goes on, and the next cut contains it.
fn fails_and_goes_on(simulation: &Simulation, actor: &Address<Doer>, mut coordinator: Coordinator) {
    let system = simulation.system();
    assert_ne!(
        finish_simulated(&mut coordinator, simulation),
        Outcome::Consistent
    );
    actor.plain(2).send();
    simulation.run();
    let log = Arc::new(Log::default());
    coordinator.begin(system.shared(), log.clone());
    assert_eq!(
        finish_simulated(&mut coordinator, simulation),
        Outcome::Consistent
    );
    assert!(
        log.has(&Event::Captured(id(actor), Some(3))),
        "{:?}",
        log.all()
    );
}

#[test]
fn a_panic_of_a_recorder_in_a_run_fails_the_cut_alone() {
    let simulation = Simulation::new(1);
    let system = simulation.system().clone();
    let actor = system.spawn(doer());
    let _idle = system.spawn(doer());
    actor.plain(1).send();
    let mut coordinator = Coordinator::new(system.shared());
    coordinator.begin(system.shared(), Arc::new(Panics));
    simulation.step();
    fails_and_goes_on(&simulation, &actor, coordinator);
}

#[test]
fn a_panic_of_a_recorder_at_an_idle_actor_fails_the_cut_alone() {
    let simulation = Simulation::new(1);
    let system = simulation.system().clone();
    let actor = system.spawn(doer());
    actor.plain(1).send();
    simulation.run();
    let mut coordinator = Coordinator::new(system.shared());
    coordinator.begin(system.shared(), Arc::new(Panics));
    fails_and_goes_on(&simulation, &actor, coordinator);
}
