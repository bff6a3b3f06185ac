//! The evaluation of guards: which deferred message, or combination of messages, is open.

use super::line::Line;
use super::matching::{Matched, Numbers, last_of};
use super::{DeferredMessages, Evaluated, Evaluation, Guarded, Join, LastEvaluated, Scope};
use crate::actor::{Envelope, GuardOutcome, JOIN_MAX};

impl DeferredMessages {
    /// The state may have changed: all guards have to be evaluated again.
    #[inline]
    pub(crate) fn state_changed(&mut self) {
        if self.scope == Scope::Each {
            self.lines.iter_mut().for_each(Line::state_changed);
        }
        for join in &mut self.joins {
            join.matching.state_changed(&self.lines);
        }
    }

    /// Finds the oldest message, or combination of messages, with an open guard; evaluates at most
    /// `EVALUATIONS_MAX` guards of each line and of each join.
    #[inline]
    pub(crate) fn evaluate(
        &mut self,
        mut is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        if self.scope == Scope::Each || !self.joins.is_empty() {
            return self.evaluate_all(is_open);
        }
        match self.evaluate_firsts(&mut is_open) {
            Some((_, number, at)) => self.take_open(number, at),
            None => Evaluated::Closed,
        }
    }

    /// As `evaluate`, with guards that read arguments, or joins.
    #[inline(never)]
    fn evaluate_all(&mut self, mut is_open: impl FnMut(Guarded<'_>) -> Evaluation) -> Evaluated {
        let (message, more) = match self.scope {
            Scope::Firsts => (self.evaluate_firsts(&mut is_open), false),
            Scope::Each => self.evaluate_each(&mut is_open),
        };
        self.evaluate_rest(message, more, is_open)
    }

    /// Evaluates the joins, if there are any, and takes out what was found. `message` is the oldest
    /// open message, with its place.
    #[inline]
    pub(super) fn evaluate_rest(
        &mut self,
        message: Option<(u64, usize, usize)>,
        more: bool,
        is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        if !self.joins.is_empty() {
            return self.evaluate_joins(message, more, is_open);
        }
        match message {
            Some((_, number, at)) => self.take_open(number, at),
            None if more => Evaluated::More,
            None => Evaluated::Closed,
        }
    }

    #[inline]
    pub(super) fn evaluate_firsts(
        &mut self,
        is_open: &mut impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Option<(u64, usize, usize)> {
        let mut oldest: Option<(u64, usize)> = None;
        for (number, line) in self.lines.iter_mut().enumerate() {
            if line.is_joined() {
                continue;
            }
            let Some((arrived, first)) = line.first() else {
                continue;
            };
            // Stores are the cost of an evaluation, so there are as few as possible.
            if self.evaluated != LastEvaluated::Line(number) {
                self.evaluated = LastEvaluated::Line(number);
            }
            let is_open = is_open(Guarded::Message(arrived, first)) == Evaluation::Open;
            line.set_first(is_open);
            if is_open && oldest.is_none_or(|(other, _)| arrived < other) {
                oldest = Some((arrived, number));
            }
        }
        oldest.map(|(arrived, number)| (arrived, number, 0))
    }

    #[inline(never)]
    pub(super) fn evaluate_each(
        &mut self,
        is_open: &mut impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> (Option<(u64, usize, usize)>, bool) {
        let mut oldest: Option<(u64, usize, usize)> = None;
        let mut more = false;
        for (number, line) in self.lines.iter_mut().enumerate() {
            if line.is_joined() || line.is_constrained() {
                continue;
            }
            self.evaluated = LastEvaluated::Line(number);
            if let Some((arrived, at)) =
                line.evaluate(&mut |number, message| is_open(Guarded::Message(number, message)))
                && oldest.is_none_or(|(other, ..)| arrived < other)
            {
                oldest = Some((arrived, number, at));
            }
            more |= !line.is_evaluated();
        }
        (oldest, more)
    }

    /// Evaluates the joins too. `message` is the oldest open message, with its place.
    #[inline(never)]
    fn evaluate_joins(
        &mut self,
        message: Option<(u64, usize, usize)>,
        mut more: bool,
        mut is_open: impl FnMut(Guarded<'_>) -> Evaluation,
    ) -> Evaluated {
        let mut first = message.map(|(arrived, ..)| arrived);
        let mut found: Option<(usize, Numbers)> = None;
        for (number, Join { table, matching }) in self.joins.iter_mut().enumerate() {
            self.evaluated = LastEvaluated::Join(number);
            let lines = matching.lines();
            let found_here = matching.evaluate(&self.lines, |numbers| {
                let message = |position: usize| {
                    let line = &self.lines[lines[position]?];
                    line.get(line.index_of(numbers[position])?)
                };
                messages_at(table.messages.len(), message).is_some_and(|messages| {
                    let messages = &messages[..table.messages.len()];
                    is_open(Guarded::Combination(table, messages)) == Evaluation::Open
                })
            });
            match found_here {
                Matched::Open(numbers) => {
                    let (_, arrived) = last_of(&numbers, table.messages.len());
                    // Of two that one message completes, the join that is written first.
                    if first.is_none_or(|other| arrived < other) {
                        first = Some(arrived);
                        found = Some((number, numbers));
                    }
                }
                Matched::More => more = true,
                Matched::Closed => {}
            }
        }
        match (found, message) {
            (Some((join, numbers)), _) => self
                .take_combination(join, &numbers, GuardOutcome::True)
                .map_or(Evaluated::Closed, Evaluated::Open),
            (None, Some((_, number, at))) => self.take_open(number, at),
            (None, None) if more => Evaluated::More,
            (None, None) => Evaluated::Closed,
        }
    }
}

/// The messages of a combination: `count` of them, then the first again.
fn messages_at<'m>(
    count: usize,
    message: impl Fn(usize) -> Option<&'m Envelope>,
) -> Option<[&'m Envelope; JOIN_MAX]> {
    let mut messages = [message(0)?; JOIN_MAX];
    for (position, place) in messages.iter_mut().enumerate().take(count).skip(1) {
        *place = message(position)?;
    }
    Some(messages)
}
