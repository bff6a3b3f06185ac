//! The reference word of an actor: the number of its addresses, and flags of the cycle detector
//! (see `unreachable/README.md`).

/// The detector has found the actor unreachable and has not decided yet, or has decided to end it.
/// `upgrade` returns no new address meanwhile (U4).
pub(crate) const DYING: u32 = 1 << 31;

/// The actor's state may hold addresses that can be traced, so it may be part of a cycle. Never
/// changes.
pub(crate) const TRACED: u32 = 1 << 30;

/// The actor is a cycle candidate.
pub(crate) const CANDIDATE: u32 = 1 << 29;

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
    word & (CANDIDATE - 1)
}

#[inline]
pub(crate) const fn is_traced(word: u32) -> bool {
    word & TRACED != 0
}

#[inline]
pub(crate) const fn is_dying(word: u32) -> bool {
    word & DYING != 0
}

/// Returns true if an actor that loses an address, but not the last, is to become a cycle
/// candidate.
#[inline]
pub(crate) const fn becomes_candidate(word: u32) -> bool {
    word & (CANDIDATE | DYING) == 0
}

/// Whether any address is left.
#[derive(PartialEq, Eq)]
pub(crate) enum AddressesLeft {
    None,
    Some,
}

/// The result of `commit_dying`.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub(crate) enum CommitResult {
    Dying,
    Aborted,
}
