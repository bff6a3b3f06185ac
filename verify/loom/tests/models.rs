//! The register of all models, and of their self-tests, the canaries: models with a fault that loom
//! must find.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

macro_rules! models {
    ($($protocol:ident { proves { $($model:ident)* } catches { $($canary:ident)* } })*) => {
        $(mod $protocol {
            $(#[test] fn $model() { vivant_loom::$protocol::$model(); })*
            mod canaries {
                $(#[test] fn $canary() {
                    let test = concat!(stringify!($protocol), "::canaries::", stringify!($canary));
                    vivant_loom::$protocol::canaries::$canary(vivant_loom::Canary { test });
                })*
            }
        })*
        const REGISTERED: &[&str] = &[$($(stringify!($model),)* $(stringify!($canary),)*)*];
    };
}

models! {
    mailbox {
        proves {
            nothing_is_lost_or_doubled_or_overtaken
            what_races_with_close_is_given_back_or_in_the_chain
            long_three_messages_against_two
            delivery_is_causal
        }
        catches {
            a_push_that_does_not_release_is_caught
            a_take_that_does_not_acquire_is_caught
            a_close_that_does_not_release_is_caught
            a_refusal_that_does_not_acquire_is_caught
            a_stack_that_is_not_turned_over_is_caught
            a_first_that_is_only_looked_up_is_caught
        }
    }
    run {
        proves {
            no_message_stays_behind
            requeued_it_is_held_by_one
            one_of_two_posters_wakes
            stop_races_with_sends
            a_muted_actor_hears_that_it_may_go_on
            two_signals_are_heard
            long_two_posters_two_workers
        }
        catches {
            a_wake_that_does_not_acquire_is_caught
            a_wake_by_a_look_and_a_store_is_caught
            a_park_that_does_not_release_is_caught
            a_park_that_does_not_look_is_caught
            a_park_that_ignores_a_nudge_is_caught
            a_refused_park_that_does_not_acquire_is_caught
            a_take_that_swallows_a_nudge_is_caught
            a_nudge_skipped_when_it_changes_nothing_is_caught
            a_nudge_skipped_behind_a_message_is_caught
            a_nudge_that_does_not_release_is_caught
            a_signal_without_a_nudge_is_caught
            a_nudge_before_the_signal_is_caught
            a_muted_park_that_does_not_look_is_caught
            a_signal_that_is_forgotten_is_caught
            a_letter_laid_after_the_enqueueing_is_caught
            an_enqueue_while_it_is_held_is_caught
            a_requeue_after_parking_is_caught
        }
    }
    signals {
        proves {
            told_to_go_down_and_come_up_it_comes_up_last
            told_to_come_up_and_go_down_it_goes_down_last
        }
        catches {
            a_signal_that_replaces_nothing_is_caught
            a_replacement_by_a_look_and_a_store_is_caught
            a_replacement_that_does_not_release_is_caught
            a_take_that_does_not_acquire_is_caught
        }
    }
    sleep {
        proves {
            one_worker_never_oversleeps
            two_workers_never_oversleep
            two_posters_wake_one_worker
            a_withdrawal_races_with_a_choice
            closing_wakes_everybody
            loot_given_back_is_found
            long_two_workers_two_posters
        }
        catches {
            a_last_look_before_the_announcement_is_caught
            no_last_look_is_caught
            a_token_that_is_not_taken_is_caught
            waking_before_pushing_is_caught
            a_token_that_is_not_set_is_caught
            saying_too_late_that_it_closes_is_caught
            a_last_look_past_the_own_queue_is_caught
            loot_given_back_in_silence_is_caught
            loot_given_back_to_an_empty_seat_is_caught
        }
    }
    clock {
        proves {
            it_never_rests_while_a_worker_works
            a_nearer_timer_is_not_overlooked
        }
        catches {
            a_withdrawal_that_does_not_rouse_is_caught
            a_notification_without_the_lock_is_caught
        }
    }
    handover {
        proves {
            a_retiring_worker_passes_its_token_on
            a_retiring_workers_queue_goes_to_the_others
            work_in_pieces_does_not_retire
        }
        catches {
            a_token_that_retires_with_its_worker_is_caught
            pieces_that_retire_with_their_worker_are_caught
        }
    }
    muting {
        proves {
            an_offer_that_waits_is_told
            a_receiver_that_drains_lets_everybody_go
            mutual_overload_does_not_deadlock
            a_muted_receiver_lets_everybody_go
            an_ending_receiver_lets_everybody_go
            long_ring_and_fan_in
        }
        catches {
            an_offer_that_is_not_told_is_caught
            muting_without_a_second_look_is_caught
            a_second_look_too_early_is_caught
            a_second_look_by_a_load_is_caught
            a_state_that_is_read_too_early_is_caught
            a_muted_actor_that_keeps_its_list_is_caught
            being_muted_by_a_muted_actor_is_caught
            being_muted_by_an_ended_actor_is_caught
            an_end_by_a_look_and_a_store_is_caught
            an_end_that_never_locks_is_caught
            a_mute_by_a_look_and_a_store_is_caught
            a_batch_behind_a_backlog_uncounted_is_caught
            a_count_that_comes_too_late_is_caught
        }
    }
    address {
        proves {
            a_stopped_actor_is_freed_after_its_last_use
            the_last_of_two_drops_ends_the_actor
            the_holder_raises_the_count_from_zero
            an_upgrade_fails_at_zero
            an_upgrade_races_with_the_holder
            spare_addresses_are_counted_back
            a_stopped_actor_counts_its_spare_addresses_back
        }
        catches {
            a_count_read_without_acquire_is_caught
            a_drop_without_release_is_caught
            an_upgrade_from_zero_is_caught
            a_raise_without_a_reference_is_caught
            a_nudge_after_the_reference_is_gone_is_caught
            a_last_address_that_does_not_nudge_is_caught
            freeing_without_acquire_is_caught
            a_last_address_without_acquire_is_caught
            a_runnable_that_nothing_keeps_is_caught
            a_life_that_is_not_given_up_last_is_caught
            spare_addresses_forgotten_are_caught
            spare_addresses_counted_after_parking_are_caught
            counting_back_without_the_reference_is_caught
            counting_back_without_acquire_is_caught
        }
    }
    unreachable {
        proves {
            a_message_before_the_last_drop_is_seen
            an_upgrade_waits_for_the_verdict
            an_upgrade_of_one_that_is_let_off_succeeds
        }
        catches {
            a_count_that_is_not_compared_is_caught
            a_message_that_is_not_looked_for_is_caught
            a_count_compared_without_acquire_is_caught
            an_upgrade_that_does_not_wait_is_caught
            an_upgrade_that_fails_at_once_is_caught
            members_held_one_after_the_other_are_caught
        }
    }
    brc {
        proves {
            drops_end_it_once
            the_nine_steps_end_it_once
            an_owner_that_leaves_loses_nothing
            an_owner_that_ends_loses_nothing
            an_owner_goes_from_thread_to_thread
            an_id_is_given_again
            an_upgrade_finds_what_lives
            weak_references_free_the_memory_once
            a_value_is_taken_once
            a_probe_that_says_yes_is_right
            a_merge_meets_a_reference_on_its_way
            a_birth_with_a_way_back
            what_is_put_off_is_ended
        }
        catches {
            a_queue_without_a_reference_is_caught
            an_end_that_weak_ones_do_not_see_is_caught
            an_owner_that_is_cleared_late_is_caught
            a_last_look_that_does_not_acquire_is_caught
            a_drop_that_does_not_release_is_caught
            a_merge_that_does_not_release_is_caught
            a_merge_that_does_not_acquire_is_caught
            a_last_drop_without_a_fence_is_caught
            a_leaving_owner_that_is_not_counted_is_caught
            an_upgrade_of_what_has_ended_is_caught
            an_upgrade_that_does_not_acquire_is_caught
            a_birth_that_does_not_release_is_caught
            a_take_by_a_look_and_a_store_is_caught
            a_probe_that_drops_do_not_disturb_is_caught
            a_probe_without_a_second_look_is_caught
            an_only_one_by_a_look_is_caught
            two_probes_at_once_are_caught
            an_owners_drop_that_does_not_release_is_caught
            a_hold_that_does_not_acquire_is_caught
            a_leave_that_does_not_release_is_caught
            a_leave_without_a_look_is_caught
            a_push_in_silence_is_caught
            a_push_to_nobody_is_caught
            a_flag_that_is_taken_off_too_late_is_caught
            an_id_that_is_free_while_named_is_caught
            an_id_that_nobody_gives_back_is_caught
        }
    }
    orca {
        proves {
            each_change_is_taken_once_and_in_order
            long_four_batches_three_takes
            an_inc_is_taken_before_its_dec
            an_owner_ends_with_its_last_dec
            an_owner_that_sleeps_is_woken
        }
        catches {
            a_leave_that_does_not_release_is_caught
            a_take_that_does_not_acquire_is_caught
            a_take_that_is_not_turned_over_is_caught
            a_take_by_a_look_and_a_store_is_caught
            a_nothing_that_is_only_looked_up_is_caught
            a_clone_that_is_counted_late_is_caught
            an_import_that_asks_late_is_caught
            an_owner_that_nobody_keeps_is_caught
            a_wake_before_the_change_is_caught
        }
    }
    marking {
        proves {
            an_object_is_gone_through_once_and_written_after_that
            what_a_write_hides_is_met
            who_finds_it_drained_finds_all
            the_second_round_comes_after_the_first
            close_waits_for_who_works
            long_two_hidden_objects
        }
        catches {
            an_owner_that_does_not_wait_is_caught
            a_scan_without_a_claim_is_caught
            a_release_that_does_not_release_is_caught
            a_claim_that_does_not_acquire_is_caught
            a_wait_that_does_not_acquire_is_caught
            a_worker_that_leaves_before_it_hands_over_is_caught
            a_list_that_is_drained_while_some_work_is_caught
            a_second_round_beside_the_first_is_caught
            a_close_that_does_not_wait_is_caught
            a_leave_in_silence_is_caught
        }
    }
    slot {
        proves {
            an_actor_is_taken_once
            a_displaced_actor_is_not_lost
            long_two_thieves
        }
        catches {
            a_put_that_does_not_release_is_caught
            a_swap_that_does_not_release_is_caught
            a_take_that_does_not_acquire_is_caught
            a_displaced_actor_that_is_dropped_is_caught
            a_store_over_a_full_slot_is_caught
            a_take_by_a_look_and_a_store_is_caught
        }
    }
    pool {
        proves {
            blocks_go_from_worker_to_worker
            two_workers_share_a_depot
            long_shifts
        }
        catches {
            a_magazine_handed_out_twice_is_caught
            a_reserve_that_is_given_and_kept_is_caught
            a_magazine_that_is_lost_is_caught
            a_depot_that_does_not_order_is_caught
        }
    }
    promise {
        proves {
            value_and_wish_meet_once
            an_unwanted_value_is_dropped
            a_wish_without_a_value_is_dropped
            nobody_wants_and_nothing_comes
        }
        catches {
            an_asking_end_that_does_not_acquire_is_caught
            an_asking_end_that_does_not_release_is_caught
            an_answering_end_that_does_not_acquire_is_caught
            an_answering_end_that_does_not_release_is_caught
            a_look_that_does_not_acquire_is_caught
            both_ends_freeing_is_caught
            neither_end_freeing_is_caught
            an_end_by_a_look_and_a_store_is_caught
            a_dropped_end_that_says_nothing_is_caught
        }
    }
}

