//! What few actors have: messages that wait for guards, a supervisor, others that want to hear of
//! their end, counted objects.

use super::child::Child;
use super::waiting::Waiting;
use super::{CellRef, Header};
use crate::mailbox::Envelope;
use crate::promise::Resolver;
use crate::stop::StopReason;
use std::any::Any;

/// Touched by the holder alone.
#[derive(Default)]
pub(crate) struct Rare {
    /// Deferred by their guards.
    pub(super) waiting: Waiting,
    /// The next step of a behaviour.
    pub(super) step: Option<Pending>,
    /// Who starts it again.
    pub(super) child: Option<Child>,
    /// Who wants to hear why it has ended.
    pub(super) watchers: Vec<Resolver<StopReason>>,
    /// What it is to the objects that it made. Taken out while a worker holds the actor, and is
    /// that owner.
    pub(super) counts: Option<vivant_brc::Owner>,
    /// Who fails with it.
    pub(super) linked: Vec<CellRef>,
}

/// A behaviour's next step, and what a plain actor's last one has left.
pub(super) struct Pending {
    pub(super) envelope: Envelope,
    pub(super) locals: Option<Box<dyn Any + Send>>,
}

impl Rare {
    pub(crate) fn of_child(child: Child) -> Box<Rare> {
        Box::new(Rare {
            child: Some(child),
            ..Rare::default()
        })
    }

    /// One more who wants to hear of the end. Before their list grows, those are forgotten who hear
    /// nothing any more.
    pub(super) fn watch(&mut self, watcher: Resolver<StopReason>) {
        if self.watchers.len() == self.watchers.capacity() {
            self.watchers.retain(Resolver::is_heard);
            self.watchers.reserve(self.watchers.len() + 1);
        }
        self.watchers.push(watcher);
    }

    pub(super) fn unlink(&mut self, peer: &Header) {
        self.linked.retain(|other| other.id != peer.id);
    }

    /// Takes one link with `peer` out.
    pub(super) fn parted(&mut self, peer: &Header) -> Option<CellRef> {
        let mut linked = self.linked.iter();
        let at = linked.position(|other| other.id == peer.id)?;
        Some(self.linked.swap_remove(at))
    }
}
