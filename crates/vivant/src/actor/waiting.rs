//! The deferred messages of an actor: messages with a false guard, and the choice of the guards to
//! evaluate (T8; see the README).
//!
//! Deferred messages wait in **lines** (queues), one for each behaviour. A guard that reads only
//! the state has the same value for a whole line, so it is evaluated once, for the first message. A
//! guard that reads its arguments too is evaluated for each message.

use crate::actor::{Envelope, Guard, Kind};
use crate::message::Route;
use std::collections::VecDeque;

/// Limit of the guards evaluated in one line before the other lines have their turn.
const LOOKS_MAX: usize = if cfg!(test) { 4 } else { 64 };

/// The deferred messages of an actor.
#[derive(Default)]
pub(crate) struct Waiting {
    lines: Vec<Line>,
    looks: Looks,
    /// Number of the next message, in the order of arrival.
    came: u64,
    count: usize,
    /// Index of the line of the last guard evaluated.
    asked: usize,
}

/// The messages with guards to evaluate.
#[derive(Default, PartialEq, Eq)]
enum Looks {
    /// The first of each line: all guards so far read the state alone.
    #[default]
    AtFirsts,
    /// Each message of some line.
    AtEach,
}

struct Line {
    kind: &'static Kind,
    /// `None`: this message was taken out from between the others.
    messages: VecDeque<Option<(u64, Envelope)>>,
    /// Number of `None`s in `messages`.
    gone: usize,
    /// The guards of the messages before this index have been evaluated in this pass.
    next: usize,
    /// Whether the state has changed since this pass began.
    again: Again,
}

#[derive(PartialEq, Eq)]
enum Again {
    No,
    /// Another pass follows.
    Yes,
}

/// The result of an evaluation of guards.
pub(crate) enum Found {
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
pub(crate) fn first_speaks_for(kind: &Kind) -> bool {
    #[cfg(test)]
    if crate::injected_fault::is_planted(crate::injected_fault::InjectedFault::WrongLine) {
        return true;
    }
    kind.guard == Guard::State
}

impl Waiting {
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
            .min_by_key(|(came, _)| *came);
        oldest.map_or(0, |(_, envelope)| envelope.head().sent_ms)
    }

    /// Defers a message. Its guard was false at its turn.
    pub(crate) fn push(&mut self, envelope: Envelope) {
        let kind = envelope.kind();
        let message = Some((self.came, envelope));
        self.came += 1;
        self.count += 1;
        let mut lines = self.lines.iter_mut();
        match lines.find(|line| std::ptr::eq(line.kind, kind)) {
            Some(line) => line.push(message),
            None => {
                if kind.guard == Guard::Arguments {
                    self.looks = Looks::AtEach;
                }
                self.lines.push(Line {
                    kind,
                    messages: VecDeque::from([message]),
                    gone: 0,
                    next: 1,
                    again: Again::No,
                });
            }
        }
    }

    /// Defers a message that has just arrived without an evaluation, if the guard of the first of
    /// its line holds for it and was evaluated since the state last changed (G3). Returns any other
    /// message.
    #[inline]
    pub(crate) fn line_up(&mut self, envelope: Envelope) -> Option<Envelope> {
        let kind = envelope.kind();
        if !first_speaks_for(kind) {
            return Some(envelope);
        }
        let mut lines = self.lines.iter_mut();
        let line = lines.find(|line| std::ptr::eq(line.kind, kind));
        let Some(line) = line.filter(|line| line.is_shut()) else {
            return Some(envelope);
        };
        line.push(Some((self.came, envelope)));
        self.came += 1;
        self.count += 1;
        None
    }

    /// The state may have changed: all guards have to be evaluated again.
    #[inline]
    pub(crate) fn state_changed(&mut self) {
        if self.looks == Looks::AtEach {
            self.lines.iter_mut().for_each(Line::state_changed);
        }
    }

    /// Finds the oldest message with an open guard; evaluates at most `LOOKS_MAX` guards of each
    /// line.
    #[inline]
    pub(crate) fn look(&mut self, is_open: impl FnMut(&Envelope) -> bool) -> Found {
        match self.looks {
            Looks::AtFirsts => self.look_at_firsts(is_open),
            Looks::AtEach => self.look_at_each(is_open),
        }
    }

    #[inline]
    fn look_at_firsts(&mut self, mut is_open: impl FnMut(&Envelope) -> bool) -> Found {
        let mut oldest: Option<(u64, usize)> = None;
        for (number, line) in self.lines.iter_mut().enumerate() {
            let Some((came, first)) = line.first() else {
                continue;
            };
            // Stores are the cost of an evaluation, so there are as few as possible.
            if self.asked != number {
                self.asked = number;
            }
            let is_open = is_open(first);
            line.first_is(is_open);
            if is_open && oldest.is_none_or(|(other, _)| came < other) {
                oldest = Some((came, number));
            }
        }
        match oldest {
            None => Found::Closed,
            Some((_, number)) => self.take_open(number, 0),
        }
    }

