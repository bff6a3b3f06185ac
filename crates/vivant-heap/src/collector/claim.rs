//! The claim of an object while a mark runs beside its actor: who is to read it as it was when the
//! mark began, or to change it, claims it first (H5, H6).
//!
//! A cell's state is an epoch, or [`CLAIMED`]. What has another epoch than the mark's was not met
//! yet.

use crate::sync::{AtomicU8, Ordering, fault, spin_loop, yield_now};

/// The state of a cell whose object somebody goes through. No epoch has it.
pub(crate) const CLAIMED: u8 = 5;

/// What came of a claim.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The caller goes through the object, and then calls [`release`]. Nobody changes it before
    /// that.
    Mine,
    /// Somebody has been through it.
    Done,
    /// Somebody is at it.
    Others,
}

/// Claims an object that may change in place.
#[inline]
pub(crate) fn claim(state: &AtomicU8, epoch: u8) -> Claim {
    // Acquire, here and below: pairs with the Release in `release`. Who finds it done may change
    // it, after all reads of who has gone through it.
    let seen = state.load(fault!(Ordering::Acquire, ClaimRelaxed => Ordering::Relaxed));
    if seen == epoch {
        return Claim::Done;
    }
    if seen == CLAIMED {
        return Claim::Others;
    }
    fault!(test Unclaimed => return Claim::Mine);
    // What the object was when the mark began is known to each marker by the list of work, which is
    // behind a lock: nothing more is acquired if it succeeds.
    match state.compare_exchange(seen, CLAIMED, Ordering::Acquire, Ordering::Acquire) {
        Ok(_) => Claim::Mine,
        Err(now) if now == epoch => Claim::Done,
        Err(_) => Claim::Others,
    }
}

/// The claimed object was gone through.
#[inline]
pub(crate) fn release(state: &AtomicU8, epoch: u8) {
    // Release: pairs with the Acquire in `claim` and `wait`: who changes the object does it after
    // what was read under the claim.
    state.store(
        epoch,
        fault!(Ordering::Release, ReleaseRelaxed => Ordering::Relaxed),
    );
}

/// Its owner wants to change an object that somebody goes through. How often it had to look: a
/// claim lasts as long as it takes to write down what the object refers to.
#[cold]
pub(crate) fn wait(state: &AtomicU8, epoch: u8) -> u64 {
    let mut looks = 0;
    // Acquire: as in `claim`.
    while state.load(fault!(Ordering::Acquire, WaitRelaxed => Ordering::Relaxed)) != epoch {
        fault!(test Impatient => break);
        looks += 1;
        if looks < SPINS {
            spin_loop();
        } else {
            // Who has the claim may need this processor.
            yield_now();
        }
    }
    looks
}

/// Looks before the processor is offered to others.
const SPINS: u64 = 64;

/// Marks an object that nobody changes: its references can be read at any time. Whether the caller
/// is the one that has met it.
#[inline]
pub(crate) fn meet(state: &AtomicU8, epoch: u8) -> bool {
    // Relaxed: nothing depends on it but who goes on from here.
    let seen = state.load(Ordering::Relaxed);
    seen != epoch
        && state
            .compare_exchange(seen, epoch, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
}
