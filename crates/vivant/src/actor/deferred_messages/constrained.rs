//! The behaviours that synchronizers constrain, and the lines of their messages
//! (`constraints/README.md`).

use super::line::{EVALUATIONS_MAX, WaitsFor};
use super::{
    DeferredMessages, Evaluated, Evaluation, Guarded, IsConstrained, LastEvaluated, Scope,
};
use crate::actor::{Envelope, KindTable};

impl DeferredMessages {
    /// From here on these behaviours are constrained, and no others. All messages of the lines for
    /// which that is new are evaluated anew.
    pub(crate) fn constrain(&mut self, constrained: Vec<IsConstrained>) {
        self.constrained = constrained;
        self.scope = Scope::Firsts;
        for number in 0..self.lines.len() {
            let waits_for = self.waits_for(self.kinds[number]);
            let line = &mut self.lines[number];
            let concerns = line.is_constrained() || matches!(waits_for, WaitsFor::Constraints(_));
            if concerns && line.waits_for() != waits_for {
                line.set_waits_for(waits_for);
            }
            if line.reads_arguments() {
                self.scope = Scope::Each;
            }
        }
    }

    /// Returns the constrained behaviours, for the messages of another incarnation.
    pub(crate) fn constrained(&self) -> Vec<IsConstrained> {
        self.constrained.clone()
    }

    #[inline]
    pub(crate) fn is_constrained(&self, kind: &KindTable) -> bool {
        let mut constrained = self.constrained.iter();
        constrained.any(|is_of| is_of(kind))
    }

    /// All constrained messages are evaluated anew: an offer did not stand.
    pub(crate) fn evaluate_constrained(&mut self) {
        let constrained = self.lines.iter_mut().filter(|line| line.is_constrained());
        constrained.for_each(super::line::Line::evaluate_anew);
    }

    /// The message with this number is evaluated anew, and those behind it in its line.
    pub(crate) fn evaluate_from(&mut self, number: u64) {
        if let Some((line, at)) = self.place_of(number) {
            self.lines[line].evaluate_from(at);
        }
    }

    /// Returns the number of the message with the guard that was evaluated last, if it is
    /// constrained.
    pub(crate) fn constrained_evaluated(&self) -> Option<u64> {
        match self.evaluated {
            LastEvaluated::Message(number) => Some(number),
            LastEvaluated::Line(_) | LastEvaluated::Join(_) => None,
        }
    }

    /// The guard of the message with this number was evaluated last.
    pub(crate) fn set_evaluated(&mut self, number: u64) {
        self.evaluated = LastEvaluated::Message(number);
    }

    /// As `evaluate`, with constrained messages in the order of arrival: none is offered before an
    /// older message that is open has run. If one is offered, nothing is taken out.
    pub(crate) fn evaluate_in_order(
        &mut self,
        mut is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        let (mut oldest, mut more) = match self.scope {
            Scope::Firsts => (self.evaluate_firsts(&mut is_open), false),
            Scope::Each => self.evaluate_each(&mut is_open),
        };
        let mut offered = false;
        for evaluated in 0.. {
            let constrained = self.lines.iter_mut().enumerate();
            let constrained = constrained.filter(|(_, line)| line.is_constrained());
            let next = constrained.filter_map(|(at, line)| Some((line.next_number()?, at)));
            let Some((arrived, at)) = next.min() else {
                break;
            };
            if oldest.is_some_and(|(other, ..)| other < arrived) {
                break;
            }
            if evaluated == EVALUATIONS_MAX {
                more = true;
                break;
            }
            self.evaluated = LastEvaluated::Line(at);
            let line = &mut self.lines[at];
            let is_open = |message: &Envelope| is_open(Guarded::Message(arrived, message));
            match line.evaluate_next(is_open) {
                Some((Evaluation::Open, place)) => {
                    oldest = Some((arrived, at, place));
                    break;
                }
                Some((Evaluation::Offered, _)) => offered = true,
                Some((Evaluation::Closed, _)) | None => {}
            }
        }
        match offered {
            true => Evaluated::Offered,
            false => self.evaluate_rest(oldest, more, is_open),
        }
    }

    pub(super) fn waits_for(&self, kind: &KindTable) -> WaitsFor {
        match kind.joins {
            [] if self.is_constrained(kind) => WaitsFor::Constraints(kind.guard),
            [] => WaitsFor::Guard(kind.guard),
            _ => WaitsFor::Join,
        }
    }
}
