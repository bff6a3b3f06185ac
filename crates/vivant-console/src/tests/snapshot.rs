//! The content of a snapshot, and how another version reads it.

use super::*;
use crate::wire::{Actor, Request};
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Gate {
    open: bool,
}

#[behaviours]
impl Gate {
    #[when(self.open)]
    fn pass(&mut self) {}

    fn fail(&mut self) {
        std::panic::resume_unwind(Box::new("the gate fell"));
    }
}

fn look(simulation: &Simulation) -> Snapshot {
    Snapshot::from_inspection(simulation.now(), &simulation.system().inspect())
}

#[test]
fn seeded_facts_of_a_system() {
    let test = |simulation: &Simulation| {
        let system = simulation.system();
        let gate = system.spawn(Gate { open: false });
        let counter = system.spawn(Counter { count: 0 });
        for _ in 0..3 {
            gate.pass().send();
        }
        simulation.run_for(Duration::from_millis(5));
        counter.add().send();
        let snapshot = look(simulation);
        assert_eq!(snapshot.at_ms, 5);
        let totals = snapshot.totals;
        assert_eq!((totals.actors, totals.left_out), (2, 0));
        assert_eq!(totals.deferred, 3);
        assert_eq!(snapshot.actors[0].deferred, 3);
        assert_eq!(
            snapshot.actors[1].type_name,
            <Counter as vivant::Target>::NAME
        );
        gate.fail().send();
        simulation.run();
        let snapshot = look(simulation);
        assert_eq!(snapshot.totals.panics, 1);
        assert_eq!(snapshot.totals.dead_letters, 3);
        assert_eq!(snapshot.dead_letters[0].count, 3);
        assert_eq!(snapshot.reports[0].kind, "panicked");
        assert!(snapshot.reports[0].text.contains("the gate fell"));
    };
    let seeds = vivant::simulation::Seeds(20);
    vivant::simulation::check("facts", seeds, &vivant::simulation::Faults::none(), test);
}

#[test]
fn it_comes_back_as_it_went() {
    let simulation = Simulation::new(1);
    let _gate = simulation.system().spawn(Gate { open: true });
    let snapshot = look(&simulation);
    let line = serde_json::to_string(&snapshot).unwrap();
    assert!(!line.contains('\n'));
    assert_eq!(serde_json::from_str::<Snapshot>(&line).unwrap(), snapshot);
}

#[test]
fn fields_of_another_version_are_no_error() {
    let line = r#"{"version":1,"at_ms":7,"moon":"full","actors":[{"actor":"a","colour":[1,2]}]}"#;
    let snapshot: Snapshot = serde_json::from_str(line).unwrap();
    assert_eq!(snapshot.at_ms, 7);
    let expected = Actor {
        actor: "a".into(),
        ..Actor::default()
    };
    assert_eq!(snapshot.actors, [expected]);
    let refusal: Refusal = serde_json::from_str(r#"{"version":3,"error":"tired"}"#).unwrap();
    assert_eq!(refusal.error, Reason::Other);
}

#[test]
fn a_request_is_what_the_readme_says() {
    let request: Request = serde_json::from_str(FACTS).unwrap();
    assert_eq!(serde_json::to_string(&request).unwrap(), FACTS);
}
