//! Behaviours in steps: the next one comes before any other message.

use super::Steps;
use super::held::{Held, Next};
use super::rare::Pending;
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
        let owner = self.owner();
        owner.steps = Steps::None;
        let Some(Pending { envelope, locals }) = owner.rare().step.take() else {
            return Next::LooksOn;
        };
        self.worker.account_less(envelope.kind().bytes);
        self.worker.locals.set(locals);
        Next::Message(envelope)
    }

    /// The step that will not be taken any more, if there is one. What was left for it is dropped.
    pub(super) fn take_step(&mut self) -> Option<Envelope> {
        match self.next_step_if_any() {
            Some(Next::Message(envelope)) => {
                drop(self.worker.locals.take());
                Some(envelope)
            }
            _ => None,
        }
    }

    fn next_step_if_any(&mut self) -> Option<Next> {
        (self.owner().steps == Steps::Pending).then(|| self.next_step())
    }
}
