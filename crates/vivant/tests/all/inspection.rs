//! What `System::inspect` reports of actors and workers while they run.

use crate::scenes::{LIMIT, Sender, Slow};
use std::sync::{Arc, Barrier};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{ActorFacts, Inspection};

fn actor<A: Actor>(seen: &Inspection) -> &ActorFacts {
    let of_type = |actor: &&ActorFacts| actor.type_name == A::NAME;
    seen.actors.iter().find(of_type).expect("it is alive")
}

/// Inspects again until the final state is seen.
fn until(system: &System, is_so: impl Fn(&Inspection) -> bool) -> Inspection {
    loop {
        let seen = system.inspect();
        if is_so(&seen) {
            return seen;
        }
        std::thread::yield_now();
    }
}

#[test]
fn inspection_names_the_muting_actor_and_the_age_of_a_turn() {
    let system = System::builder().workers(2).overload(LIMIT).build();
    let gate = Arc::new(Barrier::new(2));
    let slow = system.spawn(Slow { gate: gate.clone() });
    let sender = system.spawn(Sender { slow: slow.clone() });
    assert_eq!(actor::<Sender>(&system.inspect()).muted_by, None);
    slow.wait().send();
    sender.pour().ask_blocking().expect("the first turn runs");
    let seen = until(&system, |seen| actor::<Slow>(seen).mutes == 1);
    let (muted, muting) = (actor::<Sender>(&seen), actor::<Slow>(&seen));
    assert_eq!(muted.muted_by.as_ref(), Some(&muting.actor));
    assert_eq!(muting.muted_by, None);
    let turn = until(&system, |seen| {
        actor::<Slow>(seen).current_for >= Some(Duration::from_millis(3))
    });
    assert!(actor::<Slow>(&turn).current_for <= Some(turn.now));
    assert_eq!(actor::<Sender>(&turn).current_for, None);
    gate.wait();
    let seen = until(&system, |seen| {
        actor::<Sender>(seen).muted_by.is_none() && actor::<Slow>(seen).current.is_none()
    });
    assert_eq!(actor::<Slow>(&seen).current_for, None);
    assert!(system.shutdown().is_complete());
}

#[test]
fn inspection_counts_turns_and_busy_time_of_workers() {
    let system = System::builder().name("quiet").workers(2).build();
    let gate = Arc::new(Barrier::new(1));
    let slow = system.spawn(Slow { gate });
    for _ in 0..100 {
        slow.take().ask_blocking().expect("it takes all");
    }
    let busy = |seen: &Inspection| -> Duration {
        let workers = seen.worker_facts.iter();
        workers.map(|worker| worker.busy).sum()
    };
    // All workers sleep in the end: time passes, and none of it counts as busy.
    let (before, after) = loop {
        let (before, after) = (system.inspect(), system.inspect());
        if after.now > before.now && busy(&after) == busy(&before) {
            break (before, after);
        }
    };
    assert_eq!(
        (after.name.as_str(), after.worker_facts.len()),
        ("quiet", 2)
    );
    assert!(busy(&before) > Duration::ZERO);
    for worker in &after.worker_facts {
        assert!(worker.busy < after.now);
    }
    assert!(after.turns >= 100);
    let by_workers: u64 = after.worker_facts.iter().map(|worker| worker.turns).sum();
    assert!((100..=after.turns).contains(&by_workers));
}

#[test]
fn a_simulation_counts_its_turns_in_virtual_time() {
    let simulation = Simulation::new(1);
    let gate = Arc::new(Barrier::new(1));
    let slow = simulation.system().spawn(Slow { gate });
    for _ in 0..5 {
        slow.take().send();
    }
    simulation.run_for(Duration::from_secs(3));
    let seen = simulation.system().inspect();
    assert_eq!((seen.turns, seen.now), (5, Duration::from_secs(3)));
    assert!(seen.worker_facts.is_empty());
    assert_eq!(actor::<Slow>(&seen).current_for, None);
}
