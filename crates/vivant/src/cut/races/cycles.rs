//! The cycle detector, which ends actors between two steps of a cut.

use super::*;

const LENGTH: usize = 3;

/// A member of a cycle.
#[derive(Actor)]
struct Member {
    next: Option<Address<Member>>,
}

#[behaviours]
impl Member {
    fn follow(&mut self, next: Address<Member>) {
        self.next = Some(next);
    }
}

/// Where a line runs through the end of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    /// No member that is in the cut has the signal to end.
    BeforeSignals,
    /// The detector signals a few members at a time, so others may be without the signal, or have
    /// ended.
    BetweenSignalAndEnd,
    BehindEnds,
}

/// A cycle without an address from outside, and a cut that begins after `steps`.
fn line_after(steps: usize, seed: u64) -> Line {
    let simulation = Simulation::new(seed);
    let system = simulation.system().clone();
    let members = [(); LENGTH].map(|()| system.spawn(Member { next: None }));
    for (at, member) in members.iter().enumerate() {
        member.follow(members[(at + 1) % LENGTH].clone()).send();
    }
    simulation.run();
    let cells = members
        .each_ref()
        .map(|member| Address::counted(member).cell());
    drop(members);
    for _ in 0..steps {
        simulation.step();
    }
    let (mut coordinator, log) = begin(&system);
    let outcome = finish_simulated(&mut coordinator, &simulation);
    assert_eq!(outcome, Outcome::Consistent);
    simulation.run();
    let (mut captured, mut signalled) = (0, 0);
    for cell in &cells {
        let ended_in = cell.ended_in().expect("it ends all the same").number();
        let is_captured = log.has(&Event::Captured(cell.id, None));
        let is_signalled = log.has(&Event::Signalled(cell.id));
        let is_in_cut = ended_in == coordinator.phase();
        assert!(
            is_captured == is_in_cut && (is_captured || !is_signalled),
            "seed {seed}, {steps} steps: {} ended in {ended_in}, {:?}",
            cell.id,
            log.all()
        );
        captured += usize::from(is_captured);
        signalled += usize::from(is_signalled);
    }
    match (captured, signalled) {
        (0, _) => Line::BehindEnds,
        (_, 0) => Line::BeforeSignals,
        _ => Line::BetweenSignalAndEnd,
    }
}

/// Each member that ends behind the line is in the cut, and no other one is.
pub(super) fn a_cycle_ends_beside_cuts() {
    let (seeds, steps) = if cfg!(miri) { (1, 4) } else { (20, 20) };
    let lines = (0..seeds).flat_map(|seed| (0..steps).map(move |steps| line_after(steps, seed)));
    let lines: Vec<_> = lines.collect();
    if cfg!(miri) {
        return;
    }
    for line in [
        Line::BeforeSignals,
        Line::BetweenSignalAndEnd,
        Line::BehindEnds,
    ] {
        assert!(lines.contains(&line), "no line is {line:?}");
    }
}

#[test]
fn a_member_of_a_cycle_is_in_the_cut_or_has_ended_before_the_line() {
    a_cycle_ends_beside_cuts();
}
