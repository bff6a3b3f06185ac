//! A worker and the line of a cut: the pass of the code that it runs, and the phase of what that
//! code sends (`phase/README.md`).

use super::shared::Shared;
use super::worker::Worker;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Pass, PassMark, Phase, SendingFromOutside, Stamp, send_from_outside};
use std::ptr;

impl Shared {
    /// Returns the phase of the code that runs, as `Worker::send_to` has it. For a thread outside
    /// it may be over when this returns: no cut has what that thread does.
    pub(crate) fn phase_of_code(&self) -> Phase {
        let of_worker = Worker::entered(self, Worker::phase);
        of_worker.unwrap_or_else(|| self.passes.now().phase())
    }
}

impl Worker {
    /// Returns the pass of the code that runs.
    #[inline]
    pub(crate) fn pass(&self) -> Pass {
        self.pass.pass()
    }

    /// Returns the low bits of that pass.
    #[inline]
    pub(crate) fn pass_mark(&self) -> PassMark {
        self.pass.mark()
    }

    /// Returns the stamp of the messages that are sent now.
    #[inline]
    pub(crate) fn stamp(&self) -> Stamp {
        self.pass.stamp()
    }

    /// L2: what runs from here on is in the pass of the system, which this returns.
    #[inline]
    pub(crate) fn enter_pass(&self) -> Pass {
        self.pass.enter(&self.system.passes)
    }

    /// As `enter_pass`, between two turns: if no turn may begin, the worker waits here (L11).
    #[inline]
    pub(crate) fn between_turns(&self) {
        self.pass.between_turns(&self.system.passes);
    }

    /// Returns the phase of what is sent now (L3).
    #[inline]
    pub(crate) fn phase(&self) -> Phase {
        self.pass.phase()
    }

    /// L7: the pass of an actor that is made now.
    pub(crate) fn pass_of_birth(&self) -> Pass {
        match self.phase() == self.pass().phase() {
            true => self.pass(),
            // Made by news: of behind the line.
            false => self.system.passes.now(),
        }
    }

    /// Whether the code that runs is in an earlier phase than the system.
    #[inline]
    pub(crate) fn is_behind(&self) -> bool {
        self.pass().phase() != self.system.passes.now().phase()
    }

    /// L6: as `enter_pass`, unless an actor runs, which enters by itself.
    pub(crate) fn enter_pass_between_runs(&self) {
        if self.current.with(|_| ()).is_none() {
            let _pass = self.enter_pass();
        }
    }

    /// L8: this code before the line has learned something that may be of behind it.
    pub(crate) fn may_know_news(&self) {
        #[cfg(test)]
        if is_planted(InjectedFault::NewsUnnoticed) {
            return;
        }
        if self.is_behind() {
            self.system.passes.void();
        }
    }

    /// Calls `body` with the worker of `system` that this thread is, also if a turn of it drives
    /// another system.
    pub(super) fn entered<R>(system: &Shared, body: impl FnOnce(&Worker) -> R) -> Option<R> {
        let mut body = Some(body);
        Worker::find_entered(|worker| {
            let is_of = ptr::eq(&*worker.system, system);
            is_of.then(|| body.take().map(|body| body(worker)))
        })
        .flatten()
    }

    /// L3: calls `body`, which sends to `system`, with the phase of what it sends.
    #[inline]
    pub(crate) fn send_to<R>(system: &Shared, body: impl FnOnce(Phase) -> R) -> R {
        match Worker::of(system, Worker::phase) {
            Some(phase) => body(phase),
            None => Worker::send_from_elsewhere(system, body),
        }
    }

    /// As `send_to`, for a turn of `system` that drives another system, or a thread outside.
    #[cold]
    fn send_from_elsewhere<R>(system: &Shared, body: impl FnOnce(Phase) -> R) -> R {
        match Worker::entered(system, Worker::phase) {
            Some(phase) => body(phase),
            None => send_from_outside(|| system.passes.now(), |pass| body(pass.phase())),
        }
    }

    /// L7: returns the pass of an actor of `system` that the caller makes now. A thread outside
    /// sends until it drops the other value.
    #[inline]
    pub(crate) fn pass_of_birth_in(system: &Shared) -> (Pass, Option<SendingFromOutside>) {
        match Worker::of(system, Worker::pass_of_birth) {
            Some(pass) => (pass, None),
            None => Worker::pass_of_birth_from_elsewhere(system),
        }
    }

    #[cold]
    fn pass_of_birth_from_elsewhere(system: &Shared) -> (Pass, Option<SendingFromOutside>) {
        match Worker::entered(system, Worker::pass_of_birth) {
            Some(pass) => (pass, None),
            None => {
                let sending = SendingFromOutside::begin();
                (system.passes.now(), Some(sending))
            }
        }
    }

    /// L8: as `may_know_news`, for each worker that this thread is.
    #[cold]
    pub(crate) fn all_may_know_news() {
        Worker::find_entered(|worker| {
            worker.may_know_news();
            None::<()>
        });
    }

    /// L8: this code has learned something that is of this phase, in the system with this number.
    #[cold]
    pub(crate) fn may_know_news_of(system: u64, phase: Phase) {
        Worker::find_entered(|worker| {
            if worker.system.number == system && worker.pass().phase() < phase {
                worker.may_know_news();
            }
            None::<()>
        });
    }

    /// L3: what `body` sends is news of this phase.
    pub(crate) fn with_news_of<R>(&self, phase: Phase, body: impl FnOnce() -> R) -> R {
        self.pass.with_news_of(phase, body)
    }

    /// L5: the thread of this worker publishes its pass while `body` runs.
    pub(crate) fn published<R>(&self, body: impl FnOnce() -> R) -> R {
        self.pass.published(&self.system.passes, body)
    }

    /// L5: the thread runs nothing while `body` runs, which waits.
    pub(crate) fn waits<R>(&self, body: impl FnOnce() -> R) -> R {
        self.pass.waits(&self.system.passes, body)
    }
}
