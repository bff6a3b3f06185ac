//! The deferred messages of an actor: messages with a false guard, and the choice of the guards to
//! evaluate (T8; see the README). During an exclusive wait all messages count as such.
//!
//! Deferred messages wait in **lines** (queues), one for each behaviour. A guard that reads only
//! the state has the same value for a whole line, so it is evaluated once, for the first message. A
//! guard that reads its arguments too is evaluated for each message.

use crate::actor::{Envelope, Guard, KindTable};
use crate::message::Route;
use std::collections::{BTreeSet, VecDeque};

/// Limit of the guards evaluated in one line before the other lines have their turn.
const EVALUATIONS_MAX: usize = if cfg!(test) { 4 } else { 64 };

/// The deferred messages of an actor.
#[derive(Default)]
pub(crate) struct DeferredMessages {
    lines: Vec<Line>,
    scope: Scope,
    /// Number of the next message, in the order of arrival.
    arrived: u64,
    count: usize,
    /// Index of the line of the last guard evaluated.
    evaluated: usize,
    /// The messages from this number on have not been examined for wait cycles.
    examined: u64,
    /// The numbers of the messages that the wait-for graph knows.
    known: BTreeSet<u64>,
    /// Those of them that have been taken out.
    known_taken: Vec<u64>,
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

struct Line {
    kind: &'static KindTable,
    /// `None`: this message was taken out from between the others.
    messages: VecDeque<Option<(u64, Envelope)>>,
    /// Number of `None`s in `messages`.
    holes: usize,
    /// The guards of the messages before this index have been evaluated in this pass.
    next: usize,
    /// Whether the state has changed since this pass began.
    restart: Restart,
}

#[derive(PartialEq, Eq)]
enum Restart {
    No,
    /// Another pass follows.
    Yes,
}

/// The result of an evaluation of guards.
pub(crate) enum Evaluated {
    /// The oldest of the messages found open.
    Open(Envelope),
    /// No guard that was evaluated is open; there are more to evaluate.
    More,
    /// No guard is open.
    Closed,
}

/// Returns true if the guard of the first message in a line holds for all messages of this kind
/// (G3).
#[inline]
pub(crate) fn first_decides_for(kind: &KindTable) -> bool {
    #[cfg(test)]
    if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::WrongLine) {
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

    /// Returns the number of the message that is deferred next.
    pub(crate) fn next_number(&self) -> u64 {
        self.arrived
    }

    /// Records that the wait-for graph knows the message with this number.
    pub(crate) fn set_known(&mut self, number: u64) {
        self.known.insert(number);
    }

    /// All messages up to now are examined for wait cycles; returns the numbers of those that were
    /// not. Each message is among them once at most.
    pub(crate) fn take_unexamined(&mut self) -> Vec<u64> {
        let since = std::mem::replace(&mut self.examined, self.arrived);
        let newest = self.lines.iter().flat_map(|line| {
            let known = line.messages.iter().rev().flatten();
            known
                .map(|(number, _)| *number)
                .take_while(move |number| *number >= since)
        });
        newest.collect()
    }

    /// Returns the numbers of the messages that have been taken out, and that the wait-for graph
    /// knows.
    pub(crate) fn take_known(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.known_taken)
    }

    /// Returns true if the wait-for graph knows a message that has been taken out.
    #[inline]
    pub(crate) fn has_known_taken(&self) -> bool {
        !self.known_taken.is_empty()
    }

    /// Returns true if the wait-for graph knows any message.
    pub(crate) fn has_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// Returns the message with this number.
    pub(crate) fn numbered(&self, number: u64) -> Option<&Envelope> {
        let (line, at) = self.place_of(number)?;
        let (_, envelope) = self.lines[line].messages[at].as_ref()?;
        Some(envelope)
    }

    /// Takes out the message with this number, whatever the value of its guard.
    pub(crate) fn take_numbered(&mut self, number: u64) -> Option<Envelope> {
        let (line, at) = self.place_of(number)?;
        self.take(line, at)
    }

