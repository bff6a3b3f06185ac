//! The counts of a heap that other heaps refer to: draining of its inbox, and its end.

use super::heap::{Core, Heap, Root};
use super::marking::Marking;
use super::mutator::Mutator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_injected};
use crate::mark::mark_reason::ReleasedExports;
use crate::orca::count_inbox::DrainOutcome;
use crate::orca::kept_releases::Releases;
use crate::orca::sharing::{HeapEnd, Sharing};
use crate::pages::page_source::PageSource;
use std::cell::RefMut;
use std::task::Waker;

/// What becomes of the DECs that a heap in this phase has taken. Asked after it has taken them:
/// then it knows of each later phase in which one was sent.
fn releases(source: &PageSource, entered: u64) -> Releases {
    #[cfg(test)]
    if is_injected(InjectedFault::EarlyRelease) {
        return Releases::Applied;
    }
    match source.phase() {
        Some(now) if now != entered => Releases::Kept,
        _ => Releases::Applied,
    }
}

impl Core {
    /// Drains the inbox. Returns whether the count of an object fell to zero.
    pub(crate) fn drain_all(&mut self) -> DrainOutcome {
        let (sharing, inbox) = (self.sharing.get_mut(), &self.owner.inbox);
        sharing.drain_batches(usize::MAX, || releases(&self.source, self.phase));
        sharing.take_inbox(inbox);
        sharing.drain_batches(usize::MAX, || releases(&self.source, self.phase));
        sharing.take_outcome()
    }

    /// The heap enters a phase of its system. What was released in it is released from here on.
    pub(crate) fn enter_phase(&mut self, phase: u64) {
        self.phase = phase;
        let sharing = self.sharing.get_mut();
        if !sharing.kept.is_empty() && releases(&self.source, phase) == Releases::Applied {
            sharing.apply_kept();
            // The holder is to report the result, though nothing arrives.
            if let Some(waker) = self.owner.waker.get() {
                waker.wake_by_ref();
            }
        }
    }

    /// Applies at most `most` deltas from the inbox; [`Core::drain_all`] reports their result
    /// later. Returns whether all are applied; if not, the rest is taken out of the inbox.
    pub(crate) fn drain_up_to(&mut self, most: usize) -> bool {
        let (sharing, inbox) = (self.sharing.get_mut(), &self.owner.inbox);
        let mut left = most;
        loop {
            left -= sharing.drain_batches(left, || releases(&self.source, self.phase));
            if inbox.is_empty() || sharing.is_draining() {
                break;
            }
            sharing.take_inbox(inbox);
        }
        !sharing.is_draining()
    }
}

impl Core {
    /// As [`Heap::is_notified`].
    #[inline]
    pub(crate) fn is_notified(&self) -> bool {
        !self.owner.inbox.is_empty() || self.between_turns().is_due()
    }

    /// Applies at most `most` deltas, and reports the result.
    pub(crate) fn drain_piece(&mut self, most: usize) -> DrainOutcome {
        self.drain_up_to(most);
        let outcome = self.sharing.get_mut().take_outcome();
        self.note_released(outcome);
        outcome
    }

    /// A result is a reason for the next mark, if this heap is ever marked.
    fn note_released(&mut self, outcome: DrainOutcome) {
        if outcome == DrainOutcome::Released && self.pacing.marking != Marking::Never {
            self.idle_check.released = ReleasedExports::Some;
        }
    }

    /// Records whether a rest of the drained input is left.
    pub(crate) fn note_draining(&mut self) {
        self.check_schedule.is_draining_in_pieces = self.between_turns().is_due();
    }
}

