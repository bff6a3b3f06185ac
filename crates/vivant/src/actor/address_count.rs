//! The changes of an actor's reference word: addresses lost and made, and the detector's flags.

use super::header::Header;
use super::reference_word::{
    CONDEMNED, CommitResult, Left, SUSPECT, becomes_candidate, count, is_dying, is_traced,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::sync::Ordering;

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
                    self.is_candidate();
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
            self.is_candidate();
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
