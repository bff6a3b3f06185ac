//! [`Hearing`]: draining of a heap's count inbox, in pieces.

use super::lane::{Batches, Change, Lane};
use crate::heap::{Core, Heap, Root};
use std::mem;
use std::vec;

/// Batches of deltas that were taken together. They are applied in the order of the sends (O6), and
/// no further batch is taken until all are applied. In between, the heap's counts are those of some
/// earlier moment.
pub(crate) struct Hearing {
    /// The rest of the batch that is being applied.
    changes: vec::IntoIter<Change>,
    taken: Batches,
    /// The result of deltas that a mark has drained while it waited, not reported yet.
    heard: Heard,
    /// The number of pieces that have applied deltas.
    pub(crate) pieces: u64,
}

impl Default for Hearing {
    fn default() -> Hearing {
        Hearing {
            changes: Vec::new().into_iter(),
            taken: Batches::nothing(),
            heard: Heard::Nothing,
            pieces: 0,
        }
    }
}

impl Hearing {
    /// Whether all taken deltas are applied.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.changes.as_slice().is_empty() && self.taken.is_empty()
    }

    /// Takes all batches in the inbox. All batches taken before are applied.
    pub(crate) fn takes(&mut self, lane: &Lane) {
        debug_assert!(self.is_over());
        self.taken = lane.take();
    }

    /// Applies deltas and reverses batches, at most `most` of both together. Returns their number;
    /// a smaller number than `most` means that all taken deltas are applied.
    pub(crate) fn hear(&mut self, most: usize, mut hear: impl FnMut(Change)) -> usize {
        let mut done = self.taken.turn_over(most);
        while done < most {
            match self.changes.next() {
                Some(change) => {
                    hear(change);
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
    pub(crate) fn tells(&mut self, heard: Heard) {
        if heard == Heard::Less {
            self.heard = Heard::Less;
        }
    }

    /// Reports the result of what was drained since the last report.
    pub(crate) fn told(&mut self) -> Heard {
        mem::replace(&mut self.heard, Heard::Nothing)
    }

    /// Whether taken deltas are to be applied, or a result is to be reported.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.is_over() || self.heard == Heard::Less
    }
}

/// The result of draining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// No count fell to zero.
    Nothing,
    /// The count of an object fell to zero: the next mark may find it dead.
    Less,
}

impl Core {
    /// Drains the inbox. Returns whether the count of an object fell to zero.
    pub(crate) fn heed(&mut self) -> Heard {
        let (sharing, lane) = (self.sharing.get_mut(), &self.owner.lane);
        sharing.hear(usize::MAX);
        sharing.takes(lane);
        sharing.hear(usize::MAX);
        sharing.told()
    }

    /// Applies at most `most` deltas from the inbox; [`Core::heed`] reports their result later.
    /// Returns whether all are applied; if not, the rest is taken out of the inbox.
    pub(crate) fn hears_out(&mut self, most: usize) -> bool {
        let (sharing, lane) = (self.sharing.get_mut(), &self.owner.lane);
        let mut left = most;
        loop {
            left -= sharing.hear(left);
            if lane.is_empty() || sharing.is_hearing() {
                break;
            }
            sharing.takes(lane);
        }
        !sharing.is_hearing()
    }
}

impl<R: Root> Heap<R> {
    /// Whether other heaps have sent deltas that are not applied, or not reported yet
    /// ([`Heap::heed`]). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_told(&self) -> bool {
        !self.core().owner.lane.is_empty() || self.is_hearing()
    }

    /// Whether part of the drained input is left: [`Heap::heed_some`] has taken deltas and not
    /// applied them, or [`Heap::pace`] has applied some and [`Heap::heed`] has not reported their
    /// result. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_hearing(&self) -> bool {
        self.core().between_turns().is_due()
    }

    /// Drains all count deltas. Returns whether the next mark may find an object dead by them.
    ///
    /// Costs a few loads if there are none.
    pub fn heed(&mut self) -> bool {
        self.is_told() && self.parts().0.heed() == Heard::Less
    }

    /// As [`Heap::heed`], for at most `most` deltas, at least one. The rest is left for the next
    /// call, and [`Heap::is_hearing`] reports it. Meanwhile [`Heap::pace`] begins no mark, until
    /// the heap has grown by another sixteenth.
    pub fn heed_some(&mut self, most: usize) -> bool {
        if !self.is_told() {
            return false;
        }
        let core = self.parts().0;
        core.hears_out(most.max(1));
        core.sharing.get_mut().told() == Heard::Less
    }

    /// Reports a result again that was drained for another purpose.
    pub(super) fn tells_again(&mut self) {
        self.parts().0.sharing.get_mut().tells(Heard::Less);
    }
}
