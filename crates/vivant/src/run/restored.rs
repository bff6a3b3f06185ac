//! An actor that runs gets the state that it has in an image.

use super::run_guard::{After, RunGuard};
use crate::actor::{
    ActorRestored, AfterStop, Guards, KindTable, Lifecycle, NotLoaded, RestoreMessage,
    RestoredParts, WaitPurpose,
};
use crate::failures::catch;

impl RunGuard<'_> {
    /// The state of the image is loaded. Then the state of the actor goes, and that of the image
    /// comes: so what both lead to lives. The mailbox stays, and so do links and watches: the actor
    /// has not ended.
    pub(crate) fn restore(&mut self, kind: &'static KindTable, message: RestoreMessage) -> After {
        let RestoreMessage { load, done } = message;
        if let Some(why_not) = self.is_not_restored() {
            done(why_not);
            return self.handle_request();
        }
        self.worker.turn_begins(kind);
        // Loading is code of users.
        let loaded = catch(|| load(&mut self.state()));
        self.worker.turn_ends();
        let loaded = loaded.unwrap_or_else(|caught| {
            let panic = self.panicked(kind.name, caught);
            Err(NotLoaded::Failed(panic.to_string()))
        });
        done(match loaded {
            Ok(parts) => {
                self.has_loaded(kind, parts);
                ActorRestored::Yes
            }
            Err(NotLoaded::NotInImage) => ActorRestored::Unchanged,
            Err(NotLoaded::Failed(why)) => ActorRestored::No(why),
        });
        self.handle_request()
    }

    /// An actor that is about to end, or has not begun, is what its supervisor and its callers wait
    /// for.
    fn is_not_restored(&mut self) -> Option<ActorRestored> {
        let starts = self.waits_for(WaitPurpose::Start);
        let owner = self.owner();
        let stop = owner.cold.as_ref().and_then(|cold| cold.stop.as_ref());
        match (owner.life, stop.map(|stop| stop.then)) {
            (Lifecycle::Running, _) => starts.then_some(ActorRestored::Unchanged),
            (_, Some(AfterStop::Ends)) => Some(ActorRestored::Ended),
            _ => Some(ActorRestored::Unchanged),
        }
    }

    fn has_loaded(&mut self, kind: &'static KindTable, parts: RestoredParts) {
        let RestoredParts {
            put,
            step,
            break_promises,
        } = parts;
        self.drop_state();
        self.forget_turn();
        let phase = self.phase();
        let waits = put(&mut self.state(), phase);
        self.heap_has_come();
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
