//! A mark as part of a group mark: what it does not decide alone. See
//! [group/README.md](../group/README.md).

use super::heap::Core;
use super::mark_cycle::{MarkCycle, Resurrection};
use super::mark_termination::is_marked;
use crate::alloc::header::Header;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::group_state::{GroupPhase, GroupState, GroupTicket};
use crate::mark::marker::MarkMode;
use crate::mark::scanner::EdgeSnapshot;
use crate::object::object_trait::Object;
use crate::orca::counts::Roots;
use crate::orca::sharing::{ExportRoots, Sharing};
use std::ptr::NonNull;

impl MarkCycle {
    /// Takes at most `most` exports as roots, for an open group mark: withholds those that only
    /// members of the group refer to. Returns whether some are left.
    pub(crate) fn take_group_roots(&mut self, sharing: &mut Sharing, most: usize) -> ExportRoots {
        let scanner = &mut self.scanner;
        let take = |object| scanner.enqueue_export(object);
        self.export_roots = sharing.take_export_roots(most, Roots::CountedOutside, take);
        self.flush();
        self.export_roots
    }

    /// Another member of the group has reached these objects.
    pub(crate) fn enqueue_reached(&mut self, objects: &[NonNull<Header>]) {
        objects
            .iter()
            .for_each(|object| self.scanner.enqueue_export(*object));
        self.flush();
    }

    /// Takes at most `most` of the foreign objects that the mark has reached.
    pub(crate) fn take_foreign(&mut self, most: usize) -> Vec<NonNull<Header>> {
        self.flush();
        self.mark.results().foreign.take(most).unwrap_or_default()
    }

    /// Whether all that the mark has reached is scanned. Other members may reach more.
    pub(crate) fn is_drained(&mut self) -> bool {
        self.flush();
        self.mark.queue.is_drained() && self.mark.results().foreign.is_empty()
    }

    /// Whether this mark is part of that group mark, and that is open.
    pub(crate) fn is_in(&self, group: &GroupState) -> bool {
        let ticket = self.group.as_ref();
        ticket.is_some_and(|ticket| ticket.0.is(group) && group.is_open())
    }

    /// A turn is about to get an object that this mark has not marked.
    pub(super) fn resurrect_unmarked(&mut self, object: NonNull<Header>) -> Resurrection {
        #[cfg(not(test))]
        let phase = self.group.as_ref().map(|ticket| ticket.0.reopen());
        #[cfg(test)]
        let phase = match is_injected(InjectedFault::UnnoticedResurrection) {
            true => None,
            false => self.group.as_ref().map(|ticket| ticket.0.reopen()),
        };
        if phase == Some(GroupPhase::Committed) {
            return Resurrection::Dead;
        }
        self.scanner.enqueue(object);
        Resurrection::Live
    }

    /// Leaves the group mark if that was dissolved. Returns its phase, if the mark was part of one.
    pub(super) fn follow_group(&mut self, sharing: &mut Sharing) -> Option<GroupPhase> {
        let phase = self.group_phase()?;
        if phase == GroupPhase::Dissolved {
            self.group = None;
            sharing.exports.set_pending();
            self.export_roots = ExportRoots::Pending;
            // What the mark has not done yet may be too much for one pause.
            self.assist.begin_anew();
        }
        Some(phase)
    }

    /// Whether it is part of a group mark that is not decided.
    pub(super) fn is_in_open_group(&self) -> bool {
        let ticket = self.group.as_ref();
        ticket.is_some_and(|ticket| ticket.0.is_open())
    }

    /// Whether the group mark was decided, and this mark has not followed yet.
    pub(super) fn is_left_alone(&self) -> bool {
        let ticket = self.group.as_ref();
        ticket.is_some_and(|ticket| !ticket.0.is_open())
    }

    /// Whether what this mark has not marked is dead, by the commit of its group mark or because it
    /// is complete.
    pub(super) fn has_found_the_dead(&self) -> bool {
        self.is_terminating() || self.group_phase() == Some(GroupPhase::Committed)
    }

    fn group_phase(&self) -> Option<GroupPhase> {
        self.group.as_ref().map(|ticket| ticket.0.phase())
    }

    /// Dissolves the group mark, if it is open: this mark goes on alone.
    pub(super) fn leave_group(&mut self, sharing: &mut Sharing) {
        if let Some(ticket) = &self.group {
            ticket.0.dissolve();
            self.follow_group(sharing);
        }
    }
}

impl Core {
    /// As [`Core::start_mark`], for a concurrent mark as part of a group mark.
    pub(crate) fn start_group_mark<'gc>(
        &mut self,
        roots: &mut impl Object<'gc>,
        group: &GroupState,
    ) {
        let ticket = Some(GroupTicket(group.clone()));
        self.start_mark_in(roots, MarkMode::Concurrent, EdgeSnapshot::Off, ticket);
    }

    /// The exported objects that live: after the commit of a group mark not those that it has found
    /// dead.
    pub(crate) fn live_exports(&self) -> Vec<NonNull<Header>> {
        let sharing = self.between_turns();
        let mark_cycle = self.mark_cycle.borrow();
        match mark_cycle
            .as_ref()
            .is_some_and(|cycle| cycle.has_found_the_dead())
        {
            true => {
                let is_marked = is_marked(self.old.epoch.0);
                sharing.export_roots_in_termination(is_marked).collect()
            }
            false => sharing.export_roots().collect(),
        }
    }

    /// Whether the mark that runs is part of an open group mark.
    pub(crate) fn is_in_open_group(&self) -> bool {
        let mark_cycle = self.mark_cycle.borrow();
        mark_cycle
            .as_ref()
            .is_some_and(|mark| mark.is_in_open_group())
    }
}
