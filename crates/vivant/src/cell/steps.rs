//! Behaviours in steps: the next one comes before any other message.

use super::held::{Held, Next};
use super::rare::Pending;
use super::{Steps, catch};
use crate::mailbox::Envelope;

impl Held<'_> {
    /// The behaviour that has just run has another step.
    #[cold]
    pub(super) fn has_step(&mut self, envelope: Envelope) {
        self.worker.account_more(envelope.kind().bytes);
        let locals = self.worker.locals.take();
        let owner = self.owner();
        owner.rare().step = Some(Pending { envelope, locals });
        owner.steps = Steps::Pending;
    }

    #[cold]
    pub(super) fn next_step(&mut self) -> Next {
        let Some(Pending { envelope, locals }) = self.pending() else {
            return Next::LooksOn;
        };
        self.worker.locals.set(locals);
        Next::Message(envelope)
    }

    /// The step that will not be taken any more, if there is one. What was left for it is dropped.
    pub(super) fn take_step(&mut self) -> Option<Envelope> {
        let Pending { envelope, locals } = self.pending()?;
        self.worker.locals.set(locals);
        self.drop_left();
        Some(envelope)
    }

    /// Drops what a step has left, or was to find. That is user code, and its panic costs nothing else.
    pub(super) fn drop_left(&self) {
        let (again, locals) = (self.worker.take_again(), self.worker.locals.take());
        if let Err(caught) = catch(|| drop((again, locals))) {
            self.panicked("the drop of a step's locals", caught);
        }
    }

    /// The actor goes on after a panic, which may have come before its step took up what had been left in the heap: nobody else is
    /// to find that.
    pub(super) fn forget_locals(&mut self) {
        if self.owner().steps == Steps::None {
            (self.actor.class.forget_locals)(&mut self.state());
        }
    }

    fn pending(&mut self) -> Option<Pending> {
        let owner = self.owner();
        if owner.steps == Steps::None {
            return None;
        }
        owner.steps = Steps::None;
        let pending = owner.rare().step.take()?;
        self.worker.account_less(pending.envelope.kind().bytes);
        Some(pending)
    }
}
