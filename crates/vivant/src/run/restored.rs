//! An actor that runs gets the state that it has in an image.

use super::run_guard::{After, RunGuard};
use crate::actor::{ActorRestored, Guards, KindTable, RestoreMessage, RestoredParts};
use crate::failures::{Failed, StopReason, catch};
use crate::sync::Arc;

impl RunGuard<'_> {
    /// The state of the actor goes, and that of the image comes. The mailbox stays, and so do links
    /// and watches: the actor has not ended.
    pub(crate) fn restore(&mut self, kind: &'static KindTable, message: RestoreMessage) -> After {
        let RestoreMessage { restore, done } = message;
        self.drop_state();
        self.forget_turn();
        self.worker.turn_begins(kind);
        // Loading is code of users.
        let restored = catch(|| restore(&mut self.state()));
        self.worker.turn_ends();
        let restored = restored.unwrap_or_else(|caught| {
            let panic = self.panicked(kind.name, caught);
            Err(panic.to_string())
        });
        match restored {
            Ok(parts) => {
                self.heap_has_come();
                self.has_restored(kind, parts);
                done(ActorRestored::Yes);
                self.handle_request()
            }
            Err(why) => {
                done(ActorRestored::No(why.clone()));
                let failed = Failed {
                    behaviour: kind.name,
                    message: why,
                };
                After::End(StopReason::Failed(Arc::new(failed)))
            }
        }
    }

    fn has_restored(&mut self, kind: &'static KindTable, parts: RestoredParts) {
        let RestoredParts {
            waits,
            step,
            break_promises,
        } = parts;
        let owner = self.owner();
        owner.guards = owner.guards.after_turn();
        if !waits.is_empty() {
            owner.cold().waits.extend(waits);
            owner.guards = Guards::Held;
        }
        if let Some(step) = step {
            self.set_step(step);
        }
        self.as_turn(kind, || {
            if let Err(caught) = catch(break_promises) {
                self.panicked(kind.name, caught);
            }
        });
    }
}
