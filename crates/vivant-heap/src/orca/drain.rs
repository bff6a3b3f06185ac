//! [`CountDrain`]: draining of a heap's count inbox, in pieces.

use super::count_inbox::{Batches, CountDelta, CountInbox};
use crate::gc::heap::{Core, Heap, Root};
use crate::gc::marking::Marking;
use crate::mark::mark_reason::ReleasedExports;
use std::mem;
use std::vec;

/// Batches of deltas that were taken together. They are applied in the order of the sends (O6), and
/// no further batch is taken until all are applied. In between, the heap's counts are those of some
/// earlier moment.
pub(crate) struct CountDrain {
    /// The rest of the batch that is being applied.
    changes: vec::IntoIter<CountDelta>,
    taken: Batches,
    /// The result of deltas that a mark has drained while it waited, not reported yet.
    outcome: Drained,
    /// The number of pieces that have applied deltas.
    pub(crate) pieces: u64,
}

impl Default for CountDrain {
    fn default() -> CountDrain {
        CountDrain {
            changes: Vec::new().into_iter(),
            taken: Batches::nothing(),
            outcome: Drained::Nothing,
            pieces: 0,
        }
    }
}

impl CountDrain {
    /// Whether all taken deltas are applied.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.changes.as_slice().is_empty() && self.taken.is_empty()
    }

    /// Takes all batches in the inbox. All batches taken before are applied.
    pub(crate) fn take_inbox(&mut self, inbox: &CountInbox) {
        debug_assert!(self.is_over());
        self.taken = inbox.take();
    }

    /// Applies deltas and reverses batches, at most `most` of both together. Returns their number;
    /// a smaller number than `most` means that all taken deltas are applied.
    pub(crate) fn drain_batches(
        &mut self,
        most: usize,
        mut apply: impl FnMut(CountDelta),
    ) -> usize {
        let mut done = self.taken.turn_over(most);
        while done < most {
            match self.changes.next() {
                Some(change) => {
                    apply(change);
                    done += 1;
                }
                None => match self.taken.next() {
                    Some(batch) => self.changes = batch.into_iter(),
                    None => break,
                },
            }
        }
        self.pieces += u64::from(done != 0);
        if self.changes.as_slice().is_empty() {
            // Frees its memory.
            drop(mem::take(&mut self.changes));
        }
        done
    }

    /// Notes a result for the next report.
    pub(crate) fn note(&mut self, outcome: Drained) {
        if outcome == Drained::Decremented {
            self.outcome = Drained::Decremented;
        }
    }

    /// Reports the result of what was drained since the last report.
    pub(crate) fn take_outcome(&mut self) -> Drained {
        mem::replace(&mut self.outcome, Drained::Nothing)
    }

    /// Whether taken deltas are to be applied, or a result is to be reported.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.is_over() || self.outcome == Drained::Decremented
    }
}

/// The result of draining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Drained {
    /// No count fell to zero.
    Nothing,
    /// The count of an object fell to zero: the next mark may find it dead.
    Decremented,
}

impl Core {
    /// Drains the inbox. Returns whether the count of an object fell to zero.
    pub(crate) fn drain_all(&mut self) -> Drained {
        let (sharing, inbox) = (self.sharing.get_mut(), &self.owner.inbox);
        sharing.drain_batches(usize::MAX);
        sharing.take_inbox(inbox);
        sharing.drain_batches(usize::MAX);
        sharing.take_outcome()
    }

    /// Applies at most `most` deltas from the inbox; [`Core::drain_all`] reports their result
    /// later. Returns whether all are applied; if not, the rest is taken out of the inbox.
    pub(crate) fn drain_up_to(&mut self, most: usize) -> bool {
        let (sharing, inbox) = (self.sharing.get_mut(), &self.owner.inbox);
        let mut left = most;
        loop {
            left -= sharing.drain_batches(left);
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
    pub(crate) fn drain_piece(&mut self, most: usize) -> Drained {
        self.drain_up_to(most);
        let outcome = self.sharing.get_mut().take_outcome();
        self.note_released(outcome);
        outcome
    }

    /// A result is a reason for the next mark, if this heap is ever marked.
    fn note_released(&mut self, outcome: Drained) {
        if outcome == Drained::Decremented && self.pacing.marking != Marking::Never {
            self.idle_check.released = ReleasedExports::Some;
        }
    }

    /// Records whether a rest of the drained input is left.
    pub(crate) fn note_draining(&mut self) {
        self.agreed.drains_on = self.between_turns().is_due();
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
        outcome == Drained::Decremented
    }

    /// As [`Heap::drain_all`], for at most `most` deltas, at least one. The rest is left for the
    /// next call, and [`Heap::is_draining`] reports it. Meanwhile [`Heap::pace`] begins no mark,
    /// until the heap has grown by another sixteenth.
    pub fn drain_some(&mut self, most: usize) -> bool {
        if !self.is_notified() {
            return false;
        }
        self.parts().0.drain_piece(most.max(1)) == Drained::Decremented
    }

    /// Reports a result again that was drained for another purpose.
    pub(crate) fn note_again(&mut self) {
        self.parts().0.sharing.get_mut().note(Drained::Decremented);
    }
}
