//! [`Hearing`]: what was taken out of a heap's lane, and is heard in pieces.

use super::lane::{Batches, Change, Lane};
use crate::heap::{Core, Heap, Root};
use std::mem;
use std::vec;

/// Changes that were taken together. They are heard in the order in which they were left (O6), and
/// nothing else is taken until all of them are: as long as some are left, what the heap knows is
/// what it was in between.
pub(crate) struct Hearing {
    /// Of the batch that is heard.
    changes: vec::IntoIter<Change>,
    taken: Batches,
    /// What was heard, and nobody was told yet: by a mark that has waited for it.
    heard: Heard,
    /// In how many pieces it has heard something.
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

    /// Hears so many changes, or turns so many batches over, or some of both. How many: if fewer,
    /// all is heard that was taken.
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
            // Its memory.
            drop(mem::take(&mut self.changes));
        }
        done
    }

    /// What was heard is to be told.
    pub(crate) fn tells(&mut self, heard: Heard) {
        if heard == Heard::Less {
            self.heard = Heard::Less;
        }
    }

    /// Somebody is told.
    pub(crate) fn told(&mut self) -> Heard {
        mem::replace(&mut self.heard, Heard::Nothing)
    }

    /// Whether something is to be told, or heard, of what was taken.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.is_over() || self.heard == Heard::Less
    }
}

/// What a heap has heard from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// Nothing that matters.
    Nothing,
    /// Somebody has given up the last that others knew of an object: the next mark may find it
    /// dead.
    Less,
}

impl Core {
    /// Hears all that others have left until now. Whether some have given up all that they knew of
    /// an object.
    pub(crate) fn heed(&mut self) -> Heard {
        let (sharing, lane) = (self.sharing.get_mut(), &self.owner.lane);
        sharing.hear(usize::MAX);
        sharing.takes(lane);
        sharing.hear(usize::MAX);
        sharing.told()
    }

    /// Hears so many changes that others have left. What it comes to is told by the next
    /// [`Core::heed`]. Whether that was all: else what is left was taken.
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
    /// Whether others have left something that it has not heard of, or of which it has not told
    /// ([`Heap::heed`]). Costs a few loads.
    #[inline]
    #[must_use]
    pub fn is_told(&self) -> bool {
        !self.core().owner.lane.is_empty() || self.is_hearing()
    }

    /// Whether something is left of what others have left: [`Heap::heed_some`] has taken it and did
    /// not come to it, or [`Heap::pace`] has heard it, and [`Heap::heed`] has not told of it. Costs
    /// a few loads.
    #[inline]
    #[must_use]
    pub fn is_hearing(&self) -> bool {
        self.core().between_turns().is_due()
    }

    /// Hears all that others have given up. Whether the next mark may find something dead by it.
    ///
    /// Costs a few loads if there is nothing.
    pub fn heed(&mut self) -> bool {
        self.is_told() && self.parts().0.heed() == Heard::Less
    }

    /// As [`Heap::heed`], of so many changes of counts, at least one: if there are more, the rest
    /// is left for the next time, and [`Heap::is_hearing`] says so. Meanwhile no mark begins by
    /// [`Heap::pace`], until the heap has grown by another sixteenth.
    pub fn heed_some(&mut self, most: usize) -> bool {
        if !self.is_told() {
            return false;
        }
        let core = self.parts().0;
        core.hears_out(most.max(1));
        core.sharing.get_mut().told() == Heard::Less
    }

    /// What was heard for another purpose is told the next time.
    pub(super) fn tells_again(&mut self) {
        self.parts().0.sharing.get_mut().tells(Heard::Less);
    }
}
