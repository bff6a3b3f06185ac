//! The offers of an actor's messages to the table of constraints.

use crate::actor::{
    CellRef, Constrained, Decision, Envelope, Evaluation, Guarded, Pattern, Rule, Worker,
};
use crate::constraints::{Constraints, Gate, Matches, OfferMade, Offered, PatternPlace};
use crate::failures::catch;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};

/// Offers a message with a true guard, if synchronizers constrain it.
pub(super) fn offer(
    constrained: &mut Constrained,
    cell: &CellRef,
    guarded: &Guarded<'_>,
) -> Evaluation {
    let Guarded::Message(number, message) = guarded else {
        return Evaluation::Open;
    };
    #[cfg(test)]
    if is_planted(InjectedFault::ForgottenOffer) && number % 4 == 3 {
        return Evaluation::Offered;
    }
    if constrained.offered.contains(number) {
        return Evaluation::Offered;
    }
    if message.restored_mark().is_committed() {
        // It was decided in another life of the system.
        return Evaluation::Open;
    }
    let constraints = Constraints::of(&cell.system);
    let again = match constrained.retracted.remove(number) {
        true => constraints.offer_again(cell.id, *number),
        false => None,
    };
    let offered = match again {
        Some(offered) => offered,
        None => {
            let matches = matches_of(&constrained.patterns, cell, message);
            if matches.is_empty() {
                return Evaluation::Open;
            }
            let made = made(constrained, cell, message);
            constraints.offer((cell.id, *number), matches, made)
        }
    };
    match offered {
        Offered::Free => {
            // L8: the synchronizer may have been lifted behind the line.
            Worker::all_may_know_news();
            return Evaluation::Open;
        }
        Offered::Waits => {}
        Offered::Hopeless(why) => {
            let refuse = Decision::Refuse(*number, why);
            constrained.decided.push_back(refuse);
        }
    }
    constrained.offered.insert(*number);
    Evaluation::Offered
}

/// How the offer of a message comes to be. One of another life of the system keeps its rank (S5).
fn made(constrained: &Constrained, cell: &CellRef, message: &Envelope) -> OfferMade {
    let rank = message.restored_mark().rank(&constrained.restored.ranks);
    #[cfg(test)]
    let rank = rank.filter(|_| !is_planted(InjectedFault::RankForgotten));
    match rank {
        Some(rank) => OfferMade::Before(rank),
        None => OfferMade::In(cell.system.phase_of_code()),
    }
}

/// Returns which of these patterns the message matches. Calls user code.
pub(super) fn matches_of(patterns: &[Pattern], cell: &CellRef, message: &Envelope) -> Matches {
    let mut matches = Matches::default();
    for pattern in patterns.iter().filter(|it| (it.is_of)(message.kind())) {
        let synchronizer = pattern.synchronizer;
        match catch(|| (pattern.matches)(message)) {
            Ok(true) => {}
            Ok(false) => continue,
            // It is refused: its synchronizer is broken.
            Err(caught) => Constraints::of(&cell.system).break_down(synchronizer, cell, caught),
        }
        match pattern.rule {
            Rule::Together { set, place } => matches.places.push(PatternPlace {
                synchronizer,
                set,
                place,
            }),
            Rule::Gate(gate) => {
                matches.gates.push(Gate { synchronizer, gate });
                matches.stateful.insert(synchronizer);
            }
            Rule::Update(_) => drop(matches.stateful.insert(synchronizer)),
        }
    }
    matches
}
