//! The deferred messages of an actor: messages with a false guard, and the choice of the guards to
//! evaluate (T8; see the README). During an exclusive wait all messages count as such.
//!
//! Deferred messages wait in **lines** (queues), one for each behaviour. A guard that reads only
//! the state has the same value for a whole line, so it is evaluated once, for the first message. A
//! guard that reads its arguments too is evaluated for each message.
//!
//! - [`constrained`]: the behaviours that synchronizers constrain.
//! - [`line`]: one line.
//! - [`matching`]: the messages that a join takes together.
//! - [`requests`]: the deferred requests that the wait-for graph knows.

mod constrained;
mod line;
mod matching;
mod requests;

use crate::actor::{
    Combination, Envelope, Guard, GuardOutcome, JOIN_MAX, JoinTable, JoinedMessage, KindTable,
    StateRef,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::Route;
pub(crate) use line::Evaluation;
use line::Line;
use matching::{Matched, Matching, Numbers, last_of};
use std::collections::BTreeSet;

/// The deferred messages of an actor.
#[derive(Default)]
pub(crate) struct DeferredMessages {
    lines: Vec<Line<Envelope>>,
    /// The kind of the messages of each line.
    kinds: Vec<&'static KindTable>,
    /// The joins of the messages that have come so far, in the order in which they are written.
    joins: Vec<Join>,
    scope: Scope,
    /// The behaviours that synchronizers constrain.
    constrained: Vec<IsConstrained>,
    /// Number of the next message, in the order of arrival.
    arrived: u64,
    count: usize,
    /// The messages from this number on have not been examined for wait cycles.
    examined: u64,
    /// The numbers of the messages that the wait-for graph knows.
    known: BTreeSet<u64>,
    /// Those of them that have been taken out.
    known_taken: Vec<u64>,
    evaluated: LastEvaluated,
}

/// Returns true for the messages of one behaviour.
type IsConstrained = fn(&KindTable) -> bool;

struct Join {
    table: &'static JoinTable,
    matching: Matching,
}

/// The guard that was evaluated last: of a message of this line, or of this join.
#[derive(PartialEq, Eq)]
enum LastEvaluated {
    Line(usize),
    /// Of the message with this number, when a hold was examined.
    Message(u64),
    Join(usize),
}

impl Default for LastEvaluated {
    fn default() -> Self {
        LastEvaluated::Line(0)
    }
}

/// A message, or a combination of messages, with a guard.
pub(crate) enum Guarded<'m> {
    /// With its number.
    Message(u64, &'m Envelope),
    /// A message of each kind that the join takes, in its order.
    Combination(&'static JoinTable, &'m [&'m Envelope]),
}

impl Guarded<'_> {
    /// The kind of the turn that follows if the guard is true.
    pub(crate) fn kind(&self) -> &'static KindTable {
        match self {
            Guarded::Message(_, envelope) => envelope.kind(),
            Guarded::Combination(join, _) => join.kind,
        }
    }

    /// Returns the value of the guard.
    pub(crate) fn ready(&self, state: &mut StateRef<'_>) -> bool {
        match self {
            Guarded::Message(_, envelope) => envelope.ready(state),
            Guarded::Combination(join, messages) => (join.ready)(messages, state),
        }
    }
}

/// The messages with guards to evaluate.
#[derive(Default, PartialEq, Eq)]
enum Scope {
    /// The first of each line: all guards so far read the state alone.
    #[default]
    Firsts,
    /// Each message of some line.
    Each,
}

/// The result of an evaluation of guards.
pub(crate) enum Evaluated {
    /// The first of what was found open, in the order of arrival.
    Open(Open),
    /// No guard that was evaluated is open; there are more to evaluate.
    More,
    /// Constrained messages were offered, and nothing was taken out.
    Offered,
    /// No guard is open.
    Closed,
}

/// A message, or a combination of messages, that waits no more.
pub(crate) enum Open {
    Message(Envelope),
    Combination(Combination),
}

/// Whether a message that was deferred makes a combination complete. Of a constrained message this
/// is to be found out by its evaluation.
#[derive(PartialEq, Eq)]
pub(crate) enum Completes {
    No,
    Yes,
}

/// Returns true if the guard of the first message in a line holds for all messages of this kind
/// (G3).
#[inline]
pub(crate) fn first_decides_for(kind: &KindTable) -> bool {
    #[cfg(test)]
    if is_planted(InjectedFault::WrongLine) {
        return true;
    }
    kind.guard == Guard::State
}

impl DeferredMessages {
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the send time of the oldest deferred message in coarse milliseconds; 0, which has no
    /// meaning, if none is deferred.
    pub(crate) fn oldest_ms(&self) -> u32 {
        let oldest = self
            .lines
            .iter()
            .filter_map(Line::first)
            .min_by_key(|(arrived, _)| *arrived);
        oldest.map_or(0, |(_, envelope)| envelope.head().sent_ms)
    }

    /// Defers a message. Its guard was false at its turn, or an exclusive wait defers it.
    pub(crate) fn push(&mut self, envelope: Envelope) -> Completes {
        let kind = envelope.kind();
        let arrived = self.arrived;
        self.arrived += 1;
        self.count += 1;
        match self.line_of(kind) {
            Some(line) => self.lines[line].push(arrived, envelope),
            None => self.add_line(kind, arrived, envelope),
        }
        #[cfg(test)]
        if is_planted(InjectedFault::ForgottenCombination) {
            return Completes::No;
        }
        let completes = |join: &Join| {
            join.table.position_of(kind).is_some() && join.matching.firsts(&self.lines).is_some()
        };
        let is_complete = !kind.joins.is_empty() && self.joins.iter().any(completes);
        match is_complete || self.is_constrained(kind) {
            true => Completes::Yes,
            false => Completes::No,
        }
    }

    fn line_of(&self, kind: &'static KindTable) -> Option<usize> {
        let mut kinds = self.kinds.iter();
        if kind.joins.is_empty() {
            return kinds.position(|other| std::ptr::eq(*other, kind));
        }
        // A table may have copies, and a join looks at one line.
        kinds.position(|other| other.is_same(kind))
    }

    #[inline(never)]
    fn add_line(&mut self, kind: &'static KindTable, arrived: u64, envelope: Envelope) {
        let line = Line::of(self.waits_for(kind), arrived, envelope);
        if line.reads_arguments() {
            self.scope = Scope::Each;
        }
        self.lines.push(line);
        self.kinds.push(kind);
        for &table in kind.joins {
            if !self.joins.iter().any(|other| other.table.is_same(table)) {
                let before = self.joins.iter();
                let before = before.take_while(|other| other.table.order <= table.order);
                let matching = Matching::new(table.guard, table.messages.len());
                self.joins.insert(before.count(), Join { table, matching });
            }
        }
        for join in &mut self.joins {
            if let Some(position) = join.table.position_of(kind) {
                join.matching.set_line(position, self.lines.len() - 1);
            }
        }
    }

    /// Defers a message that has just arrived without an evaluation, if the guard of the first of
    /// its line holds for it and was evaluated since the state last changed (G3). Returns any other
    /// message.
    #[inline]
    pub(crate) fn defer_unevaluated(&mut self, envelope: Envelope) -> Option<Envelope> {
        let kind = envelope.kind();
        if !first_decides_for(kind) {
            return Some(envelope);
        }
        let line = self.line_of(kind).map(|line| &mut self.lines[line]);
        let Some(line) = line.filter(|line| line.is_shut()) else {
            return Some(envelope);
        };
        line.push(self.arrived, envelope);
        self.arrived += 1;
        self.count += 1;
        None
    }

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
    fn evaluate_rest(
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
    fn evaluate_firsts(
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
    fn evaluate_each(
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

    #[inline(never)]
    fn take_open(&mut self, number: usize, at: usize) -> Evaluated {
        self.take(number, at).map_or(Evaluated::Closed, |envelope| {
            Evaluated::Open(Open::Message(envelope))
        })
    }

    /// Takes the messages of a combination out; or one of them alone, if its asker has withdrawn
    /// it.
    fn take_combination(
        &mut self,
        join: usize,
        numbers: &Numbers,
        guard: GuardOutcome,
    ) -> Option<Open> {
        let Join { table, matching } = &self.joins[join];
        let (join, on_lines) = (*table, matching.lines());
        let mut places = [(0, 0); JOIN_MAX];
        for (position, number) in numbers.iter().enumerate().take(join.messages.len()) {
            let line = on_lines[position]?;
            places[position] = (line, self.lines[line].index_of(*number)?);
        }
        let places = &places[..join.messages.len()];
        let lines = &self.lines;
        let gone = |is_gone: fn(&JoinedMessage) -> fn(&Envelope) -> bool| {
            let mut messages = join.messages.iter().zip(places);
            let of = |message, &(line, at): &(usize, usize)| {
                let envelope: Option<&Envelope> = lines[line].get(at);
                envelope.is_some_and(is_gone(message))
            };
            let found = messages.find(|(message, place)| of(message, place));
            found.map(|(_, place)| *place)
        };
        // All are tested before the first begins: those that go on waiting can be withdrawn later.
        let gone = gone(|message| message.is_withdrawn).or_else(|| gone(|message| message.begin));
        if let Some((line, at)) = gone {
            return self.take(line, at).map(Open::Message);
        }
        let mut messages = [const { None }; JOIN_MAX];
        for (message, &(line, at)) in messages.iter_mut().zip(places) {
            *message = self.take(line, at);
        }
        let (last, _) = last_of(numbers, join.messages.len());
        Some(Open::Combination(Combination {
            join,
            messages,
            last,
            guard,
        }))
    }

    fn take(&mut self, number: usize, at: usize) -> Option<Envelope> {
        let (arrived, envelope) = self.lines.get_mut(number)?.take(at)?;
        self.taken(arrived);
        Some(envelope)
    }

    #[inline]
    fn taken(&mut self, arrived: u64) {
        self.count -= 1;
        if !self.known.is_empty() && self.known.remove(&arrived) {
            self.known_taken.push(arrived);
        }
    }

    /// Takes out the message, or the combination, of the last guard evaluated.
    pub(crate) fn take_last_evaluated(&mut self) -> Option<Open> {
        match self.evaluated {
            LastEvaluated::Line(line) => {
                let at = match self.scope {
                    Scope::Firsts => 0,
                    Scope::Each => self.lines.get(line)?.next(),
                };
                self.take(line, at).map(Open::Message)
            }
            LastEvaluated::Message(number) => self.take_numbered(number).map(Open::Message),
            LastEvaluated::Join(join) => {
                let numbers = self.joins.get_mut(join)?.matching.next(&self.lines)?;
                self.take_combination(join, &numbers, GuardOutcome::Panicked)
            }
        }
    }

    /// Takes out the oldest message that has a place in a bounded mailbox, whatever the value of
    /// its guard. Returns it with its number.
    pub(crate) fn pop_oldest_counted(&mut self) -> Option<(u64, Envelope)> {
        let counted = self.lines.iter_mut().zip(&self.kinds);
        let counted = counted.filter(|(_, kind)| kind.route == Route::Counted);
        let counted = counted.filter(|(line, _)| line.first().is_some());
        let oldest = counted.min_by_key(|(line, _)| line.first().map(|(arrived, _)| arrived));
        let (arrived, envelope) = oldest?.0.take(0)?;
        self.taken(arrived);
        Some((arrived, envelope))
    }

    /// Returns all messages in the order of arrival.
    pub(crate) fn into_messages(self) -> Vec<Envelope> {
        let lines = self.lines.into_iter();
        let mut all: Vec<_> = lines.flat_map(Line::into_messages).collect();
        all.sort_unstable_by_key(|(arrived, _)| *arrived);
        all.into_iter().map(|(_, envelope)| envelope).collect()
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
