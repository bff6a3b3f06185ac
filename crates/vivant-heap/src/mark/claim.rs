//! The claim of a mutable object during a concurrent mark: a scanner that reads it, or the owner
//! that is about to change it, claims it first (H5, H6).
//!
//! A block's state is an epoch or [`CLAIMED`]. Any epoch other than the mark's means that the
//! object is not marked yet.

use crate::sync::{AtomicU8, Ordering, fault, spin_loop, yield_now};

/// The state of a block while a scanner reads its object. No epoch has this value.
pub(crate) const CLAIMED: u8 = 5;

/// The result of a claim.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The caller scans the object, and then calls [`release`]. No other thread changes it before
    /// that.
    Mine,
    /// The object is scanned.
    Done,
    /// Another scanner has the claim.
    Others,
}

/// Claims a mutable object.
#[inline]
pub(crate) fn claim(state: &AtomicU8, epoch: u8) -> Claim {
    // Acquire, here and below: pairs with the Release in `release`. A caller that gets `Done` may
    // change the object, after all reads of its scanner.
    let seen = state.load(fault!(Ordering::Acquire, ClaimRelaxed => Ordering::Relaxed));
    if seen == epoch {
        return Claim::Done;
    }
    if seen == CLAIMED {
        return Claim::Others;
    }
    fault!(test Unclaimed => return Claim::Mine);
    // Each marker knows the object's contents at the beginning of the mark by way of the mark
    // queue, which is behind a lock: a successful exchange need not acquire more.
    match state.compare_exchange(seen, CLAIMED, Ordering::Acquire, Ordering::Acquire) {
        Ok(_) => Claim::Mine,
        Err(now) if now == epoch => Claim::Done,
        Err(_) => Claim::Others,
    }
}

/// Ends a claim: the object was scanned.
#[inline]
pub(crate) fn release(state: &AtomicU8, epoch: u8) {
    // Release: pairs with the Acquire in `claim` and `wait`: the owner's writes come after the
    // reads made under the claim.
    state.store(
        epoch,
        fault!(Ordering::Release, ReleaseRelaxed => Ordering::Relaxed),
    );
}

/// The owner waits to change an object that another thread scans. Returns the number of its polls.
/// A claim lasts as long as it takes to list the object's references.
#[cold]
pub(crate) fn wait(state: &AtomicU8, epoch: u8) -> u64 {
    let mut polls = 0;
    // Acquire: pairs with the Release in `release`, as in `claim`.
    while state.load(fault!(Ordering::Acquire, WaitRelaxed => Ordering::Relaxed)) != epoch {
        fault!(test Impatient => break);
        polls += 1;
        if polls < SPINS {
            spin_loop();
        } else {
            // The claimant may need this processor.
            yield_now();
        }
    }
    polls
}

/// Polls before the owner yields its processor.
const SPINS: u64 = 64;

/// Marks an immutable object, of which references can be read at any time. There is nothing to
/// release.
#[inline]
pub(crate) fn mark(state: &AtomicU8, epoch: u8) -> Claim {
    // Relaxed: the exchange only decides which thread scans the object.
    let seen = state.load(Ordering::Relaxed);
    if seen == epoch {
        return Claim::Done;
    }
    match state.compare_exchange(seen, epoch, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Claim::Mine,
        Err(_) => Claim::Done,
    }
}
