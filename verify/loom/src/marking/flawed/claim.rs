//! `claim.rs` once more, with the bug that [`Flaw`] says.

use super::flaw::{Flaw, is, or};
use crate::sync::{AtomicU8, Ordering, yield_now};

const CLAIMED: u8 = 5;

#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    Mine,
    Done,
    Others,
}

pub(crate) fn claim(state: &AtomicU8, epoch: u8) -> Claim {
    let acquire = or(Flaw::ClaimRelaxed, Ordering::Acquire);
    let seen = state.load(acquire);
    if seen == epoch {
        return Claim::Done;
    }
    if seen == CLAIMED {
        return Claim::Others;
    }
    if is(Flaw::Unclaimed) {
        return Claim::Mine;
    }
    match state.compare_exchange(seen, CLAIMED, acquire, acquire) {
        Ok(_) => Claim::Mine,
        Err(now) if now == epoch => Claim::Done,
        Err(_) => Claim::Others,
    }
}

pub(crate) fn release(state: &AtomicU8, epoch: u8) {
    state.store(epoch, or(Flaw::ReleaseRelaxed, Ordering::Release));
}

pub(crate) fn wait(state: &AtomicU8, epoch: u8) -> u64 {
    let mut looks = 0;
    while state.load(or(Flaw::WaitRelaxed, Ordering::Acquire)) != epoch {
        if is(Flaw::Impatient) {
            break;
        }
        looks += 1;
        yield_now();
    }
    looks
}
