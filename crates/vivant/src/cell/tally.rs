//! The word that counts an actor's addresses: the count, and what the detector has to know of it (see `unreachable/README.md`).

/// The actor waits for a verdict, or has been given it: nobody who has no address gets one (U4).
pub(super) const CONDEMNED: u32 = 1 << 31;

/// The actor's state may hold addresses that can be seen, so it may be part of a cycle. Never changes.
pub(super) const TRACED: u32 = 1 << 30;

/// It is among the suspects.
pub(super) const SUSPECT: u32 = 1 << 29;

/// More references than this can only be a leak in a loop; counting on would run into the flags. Half of what the count holds,
/// so that threads that pass it at once cannot do so before one of them aborts.
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
