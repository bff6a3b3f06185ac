//! The changes of an actor's reference word: addresses lost and made, and the flags of the cycle
//! detector. An actor that loses an address, and not its last, becomes a cycle candidate (U1).

use super::{AddressRef, Cached, CellRef, Dropped};
use crate::actor::header::Header;
use crate::actor::reference_word::{
    AddressesLeft, CANDIDATE, CommitResult, DYING, becomes_candidate, count, is_dying, is_traced,
};
use crate::actor::shared::Shared;
use crate::actor::worker::Worker;
use crate::candidates::{Candidate, CandidateOverload, FollowUp};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::services::{Action, Alarm, SystemCall, ns};
use crate::sync::{Arc, Ordering};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Number of cycle candidates after which a worker flushes them to the detector.
const CANDIDATES_MAX: usize = 64;

impl Drop for AddressRef {
    #[inline]
    fn drop(&mut self) {
        let kept = |worker: &Worker| worker.cache_dropped(self, Dropped(self.0));
        if Worker::with_current(kept) == Some(Cached::Yes) {
            return;
        }
        self.count_down();
    }
}

impl Drop for Dropped {
    fn drop(&mut self) {
        // The subtraction of this address was deferred until now.
        ManuallyDrop::new(AddressRef(self.0)).count_down();
    }
}

impl AddressRef {
    fn count_down(&mut self) {
        // SAFETY: this address is counted, so the cell is alive (C3), and the caller gives it up.
        // The pointer is that of the whole cell (C7).
        if unsafe { subtract_addresses(self.0, 1) } == AddressesLeft::None {
            // C3: the reference that the addresses owned together passes to this value, which drops
            // it at the end.
            let cell = CellRef(self.0);
            cell.notify();
        }
    }
}

/// Subtracts the unused cached addresses of a run from the count (C6). Only the holder calls this,
/// so no notification is needed when none is left.
///
/// # Safety
///
/// `header` starts a cell that stays alive for the call, the pointer is that of the whole cell, and
/// the caller owns `cached` counted addresses of it, which it gives up.
#[inline(always)]
pub(crate) unsafe fn count_back(header: NonNull<Header>, cached: u32) {
    // SAFETY: the caller's contract (X1).
    if unsafe { subtract_addresses(header, cached) } == AddressesLeft::None {
        // C3: the reference that the addresses owned together.
        drop(CellRef(header));
    }
}

/// Subtracts counted addresses, which the caller gives up, from the count.
///
/// After the subtraction another thread may free the cell. So this function takes a pointer: a
/// `&Header` among the arguments would claim the cell until the function returns.
///
/// # Safety
///
/// `header` starts a cell, the pointer is that of the whole cell, and the caller owns `addresses`
/// counted addresses of it, at least one, which it gives up.
#[inline]
unsafe fn subtract_addresses(header: NonNull<Header>, addresses: u32) -> AddressesLeft {
    // SAFETY: the counted addresses keep the cell alive until they are subtracted (C3); the word is
    // not used afterwards.
    let word = unsafe { &(*header.as_ptr()).addresses };
    // Relaxed: this flag never changes.
    if is_traced(word.load(Ordering::Relaxed)) {
        // SAFETY: the caller's contract (X1).
        return unsafe { subtract_traced(header, addresses) };
    }
    // Release: pairs with the Acquire in `addresses`. Acquire: the common reference stands for the
    // uses of all addresses, so they happen before it is dropped and the cell is freed. Nothing
    // else orders them: no holder reads the count of a stopped actor.
    match word.fetch_sub(addresses, Ordering::AcqRel) == addresses {
        true => AddressesLeft::None,
        false => AddressesLeft::Some,
    }
}