/// The self-tests of self-tests.
mod canary {
    use vivant_loom::Canary;

    #[test]
    fn fails_without_a_find() {
        let test = "canary::fails_without_a_find";
        Canary { test }.fails_without_a_find();
    }

    #[test]
    fn fails_without_the_fault() {
        let test = "canary::fails_without_the_fault";
        Canary { test }.fails_without_the_fault();
    }
}

/// A model that is written and not registered would prove nothing.
#[test]
fn every_model_is_registered() {
    let written: BTreeSet<String> = sources(SELF)
        .filter(|(path, _)| path.parent() == Some(Path::new(SELF)) && !path.ends_with("check.rs"))
        .flat_map(|(_, text)| words_after(&text, "pub fn "))
        .collect();
    let registered: BTreeSet<String> = REGISTERED.iter().map(ToString::to_string).collect();
    assert_eq!(written, registered);
}

/// So would a fault that is on the list, and in no file or in no self-test.
#[test]
fn every_fault_is_in_a_file_and_has_a_self_test() {
    let listed: BTreeSet<String> = vivant_loom::fault::NAMES
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut injected = BTreeMap::<String, usize>::new();
    for source in CRATES {
        for (_, text) in sources(source) {
            for name in names_of_faults(&text) {
                *injected.entry(name).or_default() += 1;
            }
        }
    }
    injected.retain(|name, _| listed.contains(name));
    assert_eq!(injected.keys().cloned().collect::<BTreeSet<_>>(), listed);
    assert!(injected.values().all(|points| *points <= 2), "{injected:?}");
    let tested: BTreeSet<String> = sources(SELF)
        .filter(|(path, _)| !path.ends_with("check.rs"))
        .flat_map(|(_, text)| words_after(&text, "dies_of(Fault::"))
        .collect();
    assert_eq!(tested, listed);
}

const SELF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
const CRATES: [&str; 3] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant/src"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant-brc/src"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant-heap/src"),
];

/// All files below a folder. White space is one space each.
fn sources(folder: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let mut folders = vec![PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    files.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (path, text.replace("( ", "("))
    })
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn words_after(text: &str, before: &str) -> Vec<String> {
    let rests = text.split(before).skip(1);
    rests
        .filter_map(|rest| rest.split(|after| !is_in_word(after)).next())
        .map(ToString::to_string)
        .collect()
}

/// What stands before an arrow, between the brackets of a `fault!`.
fn names_of_faults(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in text.split("fault!(").skip(1) {
        let mut depth = 1;
        let end = rest.find(|bracket| {
            depth += i32::from(bracket == '(') - i32::from(bracket == ')');
            depth == 0
        });
        let mut pieces: Vec<&str> = rest[..end.unwrap_or(rest.len())].split(" =>").collect();
        pieces.pop();
        let words = pieces
            .iter()
            .filter_map(|piece| piece.rsplit(|before| !is_in_word(before)).next());
        names.extend(words.map(ToString::to_string));
    }
    names
}