    #[inline(never)]
    fn look_at_each(&mut self, mut is_open: impl FnMut(&Envelope) -> bool) -> Found {
        let mut oldest: Option<(u64, usize, usize)> = None;
        let mut more = false;
        for (number, line) in self.lines.iter_mut().enumerate() {
            self.asked = number;
            if let Some((came, at)) = line.look(&mut is_open)
                && oldest.is_none_or(|(other, ..)| came < other)
            {
                oldest = Some((came, number, at));
            }
            more |= !line.is_looked_at();
        }
        match oldest {
            Some((_, number, at)) => self.take_open(number, at),
            None if more => Found::More,
            None => Found::Closed,
        }
    }

    #[inline(never)]
    fn take_open(&mut self, number: usize, at: usize) -> Found {
        self.take(number, at).map_or(Found::Closed, Found::Open)
    }

    fn take(&mut self, number: usize, at: usize) -> Option<Envelope> {
        let envelope = self.lines.get_mut(number)?.take(at)?;
        self.count -= 1;
        Some(envelope)
    }

    /// Takes out the message of the last guard evaluated.
    pub(crate) fn take_asked(&mut self) -> Option<Envelope> {
        let at = match self.looks {
            Looks::AtFirsts => 0,
            Looks::AtEach => self.lines.get(self.asked)?.next,
        };
        self.take(self.asked, at)
    }

    /// Takes out the oldest message that has a place in a bounded mailbox, whatever the value of
    /// its guard.
    pub(crate) fn pop_oldest_counted(&mut self) -> Option<Envelope> {
        let first = |line: &Line| {
            let (came, _) = line.first()?;
            (line.kind.route == Route::Counted).then_some(came)
        };
        let lines = self.lines.iter_mut().filter(|line| first(line).is_some());
        let envelope = lines.min_by_key(|line| first(line))?.take(0)?;
        self.count -= 1;
        Some(envelope)
    }

    /// Returns all messages in the order of arrival.
    pub(crate) fn into_messages(self) -> Vec<Envelope> {
        let lines = self.lines.into_iter();
        let mut all: Vec<_> = lines.flat_map(|line| line.messages).flatten().collect();
        all.sort_unstable_by_key(|(came, _)| *came);
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

    fn state_changed(&mut self) {
        // A pass over a long line is finished first. Otherwise the last messages would never be
        // reached.
        let is_long = self.messages.len() - self.gone > LOOKS_MAX;
        if self.kind.guard == Guard::Arguments && is_long && self.next > 0 {
            self.again = Again::Yes;
        } else {
            self.next = 0;
            self.again = Again::No;
        }
    }

    /// Records the value of the first message's guard, which holds for all.
    #[inline]
    fn first_is(&mut self, is_open: bool) {
        let next = if is_open { 0 } else { self.messages.len() };
        if self.next != next {
            self.next = next;
        }
    }

    /// Returns the oldest message and its number. The front of the line is never `None`.
    fn first(&self) -> Option<(u64, &Envelope)> {
        let (came, envelope) = self.messages.front()?.as_ref()?;
        Some((*came, envelope))
    }

    /// Returns true if the line has messages and all guards were evaluated since the state last
    /// changed.
    fn is_shut(&self) -> bool {
        !self.messages.is_empty() && self.is_looked_at()
    }

    fn is_looked_at(&self) -> bool {
        self.next >= self.messages.len() && self.again == Again::No
    }

    /// Evaluates the next guards of the line. Returns the number and the index of the first open
    /// message.
    fn look(&mut self, is_open: &mut impl FnMut(&Envelope) -> bool) -> Option<(u64, usize)> {
        let looks = match self.kind.guard {
            Guard::State => 1,
            Guard::Arguments => LOOKS_MAX,
        };
        for _ in 0..looks {
            let (came, at) = self.next_to_look_at()?;
            let (_, message) = self.messages[at].as_ref()?;
            if is_open(message) {
                // The index stays here, because an older message of another line may go first.
                return Some((came, at));
            }
            match self.kind.guard {
                Guard::State => self.next = self.messages.len(),
                Guard::Arguments => self.next += 1,
            }
        }
        None
    }

    fn next_to_look_at(&mut self) -> Option<(u64, usize)> {
        loop {
            match self.messages.get(self.next) {
                Some(Some((came, _))) => return Some((*came, self.next)),
                Some(None) => self.next += 1,
                None if self.again == Again::Yes => {
                    self.next = 0;
                    self.again = Again::No;
                }
                None => return None,
            }
        }
    }

    fn take(&mut self, at: usize) -> Option<Envelope> {
        let (_, envelope) = self.messages.get_mut(at)?.take()?;
        self.gone += 1;
        while let Some(None) = self.messages.front() {
            self.messages.pop_front();
            self.gone -= 1;
            self.next = self.next.saturating_sub(1);
        }
        if self.gone > self.messages.len() / 2 {
            let before = self.messages.iter().take(self.next);
            self.next -= before.filter(|message| message.is_none()).count();
            self.messages.retain(Option::is_some);
            self.gone = 0;
        }
        Some(envelope)
    }
}
