//! The register of all models, and of the canaries: models with a planted bug that loom must find.

use std::collections::BTreeSet;
use std::fs;

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
            delivery_is_causal
            without_a_flaw_the_copy_holds
            long_three_messages_against_two
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
            two_posters_need_one_notification
            stop_races_with_sends
            without_a_flaw_the_copy_holds
            long_two_posters_two_workers
        }
        catches {
            a_first_that_does_not_notify_is_caught
            a_notification_skipped_when_already_told_is_caught
            a_notification_that_does_not_release_is_caught
            a_park_that_does_not_look_is_caught
            looking_again_without_acquire_is_caught
            a_park_that_does_not_release_is_caught
            an_enqueue_while_it_is_held_is_caught
            a_stop_that_is_forgotten_is_caught
        }
    }
    sleep {
        proves {
            one_worker_never_oversleeps
            two_workers_never_oversleep
            two_posters_wake_one_worker
            a_withdrawal_races_with_a_choice
            closing_wakes_everybody
            long_two_workers_two_posters
        }
        catches {
            a_last_look_before_the_announcement_is_caught
            no_last_look_is_caught
            a_token_that_is_not_taken_is_caught
            waking_before_pushing_is_caught
            a_token_that_is_not_set_is_caught
            saying_too_late_that_it_closes_is_caught
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
        }
        catches {
            a_token_that_retires_with_its_worker_is_caught
        }
    }
    muting {
        proves {
            a_receiver_that_drains_lets_everybody_go
            mutual_overload_does_not_deadlock
            a_muted_receiver_lets_everybody_go
            an_ending_receiver_lets_everybody_go
            without_a_flaw_the_copy_holds
            long_ring_and_fan_in
        }
        catches {
            muting_without_a_second_look_is_caught
            a_second_look_too_early_is_caught
            a_second_look_by_a_load_is_caught
            a_state_that_is_read_too_early_is_caught
            a_muted_actor_that_keeps_its_list_is_caught
            being_muted_by_a_muted_actor_is_caught
            being_muted_by_an_ended_actor_is_caught
        }
    }
    address {
        proves {
            the_last_of_two_drops_ends_the_actor
            the_holder_raises_the_count_from_zero
            an_upgrade_fails_at_zero
            a_stopped_actor_is_freed_after_its_last_use
            an_upgrade_races_with_the_holder
        }
        catches {
            a_count_read_without_acquire_is_caught
            a_drop_without_release_is_caught
            an_upgrade_from_zero_is_caught
            a_raise_without_a_reference_is_caught
            a_signal_after_the_reference_is_gone_is_caught
            freeing_without_acquire_is_caught
            a_last_address_without_acquire_is_caught
        }
    }
}

/// A model that is written and not registered would prove nothing.
#[test]
fn every_model_is_registered() {
    let sources = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
    let text: String = sources
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let written: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub fn "))
        .filter_map(|rest| rest.split('(').next())
        .collect();
    let registered: BTreeSet<&str> = REGISTERED.iter().copied().collect();
    assert_eq!(written, registered);
}
