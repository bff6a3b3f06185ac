//! Faults of the runtime, each of which a scene finds.

use super::*;
use crate::injected_fault::{InjectedFault, must_catch};

/// Each of these scenes, which are tests of this folder, fails with the fault.
fn each_finds(fault: InjectedFault, scenes: &[fn()]) {
    for scene in scenes {
        must_catch(fault, scene);
    }
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn a_returned_message_that_is_not_recorded_is_found() {
    let scenes: [fn(); 2] = [
        bounded::an_outside_thread_displaces_an_older_message,
        ends::an_older_message_finds_its_receiver_ended,
    ];
    each_finds(InjectedFault::ReturnedUnrecorded, &scenes);
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn a_refusal_with_the_phase_of_its_sender_is_found() {
    let scenes: [fn(); 3] = [
        ends::an_older_request_is_refused_by_an_actor_that_ended_behind_the_line,
        ends::an_end_before_the_line_refuses_a_newer_message,
        news::an_older_message_displaces_a_newer_one,
    ];
    each_finds(InjectedFault::RefusalWithPhaseOfSender, &scenes);
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn a_cut_that_does_not_wait_for_a_thread_outside_is_found() {
    let scenes: [fn(); 1] = [outside::a_thread_outside_sends_late];
    each_finds(InjectedFault::OutsideThreadNotAwaited, &scenes);
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn an_end_with_a_phase_that_was_read_before_the_count_is_found() {
    let scenes: [fn(); 1] = [last_address::the_last_address_is_dropped_behind_the_line];
    each_finds(InjectedFault::PhaseReadBeforeCount, &scenes);
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn a_signal_without_a_phase_is_found() {
    let scenes: [fn(); 2] = [
        ends::an_actor_is_stopped_behind_the_line,
        cycles::a_cycle_ends_beside_cuts,
    ];
    each_finds(InjectedFault::SignalWithoutPhase, &scenes);
}

#[test]
#[cfg_attr(miri, ignore = "the scenes run there without the faults")]
fn a_name_seen_across_the_line_is_found() {
    let scenes: [fn(); 3] = [
        tables::an_older_turn_finds_a_newer_name,
        tables::an_older_turn_finds_a_newer_member,
        nested::an_older_turn_drives_a_system_that_finds_a_newer_name,
    ];
    each_finds(InjectedFault::NewsUnnoticed, &scenes);
}
