//! `#[start]` and `#[stop]`.

use super::Outcome;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::prelude::*;
use vivant::simulation::Simulation;

#[derive(Actor)]
struct Door<T: Send + 'static> {
    told: Arc<AtomicU64>,
    _inside: T,
}

#[behaviours]
impl<T: Send + 'static> Door<T> {
    #[start]
    fn open(told: Arc<AtomicU64>, inside: T) -> Self {
        Door {
            told,
            _inside: inside,
        }
    }

    fn knock(&mut self) {
        self.told.fetch_add(1, Ordering::Relaxed);
    }

    #[stop]
    fn close(&mut self, t: &Turn<Self>, reason: &StopReason) {
        assert!(Address::is_me(&t.me()));
        assert_eq!(*reason, StopReason::Drained);
        self.told.fetch_add(10, Ordering::Relaxed);
    }
}

#[derive(Actor)]
struct Bell(Arc<AtomicU64>);

#[behaviours]
impl Bell {
    #[start]
    fn new(t: &Turn<Self>, told: Arc<AtomicU64>) -> Bell {
        t.stop();
        Bell(told)
    }

    #[stop]
    fn silence(&mut self) {
        self.0.fetch_add(100, Ordering::Relaxed);
    }
}

#[test]
fn run_at_both_ends() -> Outcome {
    let told = Arc::new(AtomicU64::new(0));
    let simulation = Simulation::new(1);
    let door = Door::spawn(simulation.system(), told.clone(), "a room");
    door.knock().ask_blocking()?;
    Address::stop_after_queue(&door);
    drop(Bell::spawn(simulation.system(), told.clone()));
    simulation.run();
    assert_eq!(told.load(Ordering::Relaxed), 111);
    Ok(())
}
