//! Biased reference counts (`crates/vivant-brc/src/bias/README.md`).
//!
//! Proved, on the files of the crate (B1 to B8), for all interleavings of owners and other threads:
//! each value is destroyed once, by a thread that sees all changes to it; each memory block is
//! freed once, after its last use; no object waits for ever to be destroyed; an id is given back
//! once; a thread for which the test "only reference" succeeds has exclusive access to the value.
//!
//! | model | real |
//! |---|---|
//! | `real`: `header`, `owner_entry`, `handed`, `ending`, `current`, `entering` | the same bytes |
//! | `table` | two entries and a pool for each interleaving |
//! | `object` | `Brc`, `Weak`, `Owner`, `Object`: the same calls in the same order; loom tracks value and memory |
//!
//! Left out: a thread that is an owner by itself (its end is the end of an `Owner`, and its state
//! has no other user); births and ends in batches of sixty, of which
//! `a_deferred_value_is_destroyed` has
//! the one step that differs; overflow of counts.

mod paper;
#[allow(unexpected_cfgs, reason = "a feature of the crate")]
#[allow(dead_code, reason = "the models count no objects")]
mod real;

use crate::check::{canaries, models};
use real::{asked, scenes};

models! {
    /// The owner and one or two others drop, one of them after cloning.
    drops_destroy_the_value_once: holds
        scenes::both_drop, scenes::the_owner_drops_its_last, scenes::another_clones,
        scenes::two_others_drop;
    /// The double free of the paper's algorithm.
    the_nine_steps_destroy_the_value_once: holds scenes::nine_steps;
    /// A reference that is handed over while the owner leaves, or waits.
    an_owner_that_leaves_loses_nothing: holds
        scenes::the_owner_leaves, scenes::the_only_one_is_elsewhere,
        scenes::two_objects_are_queued, scenes::the_owner_is_detached;
    /// A reference that is handed over while the owner ends.
    an_owner_that_ends_loses_nothing: holds
        scenes::the_owner_ends, scenes::the_owner_drops_and_ends,
        scenes::the_owner_ends_between_two;
    /// The biased count is lost with the owner.
    an_owner_moves_between_threads: holds scenes::the_owner_moves;
    /// A reference comes to the queue of another owner, which has got the id of its owner.
    an_id_is_given_again: holds scenes::an_id_is_used_again, scenes::an_ended_owner_is_replaced;
    /// By another thread, or by the owner, while the last reference is dropped.
    an_upgrade_of_a_live_value_succeeds: holds
        scenes::another_upgrades, scenes::the_owner_upgrades,
        scenes::another_upgrades_what_is_merged;
    /// The first and the last ones.
    weak_references_free_the_memory_once: holds scenes::weak_references_come_and_go;
    /// The value is taken out while other threads use it or upgrade.
    a_value_is_taken_once: holds
        asked::a_take_races_with_an_upgrade, asked::a_take_while_the_owner_ends, asked::two_take;
    /// The result of the test "only reference" on a thread that is not the owner.
    a_positive_probe_is_right: holds
        asked::a_probe_against_the_owner, asked::a_probe_against_others, asked::two_probe;
    /// The owner is cleared, and the merged count is not yet visible.
    a_merge_meets_a_reference_on_its_way: holds scenes::a_merge_meets_a_reference_on_its_way;
    /// An object that is being made has a weak reference.
    a_birth_with_a_way_back: holds scenes::a_birth_with_a_way_back;
    /// Destruction within the creation of an object or within an upgrade.
    a_deferred_value_is_destroyed: holds scenes::a_deferred_value_is_destroyed;
}

