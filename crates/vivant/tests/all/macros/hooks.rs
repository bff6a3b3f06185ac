//! `#[start]` and `#[stop]`.

use super::Outcome;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, StartCall, StartFunction, Supervisor};

#[derive(Actor)]
struct Door<T: Send + 'static> {
    notified: Arc<AtomicU64>,
    _inside: T,
}

#[behaviours]
impl<T: Send + 'static> Door<T> {
    #[start]
    fn open(notified: Arc<AtomicU64>, inside: T) -> Self {
        Door {
            notified,
            _inside: inside,
        }
    }

    fn knock(&mut self) {
        self.notified.fetch_add(1, Ordering::Relaxed);
    }

    #[stop]
    fn close(&mut self, t: &Turn<Self>, reason: &StopReason) {
        assert!(Address::is_me(&t.me()));
        assert_eq!(*reason, StopReason::Drained);
        self.notified.fetch_add(10, Ordering::Relaxed);
    }
}

#[derive(Actor)]
struct Bell(Arc<AtomicU64>);

#[behaviours]
impl Bell {
    #[start]
    fn new(t: &Turn<Self>, notified: Arc<AtomicU64>) -> Bell {
        t.stop();
        Bell(notified)
    }

    #[stop]
    fn silence(&mut self) {
        self.0.fetch_add(100, Ordering::Relaxed);
    }
}

#[test]
fn start_and_stop_hooks_run() -> Outcome {
    let notified = Arc::new(AtomicU64::new(0));
    let simulation = Simulation::new(1);
    let door = Door::spawn(simulation.system(), notified.clone(), "a room");
    door.knock().ask_blocking()?;
    Address::stop_after_queue(&door);
    drop(Bell::spawn(simulation.system(), notified.clone()));
    simulation.run();
    assert_eq!(notified.load(Ordering::Relaxed), 111);
    Ok(())
}

/// Its arguments and its start function are private.
#[derive(Clone, Copy)]
struct Step(u64);

#[derive(Actor)]
pub(crate) struct Odometer {
    step: Step,
    total: u64,
}

#[behaviours]
impl Odometer {
    #[start]
    fn at(step: Step, total: u64) -> Self {
        Odometer { step, total }
    }
}

#[behaviours]
impl Odometer {
    fn drive(&mut self) -> u64 {
        self.total += self.step.0;
        self.total
    }
}

/// A start is a name and arguments; it has no block of messages to be in.
#[test]
fn a_start_is_a_type_with_a_stable_name() -> Outcome {
    type At = odometer_messages_start::At<Odometer>;
    assert_eq!(
        <At as StartFunction>::NAME,
        "all::macros::hooks::Odometer::at"
    );
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let spawned = Odometer::spawn(system, Step(2), 10);
    let by_name = system.spawn_start::<At>((Step(3), 10));
    let child: Child<Odometer, StartCall<At>> = Odometer::child(Step(4), 10);
    assert_eq!(
        format!(
            "{:?}",
            Child::<Odometer, StartCall<At>>::start((Step(4), 10))
        ),
        format!("{child:?}")
    );
    let tree = Supervisor::one_for_one().spawn(system);
    let supervised = tree.add(child);
    assert_eq!(spawned.drive().ask_blocking()?, 12);
    assert_eq!(by_name.drive().ask_blocking()?, 13);
    assert_eq!(supervised.drive().ask_blocking()?, 14);
    Ok(())
}
