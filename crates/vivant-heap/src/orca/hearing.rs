//! [`Hearing`]: what was taken out of a heap's lane, and is heard in pieces.

use super::lane::{Batches, Change, Lane};
use crate::heap::{Core, Heap, Root};
use std::mem;
use std::vec;

/// Changes that were taken together. They are heard in the order in which they were left (O6), and nothing else is taken until all of them are: as long as some are left, what the
/// heap knows is what it was in between.
pub(crate) struct Hearing {
    /// Of the batch that is heard.
    changes: vec::IntoIter<Change>,
    taken: Batches,
}

impl Default for Hearing {
    fn default() -> Hearing {
        Hearing {
            changes: Vec::new().into_iter(),
            taken: Batches::nothing(),
        }
    }
}

impl Hearing {
    /// Whether all is heard that was taken.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.changes.as_slice().is_empty() && self.taken.is_empty()
    }

    /// All is heard, and what was left meanwhile is taken.
    pub(crate) fn takes(&mut self, lane: &Lane) {
        debug_assert!(self.is_over());
        self.taken = lane.take();
    }

    /// Hears so many changes, or turns so many batches over, or some of both.
    pub(crate) fn hear(&mut self, most: usize, mut hear: impl FnMut(Change)) {
        let mut left = most - self.taken.turn_over(most);
        while left > 0 {
            match self.changes.next() {
                Some(change) => {
                    hear(change);
                    left -= 1;
                }
                None => match self.taken.next() {
                    Some(batch) => self.changes = batch.into_iter(),
                    None => break,
                },
            }
        }
        if self.changes.as_slice().is_empty() {
            // Its memory.
            drop(mem::take(&mut self.changes));
        }
    }
}

/// What a heap has heard from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// Nothing that matters.
    Nothing,
    /// Somebody has given up the last that others knew of an object: the next mark may find it dead.
    Less,
}

impl Core {
    /// Hears all that others have left. Whether some have given up all that they knew of an object.
    pub(crate) fn heed(&mut self) -> Heard {
        let (sharing, lane) = (self.sharing.get_mut(), &self.owner.lane);
        let before = match sharing.is_hearing() {
            true => sharing.hear(lane, usize::MAX),
            false => Heard::Nothing,
        };
        match sharing.hear(lane, usize::MAX) {
            Heard::Less => Heard::Less,
            Heard::Nothing => before,
        }
    }

    /// Hears a piece of what others have left, for a mark that is to begin. Whether it may: what was left until now is heard.
    pub(crate) fn hears_out(&mut self, most: usize) -> bool {
        let sharing = self.sharing.get_mut();
        sharing.hear(&self.owner.lane, most);
        !sharing.is_hearing()
    }
}

impl<R: Root> Heap<R> {
    /// Whether others have left something that it has not heard of ([`Heap::heed`]). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_told(&self) -> bool {
        !self.core().owner.lane.is_empty() || self.is_hearing()
    }

    /// Whether [`Heap::heed_some`] has left something of what it found. Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_hearing(&self) -> bool {
        self.core().between_turns().is_hearing()
    }

    /// Hears all that others have given up. Whether the next mark may find something dead by it.
    ///
    /// Costs a few loads if there is nothing.
    pub fn heed(&mut self) -> bool {
        self.is_told() && self.parts().0.heed() == Heard::Less
    }

    /// As [`Heap::heed`], of so many changes of counts: if there are more, the rest is left for the next time, and [`Heap::is_hearing`] says so. Meanwhile no mark begins by
    /// [`Heap::pace`].
    pub fn heed_some(&mut self, most: usize) -> bool {
        if !self.is_told() {
            return false;
        }
        let core = self.parts().0;
        core.sharing.get_mut().hear(&core.owner.lane, most) == Heard::Less
    }
}
