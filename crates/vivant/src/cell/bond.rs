//! Bonds between actors: who hears of an end (a watch), who fails with whom (a link). They come as
//! messages of the runtime, so that they are in order with all others, and are refused with the
//! mailbox of an actor that has ended.

use super::held::{After, Held};
use super::{CellRef, StateRef, catch};
use crate::call::Delivery;
use crate::error::Refusal;
use crate::mailbox::{Envelope, Kind, Letter, Role, Step};
use crate::promise::{Next, Resolver};
use crate::scheduler::Worker;
use crate::stop::{Linked, StopReason};
use crate::sync::Arc;
use std::panic::Location;

/// What somebody wants of an actor.
pub(crate) enum Bond {
    /// Its end is the value of a promise.
    Watch(Resolver<StopReason>),
    /// This one fails with it.
    Link(CellRef),
    /// No longer.
    Unlink(CellRef),
    /// One that it was linked with has failed.
    Severed(CellRef, Arc<Linked>),
    /// One that it was linked with is over, and has not failed.
    Parted(CellRef),
}

impl Letter for Bond {
    type Content = Bond;
    const KIND: Kind = Kind::new::<Self>("bond", Role::Own);

    fn run(bond: Bond, _: &mut StateRef<'_>, _: &Worker) -> Step {
        Step::Bound(bond)
    }

    fn refuse(bond: Bond, refusal: &Refusal, _: &'static Location<'static>) -> Next {
        match bond {
            Bond::Watch(mut watcher) => watcher.settle(Ok(refusal.reason())),
            Bond::Link(peer) => severed(&refusal.cell, &peer, &refusal.reason()),
            Bond::Unlink(_) | Bond::Severed(..) | Bond::Parted(_) => Next::Nothing,
        }
    }
}

impl Bond {
    pub(crate) fn envelope(self) -> Envelope {
        Envelope::new::<Bond>(self, Location::caller())
    }
}

/// `over` is over: `peer` fails too if that is a failure, and forgets it if not.
fn severed(over: &CellRef, peer: &CellRef, reason: &StopReason) -> Next {
    let Some(to) = peer.upgrade() else {
        return Next::Nothing;
    };
    let bond = if reason.is_failure() {
        let linked = Arc::new(Linked {
            actor: over.path(),
            reason: reason.clone(),
        });
        Bond::Severed(over.clone(), linked)
    } else {
        Bond::Parted(over.clone())
    };
    let envelope = bond.envelope();
    Next::Deliver(Delivery { to, envelope })
}

impl Held<'_> {
    /// A bond has come.
    pub(super) fn bind(&mut self, bond: Bond) -> After {
        let rare = self.owner().rare();
        match bond {
            Bond::Watch(watcher) => rare.watch(watcher),
            Bond::Link(peer) => rare.linked.push(peer),
            Bond::Unlink(peer) => rare.unlink(&peer),
            Bond::Severed(failed, linked) => {
                if rare.parted(&failed).is_some() {
                    return After::End(StopReason::Linked(linked));
                }
            }
            Bond::Parted(peer) => drop(rare.parted(&peer)),
        }
        After::Next
    }

    /// This incarnation is over: whoever is linked with it hears of it.
    pub(super) fn sever(&mut self, reason: &StopReason) {
        if self.owner().rare.is_none() {
            return;
        }
        let me = self.actor.cell();
        for peer in std::mem::take(&mut self.owner().rare().linked) {
            severed(&me, &peer, reason).follow();
        }
    }

    /// The actor has ended for good.
    pub(super) fn tell_watchers(&mut self, reason: &StopReason) {
        let Some(rare) = &mut self.owner().rare else {
            return;
        };
        for watcher in std::mem::take(&mut rare.watchers) {
            if let Err(caught) = catch(|| watcher.resolve(reason.clone())) {
                self.panicked("the end of the actor", caught);
            }
        }
    }
}
