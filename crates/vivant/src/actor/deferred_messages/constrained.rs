//! The behaviours that synchronizers constrain, and the lines of their messages
//! (`constraints/README.md`).

use super::line::WaitsFor;
use super::{
    DeferredMessages, Evaluated, Evaluation, Guarded, IsConstrained, LastEvaluated, Scope,
};
use crate::actor::KindTable;

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

    /// The guard of the message with this number was evaluated last.
    pub(crate) fn set_evaluated(&mut self, number: u64) {
        self.evaluated = LastEvaluated::Message(number);
    }

    /// Evaluates the constrained lines alone: their messages are offered, and none is taken out.
    /// Returns `Closed` if there was nothing to evaluate.
    pub(crate) fn evaluate_offers(
        &mut self,
        mut is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        let mut evaluated = Evaluated::Closed;
        for (number, line) in self.lines.iter_mut().enumerate() {
            if !line.is_constrained() || line.is_evaluated() {
                continue;
            }
            self.evaluated = LastEvaluated::Line(number);
            line.evaluate(&mut |number, message| is_open(Guarded::Message(number, message)));
            evaluated = Evaluated::More;
        }
        evaluated
    }

    pub(super) fn waits_for(&self, kind: &KindTable) -> WaitsFor {
        match kind.joins {
            [] if self.is_constrained(kind) => WaitsFor::Constraints(kind.guard),
            [] => WaitsFor::Guard(kind.guard),
            _ => WaitsFor::Join,
        }
    }
}
