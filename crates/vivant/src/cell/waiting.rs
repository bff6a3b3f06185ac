//! Messages whose guards are false: who waits, and who is looked at when (T8; see the README).
//!
//! They wait in **lines**, one for each behaviour. A guard that reads the state alone is the same
//! for all who wait in a line, so the first stands for the others and one look is enough. A guard
//! that reads its arguments too is looked at for each.

use crate::behaviour::Guard;
use crate::mailbox::{Envelope, Kind, Way};
use std::collections::VecDeque;

/// How many messages of one line are looked at before others have their turn.
const LOOKS_MAX: usize = if cfg!(test) { 4 } else { 64 };

/// Messages that wait for their guards.
#[derive(Default)]
pub(super) struct Waiting {
    lines: Vec<Line>,
    looks: Looks,
    /// Numbers messages in the order of their coming.
    came: u64,
    count: usize,
    /// The line of whom the last look was at.
    asked: usize,
}

/// At whom one has to look.
#[derive(Default, PartialEq, Eq)]
enum Looks {
    /// At the first of each line: all guards so far have read the state alone.
    #[default]
    AtFirsts,
    /// In some line at each.
    AtEach,
}

struct Line {
    kind: &'static Kind,
    /// `None`: it has gone from between the others.
    messages: VecDeque<Option<(u64, Envelope)>>,
    /// How many of them are gone.
    gone: usize,
    /// Who stands before this place has been looked at in this pass.
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

/// What a look found.
pub(super) enum Found {
    /// The oldest of those that were looked at and may run.
    Open(Envelope),
    /// None of those that were looked at; there are more.
    More,
    /// No guard is open.
    Closed,
}

/// Whether the guard of a message of this kind is that of the first in its line (G3).
#[inline]
pub(super) fn first_speaks_for(kind: &Kind) -> bool {
    #[cfg(test)]
    if crate::planted::is_planted(crate::planted::Planted::WrongLine) {
        return true;
    }
    kind.guard == Guard::State
}

impl Waiting {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// When the oldest was sent, in coarse milliseconds; nothing to be read where none waits.
    pub(super) fn oldest_ms(&self) -> u32 {
        let oldest = self
            .lines
            .iter()
            .filter_map(Line::first)
            .min_by_key(|(came, _)| *came);
        oldest.map_or(0, |(_, envelope)| envelope.head().sent_ms)
    }

    /// A message whose guard was false just now.
    pub(super) fn push(&mut self, envelope: Envelope) {
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

    /// Lets a message that has just come wait without a look at it, if the first of its line was
    /// looked at since the state last changed, and speaks for it (G3). Gives back any other.
    #[inline]
    pub(super) fn line_up(&mut self, envelope: Envelope) -> Option<Envelope> {
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

    /// The state may have changed: everybody is to be looked at again.
    #[inline]
    pub(super) fn state_changed(&mut self) {
        if self.looks == Looks::AtEach {
            self.lines.iter_mut().for_each(Line::state_changed);
        }
    }

    /// Looks for the oldest message whose guard is open, in each line at a few.
    #[inline]
    pub(super) fn look(&mut self, is_open: impl FnMut(&Envelope) -> bool) -> Found {
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
            // Stores are what a look costs, so that there are as few as can be.
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

    /// Takes out whom the last look was at.
    pub(super) fn take_asked(&mut self) -> Option<Envelope> {
        let at = match self.looks {
            Looks::AtFirsts => 0,
            Looks::AtEach => self.lines.get(self.asked)?.next,
        };
        self.take(self.asked, at)
    }

    /// The one that came first of those that have a place in a mailbox with a bound, whatever its
    /// guard says.
    pub(super) fn pop_oldest_counted(&mut self) -> Option<Envelope> {
        let first = |line: &Line| {
            let (came, _) = line.first()?;
            (line.kind.way == Way::Counted).then_some(came)
        };
        let lines = self.lines.iter_mut().filter(|line| first(line).is_some());
        let envelope = lines.min_by_key(|line| first(line))?.take(0)?;
        self.count -= 1;
        Some(envelope)
    }

    /// All of them, in the order of their coming.
    pub(super) fn into_messages(self) -> Vec<Envelope> {
        let lines = self.lines.into_iter();
        let mut all: Vec<_> = lines.flat_map(|line| line.messages).flatten().collect();
        all.sort_unstable_by_key(|(came, _)| *came);
        all.into_iter().map(|(_, envelope)| envelope).collect()
    }
}

impl Line {
    /// It was looked at just now.
    fn push(&mut self, message: Option<(u64, Envelope)>) {
        if self.next == self.messages.len() {
            self.next += 1;
        }
        self.messages.push_back(message);
    }

    fn state_changed(&mut self) {
        // A pass that many wait for is brought to its end first, or the last would never be looked
        // at.
        let is_long = self.messages.len() - self.gone > LOOKS_MAX;
        if self.kind.guard == Guard::Arguments && is_long && self.next > 0 {
            self.again = Again::Yes;
        } else {
            self.next = 0;
            self.again = Again::No;
        }
    }

    /// The first has been looked at for all.
    #[inline]
    fn first_is(&mut self, is_open: bool) {
        let next = if is_open { 0 } else { self.messages.len() };
        if self.next != next {
            self.next = next;
        }
    }

    /// The oldest, and its number. It is never one that has gone.
    fn first(&self) -> Option<(u64, &Envelope)> {
        let (came, envelope) = self.messages.front()?.as_ref()?;
        Some((*came, envelope))
    }

    /// Whether somebody stands here, and all were looked at since the state last changed.
    fn is_shut(&self) -> bool {
        !self.messages.is_empty() && self.is_looked_at()
    }

    fn is_looked_at(&self) -> bool {
        self.next >= self.messages.len() && self.again == Again::No
    }

    /// The number and the place of the first that is open, of those that are looked at now.
    fn look(&mut self, is_open: &mut impl FnMut(&Envelope) -> bool) -> Option<(u64, usize)> {
        let looks = match self.kind.guard {
            Guard::State => 1,
            Guard::Arguments => LOOKS_MAX,
        };
        for _ in 0..looks {
            let (came, at) = self.next_to_look_at()?;
            let (_, message) = self.messages[at].as_ref()?;
            if is_open(message) {
                // It stays the next, for an older one of another line may go first.
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
