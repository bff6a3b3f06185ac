//! Monitors of an actor: a watch resolves a promise at its end, a link ends its peer when it fails.

use super::run_guard::{After, RunGuard};
use crate::actor::{Envelope, LinkMessage, Refusal, peer_is_over};
use crate::failures::{StopReason, catch};

impl RunGuard<'_> {
    /// Processes a message about a link.
    pub(crate) fn link(&mut self, message: LinkMessage) -> After {
        let cold = self.owner().cold();
        match message {
            LinkMessage::Link(link) => cold.linked.push(link),
            LinkMessage::Unlink(peer) => cold.unlink(&peer),
            LinkMessage::PeerFailed(failed, linked) => {
                if cold.take_link(&failed).is_some() {
                    return After::End(StopReason::Linked(linked));
                }
            }
            LinkMessage::PeerEnded(peer) => drop(cold.take_link(&peer)),
        }
        After::Next
    }

    /// Links and unlinks what the turn has requested.
    #[inline]
    pub(crate) fn set_links(&mut self) {
        if self.worker.has_changes() {
            self.set_taken_links();
        }
    }

    #[cold]
    fn set_taken_links(&mut self) {
        for message in self.worker.take_links() {
            // A link that the turn itself has made ends no actor.
            let _after = self.link(message);
        }
    }

    /// This incarnation is over: notifies all linked actors.
    pub(crate) fn notify_linked(&mut self, reason: &StopReason) {
        self.set_links();
        if self.owner().cold.is_none() {
            return;
        }
        let me = self.actor.cell();
        for link in std::mem::take(&mut self.owner().cold().linked) {
            peer_is_over(&me, &link, reason).follow();
        }
    }

    /// Keeps a watch until the actor's end. Before the list grows, watches without a listener,
    /// which are ready, are removed.
    pub(crate) fn keep_watch(&mut self, watch: Envelope) -> After {
        let mut watches = std::mem::take(&mut self.owner().cold().watches);
        if watches.len() == watches.capacity() {
            let mut state = self.state();
            watches.retain(|watch| !watch.ready(&mut state));
            watches.reserve(watches.len() + 1);
        }
        watches.push(watch);
        self.owner().cold().watches = watches;
        After::Next
    }

    /// The actor has ended for good: refuses its watches, which resolves their promises.
    pub(crate) fn refuse_watches(&mut self) {
        let Some(cold) = &mut self.owner().cold else {
            return;
        };
        let watches = std::mem::take(&mut cold.watches);
        let refusal = Refusal::ended(self.actor.cell());
        for watch in watches {
            if let Err(caught) = catch(|| watch.refuse(&refusal).follow()) {
                self.panicked("the end of the actor", caught);
            }
        }
    }
}