/// As `subtract_addresses`, for an actor that may be part of a cycle. If addresses are left, it
/// becomes a candidate before the subtraction: after the subtraction its cell may be freed.
///
/// # Safety
///
/// That of `subtract_addresses`.
unsafe fn subtract_traced(header: NonNull<Header>, addresses: u32) -> AddressesLeft {
    // SAFETY: the counted addresses keep the cell alive until they are subtracted (C3); the loop
    // ends with the subtraction.
    let shared = unsafe { &(*header.as_ptr()).addresses };
    let mut word = shared.load(Ordering::Relaxed);
    loop {
        let left = count(word) - addresses;
        let is_noticed = left > 0 && becomes_candidate(word);
        #[cfg(test)]
        let is_noticed = is_noticed && !is_planted(InjectedFault::UnnoticedDrop);
        let (next, order) = if is_noticed {
            (word | CANDIDATE, Ordering::Relaxed)
        } else {
            // AcqRel, as in `subtract_addresses`: the drops before happen before the free.
            (word - addresses, Ordering::AcqRel)
        };
        match shared.compare_exchange_weak(word, next, order, Ordering::Relaxed) {
            Err(now) => word = now,
            Ok(_) if order == Ordering::AcqRel => {
                return if left == 0 {
                    AddressesLeft::None
                } else {
                    AddressesLeft::Some
                };
            }
            Ok(_) => {
                // SAFETY: the addresses are not subtracted yet, so the cell is alive (C3).
                unsafe { header.as_ref() }.become_candidate();
                word = shared.load(Ordering::Relaxed);
            }
        }
    }
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
    pub(crate) fn clear_candidate(&self) {
        // AcqRel: as in `subtract_addresses`; the scan that follows sees everything that was lost
        // before.
        self.addresses.fetch_and(!CANDIDATE, Ordering::AcqRel);
    }

    /// The holder has made the first address again; `before` is the word before the increment. No
    /// other thread knows the actor, and the actor that receives the new address may be
    /// unreachable. So this actor becomes a candidate, as if it had lost an address (U1).
    #[inline]
    pub(crate) fn note_first_address(&self, before: u32) {
        if is_traced(before) {
            self.note_first_address_traced();
        }
    }

    fn note_first_address_traced(&self) {
        // AcqRel: as every change of the count.
        if becomes_candidate(self.addresses.fetch_or(CANDIDATE, Ordering::AcqRel)) {
            self.become_candidate();
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
                return CommitResult::Aborted;
            }
            // Acquire: pairs with the Release of the drops that gave the count its value, so what
            // was sent before them is seen. Release: as every change of the count.
            match self.addresses.compare_exchange_weak(
                word,
                word | DYING,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return CommitResult::Dying,
                Err(now) => word = now,
            }
        }
    }

    /// Aborts the end of a dying actor: clears the mark.
    pub(crate) fn abort_dying(&self) {
        self.addresses.fetch_and(!DYING, Ordering::AcqRel);
    }
}

impl Header {
    /// This live actor loses an address, and not its last (U1).
    pub(crate) fn become_candidate(&self) {
        let who = Candidate {
            id: self.id,
            place: self.place(),
        };
        let noted = Worker::of(&self.system, |worker| worker.record_candidate(who)).flatten();
        if noted.is_none() {
            let _of_no_actor = self.system.take_in_candidates([who]);
        }
    }
}

/// Candidates are due, at this time.
static EXAMINE_CANDIDATES: SystemCall<Arc<Shared>> = SystemCall {
    name: "candidates",
    call: |system, [at_ns, _]| {
        let then = system.candidates.list().timer_fired(at_ns);
        system.after_candidates(then, at_ns);
    },
};

impl Shared {
    /// Adds candidates.
    pub(crate) fn take_in_candidates(
        self: &Arc<Self>,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> CandidateOverload {
        let (now_ns, wait_ns) = (self.oracle.now_ns(), ns(self.config.idle_after));
        let mut list = self.candidates.list();
        let then = list.add(candidates, now_ns, wait_ns);
        let overload = list.overload(now_ns);
        drop(list);
        self.after_candidates(then, now_ns);
        overload
    }

    /// Does what the list of candidates asks for.
    pub(crate) fn after_candidates(self: &Arc<Self>, then: FollowUp, now_ns: u64) {
        match then {
            FollowUp::Nothing => {}
            FollowUp::StartPass => {
                self.candidates.request_pass();
                self.idle.wake_one();
            }
            FollowUp::SetTimer(at_ns) => {
                let in_ns = at_ns.saturating_sub(now_ns);
                let action = Action::Call(&EXAMINE_CANDIDATES, [at_ns, 0]);
                self.set_timer(in_ns, Alarm::Once(action));
            }
        }
    }
}

impl Worker {
    /// Records a cycle candidate, if this worker has rounds and so flushes its candidates at their
    /// end.
    pub(crate) fn record_candidate(&self, candidate: Candidate) -> Option<()> {
        self.worker_shared()?;
        let mut candidates = self.candidates.borrow_mut();
        candidates.push(candidate);
        let count = candidates.len();
        drop(candidates);
        if count >= CANDIDATES_MAX {
            let overload = self.flush_candidates();
            if self.inside_turn() {
                self.end_run_early(overload);
            }
        }
        Some(())
    }

    /// Flushes the recorded candidates to the detector.
    #[inline]
    pub(crate) fn flush_candidates(&self) -> CandidateOverload {
        let mut candidates = self.candidates.borrow_mut();
        if candidates.is_empty() {
            return CandidateOverload::None;
        }
        self.system.take_in_candidates(candidates.drain(..))
    }
}
