//! The deferred messages of an actor: messages with a false guard, and the choice of the guards to
//! evaluate (T8; see the README). During an exclusive wait all messages count as such.
//!
//! Deferred messages wait in **lines** (queues), one for each behaviour. A guard that reads only
//! the state has the same value for a whole line, so it is evaluated once, for the first message. A
//! guard that reads its arguments too is evaluated for each message.
//!
//! - [`constrained`]: the behaviours that synchronizers constrain.
//! - [`evaluation`]: the evaluation of guards.
//! - [`line`]: one line.
//! - [`matching`]: the messages that a join takes together.
//! - [`requests`]: the deferred requests that the wait-for graph knows.

mod constrained;
mod evaluation;
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
use matching::{Matching, Numbers, last_of};
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

    /// Calls `body` with each message and its number, in the order of arrival.
    pub(crate) fn each(&mut self, mut body: impl FnMut(u64, &mut Envelope)) {
        let mut all: Vec<_> = self.lines.iter_mut().flat_map(Line::each).collect();
        all.sort_unstable_by_key(|(arrived, _)| *arrived);
        all.into_iter()
            .for_each(|(number, message)| body(number, message));
    }

    /// Returns all messages in the order of arrival.
    pub(crate) fn into_messages(self) -> Vec<Envelope> {
        let lines = self.lines.into_iter();
        let mut all: Vec<_> = lines.flat_map(Line::into_messages).collect();
        all.sort_unstable_by_key(|(arrived, _)| *arrived);
        all.into_iter().map(|(_, envelope)| envelope).collect()
    }
}
