//! What others leave for a heap whose objects they know (`crates/vivant-heap/src/orca/README.md`).
//!
//! Proved, on the files of the crate: whatever is left in a lane is taken once, each writer's in
//! its order; who finds the lane empty, and nobody else, is told so, and an owner that sleeps until
//! then sleeps through nothing; O6, an INC is taken before what it counts can be given up; who
//! takes the last DEC sees all that was done to the object before, and frees it; and the owner may
//! end at that moment: nobody uses it afterwards.
//!
//! | model | real |
//! |---|---|
//! | `real`: `lane`, `owner` | the same bytes |
//! | `heap::Heap` | `Core` and `Sharing`, with one object: the same calls in the same order; it ends as soon as it may |
//! | `heap::Held`, `heap::Import` | `Held`, and a heap's import of the object |
//! | `stubs` | `Header`: memory that loom follows, and whose it is, as its page says; `HeapId`: nothing |
//!
//! Left out: marks, which only say when a change is left; parcels of more than one reference; more
//! than one object. The links between batches are plain pointers that loom does not follow; they
//! are written and read beside the object, which it follows.

#[allow(dead_code, reason = "the models ask for no ids")]
mod real;
pub(crate) mod stubs;

use crate::check::{Canary, holds, holds_long};
use real::{lanes, owners};

/// Two writers and a reader; and who is told that there was nothing.
pub fn each_change_is_taken_once_and_in_order() {
    holds(lanes::two_writers);
}

/// The same, with more than the reader has time for.
pub fn long_four_batches_three_takes() {
    holds_long(lanes::two_busy_writers);
}

/// O6, by whatever way a reference goes from hand to hand.
pub fn an_inc_is_taken_before_its_dec() {
    holds(lanes::a_hand_over);
    holds(owners::a_clone_is_handed_over);
    holds(owners::a_reference_comes_back);
}

/// It frees what others have read, and ends beside the one who told it.
pub fn an_owner_ends_with_its_last_dec() {
    holds(owners::two_give_up);
}

/// Whenever its lane is not empty any more.
pub fn an_owner_that_sleeps_is_woken() {
    holds(owners::the_owner_sleeps);
}

/// Each fault is met by the very models above.
pub mod canaries {
    use super::*;
    use crate::fault::Fault;

    /// Who leaves a change does not show what it did to the object.
    pub fn a_leave_that_does_not_release_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::LaneLeaveRelaxed,
            "Causality violation",
            owners::two_give_up,
        );
    }

    /// The owner does not look at what others did.
    pub fn a_take_that_does_not_acquire_is_caught(canary: Canary) {
        canary.dies_of(
            Fault::LaneTakeRelaxed,
            "Causality violation",
            owners::two_give_up,
        );
    }

    /// Last in, first out.
    pub fn a_take_that_is_not_turned_over_is_caught(canary: Canary) {
        canary.dies_of(Fault::LaneNewestFirst, "O6", lanes::a_hand_over);
    }

    /// What is left between the two is lost.
    pub fn a_take_by_a_look_and_a_store_is_caught(canary: Canary) {
        canary.dies_of(Fault::LaneTakeByALook, "lost", lanes::two_writers);
    }

    /// That there was nothing is told by a look before the exchange.
    pub fn a_nothing_that_is_only_looked_up_is_caught(canary: Canary) {
        canary.dies_of(Fault::NothingByALook, "not one is told", lanes::two_writers);
    }

    /// A clone is in another's hands, and nobody counts it yet.
    pub fn a_clone_that_is_counted_late_is_caught(canary: Canary) {
        canary.dies_of(Fault::IncsKeptBack, "O6", owners::a_clone_is_handed_over);
    }

    /// So is a reference that the owner gets back.
    pub fn an_import_that_asks_late_is_caught(canary: Canary) {
        canary.dies_of(Fault::IncsKeptBack, "O6", owners::a_reference_comes_back);
    }

    /// The owner ends between a change and its waker.
    pub fn an_owner_that_nobody_keeps_is_caught(canary: Canary) {
        canary.dies_of(Fault::NotKept, "Causality violation", owners::two_give_up);
    }

    /// The owner looks into its lane, and what woke it is not there yet.
    pub fn a_wake_before_the_change_is_caught(canary: Canary) {
        canary.dies_of(Fault::WakeFirst, "deadlock", owners::the_owner_sleeps);
    }
}
