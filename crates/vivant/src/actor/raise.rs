//! Signals as their senders raise them.

use super::recorder::record;
use super::reference::CellRef;
use super::run_state::TreeEnd;
use super::signals::Signals;
use super::worker::Worker;

impl CellRef {
    /// Raises `signal`; a parked actor goes into a run queue. No effect on an actor that has ended.
    pub(crate) fn signal(&self, signal: Signals) {
        self.raise(signal, None);
    }

    /// Its supervisor stops it, for the reason that is set, if one is.
    pub(crate) fn stop_in_tree(&self, end: &TreeEnd) {
        self.raise(Signals::STOP, Some(end));
    }

    fn raise(&self, signal: Signals, end: Option<&TreeEnd>) {
        let notified = Worker::send_to(&self.system, |phase| {
            self.signals.raise(signal, phase.parity());
            let notified = self.inbox.notify();
            // L4: it has ended behind the line, so it waits in the cut.
            if self.ended_in().is_some_and(|ended_in| ended_in > phase) {
                record(&self.system, |cut| cut.is_signalled(self, end, signal));
            }
            notified
        });
        self.notified(notified);
    }
}
