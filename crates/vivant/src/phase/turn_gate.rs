//! Where workers wait while no turn may begin (L11).

use crate::sync::{Condvar, Mutex, PoisonError, fault, lock};

/// The gate of a system. Whether it is closed is a part of the word of the pass, so that workers
/// need no second read.
#[derive(Default)]
pub(super) struct TurnGate {
    /// Held while the gate is opened, so that no worker falls asleep behind the notification.
    opening: Mutex<()>,
    opened: Condvar,
}

impl TurnGate {
    /// Waits while the gate is closed.
    pub(super) fn wait(&self, is_closed: impl Fn() -> bool) {
        let mut opening = lock(&self.opening);
        while is_closed() {
            opening = self
                .opened
                .wait(opening)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Opens the gate: `open` changes the word.
    pub(super) fn open(&self, open: impl FnOnce()) {
        let opening = lock(&self.opening);
        open();
        drop(opening);
        fault!(OpenedSilently => {
            return;
        });
        self.opened.notify_all();
    }
}
