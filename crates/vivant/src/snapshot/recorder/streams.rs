//! The last messages of streams that a cut records.

use super::super::promises::lost_with_its_code;
use super::super::unsaved::Unsaved;
use super::ImageRecorder;
use super::messages::form_of;
use crate::actor::{Header, SavedClass, StateRef, WaitingPlace, drop_foreign};
use crate::edge::{lost_stream, stream_reader};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::{Arc, lock};

impl ImageRecorder {
    /// A stream that has not ended is lost at the line, if `actor` polls one. Its reader hears of
    /// it behind all items that wait. A reader that starts again does not: its start attaches the
    /// stream anew.
    pub(super) fn stream_leaves(&self, actor: &Header, state: &mut StateRef<'_>) {
        let Some(reader) = stream_reader(state) else {
            return;
        };
        let line = actor.system.passes.now().phase();
        let had_ended = reader.ended_in().is_some_and(|ended_in| ended_in < line);
        let is_here = Arc::ptr_eq(&reader.system, &actor.system);
        if had_ended || !is_here || !matches!(self.scope.saved(&reader), SavedClass::State(_)) {
            return;
        }
        let last = match catch(|| lost_stream(state, lost_with_its_code())) {
            Ok(last) => last,
            Err(caught) => {
                let (actor, message) = (reader.path(), caught.message);
                return self.fails(Unsaved::Panicked { actor, message });
            }
        };
        let Some(last) = last else { return };
        let form = form_of(last.envelope.kind().role);
        if let Some(message) = self.message(&reader, form, &last.envelope) {
            let place = match reader.bounded_queue() {
                Some(_) => WaitingPlace::Queue,
                None => WaitingPlace::Inbox,
            };
            let mut recorded = lock(&self.recorded);
            recorded.streams.insert(actor.id, (place, message));
            #[cfg(test)]
            if is_planted(InjectedFault::StreamEndForgotten) {
                recorded.streams.clear();
            }
            #[cfg(test)]
            if is_planted(InjectedFault::StreamEndEarly) {
                recorded.add_last_messages();
            }
        }
        drop_foreign("the drop of a message that is recorded", last);
    }

    /// The stream was stopped before the line, if `actor` polls one: its reader expects no message.
    pub(super) fn stream_is_stopped(&self, actor: &Header) {
        #[cfg(test)]
        if is_planted(InjectedFault::StoppedStreamFails) {
            return;
        }
        lock(&self.recorded).streams.remove(&actor.id);
    }
}
