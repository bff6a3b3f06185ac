//! The word that counts an actor's addresses: the count, and what the detector has to know of it
//! (see `unreachable/README.md`).

use super::Header;
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::sync::Ordering;
use crate::unreachable::Detector;

/// The actor waits for a verdict, or has been given it: nobody who has no address gets one (U4).
pub(super) const CONDEMNED: u32 = 1 << 31;

/// The actor's state may hold addresses that can be seen, so it may be part of a cycle. Never
/// changes.
pub(super) const TRACED: u32 = 1 << 30;

/// It is among the suspects.
pub(super) const SUSPECT: u32 = 1 << 29;

/// More references than this can only be a leak in a loop; counting on would run into the flags.
/// Half of what the count holds, so that threads that pass it at once cannot do so before one of
/// them aborts.
pub(super) const ADDRESSES_MAX: u32 = 1 << 28;

/// The first word of an actor that has one address.
pub(super) const fn first(is_traced: bool) -> u32 {
    if is_traced { TRACED | 1 } else { 1 }
}

/// How many addresses there are.
#[inline]
pub(super) const fn count(word: u32) -> u32 {
    word & (SUSPECT - 1)
}

#[inline]
pub(super) const fn is_traced(word: u32) -> bool {
    word & TRACED != 0
}

#[inline]
pub(super) const fn is_condemned(word: u32) -> bool {
    word & CONDEMNED != 0
}

/// Whether an actor that loses an address, and not the last, is to become a suspect.
#[inline]
pub(super) const fn becomes_suspect(word: u32) -> bool {
    word & (SUSPECT | CONDEMNED) == 0
}

/// Whether any address is left.
#[derive(PartialEq, Eq)]
pub(super) enum Left {
    None,
    Some,
}

impl Header {
    /// How many addresses there are now.
    pub(crate) fn addresses(&self) -> u32 {
        // Acquire: pairs with the Release of the last drop; what its thread did before is seen by a
        // holder that reads zero.
        count(self.addresses.load(Ordering::Acquire))
    }

    /// From now on a lost address makes it a suspect again. Before the detector looks (U2).
    pub(crate) fn is_looked_at(&self) {
        // AcqRel: as in `lose`; the look that follows sees all that was lost before.
        self.addresses.fetch_and(!SUSPECT, Ordering::AcqRel);
    }

    /// Takes counted addresses, which the caller gives up, off the count.
    #[inline]
    pub(super) fn lose(&self, addresses: u32) -> Left {
        // Relaxed: this flag never changes.
        if is_traced(self.addresses.load(Ordering::Relaxed)) {
            return self.lose_traced(addresses);
        }
        // Release: pairs with the Acquire in `addresses`. Acquire: the common reference stands for
        // the uses of all addresses, so they happen before it is given up and the cell is freed.
        // Nobody else may order them: no holder looks at the count of a stopped actor.
        match self.addresses.fetch_sub(addresses, Ordering::AcqRel) == addresses {
            true => Left::None,
            false => Left::Some,
        }
    }

    /// As `lose`, of an actor that may be part of a cycle: if addresses are left, it becomes a
    /// suspect first. After the count it may be gone.
    fn lose_traced(&self, addresses: u32) -> Left {
        let mut word = self.addresses.load(Ordering::Relaxed);
        loop {
            let left = count(word) - addresses;
            let is_noticed = left > 0 && becomes_suspect(word);
            #[cfg(test)]
            let is_noticed = is_noticed && !is_planted(Planted::UnnoticedDrop);
            let (next, order) = if is_noticed {
                (word | SUSPECT, Ordering::Relaxed)
            } else {
                // As in `lose`.
                (word - addresses, Ordering::AcqRel)
            };
            match self
                .addresses
                .compare_exchange_weak(word, next, order, Ordering::Relaxed)
            {
                Err(now) => word = now,
                Ok(_) if order == Ordering::AcqRel => {
                    return if left == 0 { Left::None } else { Left::Some };
                }
                Ok(_) => {
                    Detector::suspects(self);
                    word = self.addresses.load(Ordering::Relaxed);
                }
            }
        }
    }

    /// The holder has made an address where there was none, as the word says that was there before.
    /// Nobody else knows the actor, and where the address goes nobody may come to: it is a suspect
    /// as if another had been lost (U1).
    #[inline]
    pub(super) fn is_raised(&self, before: u32) {
        if is_traced(before) {
            self.is_raised_traced();
        }
    }

    fn is_raised_traced(&self) {
        // AcqRel: as every change of the count.
        if becomes_suspect(self.addresses.fetch_or(SUSPECT, Ordering::AcqRel)) {
            Detector::suspects(self);
        }
    }

    /// Condemns the actor if it has exactly so many addresses (U4).
    pub(super) fn condemn(&self, addresses: u32) -> Verdict {
        let mut word = self.addresses.load(Ordering::Relaxed);
        loop {
            #[cfg(test)]
            let addresses = match is_planted(Planted::UncheckedCount) {
                true => count(word),
                false => addresses,
            };
            if count(word) != addresses || is_condemned(word) {
                return Verdict::Free;
            }
            // Acquire: pairs with the Release of the drops that made the count what it is: what was
            // sent before is seen. Release: as every change of the count.
            match self.addresses.compare_exchange_weak(
                word,
                word | CONDEMNED,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Verdict::Condemned,
                Err(now) => word = now,
            }
        }
    }

    /// It was condemned, and is let off.
    pub(super) fn pardon(&self) {
        self.addresses.fetch_and(!CONDEMNED, Ordering::AcqRel);
    }
}

/// What came of the attempt to condemn an actor.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub(crate) enum Verdict {
    Condemned,
    Free,
}