impl<R: Root> Heap<R> {
    /// Whether other heaps have sent deltas that are not applied, or not reported yet
    /// ([`Heap::drain_all`]). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_notified(&self) -> bool {
        self.core().is_notified()
    }

    /// Whether part of the drained input is left: [`Heap::drain_some`] has taken deltas and not
    /// applied them, or [`Heap::pace`] has applied some and [`Heap::drain_all`] has not reported
    /// their result. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.core().between_turns().is_due()
    }

    /// Drains all count deltas. Returns whether the next mark may find an object dead by them.
    ///
    /// Costs a few loads if there are none.
    pub fn drain_all(&mut self) -> bool {
        if !self.is_notified() {
            return false;
        }
        let core = self.parts().0;
        let outcome = core.drain_all();
        core.note_released(outcome);
        outcome == DrainOutcome::Released
    }

    /// As [`Heap::drain_all`], for at most `most` deltas, at least one. The rest is left for the
    /// next call, and [`Heap::is_draining`] reports it. Meanwhile [`Heap::pace`] begins no mark,
    /// until the heap has grown by another sixteenth.
    pub fn drain_some(&mut self, most: usize) -> bool {
        if !self.is_notified() {
            return false;
        }
        self.parts().0.drain_piece(most.max(1)) == DrainOutcome::Released
    }

    /// Reports a result again that was drained for another purpose.
    pub(crate) fn note_again(&mut self) {
        self.parts()
            .0
            .sharing
            .get_mut()
            .note(DrainOutcome::Released);
    }
}

impl Core {
    pub(crate) fn wake_by(&mut self, waker: Waker) {
        // A heap that has a waker keeps it.
        let _first = self.owner.waker.set(waker);
    }

    /// Ends the heap, which has no state any more.
    pub(crate) fn end(&mut self) -> HeapEnd {
        self.drain_all();
        let sharing = self.sharing.get_mut();
        // No cut has an image of a heap that is dropped.
        sharing.apply_kept();
        if !sharing.is_unshared() {
            // Other heaps that refer to the objects access their pages and their owner.
            std::mem::forget((self.source.clone(), self.owner.clone()));
            return HeapEnd::Shared;
        }
        // SAFETY: no turn uses the objects of this heap any more, so none uses what they refer to.
        unsafe { sharing.release_all() };
        HeapEnd::Unshared
    }
}

impl<R: Root> Heap<R> {
    /// Sets the waker that is called when count deltas arrive for this heap; the next mark or
    /// [`Heap::drain_all`] drains them. Set it once, before anything is shared: the first waker
    /// counts. The sender of the deltas calls it, perhaps in the middle of a collection: a waker
    /// that locks a heap may wait for its own thread. If it panics, the panic ends with the panic
    /// hook.
    pub fn wake_by(&mut self, waker: Waker) {
        self.parts().0.wake_by(waker);
    }

    /// The heap enters a phase of its system ([`PageSource::set_phases`]): its image for the cut
    /// of this phase has begun, if there is one. Until then it keeps the objects that other heaps
    /// have released in the phase.
    ///
    /// A new heap is in no phase of a system: it enters one before it is collected.
    pub fn enter_phase(&mut self, phase: u64) {
        self.parts().0.enter_phase(phase);
    }

    /// The number of exported objects of this heap, by the deltas drained so far.
    #[must_use]
    pub fn exports(&self) -> usize {
        self.core().between_turns().exports.len()
    }

    /// The number of imports of this heap; a recently received object may be counted more than
    /// once. The next mark releases those that this heap does not need. Costs two loads.
    #[inline]
    #[must_use]
    pub fn imports(&self) -> usize {
        self.core().between_turns().imports.len()
    }

    /// Whether no other heap refers to an object of this heap, by the deltas drained so far.
    pub(crate) fn is_unshared_now(&mut self) -> bool {
        self.parts().0.sharing.get_mut().is_unshared()
    }

    /// Whether no other heap refers to an object of this heap. Drains the inbox first.
    pub fn is_unshared(&mut self) -> bool {
        let core = self.parts().0;
        core.drain_all();
        core.sharing.get_mut().is_unshared()
    }
}

impl Mutator<'_> {
    pub(crate) fn sharing(&self) -> RefMut<'_, Sharing> {
        self.core().sharing.borrow_mut()
    }
}
