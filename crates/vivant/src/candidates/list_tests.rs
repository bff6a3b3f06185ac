//! E1 to E4, step by step.

use super::*;

const IDLE_NS: u64 = 1_000;

fn candidates(from: u64, count: usize) -> impl Iterator<Item = Candidate> {
    let candidate = |id| Candidate { id, place: 0 };
    (from..from + count as u64).map(candidate)
}

fn pass_result(examined: usize, unreachable: usize) -> PassResult {
    PassResult {
        unexamined: Vec::new(),
        undecided: Vec::new(),
        took_ns: 10,
        examined,
        unreachable,
    }
}

/// Begins a pass; returns the number of its candidates.
fn begin_pass(list: &mut CycleCandidates<()>) -> usize {
    list.begin_pass()
        .map_or(0, |(candidates, _)| candidates.len())
}

/// A list that waits for its timer, with this many candidates.
fn waiting(count: usize) -> (CycleCandidates<()>, u64) {
    let mut list = CycleCandidates::<()>::default();
    let FollowUp::SetTimer(at_ns) = list.add(candidates(0, 1), 0, IDLE_NS) else {
        panic!("a timer is set")
    };
    list.fresh.extend(candidates(1, count - 1));
    (list, at_ns)
}

#[test]
fn candidates_present_when_the_timer_fires_are_examined_without_another_wait() {
    // More than one pass takes. As many stay as otherwise get time to become idle.
    let (mut list, at_ns) = waiting(PASS_MAX + BATCH);
    assert_eq!(list.timer_fired(at_ns), FollowUp::StartPass);
    assert_eq!(begin_pass(&mut list), PASS_MAX);
    let follow_up = list.end_pass(pass_result(PASS_MAX, PASS_MAX), at_ns, IDLE_NS);
    assert_eq!(follow_up, FollowUp::StartPass);
    assert_eq!(begin_pass(&mut list), BATCH);
    let follow_up = list.end_pass(pass_result(BATCH, BATCH), at_ns, IDLE_NS);
    assert_eq!(follow_up, FollowUp::Nothing);
}

#[test]
fn candidates_that_a_pass_did_not_examine_come_first_in_the_next() {
    let (mut list, at_ns) = waiting(PASS_MAX + 1);
    assert_eq!(list.timer_fired(at_ns), FollowUp::StartPass);
    let (first, _) = list.begin_pass().unwrap();
    let unexamined = first[2..].to_vec();
    let truncated = PassResult {
        unexamined,
        ..pass_result(2, 2)
    };
    assert_eq!(
        list.end_pass(truncated, at_ns, IDLE_NS),
        FollowUp::StartPass
    );
    let (next, _) = list.begin_pass().unwrap();
    assert_eq!(next[0].id, 2);
    assert_eq!(next.len(), PASS_MAX - 1);
}

#[test]
fn after_a_pause_enough_candidates_start_a_pass_without_new_ones() {
    let mut list = CycleCandidates::<()>::default();
    let follow_up = list.add(candidates(0, 8 * BATCH), 0, IDLE_NS);
    assert_eq!(follow_up, FollowUp::StartPass);
    let count = begin_pass(&mut list);
    let (mut list, follow_up) = {
        let undecided = candidates(0, count).collect();
        let unproductive = PassResult {
            undecided,
            ..pass_result(count, 0)
        };
        let follow_up = list.end_pass(unproductive, 0, IDLE_NS);
        (list, follow_up)
    };
    assert_eq!(follow_up, FollowUp::SetTimer(PAUSE_FACTOR * 10));
    assert_eq!(list.timer_fired(PAUSE_FACTOR * 10), FollowUp::StartPass);
    assert_eq!(begin_pass(&mut list), 8 * BATCH);
}

#[test]
fn preemption_of_the_worker_does_not_prolong_a_pause() {
    let hour_ns = 3_600_000_000_000;
    assert_eq!(pause_ns(hour_ns, 10), PAUSE_FACTOR * 10 * ACTOR_NS_MAX);
    assert_eq!(pause_ns(5_000, 10), PAUSE_FACTOR * 5_000);
}

#[test]
fn unproductive_passes_pause_and_the_waiting_limit_ends_the_pause() {
    let (mut list, at_ns) = waiting(PASS_MAX + BATCH);
    assert_eq!(list.timer_fired(at_ns), FollowUp::StartPass);
    let count = begin_pass(&mut list);
    let follow_up = list.end_pass(pass_result(count, 0), at_ns, IDLE_NS);
    assert_eq!(follow_up, FollowUp::SetTimer(at_ns + IDLE_NS));
    assert_eq!(
        list.add(candidates(100, 1), at_ns, IDLE_NS),
        FollowUp::Nothing
    );
    let follow_up = list.add(candidates(200, WAITING_MAX), at_ns, IDLE_NS);
    assert_eq!(follow_up, FollowUp::StartPass);
}

#[test]
fn an_overload_ends_when_a_pass_begins_and_a_pause_hides_it() {
    let mut list = CycleCandidates::<()>::default();
    let _start_pass = list.add(candidates(0, OVERLOAD_MIN), 0, IDLE_NS);
    assert_eq!(list.overload(0), CandidateOverload::Waiting);
    let count = begin_pass(&mut list);
    assert_eq!(list.overload(0), CandidateOverload::None);
    let _nothing = list.add(candidates(100, OVERLOAD_MIN), 0, IDLE_NS);
    assert_eq!(list.overload(0), CandidateOverload::Waiting);
    let follow_up = list.end_pass(pass_result(4 * count, 0), 0, IDLE_NS);
    assert_eq!(follow_up, FollowUp::SetTimer(PAUSE_FACTOR * 10));
    assert_eq!(list.overload(0), CandidateOverload::None);
    // E4: from the pause's end on it is an overload, and a pass is called for.
    assert_eq!(list.timer_fired(PAUSE_FACTOR * 10), FollowUp::StartPass);
    assert_eq!(list.overload(PAUSE_FACTOR * 10), CandidateOverload::Waiting);
}

#[test]
fn a_replaced_timer_has_no_effect() {
    let (mut list, late_ns) = waiting(1);
    list.pause_until_ns = 7;
    let follow_up = list.add(candidates(1, 2 * BATCH), 0, IDLE_NS);
    assert_eq!(follow_up, FollowUp::SetTimer(7));
    assert_eq!(list.timer_fired(late_ns), FollowUp::Nothing);
    assert_eq!(list.timer_fired(7), FollowUp::StartPass);
}

#[test]
fn no_pass_is_requested_after_shutdown() {
    let (mut list, at_ns) = waiting(3);
    drop(list.close());
    assert_eq!(list.timer_fired(at_ns), FollowUp::Nothing);
    assert_eq!(list.add(candidates(5, 1), 0, IDLE_NS), FollowUp::Nothing);
    assert!(list.begin_pass().is_none());
}
