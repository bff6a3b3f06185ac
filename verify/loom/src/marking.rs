//! Concurrent marking of a heap beside its owner's turns
//! (`crates/vivant-heap/src/collector/README.md`).
//!
//! Proved, on the files of the crate: an object is scanned once, as it was when the mark began, and
//! its owner writes it only after that; the SATB buffers of owners and the finds of markers are all
//! marked when the work list is found drained, which the marker that leaves last finds; deferred
//! work is marked when all other work is done; the thread that closes the list has exclusive access
//! to the objects from then on.
//!
//! | model | real |
//! |---|---|
//! | `real`: `claim`, `work_list` | the same bytes |
//! | `heap::Heap` | the objects of a heap: a state, and references that loom follows |
//! | `heap::Mark` | `Mark`, with `Scanner::visit`, `run` and `Mark::work`: the same calls in the same order |
//! | `heap::Owner` | `ConcurrentMark`: `satb_barrier`, `flush`, `advance_mark`, `abort_mark` |
//!
//! Left out: immutable objects, for which no claim is taken; splitting of work packets for other
//! markers; weak references and counts, which are processed when the list is closed.

#[allow(
    dead_code,
    reason = "the models do not look for room, nor at what never changes"
)]
mod real;

use crate::check::{Canary, holds, holds_long};
use real::scenes;

/// By an owner before its write, and two markers.
pub fn an_object_is_gone_through_once_and_written_after_that() {
    holds(scenes::a_write);
}

/// The owner removes the only path to an object, and flushes it in its SATB buffer.
pub fn what_a_write_hides_is_met() {
    holds(scenes::a_hidden_object);
}

/// The marker that leaves last sees all finds of all markers.
pub fn who_finds_it_drained_finds_all() {
    holds(scenes::two_markers);
}

/// Deferred work comes when no marker has other work.
pub fn the_second_round_comes_after_the_first() {
    holds(scenes::two_rounds);
}

/// An aborted mark leaves no marker at its objects.
pub fn close_waits_for_who_works() {
    holds(scenes::a_mark_is_given_up);
}

/// The same as the second, with two writers and one marker more.
pub fn long_two_hidden_objects() {
    holds_long(scenes::two_hidden_objects);
}

/// These very models find each fault.
pub mod canaries {
    use super::*;
    use crate::fault::Fault;

    /// The owner writes while a marker reads.
    pub fn an_owner_that_does_not_wait_is_caught(canary: Canary) {
        canary.dies_of(Fault::Impatient, "Causality violation", scenes::a_write);
    }

    /// The same, if the marker takes no claim.
    pub fn a_scan_without_a_claim_is_caught(canary: Canary) {
        canary.dies_of(Fault::Unclaimed, "Causality violation", scenes::a_write);
    }

    /// The marker does not publish that it has read.
    pub fn a_release_that_does_not_release_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::ReleaseRelaxed,
            "Causality violation",
            scenes::a_write,
        );
    }

    /// A thread that finds the object scanned writes before it was read.
    pub fn a_claim_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies_of(Fault::ClaimRelaxed, "Causality violation", scenes::a_write);
    }

    /// The same of a thread that waits.
    pub fn a_wait_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies_of(Fault::WaitRelaxed, "Causality violation", scenes::a_write);
    }

    /// The list is found drained between the two steps.
    pub fn a_worker_that_leaves_before_it_hands_over_is_caught(canary: Canary) {
        canary.dies_of(Fault::LeavesFirst, "not met", scenes::two_markers);
    }

    /// Other markers have work, and will find more.
    pub fn a_list_that_is_drained_while_some_work_is_caught(canary: Canary) {
        canary.dies_of(Fault::NobodyCounts, "not met", scenes::two_markers);
    }

    /// Deferred work is begun while others scan the rest.
    pub fn a_second_round_beside_the_first_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::RoundsOverlap,
            "Causality violation",
            scenes::two_rounds,
        );
    }

    /// A marker is at an object that is freed.
    pub fn a_close_that_does_not_wait_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::ClosesAtOnce,
            "Causality violation",
            scenes::a_mark_is_given_up,
        );
    }

    /// The thread that waits for the last marker is not notified.
    pub fn a_leave_in_silence_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::LeavesInSilence,
            "deadlock",
            scenes::a_mark_is_given_up,
        );
    }
}
