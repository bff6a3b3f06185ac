//! What a turn requests for its end: the actor's end, links, waits, a pause, to be muted.

use super::envelope::LinkMessage;
use super::reference::{AddressRef, CellRef};
use super::worker::{TurnChanges, TurnRequest, WaitChange, Worker};
use crate::candidates::CandidateOverload;
use crate::failures::StopReason;
use crate::sync::Arc;
use std::cell::Cell;

impl Worker {
    /// The turn links its actor, or removes a link. It is done when the turn has ended, or has
    /// panicked: a message would wait for the next incarnation.
    pub(crate) fn request_link(&self, message: LinkMessage) {
        push(&self.requests.links, message);
        self.request_changes();
    }

    pub(crate) fn take_links(&self) -> Vec<LinkMessage> {
        self.take_changes(&self.requests.links)
    }

    /// The actor begins to wait for a promise, or the promise has settled (E1, E3). It is done when
    /// the turn has ended.
    pub(crate) fn request_wait(&self, change: WaitChange) {
        push(&self.requests.waits, change);
        self.request_changes();
    }

    pub(crate) fn take_waits(&self) -> Vec<WaitChange> {
        self.take_changes(&self.requests.waits)
    }

    /// Returns true if there are links or waits to take. Most turns have none.
    #[inline]
    pub(crate) fn has_changes(&self) -> bool {
        self.requests.changes.get() == TurnChanges::Some
    }

    fn take_changes<T>(&self, list: &Cell<Vec<T>>) -> Vec<T> {
        let taken = list.take();
        let (links, waits) = (&self.requests.links, &self.requests.waits);
        if is_empty(links) && is_empty(waits) {
            self.requests.changes.set(TurnChanges::None);
            if self.requests.next.get() == TurnRequest::Changes {
                self.requests.next.set(TurnRequest::None);
            }
        }
        taken
    }

    fn request_changes(&self) {
        self.requests.changes.set(TurnChanges::Some);
        if self.requests.next.get() == TurnRequest::None {
            self.requests.next.set(TurnRequest::Changes);
        }
    }

    /// The turn requests its actor's end. The first failure stays the reason.
    pub(crate) fn request_end(&self, reason: StopReason) {
        self.requests.next.set(TurnRequest::End);
        let before = self.requests.ending.take();
        let failure = before.filter(StopReason::is_failure);
        self.requests.ending.set(Some(failure.unwrap_or(reason)));
    }

    /// Returns true if there is work at the end of the turn.
    #[inline]
    pub(crate) fn has_request(&self) -> bool {
        self.requests.next.get() != TurnRequest::None
    }

    /// Takes the reason for which the turn wants its actor to end, if it does.
    pub(crate) fn take_end(&self) -> Option<StopReason> {
        if self.requests.next.get() == TurnRequest::End {
            self.requests.next.set(TurnRequest::None);
        }
        self.requests.ending.take()
    }

    /// Records that the turn sent to an overloaded actor. The run acts on it when the turn has
    /// ended.
    pub(crate) fn sent_to_overloaded(&self, receiver: &AddressRef) {
        if matches!(
            self.requests.next.get(),
            TurnRequest::Overloaded | TurnRequest::End
        ) {
            // The actor is to end, or will be muted anyway.
            return;
        }
        let other = self.current.with(|me| me.id != receiver.id);
        if self.inside_turn() && other == Some(true) && Arc::ptr_eq(&self.system, &receiver.system)
        {
            self.requests.overloaded.set(Some(receiver.cell()));
            self.requests.next.set(TurnRequest::Overloaded);
        }
    }

    /// Takes whether the run is to end with this turn.
    pub(crate) fn take_pause(&self) -> bool {
        let pauses = self.requests.next.get() == TurnRequest::Pause;
        if pauses {
            self.requests.next.set(TurnRequest::None);
        }
        pauses
    }

    pub(crate) fn take_overloaded(&self) -> Option<CellRef> {
        if self.requests.next.get() == TurnRequest::Overloaded {
            self.requests.next.set(TurnRequest::None);
        }
        self.requests.overloaded.take()
    }

    /// The current actor has made `CANDIDATES_MAX` candidates: its run ends, so that those
    /// candidates run, and may become idle, before they are scanned. If candidates overload the
    /// detector, the actor is throttled.
    #[cold]
    pub(super) fn end_run_early(&self, overload: CandidateOverload) {
        if matches!(
            self.requests.next.get(),
            TurnRequest::None | TurnRequest::Changes
        ) {
            self.requests.next.set(TurnRequest::Pause);
        }
        if overload == CandidateOverload::Waiting {
            self.throttled.set(self.current.with(|actor| actor.id));
        }
    }
}

fn is_empty<T>(list: &Cell<Vec<T>>) -> bool {
    let changes = list.take();
    let is_empty = changes.is_empty();
    list.set(changes);
    is_empty
}

fn push<T>(list: &Cell<Vec<T>>, change: T) {
    let mut changes = list.take();
    changes.push(change);
    list.set(changes);
}
