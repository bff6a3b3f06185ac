//! Matching: which of the deferred messages a join takes together (T8; see the README).
//!
//! A **combination** is one message of each kind that the join takes. Its place in the order of
//! arrival is that of its last message: then it became complete. Combinations with the same last
//! message are in the order of their other messages.
//!
//! Without a guard, and with a guard that reads the state alone, the oldest messages of all lines
//! are the only combination to look at. With a guard that reads arguments, the matching goes
//! through the combinations in their order. It notes the last one found closed, by the numbers of
//! its messages, so messages may come and go between two evaluations.

use super::line::{EVALUATIONS_MAX, Line, Restart};
use crate::actor::{JOIN_MAX, JoinGuard};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};

/// The messages of a combination, by their numbers, in the order of the join.
pub(super) type Numbers = [u64; JOIN_MAX];

/// The matching of one join.
pub(super) struct Matching {
    guard: JoinGuard,
    /// Number of kinds of messages.
    count: usize,
    /// The line of each kind of message, if there is one already.
    lines: [Option<usize>; JOIN_MAX],
    /// The last combination found closed in this pass.
    closed: Option<Numbers>,
    /// Whether the state has changed since this pass began.
    restart: Restart,
}

/// The result of an evaluation.
pub(super) enum Matched {
    Open(Numbers),
    /// No combination that was evaluated is open; there are more to evaluate.
    More,
    Closed,
}

impl Matching {
    pub(super) fn new(guard: JoinGuard, count: usize) -> Matching {
        Matching {
            guard,
            count,
            lines: [None; JOIN_MAX],
            closed: None,
            restart: Restart::No,
        }
    }

    /// There is a line for the messages at this position of the join now.
    pub(super) fn set_line(&mut self, position: usize, line: usize) {
        self.lines[position] = Some(line);
    }

    /// The lines of the messages.
    pub(super) fn lines(&self) -> [Option<usize>; JOIN_MAX] {
        self.lines
    }

    /// Returns the numbers of the oldest messages; `None` if one is missing.
    pub(super) fn firsts<M>(&self, lines: &[Line<M>]) -> Option<Numbers> {
        let mut firsts = [0; JOIN_MAX];
        #[cfg(test)]
        if is_planted(InjectedFault::NewestJoined) {
            for (first, line) in firsts.iter_mut().zip(self.lines).take(self.count) {
                *first = lines[line?].last()?;
            }
            return Some(firsts);
        }
        for (first, line) in firsts.iter_mut().zip(self.lines).take(self.count) {
            (*first, _) = lines[line?].first()?;
        }
        Some(firsts)
    }

    pub(super) fn state_changed<M>(&mut self, lines: &[Line<M>]) {
        if self.guard != JoinGuard::StateAndArguments {
            return;
        }
        // As in a line: a long pass is finished first.
        if self.closed.is_some() && self.is_long(lines) {
            self.restart = Restart::Yes;
        } else {
            self.closed = None;
            self.restart = Restart::No;
        }
    }

    fn is_long<M>(&self, lines: &[Line<M>]) -> bool {
        let mine = self.lines.iter().take(self.count).flatten();
        let counts = mine.map(|&line| lines[line].count());
        counts.fold(1, usize::saturating_mul) > EVALUATIONS_MAX
    }

    /// Finds the first open combination; evaluates at most `EVALUATIONS_MAX` guards.
    pub(super) fn evaluate<M>(
        &mut self,
        lines: &[Line<M>],
        mut is_open: impl FnMut(&Numbers) -> bool,
    ) -> Matched {
        let evaluations = match self.guard {
            JoinGuard::None => return self.firsts(lines).map_or(Matched::Closed, Matched::Open),
            JoinGuard::State => 1,
            JoinGuard::Arguments | JoinGuard::StateAndArguments => EVALUATIONS_MAX,
        };
        for _ in 0..evaluations {
            let Some(numbers) = self.next(lines) else {
                return Matched::Closed;
            };
            if is_open(&numbers) {
                return Matched::Open(numbers);
            }
            if self.guard == JoinGuard::State {
                return Matched::Closed;
            }
            self.closed = Some(numbers);
        }
        Matched::More
    }

    /// The combination to evaluate next; after the panic of a guard, the one it was evaluated for.
    pub(super) fn next<M>(&mut self, lines: &[Line<M>]) -> Option<Numbers> {
        loop {
            if let Some(numbers) = self.after_closed(lines) {
                return Some(numbers);
            }
            if self.restart == Restart::No {
                return None;
            }
            self.closed = None;
            self.restart = Restart::No;
        }
    }

    /// The combination after the last one found closed; the first of all, if there is none.
    fn after_closed<M>(&self, lines: &[Line<M>]) -> Option<Numbers> {
        let firsts = self.firsts(lines)?;
        let complete = last_of(&firsts, self.count).1;
        let from = match &self.closed {
            None => complete,
            Some(closed) => {
                let with_same_last = self.with_same_last(closed, &firsts, lines);
                if with_same_last.is_some() {
                    return with_same_last;
                }
                (last_of(closed, self.count).1 + 1).max(complete)
            }
        };
        // The next message after which a combination is complete.
        let next = |position: usize| {
            let number = lines[self.lines[position]?].first_from(from)?;
            Some((number, position))
        };
        let (number, position) = (0..self.count).filter_map(next).min()?;
        let mut numbers = firsts;
        numbers[position] = number;
        Some(numbers)
    }

    /// The combination after `closed` of those with the same last message.
    fn with_same_last<M>(
        &self,
        closed: &Numbers,
        firsts: &Numbers,
        lines: &[Line<M>],
    ) -> Option<Numbers> {
        let (last, number) = last_of(closed, self.count);
        let waits = |position: usize| {
            let line = self.lines[position]?;
            lines[line].index_of(closed[position])
        };
        waits(last)?;
        // Behind a message that was taken meanwhile, everything begins anew.
        let others = || (0..self.count).filter(|&position| position != last);
        let until = others().find(|&position| waits(position).is_none());
        let until = until.unwrap_or(self.count);
        let steps = (0..self.count).rev();
        for position in steps.filter(|&position| position != last && position <= until) {
            let line = &lines[self.lines[position]?];
            let next = line.first_from(closed[position] + 1);
            let Some(next) = next.filter(|next| *next < number) else {
                continue;
            };
            let mut numbers = *closed;
            numbers[position] = next;
            for behind in others().filter(|&behind| behind > position) {
                numbers[behind] = firsts[behind];
            }
            let is_complete = others().all(|position| numbers[position] < number);
            return is_complete.then_some(numbers);
        }
        None
    }
}

/// The position and the number of the message that arrived last.
pub(super) fn last_of(numbers: &Numbers, count: usize) -> (usize, u64) {
    let all = numbers.iter().copied().enumerate().take(count);
    all.max_by_key(|(_, number)| *number).unwrap_or_default()
}
