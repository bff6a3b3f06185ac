//! Cuts of systems with threads, for tests.

use super::{Coordinator, Outcome, Step};
use crate::actor::{Recorder, Shared};
use crate::sync::{Arc, AtomicBool, Ordering};
use std::thread;

/// A cut that is not complete after this number of steps hangs.
const STEPS_MAX: usize = 100_000_000;

/// Takes a cut while the threads of the system run.
pub(crate) fn take_beside_threads(system: &Arc<Shared>, recorder: Arc<dyn Recorder>) -> Outcome {
    let mut coordinator = Coordinator::new(system);
    coordinator.begin(system, recorder);
    for _ in 0..STEPS_MAX {
        match coordinator.step(system) {
            Step::More => {}
            Step::Waits => thread::yield_now(),
            Step::Complete(outcome) => return outcome,
        }
    }
    panic!("the cut is not complete");
}

/// Tells other threads of a test to end, also after a panic.
pub(crate) struct Over<'a>(pub(crate) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
