//! Cold fields, which few actors need: deferred messages, a supervisor, watches and links, counted
//! objects.

use super::CellRef;
use super::envelope::Envelope;
use super::header::Header;
use super::supervised_by::SupervisedBy;
use crate::actor::Waiting;
use crate::api::Resolver;
use crate::failures::StopReason;
use std::any::Any;

/// Accessed by the holder alone.
#[derive(Default)]
pub(crate) struct ColdFields {
    /// Messages deferred by their guards.
    pub(crate) waiting: Waiting,
    /// The next step of a behaviour.
    pub(crate) step: Option<Pending>,
    /// The supervisor that starts it again.
    pub(crate) child: Option<SupervisedBy>,
    /// Promises that its end resolves.
    pub(crate) watchers: Vec<Resolver<StopReason>>,
    /// Its role as owner of the counted objects that it made. Taken out while a worker holds the
    /// actor: that worker is then the owner.
    pub(crate) counts: Option<vivant_brc::Owner>,
    /// Linked actors, which fail when it fails.
    pub(crate) linked: Vec<CellRef>,
}

/// A behaviour's next step, and the locals that a plain actor's last step left.
pub(crate) struct Pending {
    pub(crate) envelope: Envelope,
    pub(crate) locals: Option<Box<dyn Any + Send>>,
}

impl ColdFields {
    pub(crate) fn of_child(child: SupervisedBy) -> Box<ColdFields> {
        Box::new(ColdFields {
            child: Some(child),
            ..ColdFields::default()
        })
    }

    /// Adds a watch. Before the list grows, watches without a listener are removed.
    pub(crate) fn watch(&mut self, watcher: Resolver<StopReason>) {
        if self.watchers.len() == self.watchers.capacity() {
            self.watchers.retain(Resolver::is_heard);
            self.watchers.reserve(self.watchers.len() + 1);
        }
        self.watchers.push(watcher);
    }

    pub(crate) fn unlink(&mut self, peer: &Header) {
        self.linked.retain(|other| other.id != peer.id);
    }

    /// Takes out one link with `peer`.
    pub(crate) fn parted(&mut self, peer: &Header) -> Option<CellRef> {
        let mut linked = self.linked.iter();
        let at = linked.position(|other| other.id == peer.id)?;
        Some(self.linked.swap_remove(at))
    }
}
