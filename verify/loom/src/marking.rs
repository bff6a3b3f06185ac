//! A mark of a heap beside its owner's turns (`crates/vivant-heap/src/collector/README.md`).
//!
//! Proved, on the files of the crate: an object is gone through once, as it was when the mark
//! began, and its owner writes it after that alone; what owners log of what they write and what
//! markers find is all met when the list is found drained, which who leaves last finds, and what is
//! put off is met when all else has been; and who closes the list uses the objects alone from then
//! on.
//!
//! | model | real |
//! |---|---|
//! | `real`: `claim`, `work_list` | the same bytes |
//! | `heap::Heap` | the objects of a heap: a state, and references that loom follows |
//! | `heap::Mark` | `Mark`, with `Scanner::visit`, `run` and `Mark::work`: the same calls in the same order |
//! | `heap::Owner` | `Cycle`: `before_write`, `hands_over`, `go_on_with_cycle`, `abandon_cycle` |
//!
//! Left out: objects that do not change, of which nobody asks who is at them; pieces of blocks for
//! others; weak references and counts, which are looked at when the list is closed.

#[allow(
    dead_code,
    reason = "the models do not look for room, nor at what never changes"
)]
mod real;

use crate::check::{Canary, holds, holds_long};
use real::scenes;

/// By an owner that is about to write it, and two markers.
pub fn an_object_is_gone_through_once_and_written_after_that() {
    holds(scenes::a_write);
}

/// The only way to an object is taken away by the owner, and handed over in its log.
pub fn what_a_write_hides_is_met() {
    holds(scenes::a_hidden_object);
}

/// Who leaves last finds all that was found by all.
pub fn who_finds_it_drained_finds_all() {
    holds(scenes::two_markers);
}

/// What is put off comes when nobody works at anything else.
pub fn the_second_round_comes_after_the_first() {
    holds(scenes::two_rounds);
}

/// A mark that is given up leaves no marker at its objects.
pub fn close_waits_for_who_works() {
    holds(scenes::a_mark_is_given_up);
}

/// The same as the second, with two who write and a marker more.
pub fn long_two_hidden_objects() {
    holds_long(scenes::two_hidden_objects);
}

/// Each fault is met by the very models above.
pub mod canaries {
    use super::*;
    use crate::fault::Fault;

    /// The owner writes while somebody reads.
    pub fn an_owner_that_does_not_wait_is_caught(canary: Canary) {
        canary.dies_of(Fault::Impatient, "Causality violation", scenes::a_write);
    }

    /// So it does if the marker has no claim.
    pub fn a_scan_without_a_claim_is_caught(canary: Canary) {
        canary.dies_of(Fault::Unclaimed, "Causality violation", scenes::a_write);
    }

    /// Who was there does not show that it has read.
    pub fn a_release_that_does_not_release_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::ReleaseRelaxed,
            "Causality violation",
            scenes::a_write,
        );
    }

    /// Who finds it done writes before it was read.
    pub fn a_claim_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies_of(Fault::ClaimRelaxed, "Causality violation", scenes::a_write);
    }

    /// So does who waits.
    pub fn a_wait_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies_of(Fault::WaitRelaxed, "Causality violation", scenes::a_write);
    }

    /// The list is found drained between the two steps.
    pub fn a_worker_that_leaves_before_it_hands_over_is_caught(canary: Canary) {
        canary.dies_of(Fault::LeavesFirst, "not met", scenes::two_markers);
    }

    /// Others have work, and will find more.
    pub fn a_list_that_is_drained_while_some_work_is_caught(canary: Canary) {
        canary.dies_of(Fault::NobodyCounts, "not met", scenes::two_markers);
    }

    /// What was put off is begun while others go through the rest.
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

    /// Who waits for the last worker is not told.
    pub fn a_leave_in_silence_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::LeavesInSilence,
            "deadlock",
            scenes::a_mark_is_given_up,
        );
    }
}
