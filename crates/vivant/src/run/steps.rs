//! Behaviours in steps: the next step comes before any other message.

use super::run_guard::{NextMessage, RunGuard};
#[cfg(test)]
use crate::actor::BoundedQueue;
#[cfg(test)]
use crate::actor::Lifecycle;
use crate::actor::{Envelope, PendingStep, StepProgress};
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
        let locals = self.worker.locals.take();
        let owner = self.owner();
        owner.cold().step = Some(PendingStep { envelope, locals });
        owner.steps = StepProgress::Pending;
    }

    #[cold]
    pub(crate) fn next_step(&mut self) -> NextMessage {
        let Some(PendingStep { envelope, locals }) = self.pending() else {
            return NextMessage::More;
        };
        #[cfg(test)]
        let locals = locals.filter(|_| !is_planted(InjectedFault::LostLocals));
        #[cfg(test)]
        if is_planted(InjectedFault::StepAfterPanic) {
            let hit = || self.worker.fault_before(envelope.kind(), &"");
            if let Err(panic) = catch_unwind(AssertUnwindSafe(hit)) {
                self.worker.locals.set(locals);
                self.set_step(envelope);
                resume_unwind(panic);
            }
        }
        self.worker.locals.set(locals);
        NextMessage::Message(envelope)
    }

    /// Takes out the step that will not run any more, if there is one. Its locals are dropped.
    pub(crate) fn take_step(&mut self) -> Option<Envelope> {
        #[cfg(test)]
        if self.owner().life == Lifecycle::Down && is_planted(InjectedFault::InheritedStep) {
            return None;
        }
        let PendingStep { envelope, locals } = self.pending()?;
        #[cfg(test)]
        if is_planted(InjectedFault::LeakedLocals) {
            std::mem::forget(locals);
            return Some(envelope);
        }
        self.worker.locals.set(locals);
        self.drop_step_state();
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

    /// Drops the locals that a step has left or was to find. That is user code; a panic in it is
    /// caught here.
    pub(crate) fn drop_step_state(&self) {
        #[cfg(test)]
        if is_planted(InjectedFault::LeftWithWorker) {
            return;
        }
        let (again, locals) = (self.worker.take_next_step(), self.worker.locals.take());
        if let Err(caught) = catch(|| drop((again, locals))) {
            self.panicked("the drop of a step's locals", caught);
        }
    }

    /// The actor continues after a panic, which may have come before the step took its locals out
    /// of the heap. They are dropped, so that no other message finds them.
    pub(crate) fn forget_locals(&mut self) {
        #[cfg(test)]
        if is_planted(InjectedFault::LeftInHeap) {
            return;
        }
        if self.owner().steps == StepProgress::None {
            (self.actor.class.forget_locals)(&mut self.state());
        }
    }

    fn pending(&mut self) -> Option<PendingStep> {
        let owner = self.owner();
        if owner.steps == StepProgress::None {
            return None;
        }
        owner.steps = StepProgress::None;
        let pending = owner.cold().step.take()?;
        self.worker.account_less(pending.envelope.kind().bytes);
        Some(pending)
    }
}
