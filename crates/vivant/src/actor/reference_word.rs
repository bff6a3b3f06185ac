//! The reference word of an actor: the number of its addresses, and flags of the cycle detector
//! (see `unreachable/README.md`).

use super::header::Header;
use crate::cycles::Detector;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::Ordering;

/// The detector has found the actor unreachable and has not decided yet, or has decided to end it.
/// `upgrade` returns no new address meanwhile (U4).
pub(crate) const CONDEMNED: u32 = 1 << 31;

/// The actor's state may hold addresses that can be traced, so it may be part of a cycle. Never
/// changes.
pub(crate) const TRACED: u32 = 1 << 30;

/// The actor is a cycle candidate.
pub(crate) const SUSPECT: u32 = 1 << 29;

/// Limit of the number of addresses. More can only be a leak in a loop, and the count would run
/// into the flags. The limit is half of what the count holds, so that threads that pass it at the
/// same time cannot do so before one of them aborts.
pub(crate) const ADDRESSES_MAX: u32 = 1 << 28;

/// Returns the first word of an actor, with one address.
pub(crate) const fn first(is_traced: bool) -> u32 {
    if is_traced { TRACED | 1 } else { 1 }
}

/// Returns the number of addresses.
#[inline]
pub(crate) const fn count(word: u32) -> u32 {
    word & (SUSPECT - 1)
}

#[inline]
pub(crate) const fn is_traced(word: u32) -> bool {
    word & TRACED != 0
}

#[inline]
pub(crate) const fn is_dying(word: u32) -> bool {
    word & CONDEMNED != 0
}

/// Returns true if an actor that loses an address, but not the last, is to become a cycle
/// candidate.
#[inline]
pub(crate) const fn becomes_candidate(word: u32) -> bool {
    word & (SUSPECT | CONDEMNED) == 0
}

/// Whether any address is left.
#[derive(PartialEq, Eq)]
pub(crate) enum Left {
    None,
    Some,
}

impl Header {
    /// Returns the number of addresses now.
    pub(crate) fn addresses(&self) -> u32 {
        // Acquire: pairs with the Release of the last drop; a holder that reads zero sees
        // everything that its thread did before.
        count(self.addresses.load(Ordering::Acquire))
    }

    /// The actor is no candidate any more: from now on a lost address makes it one again. Called
    /// before the detector scans it (U2).
    pub(crate) fn is_looked_at(&self) {
        // AcqRel: as in `lose`; the scan that follows sees everything that was lost before.
        self.addresses.fetch_and(!SUSPECT, Ordering::AcqRel);
    }

    /// Subtracts counted addresses, which the caller gives up, from the count.
    #[inline]
    pub(crate) fn lose(&self, addresses: u32) -> Left {
        // Relaxed: this flag never changes.
        if is_traced(self.addresses.load(Ordering::Relaxed)) {
            return self.lose_traced(addresses);
        }
        // Release: pairs with the Acquire in `addresses`. Acquire: the common reference stands for
        // the uses of all addresses, so they happen before it is dropped and the cell is freed.
        // Nothing else orders them: no holder reads the count of a stopped actor.
        match self.addresses.fetch_sub(addresses, Ordering::AcqRel) == addresses {
            true => Left::None,
            false => Left::Some,
        }
    }

    /// As `lose`, for an actor that may be part of a cycle. If addresses are left, it becomes a
    /// candidate before the subtraction: after the subtraction its cell may be freed.
    fn lose_traced(&self, addresses: u32) -> Left {
        let mut word = self.addresses.load(Ordering::Relaxed);
        loop {
            let left = count(word) - addresses;
            let is_noticed = left > 0 && becomes_candidate(word);
            #[cfg(test)]
            let is_noticed = is_noticed && !is_planted(InjectedFault::UnnoticedDrop);
            let (next, order) = if is_noticed {
                (word | SUSPECT, Ordering::Relaxed)
            } else {
                // AcqRel, as in `lose`: the drops before happen before the free.
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
                    Detector::candidates(self);
                    word = self.addresses.load(Ordering::Relaxed);
                }
            }
        }
    }

    /// The holder has made the first address again; `before` is the word before the increment. No
    /// other thread knows the actor, and the actor that receives the new address may be
    /// unreachable. So this actor becomes a candidate, as if it had lost an address (U1).
    #[inline]
    pub(crate) fn is_raised(&self, before: u32) {
        if is_traced(before) {
            self.is_raised_traced();
        }
    }

    fn is_raised_traced(&self) {
        // AcqRel: as every change of the count.
        if becomes_candidate(self.addresses.fetch_or(SUSPECT, Ordering::AcqRel)) {
            Detector::candidates(self);
        }
    }

    /// Marks the actor as dying if it has exactly `addresses` addresses (U4).
    pub(crate) fn commit_dying(&self, addresses: u32) -> CommitResult {
        let mut word = self.addresses.load(Ordering::Relaxed);
        loop {
            #[cfg(test)]
            let addresses = match is_planted(InjectedFault::UncheckedCount) {
                true => count(word),
                false => addresses,
            };
            if count(word) != addresses || is_dying(word) {
                return CommitResult::Free;
            }
            // Acquire: pairs with the Release of the drops that gave the count its value, so what
            // was sent before them is seen. Release: as every change of the count.
            match self.addresses.compare_exchange_weak(
                word,
                word | CONDEMNED,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return CommitResult::Condemned,
                Err(now) => word = now,
            }
        }
    }

    /// Aborts the end of a dying actor: clears the mark.
    pub(crate) fn abort_dying(&self) {
        self.addresses.fetch_and(!CONDEMNED, Ordering::AcqRel);
    }
}

/// The result of `commit_dying`.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub(crate) enum CommitResult {
    Condemned,
    Free,
}
