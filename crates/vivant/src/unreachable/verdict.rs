//! The verdict: all of a group are condemned, or nobody is.

use super::Acquaintance;
use super::graph::Who;
use super::look::{Sight, shown};
use crate::cell::{Idle, Runnable, Verdict};
#[cfg(test)]
use crate::planted::{Planted, is_planted};
use crate::system::Shared;

/// What came of it.
pub(super) enum Outcome {
    /// Each ends in its next run, which is the caller's to bring about.
    End(Vec<Runnable>),
    /// Something keeps one of them, or may.
    LetOff,
}

/// Condemns a group, given in order of creation, if its members are idle and all their addresses are in each other's states.
pub(super) fn condemn(system: &Shared, group: &[Who]) -> Outcome {
    condemn_by(system, group, known_to_each_other)
}

/// As `condemn`, by counts that come from elsewhere.
pub(super) fn condemn_by(
    system: &Shared,
    group: &[Who],
    known: impl FnOnce(&mut [Idle], &[Who]) -> Option<Vec<u32>>,
) -> Outcome {
    let mut held = Vec::with_capacity(group.len());
    for who in group {
        let cell = system.registry.get(who.id, who.place);
        match cell.and_then(|cell| cell.hold_idle().ok()) {
            Some(idle) => held.push(idle),
            None => return let_off(held),
        }
    }
    // U3: from here on nobody of them runs, so nobody of them gives away what it knows.
    let Some(known) = known(&mut held, group) else {
        return let_off(held);
    };
    let disputed = || system.detector.is_disputed();
    let sentence = || sentence(&held, &known, disputed);
    match system.detector.in_verdict(sentence) {
        Verdict::Condemned => Outcome::End(held.into_iter().map(Idle::ends).collect()),
        Verdict::Free => let_off(held),
    }
}

fn let_off(held: Vec<Idle>) -> Outcome {
    held.into_iter().for_each(Idle::let_go);
    Outcome::LetOff
}

/// How many addresses of each are in the states of all, if nothing else keeps any.
fn known_to_each_other(held: &mut [Idle], group: &[Who]) -> Option<Vec<u32>> {
    let mut known = vec![0; group.len()];
    for idle in held {
        if idle.pin().is_some() {
            return None;
        }
        let count = |one: Acquaintance| {
            if let Ok(at) = group.binary_search_by_key(&one.who.id, |member| member.id) {
                known[at] += 1;
            }
        };
        if shown(idle, count) == Sight::Faulty {
            return None;
        }
    }
    Some(known)
}

/// U4: each by its exact count. Whoever has no address and wants one meanwhile waits for the outcome.
fn sentence(held: &[Idle], known: &[u32], disputed: impl Fn() -> bool) -> Verdict {
    for (at, (idle, known)) in held.iter().zip(known).enumerate() {
        if disputed() || idle.condemn(*known) == Verdict::Free {
            #[cfg(test)]
            if is_planted(Planted::ForgottenPardon) {
                return Verdict::Free;
            }
            held[..at].iter().for_each(Idle::pardon);
            return Verdict::Free;
        }
    }
    Verdict::Condemned
}
