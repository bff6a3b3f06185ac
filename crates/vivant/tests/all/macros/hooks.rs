//! `#[start]` and `#[stop]`.

use super::Outcome;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vivant::prelude::*;
use vivant::simulation::Simulation;

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
