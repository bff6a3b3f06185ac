//! Monitors between actors: a watch resolves a promise at an actor's end, a link ends an actor when
//! its peer fails. Requests for them are messages of the runtime. So they are ordered with all
//! other messages, and are refused with the mailbox of an actor that has ended.

use super::run_guard::{After, RunGuard};
use crate::actor::Refusal;
use crate::actor::{
    CellRef, Delivery, Envelope, Kind, MessageKind, MessageRole, Next, StateRef, Step, Worker,
};
use crate::api::Resolver;
use crate::failures::{Linked, StopReason, catch};
use crate::sync::Arc;
use std::panic::Location;

/// A message about a watch or a link.
pub(crate) enum Monitor {
    /// Watch: the end of the actor resolves a promise.
    Watch(Resolver<StopReason>),
    /// Link: the given actor fails when this one fails.
    Link(CellRef),
    /// Remove the link.
    Unlink(CellRef),
    /// A linked actor has failed.
    Severed(CellRef, Arc<Linked>),
    /// A linked actor has ended or restarted without failing.
    Parted(CellRef),
}

impl MessageKind for Monitor {
    type Content = Monitor;
    const KIND: Kind = Kind::new::<Self>("bond", MessageRole::Own);

    fn run(monitor: Monitor, _: &mut StateRef<'_>, _: &Worker) -> Step {
        Step::Bound(monitor)
    }

    fn refuse(monitor: Monitor, refusal: &Refusal, _: &'static Location<'static>) -> Next {
        match monitor {
            Monitor::Watch(mut watcher) => watcher.settle(Ok(refusal.reason())),
            Monitor::Link(peer) => severed(&refusal.cell, &peer, &refusal.reason()),
            Monitor::Unlink(_) | Monitor::Severed(..) | Monitor::Parted(_) => Next::Nothing,
        }
    }
}

impl Monitor {
    pub(crate) fn envelope(self) -> Envelope {
        Envelope::new::<Monitor>(self, Location::caller())
    }
}

/// `over` has ended or restarted. If `reason` is a failure, `peer` fails too; otherwise it drops
/// the link.
fn severed(over: &CellRef, peer: &CellRef, reason: &StopReason) -> Next {
    let Some(to) = peer.upgrade() else {
        return Next::Nothing;
    };
    let monitor = if reason.is_failure() {
        let linked = Arc::new(Linked {
            actor: over.path(),
            reason: reason.clone(),
        });
        Monitor::Severed(over.clone(), linked)
    } else {
        Monitor::Parted(over.clone())
    };
    let envelope = monitor.envelope();
    Next::Deliver(Delivery { to, envelope })
}

impl RunGuard<'_> {
    /// Processes a message about a watch or a link.
    pub(crate) fn bind(&mut self, monitor: Monitor) -> After {
        let cold = self.owner().cold();
        match monitor {
            Monitor::Watch(watcher) => cold.watch(watcher),
            Monitor::Link(peer) => cold.linked.push(peer),
            Monitor::Unlink(peer) => cold.unlink(&peer),
            Monitor::Severed(failed, linked) => {
                if cold.parted(&failed).is_some() {
                    return After::End(StopReason::Linked(linked));
                }
            }
            Monitor::Parted(peer) => drop(cold.parted(&peer)),
        }
        After::Next
    }

    /// This incarnation is over: notifies all linked actors.
    pub(crate) fn sever(&mut self, reason: &StopReason) {
        if self.owner().cold.is_none() {
            return;
        }
        let me = self.actor.cell();
        for peer in std::mem::take(&mut self.owner().cold().linked) {
            severed(&me, &peer, reason).follow();
        }
    }

    /// The actor has ended for good: resolves its watches.
    pub(crate) fn tell_watchers(&mut self, reason: &StopReason) {
        let Some(cold) = &mut self.owner().cold else {
            return;
        };
        for watcher in std::mem::take(&mut cold.watchers) {
            if let Err(caught) = catch(|| watcher.resolve(reason.clone())) {
                self.panicked("the end of the actor", caught);
            }
        }
    }
}
