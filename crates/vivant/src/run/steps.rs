//! Behaviours in steps: the next step comes before any other message.

use super::run_guard::{NextMessage, RunGuard};
#[cfg(test)]
use crate::actor::BoundedQueue;
#[cfg(test)]
use crate::actor::Lifecycle;
use crate::actor::{Envelope, StepProgress};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
#[cfg(test)]
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl RunGuard<'_> {
    /// Stores the next step of the behaviour that has just run.
    #[cold]
    pub(crate) fn set_step(&mut self, envelope: Envelope) {
        self.worker.account_more(envelope.kind().bytes);
        #[cfg(test)]
        if is_planted(InjectedFault::StepTakesPlace) {
            self.worker.current.with_bounded_queue(BoundedQueue::occupy);
        }
        let owner = self.owner();
        owner.cold().step = Some(envelope);
        owner.steps = StepProgress::Pending;
    }

    #[cold]
    pub(crate) fn next_step(&mut self) -> NextMessage {
        let Some(envelope) = self.pending() else {
            return NextMessage::More;
        };
        #[cfg(test)]
        if is_planted(InjectedFault::StepAfterPanic) {
            let hit = || self.worker.fault_before(envelope.kind(), &"");
            if let Err(panic) = catch_unwind(AssertUnwindSafe(hit)) {
                self.set_step(envelope);
                resume_unwind(panic);
            }
        }
        NextMessage::Message(envelope)
    }

    /// Takes out the step that will not run any more, if there is one.
    pub(crate) fn take_step(&mut self) -> Option<Envelope> {
        #[cfg(test)]
        if self.owner().life == Lifecycle::Down && is_planted(InjectedFault::InheritedStep) {
            return None;
        }
        let envelope = self.pending()?;
        #[cfg(test)]
        if is_planted(InjectedFault::UntoldStep) {
            return None;
        }
        Some(envelope)
    }

    /// Returns true if the test has injected this fault and a step is pending.
    #[cfg(test)]
    pub(crate) fn has_bug_between_steps(&mut self, bug: InjectedFault) -> bool {
        self.owner().steps == StepProgress::Pending && is_planted(bug)
    }

    /// Drops the step that a turn has requested before it panicked. The drop of its arguments and
    /// locals is user code; a panic in it is caught here.
    pub(crate) fn drop_next_step(&self) {
        #[cfg(test)]
        if is_planted(InjectedFault::LeftWithWorker) {
            return;
        }
        let next = self.worker.take_next_step();
        if let Err(caught) = catch(|| drop(next)) {
            self.panicked("the drop of a next step", caught);
        }
    }

    fn pending(&mut self) -> Option<Envelope> {
        let owner = self.owner();
        if owner.steps == StepProgress::None {
            return None;
        }
        owner.steps = StepProgress::None;
        let pending = owner.cold().step.take()?;
        self.worker.account_less(pending.kind().bytes);
        Some(pending)
    }
}
