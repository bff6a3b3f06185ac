//! Count deltas that other actors send to a heap about its objects
//! (`crates/vivant-heap/src/orca/README.md`).
//!
//! Proved, on the files of the crate: each batch in a count inbox (lane) is taken once, each
//! writer's in its order; exactly the sender that finds the inbox empty gets that result, and an
//! owner that sleeps until then misses nothing; O6, an INC is taken before the reference that it
//! counts can be dropped; the owner, which takes the last DEC, sees all earlier uses of the object,
//! and frees it; and the owner may end at that moment: no thread uses it afterwards.
//!
//! | model | real |
//! |---|---|
//! | `real`: `inbox`, `owner` | the same bytes |
//! | `heap::Heap` | `Core` and `Sharing`, with one object: the same calls in the same order; it ends as soon as it may |
//! | `heap::Held`, `heap::Import` | `Held`, and a heap's import of the object |
//! | `stubs` | `Header`: memory that loom tracks, and its owner, as its page names it; `HeapId`: nothing |
//! Left out: marks, which only decide when a delta is sent; parcels of more than one reference;
//! more than one object. The links between batches are plain pointers that loom does not track;
//! they are written and read beside the object, which it tracks.

#[allow(dead_code, reason = "the models ask for no ids")]
mod real;
pub(crate) mod stubs;

use crate::check::{canaries, models};
use real::{owners, senders};

models! {
    /// Two writers and a reader; and which writer finds the inbox empty.
    each_change_is_taken_once_and_in_order: holds senders::two_writers;
    /// The same, with more batches than the reader takes.
    long_four_batches_three_takes: holds_long senders::two_busy_writers;
    /// O6, on every path of a reference from one holder to another.
    an_inc_is_taken_before_its_dec: holds
        senders::a_hand_over, owners::a_clone_is_handed_over, owners::a_reference_comes_back;
    /// The owner frees an object that others have read, and ends while the sender of the last DEC
    /// is still sending.
    an_owner_ends_with_its_last_dec: holds owners::two_give_up;
    /// Whenever its count inbox is no longer empty.
    an_owner_that_sleeps_is_woken: holds owners::the_owner_sleeps;
}

canaries! {
    /// The sender of a delta does not publish its uses of the object.
    a_leave_that_does_not_release_is_caught:
        InboxSendRelaxed, "Causality violation" => owners::two_give_up;
    /// The owner does not acquire the other threads' uses.
    a_take_that_does_not_acquire_is_caught:
        InboxTakeRelaxed, "Causality violation" => owners::two_give_up;
    /// Last in, first out.
    a_take_that_is_not_reversed_is_caught: InboxNewestFirst, "O6" => senders::a_hand_over;
    /// A batch that is sent between the two steps is lost.
    a_take_by_a_load_and_a_store_is_caught: InboxTakeByLoad, "lost" => senders::two_writers;
    /// That the inbox was empty is determined by a load before the exchange.
    a_nothing_that_is_only_looked_up_is_caught:
        EmptyByLoad, "not one is told" => senders::two_writers;
    /// Another holder has a clone that is not yet counted.
    a_clone_that_is_counted_late_is_caught: IncsKeptBack, "O6" => owners::a_clone_is_handed_over;
    /// The same of a reference that the owner gets back.
    an_import_that_asks_late_is_caught: IncsKeptBack, "O6" => owners::a_reference_comes_back;
    /// The owner ends between a change and its waker.
    an_owner_that_nobody_keeps_is_caught: NotKept, "Causality violation" => owners::two_give_up;
    /// The owner checks its inbox, and the batch for which it was woken is not there yet.
    a_wake_before_the_change_is_caught: WakeFirst, "deadlock" => owners::the_owner_sleeps;
}