canaries! {
    /// The paper's algorithm: a queue that owns no reference.
    a_queue_without_a_reference_is_caught: "used after it was freed" => paper::nine_steps;
    /// The owner's last drop does not look for weak references.
    an_end_that_weak_references_do_not_see_is_caught: QuickEndWithWeak, "" => scenes::another_upgrades;
    /// The owner is cleared after the merged count was published.
    an_owner_that_is_cleared_late_is_caught: ClearedLate, "" => scenes::the_owner_drops_its_last;
    /// The owner destroys the object and has not seen other threads' changes to it.
    a_last_look_that_does_not_acquire_is_caught:
        LastLookRelaxed, "Causality violation" => scenes::the_owner_drops_its_last;
    /// Other threads do not publish their changes.
    a_drop_that_does_not_release_is_caught:
        SharedDropRelaxed, "Causality violation" => scenes::the_owner_drops_its_last;
    /// The owner does not publish its changes.
    a_merge_that_does_not_release_is_caught:
        MergeAcquires, "Causality violation" => scenes::the_owner_drops_its_last;
    /// The owner destroys the object by merging, and has not seen other threads' changes to it.
    a_merge_that_does_not_acquire_is_caught:
        MergeReleases, "Causality violation" => scenes::the_owner_drops_its_last;
    /// The last drop of a merged object does not see other threads' changes to it.
    a_last_drop_without_a_fence_is_caught:
        LastWithoutFence, "Causality violation" => scenes::the_owner_drops_its_last;
    /// A thread that finds the owner cleared takes a shared count of one for the last reference.
    a_leaving_owner_that_is_not_counted_is_caught:
        LeavingIsMerged, "" => scenes::a_merge_meets_a_reference_on_its_way;
    /// A weak reference brings an ended object back.
    an_upgrade_of_an_ended_value_is_caught: UpgradeOfMerged, "" => scenes::another_upgrades;
    /// A weak reference finds an object, and not its value.
    an_upgrade_that_does_not_acquire_is_caught:
        UpgradeRelaxed, "Causality violation" => scenes::a_birth_with_a_way_back;
    /// The same, by a fault of the creating thread.
    a_birth_that_does_not_release_is_caught:
        BornRelaxed, "Causality violation" => scenes::a_birth_with_a_way_back;
    /// Two threads check, and both take.
    a_take_by_a_load_and_a_store_is_caught: TakeByALook, "" => asked::two_take;
    /// A drop does not take the prober's flag off.
    a_probe_that_drops_do_not_disturb_is_caught: DropsKeepTheFlag, "" => asked::two_probe;
    /// A probe looks at the counts once.
    a_probe_without_a_second_look_is_caught: ProbeOnce, "" => asked::two_probe;
    /// A probe takes another probe's flag for its own.
    two_probes_at_once_are_caught: ProbesAtOnce, "Causality violation" => asked::two_probe;
    /// The owner's count is one, and nothing else is tested.
    an_only_one_by_a_look_is_caught: SoleByALook, "" => scenes::another_clones;
    /// A probe does not see what the owner did before it dropped.
    an_owners_drop_that_does_not_release_is_caught:
        OwnersDropRelaxed, "Causality violation" => asked::a_probe_against_the_owner;
    /// The next holder does not see the biased counts.
    a_hold_that_does_not_acquire_is_caught: HoldRelaxed, "" => scenes::both_drop;
    /// The last holder does not publish them.
    a_leave_that_does_not_release_is_caught: LeaveRelaxed, "" => scenes::both_drop;
    /// The owner leaves without a check of the bell.
    a_leave_without_a_look_is_caught: LeaveWithoutALook, "waits" => scenes::the_owner_leaves;
    /// The bell is not rung.
    a_push_in_silence_is_caught: PushInSilence, "waits" => scenes::the_owner_leaves;
    /// The thread that rings does not check whether an owner is there.
    a_push_to_nobody_is_caught: RingAndGo, "waits" => scenes::the_owner_leaves;
    /// The flag is taken off after the queue, and with it that of a later push.
    a_flag_that_is_taken_off_too_late_is_caught:
        FlagOffTooLate, "waits" => scenes::two_objects_are_queued;
    /// An id is given back while an object names it, and the object then waits for another owner.
    an_id_that_is_free_while_named_is_caught:
        FreeWhileNamed, "waits" => scenes::an_ended_owner_is_replaced;
    /// No owner is notified that an object names the owner no more.
    an_id_that_nobody_gives_back_is_caught:
        UnnameInSilence, "an id is lost" => asked::a_take_while_the_owner_ends;
}