    fn place_of(&self, number: u64) -> Option<(usize, usize)> {
        self.lines.iter().enumerate().find_map(|(at, line)| {
            let found = line.place_of(number)?;
            Some((at, found))
        })
    }

    /// Defers a message. Its guard was false at its turn, or an exclusive wait defers it.
    pub(crate) fn push(&mut self, envelope: Envelope) {
        let kind = envelope.kind();
        let message = Some((self.arrived, envelope));
        self.arrived += 1;
        self.count += 1;
        let mut lines = self.lines.iter_mut();
        match lines.find(|line| std::ptr::eq(line.kind, kind)) {
            Some(line) => line.push(message),
            None => {
                if kind.guard == Guard::Arguments {
                    self.scope = Scope::Each;
                }
                self.lines.push(Line {
                    kind,
                    messages: VecDeque::from([message]),
                    holes: 0,
                    next: 1,
                    restart: Restart::No,
                });
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
        let mut lines = self.lines.iter_mut();
        let line = lines.find(|line| std::ptr::eq(line.kind, kind));
        let Some(line) = line.filter(|line| line.is_shut()) else {
            return Some(envelope);
        };
        line.push(Some((self.arrived, envelope)));
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
    }

    /// Finds the oldest message with an open guard; evaluates at most `EVALUATIONS_MAX` guards of
    /// each line.
    #[inline]
    pub(crate) fn evaluate(&mut self, is_open: impl FnMut(&Envelope) -> bool) -> Evaluated {
        match self.scope {
            Scope::Firsts => self.evaluate_firsts(is_open),
            Scope::Each => self.evaluate_each(is_open),
        }
    }

    #[inline]
    fn evaluate_firsts(&mut self, mut is_open: impl FnMut(&Envelope) -> bool) -> Evaluated {
        let mut oldest: Option<(u64, usize)> = None;
        for (number, line) in self.lines.iter_mut().enumerate() {
            let Some((arrived, first)) = line.first() else {
                continue;
            };
            // Stores are the cost of an evaluation, so there are as few as possible.
            if self.evaluated != number {
                self.evaluated = number;
            }
            let is_open = is_open(first);
            line.set_first(is_open);
            if is_open && oldest.is_none_or(|(other, _)| arrived < other) {
                oldest = Some((arrived, number));
            }
        }
        match oldest {
            None => Evaluated::Closed,
            Some((_, number)) => self.take_open(number, 0),
        }
    }

    #[inline(never)]
    fn evaluate_each(&mut self, mut is_open: impl FnMut(&Envelope) -> bool) -> Evaluated {
        let mut oldest: Option<(u64, usize, usize)> = None;
        let mut more = false;
        for (number, line) in self.lines.iter_mut().enumerate() {
            self.evaluated = number;
            if let Some((arrived, at)) = line.evaluate(&mut is_open)
                && oldest.is_none_or(|(other, ..)| arrived < other)
            {
                oldest = Some((arrived, number, at));
            }
            more |= !line.is_evaluated();
        }
        match oldest {
            Some((_, number, at)) => self.take_open(number, at),
            None if more => Evaluated::More,
            None => Evaluated::Closed,
        }
    }

    #[inline(never)]
    fn take_open(&mut self, number: usize, at: usize) -> Evaluated {
        self.take(number, at)
            .map_or(Evaluated::Closed, Evaluated::Open)
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

    /// Takes out the message of the last guard evaluated.
    pub(crate) fn take_last_evaluated(&mut self) -> Option<Envelope> {
        let at = match self.scope {
            Scope::Firsts => 0,
            Scope::Each => self.lines.get(self.evaluated)?.next,
        };
        self.take(self.evaluated, at)
    }

    /// Takes out the oldest message that has a place in a bounded mailbox, whatever the value of
    /// its guard.
    pub(crate) fn pop_oldest_counted(&mut self) -> Option<Envelope> {
        let first = |line: &Line| {
            let (arrived, _) = line.first()?;
            (line.kind.route == Route::Counted).then_some(arrived)
        };
        let lines = self.lines.iter_mut().filter(|line| first(line).is_some());
        let (arrived, envelope) = lines.min_by_key(|line| first(line))?.take(0)?;
        self.taken(arrived);
        Some(envelope)
    }

    /// Returns all messages in the order of arrival.
    pub(crate) fn into_messages(self) -> Vec<Envelope> {
        let lines = self.lines.into_iter();
        let mut all: Vec<_> = lines.flat_map(|line| line.messages).flatten().collect();
        all.sort_unstable_by_key(|(arrived, _)| *arrived);
        all.into_iter().map(|(_, envelope)| envelope).collect()
    }
}

impl Line {
    /// Appends a message. Its guard was evaluated just now.
    fn push(&mut self, message: Option<(u64, Envelope)>) {
        if self.next == self.messages.len() {
            self.next += 1;
        }
        self.messages.push_back(message);
    }

    /// Returns the index of the message with this number. It has arrived lately, as a rule.
    fn place_of(&self, number: u64) -> Option<usize> {
        let newest = self.messages.iter().enumerate().rev();
        let known = newest.filter_map(|(at, message)| Some((at, message.as_ref()?.0)));
        let mut near = known.skip_while(|(_, arrived)| *arrived > number);
        near.next()
            .and_then(|(at, arrived)| (arrived == number).then_some(at))
    }

    fn state_changed(&mut self) {
        // A pass over a long line is finished first. Otherwise the last messages would never be
        // reached.
        let is_long = self.messages.len() - self.holes > EVALUATIONS_MAX;
        if self.kind.guard == Guard::Arguments && is_long && self.next > 0 {
            self.restart = Restart::Yes;
        } else {
            self.next = 0;
            self.restart = Restart::No;
        }
    }

    /// Records the value of the first message's guard, which holds for all.
    #[inline]
    fn set_first(&mut self, is_open: bool) {
        let next = if is_open { 0 } else { self.messages.len() };
        if self.next != next {
            self.next = next;
        }
    }

    /// Returns the oldest message and its number. The front of the line is never `None`.
    fn first(&self) -> Option<(u64, &Envelope)> {
        let (arrived, envelope) = self.messages.front()?.as_ref()?;
        Some((*arrived, envelope))
    }

    /// Returns true if the line has messages and all guards were evaluated since the state last
    /// changed.
    fn is_shut(&self) -> bool {
        !self.messages.is_empty() && self.is_evaluated()
    }

    fn is_evaluated(&self) -> bool {
        self.next >= self.messages.len() && self.restart == Restart::No
    }

    /// Evaluates the next guards of the line. Returns the number and the index of the first open
    /// message.
    fn evaluate(&mut self, is_open: &mut impl FnMut(&Envelope) -> bool) -> Option<(u64, usize)> {
        let scope = match self.kind.guard {
            Guard::State => 1,
            Guard::Arguments => EVALUATIONS_MAX,
        };
        for _ in 0..scope {
            let (arrived, at) = self.next_unevaluated()?;
            let (_, message) = self.messages[at].as_ref()?;
            if is_open(message) {
                // The index stays here, because an older message of another line may go first.
                return Some((arrived, at));
            }
            match self.kind.guard {
                Guard::State => self.next = self.messages.len(),
                Guard::Arguments => self.next += 1,
            }
        }
        None
    }

    fn next_unevaluated(&mut self) -> Option<(u64, usize)> {
        loop {
            match self.messages.get(self.next) {
                Some(Some((arrived, _))) => return Some((*arrived, self.next)),
                Some(None) => self.next += 1,
                None if self.restart == Restart::Yes => {
                    self.next = 0;
                    self.restart = Restart::No;
                }
                None => return None,
            }
        }
    }

    fn take(&mut self, at: usize) -> Option<(u64, Envelope)> {
        let taken = self.messages.get_mut(at)?.take()?;
        self.holes += 1;
        while let Some(None) = self.messages.front() {
            self.messages.pop_front();
            self.holes -= 1;
            self.next = self.next.saturating_sub(1);
        }
        if self.holes > self.messages.len() / 2 {
            let before = self.messages.iter().take(self.next);
            self.next -= before.filter(|message| message.is_none()).count();
            self.messages.retain(Option::is_some);
            self.holes = 0;
        }
        Some(taken)
    }
}
