//! Waits for other threads.

use std::time::Duration;
use vivant::prelude::*;

/// A duration in milliseconds.
pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Waits until this is no longer so.
pub(crate) fn wait_while(mut is_so: impl FnMut() -> bool) {
    while is_so() {
        std::thread::yield_now();
    }
}

/// Waits until no message is in a mailbox and no actor runs.
pub(crate) fn until_quiet(system: &System) {
    wait_while(|| {
        let actors = system.inspect().actors;
        let is_busy = |actor: &vivant::ActorFacts| actor.depth > 0 || actor.current.is_some();
        actors.iter().any(is_busy)
    });
}
