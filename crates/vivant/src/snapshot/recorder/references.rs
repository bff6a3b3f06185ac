//! The references that encoded values have: to actors that the image lacks, and handles.

use super::super::ended::EndedRecord;
use super::ImageRecorder;
use crate::actor::{Header, SeenActors};
use crate::sync::lock;
use std::any::Any;

impl ImageRecorder {
    /// Calls `body` with the context of an encoder that notes the actors which the image lacks, and
    /// the subscriptions of which it has a handle.
    pub(super) fn noting_references<R>(
        &self,
        actor: &Header,
        body: impl FnOnce(&[&dyn Any]) -> R,
    ) -> R {
        let seen = SeenActors::of(&actor.system, self.scope.clone());
        let result = body(&[&seen]);
        let handles = seen.take_subscriptions();
        if !handles.is_empty() {
            lock(&self.recorded).memberships.add_handles(handles);
        }
        let handles = seen.take_synchronizers();
        if !handles.is_empty() {
            lock(&self.recorded).synchronizers.handles.extend(handles);
        }
        let mut ended = seen.into_cells().peekable();
        if ended.peek().is_some() {
            let line = actor.system.passes.now().phase();
            let ended = ended.map(|cell| EndedRecord::of(&cell, line));
            let ended: Vec<_> = ended.map(|record| (record.id, record)).collect();
            lock(&self.recorded).ended.extend(ended);
        }
        result
    }
}
