//! Concurrent marking of a heap beside its owner's turns
//! (`crates/vivant-heap/src/gc/README.md`).
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

use crate::check::{canaries, models};
use real::scenes;

models! {
    /// By an owner before its write, and two markers.
    an_object_is_scanned_once_and_written_after_that: holds scenes::a_write;
    /// The owner removes the only path to an object, and flushes it in its SATB buffer.
    an_object_hidden_by_a_write_is_marked: holds scenes::a_hidden_object;
    /// The marker that leaves last sees all finds of all markers.
    the_last_marker_has_seen_all_finds: holds scenes::two_markers;
    /// Deferred work comes when no marker has other work.
    deferred_work_follows_all_other_work: holds scenes::two_rounds;
    /// An aborted mark leaves no marker at its objects.
    closing_waits_for_working_markers: holds scenes::an_aborted_mark;
    /// The same as the second, with two writers and one marker more.
    long_two_hidden_objects: holds_long scenes::two_hidden_objects;
}

canaries! {
    /// The owner writes while a marker reads.
    an_owner_that_does_not_wait_is_caught: Impatient, "Causality violation" => scenes::a_write;
    /// The same, if the marker takes no claim.
    a_scan_without_a_claim_is_caught: Unclaimed, "Causality violation" => scenes::a_write;
    /// The marker does not publish that it has read.
    a_release_that_does_not_release_is_caught:
        ReleaseRelaxed, "Causality violation" => scenes::a_write;
    /// A thread that finds the object scanned writes before it was read.
    a_claim_that_does_not_acquire_is_caught: ClaimRelaxed, "Causality violation" => scenes::a_write;
    /// The same of a thread that waits.
    a_wait_that_does_not_acquire_is_caught: WaitRelaxed, "Causality violation" => scenes::a_write;
    /// The list is found drained between the two steps.
    a_worker_that_leaves_before_it_hands_over_is_caught:
        LeavesFirst, "not met" => scenes::two_markers;
    /// Other markers have work, and will find more.
    a_list_that_is_drained_while_some_work_is_caught:
        NobodyCounts, "not met" => scenes::two_markers;
    /// Deferred work is begun while others scan the rest.
    a_second_round_beside_the_first_is_caught:
        RoundsOverlap, "Causality violation" => scenes::two_rounds;
    /// A marker is at an object that is freed.
    a_close_that_does_not_wait_is_caught:
        ClosesAtOnce, "Causality violation" => scenes::an_aborted_mark;
    /// The thread that waits for the last marker is not notified.
    a_leave_in_silence_is_caught: LeavesInSilence, "deadlock" => scenes::an_aborted_mark;
}
