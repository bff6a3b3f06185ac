//! [`CountDrain`]: draining of a heap's count inbox, in pieces.

use super::count_inbox::{Batches, CountDelta, CountInbox};
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
