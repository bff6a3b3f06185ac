//! P1 to P3, step by step.

use super::*;

const IDLE_NS: u64 = 1_000;

fn candidates(from: u64, count: usize) -> impl Iterator<Item = Candidate> {
    let candidate = |id| Candidate { id, place: 0 };
    (from..from + count as u64).map(candidate)
}

fn findings(looked_at: usize, ended: usize) -> Findings {
    Findings {
        left: Vec::new(),
        again: Vec::new(),
        took_ns: 10,
        looked_at,
        ended,
    }
}

/// Begins a pass; returns the number of its candidates.
fn begins(list: &mut CycleCandidates<()>) -> usize {
    list.begin().map_or(0, |(candidates, _)| candidates.len())
}

/// A list that waits for its timer, with this many candidates.
fn waiting(count: usize) -> (CycleCandidates<()>, u64) {
    let mut list = CycleCandidates::<()>::default();
    let Then::RingAt(at_ns) = list.take_in(candidates(0, 1), 0, IDLE_NS) else {
        panic!("a timer is set")
    };
    list.fresh.extend(candidates(1, count - 1));
    (list, at_ns)
}

#[test]
fn all_that_the_timer_finds_are_looked_at_without_another_wait() {
    // More than one pass takes; as many are left as otherwise get time to become idle.
    let (mut list, at_ns) = waiting(AT_ONCE + MANY);
    assert_eq!(list.ring(at_ns), Then::DetectionPass);
    assert_eq!(begins(&mut list), AT_ONCE);
    let then = list.end(findings(AT_ONCE, AT_ONCE), at_ns, IDLE_NS);
    assert_eq!(then, Then::DetectionPass);
    assert_eq!(begins(&mut list), MANY);
    let then = list.end(findings(MANY, MANY), at_ns, IDLE_NS);
    assert_eq!(then, Then::Nothing);
}

#[test]
fn those_that_a_look_has_left_come_first() {
    let (mut list, at_ns) = waiting(AT_ONCE + 1);
    assert_eq!(list.ring(at_ns), Then::DetectionPass);
    let (first, _) = list.begin().unwrap();
    let left = first[2..].to_vec();
    let cut_off = Findings {
        left,
        ..findings(2, 2)
    };
    assert_eq!(list.end(cut_off, at_ns, IDLE_NS), Then::DetectionPass);
    let (next, _) = list.begin().unwrap();
    assert_eq!(next[0].id, 2);
    assert_eq!(next.len(), AT_ONCE - 1);
}

#[test]
fn after_a_pause_those_that_are_many_do_not_wait_for_new_ones() {
    let mut list = CycleCandidates::<()>::default();
    let then = list.take_in(candidates(0, 8 * MANY), 0, IDLE_NS);
    assert_eq!(then, Then::DetectionPass);
    let count = begins(&mut list);
    let (mut list, then) = {
        let again = candidates(0, count).collect();
        let in_vain = Findings {
            again,
            ..findings(count, 0)
        };
        let then = list.end(in_vain, 0, IDLE_NS);
        (list, then)
    };
    assert_eq!(then, Then::RingAt(SHARE * 10));
    assert_eq!(list.ring(SHARE * 10), Then::DetectionPass);
    assert_eq!(begins(&mut list), 8 * MANY);
}

#[test]
fn a_pause_is_no_longer_for_a_worker_that_was_held_up() {
    let hour_ns = 3_600_000_000_000;
    assert_eq!(pause_ns(hour_ns, 10), SHARE * 10 * ACTOR_NS_MAX);
    assert_eq!(pause_ns(5_000, 10), SHARE * 5_000);
}

#[test]
fn looks_in_vain_stop_and_too_many_end_the_pause() {
    let (mut list, at_ns) = waiting(AT_ONCE + MANY);
    assert_eq!(list.ring(at_ns), Then::DetectionPass);
    let count = begins(&mut list);
    let then = list.end(findings(count, 0), at_ns, IDLE_NS);
    assert_eq!(then, Then::RingAt(at_ns + IDLE_NS));
    assert_eq!(
        list.take_in(candidates(100, 1), at_ns, IDLE_NS),
        Then::Nothing
    );
    let then = list.take_in(candidates(200, TOO_MANY), at_ns, IDLE_NS);
    assert_eq!(then, Then::DetectionPass);
}

#[test]
fn a_crowd_is_over_when_a_look_begins_and_none_is_counted_in_a_pause() {
    let mut list = CycleCandidates::<()>::default();
    let _look = list.take_in(candidates(0, CROWDED), 0, IDLE_NS);
    assert_eq!(list.overload(0), CandidateOverload::Waiting);
    let count = begins(&mut list);
    assert_eq!(list.overload(0), CandidateOverload::None);
    let _nothing = list.take_in(candidates(100, CROWDED), 0, IDLE_NS);
    assert_eq!(list.overload(0), CandidateOverload::Waiting);
    let then = list.end(findings(4 * count, 0), 0, IDLE_NS);
    assert_eq!(then, Then::RingAt(SHARE * 10));
    assert_eq!(list.overload(0), CandidateOverload::None);
    // P4: from the pause's end on it is an overload, and a pass is called for.
    assert_eq!(list.ring(SHARE * 10), Then::DetectionPass);
    assert_eq!(list.overload(SHARE * 10), CandidateOverload::Waiting);
}

#[test]
fn a_timer_that_another_has_taken_the_place_of_is_not_heard() {
    let (mut list, late_ns) = waiting(1);
    list.pause_until_ns = 7;
    let then = list.take_in(candidates(1, 2 * MANY), 0, IDLE_NS);
    assert_eq!(then, Then::RingAt(7));
    assert_eq!(list.ring(late_ns), Then::Nothing);
    assert_eq!(list.ring(7), Then::DetectionPass);
}

#[test]
fn nothing_is_asked_for_when_the_system_ends() {
    let (mut list, at_ns) = waiting(3);
    drop(list.close());
    assert_eq!(list.ring(at_ns), Then::Nothing);
    assert_eq!(list.take_in(candidates(5, 1), 0, IDLE_NS), Then::Nothing);
    assert!(list.begin().is_none());
}
