//! A line: the deferred messages of one behaviour, in the order of arrival.

use crate::actor::Guard;
use std::collections::VecDeque;

/// Limit of the guards evaluated in one line, or of one join, before the others have their turn.
pub(super) const EVALUATIONS_MAX: usize = if cfg!(test) { 4 } else { 64 };

pub(super) struct Line<M> {
    waits_for: WaitsFor,
    /// With their numbers, which rise. `None`: this message was taken out from between the others.
    messages: VecDeque<(u64, Option<M>)>,
    /// Number of `None`s in `messages`.
    holes: usize,
    /// The guards of the messages before this index have been evaluated in this pass.
    next: usize,
    /// Whether the state has changed since this pass began.
    restart: Restart,
    /// Of a constrained line with a guard that reads the state alone.
    guard: LineGuard,
}

/// The result of the evaluation of one guard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evaluation {
    Open,
    Closed,
    /// The guard is true, and the message is offered: synchronizers decide.
    Offered,
}

/// Whether the guard of a whole line is known to be false.
#[derive(PartialEq, Eq)]
enum LineGuard {
    /// It is to be evaluated, or each message has its own.
    Unknown,
    False,
}

/// What the messages of a line wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitsFor {
    /// Their guard, which reads this.
    Guard(Guard),
    /// Other messages: each has no guard of its own, and no turn.
    Join,
    /// Their guard, and the synchronizers that constrain the behaviour (`constraints/README.md`).
    /// Each message is evaluated; without a guard, once.
    Constraints(Guard),
}

/// What follows a pass over many guards.
#[derive(PartialEq, Eq)]
pub(super) enum Restart {
    No,
    /// Another pass: the state has changed since this one began.
    Yes,
}

impl<M> Line<M> {
    /// A line of one message, with a guard that was evaluated just now.
    pub(super) fn of(waits_for: WaitsFor, arrived: u64, message: M) -> Line<M> {
        let mut line = Line {
            waits_for,
            messages: VecDeque::new(),
            holes: 0,
            next: 0,
            restart: Restart::No,
            guard: LineGuard::Unknown,
        };
        line.push(arrived, message);
        line
    }

    /// Changes what the messages wait for. All are evaluated anew.
    pub(super) fn set_waits_for(&mut self, waits_for: WaitsFor) {
        self.waits_for = waits_for;
        self.evaluate_anew();
    }

    /// All messages are evaluated anew.
    pub(super) fn evaluate_anew(&mut self) {
        self.next = 0;
        self.restart = Restart::No;
        self.guard = LineGuard::Unknown;
    }

    /// The messages from this index on are evaluated anew.
    pub(super) fn evaluate_from(&mut self, at: usize) {
        self.next = self.next.min(at);
        self.guard = LineGuard::Unknown;
    }

    pub(super) fn waits_for(&self) -> WaitsFor {
        self.waits_for
    }

    pub(super) fn is_constrained(&self) -> bool {
        matches!(self.waits_for, WaitsFor::Constraints(_))
    }

    #[inline]
    pub(super) fn is_joined(&self) -> bool {
        matches!(self.waits_for, WaitsFor::Join)
    }

    /// Appends a message. Its guard was evaluated just now, unless the line is constrained.
    pub(super) fn push(&mut self, arrived: u64, message: M) {
        if self.next == self.messages.len() && !self.is_constrained() {
            self.next += 1;
        }
        self.messages.push_back((arrived, Some(message)));
    }

    pub(super) fn reads_arguments(&self) -> bool {
        match self.waits_for {
            WaitsFor::Guard(guard) => guard == Guard::Arguments,
            WaitsFor::Constraints(_) => true,
            WaitsFor::Join => false,
        }
    }

    /// Number of messages.
    pub(super) fn count(&self) -> usize {
        self.messages.len() - self.holes
    }

    pub(super) fn state_changed(&mut self) {
        if let WaitsFor::Constraints(Guard::None | Guard::State) = self.waits_for {
            // The messages before `next` are offered, and stay so.
            self.guard = LineGuard::Unknown;
            return;
        }
        // A pass over a long line is finished first. Otherwise the last messages would never be
        // reached.
        let is_long = self.count() > EVALUATIONS_MAX;
        if self.reads_arguments() && is_long && self.next > 0 {
            self.restart = Restart::Yes;
        } else {
            self.next = 0;
            self.restart = Restart::No;
        }
    }

    /// Records the value of the first message's guard, which holds for all.
    #[inline]
    pub(super) fn set_first(&mut self, is_open: bool) {
        let next = if is_open { 0 } else { self.messages.len() };
        if self.next != next {
            self.next = next;
        }
    }

    /// Returns the oldest message and its number. The front of the line is never `None`.
    pub(super) fn first(&self) -> Option<(u64, &M)> {
        let (arrived, message) = self.messages.front()?;
        Some((*arrived, message.as_ref()?))
    }

    /// Returns the number of the newest message.
    #[cfg(test)]
    pub(super) fn last(&self) -> Option<u64> {
        let mut messages = self.messages.iter().rev();
        Some(messages.find(|(_, message)| message.is_some())?.0)
    }

    /// Returns the number of the oldest message that has this number or a higher one.
    pub(super) fn first_from(&self, number: u64) -> Option<u64> {
        let at = self
            .messages
            .partition_point(|(arrived, _)| *arrived < number);
        let mut rest = self.messages.range(at..);
        let (arrived, _) = rest.find(|(_, message)| message.is_some())?;
        Some(*arrived)
    }

    /// Returns the index of the message with this number.
    pub(super) fn index_of(&self, number: u64) -> Option<usize> {
        let at = self
            .messages
            .partition_point(|(arrived, _)| *arrived < number);
        let (arrived, message) = self.messages.get(at)?;
        (*arrived == number && message.is_some()).then_some(at)
    }

    /// Returns the numbers of the messages that have this number or a higher one.
    pub(super) fn since(&self, number: u64) -> impl Iterator<Item = u64> {
        let at = self
            .messages
            .partition_point(|(arrived, _)| *arrived < number);
        let rest = self.messages.range(at..);
        rest.filter(|(_, message)| message.is_some())
            .map(|(arrived, _)| *arrived)
    }

    pub(super) fn get(&self, at: usize) -> Option<&M> {
        self.messages.get(at)?.1.as_ref()
    }

    /// Returns true if the line has messages and all guards were evaluated since the state last
    /// changed.
    pub(super) fn is_shut(&self) -> bool {
        !self.messages.is_empty() && self.is_evaluated()
    }

    pub(super) fn is_evaluated(&self) -> bool {
        let all = self.next >= self.messages.len() && self.restart == Restart::No;
        all || self.guard == LineGuard::False
    }

    /// The index of the first guard that is not evaluated.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Returns the number of the next message to evaluate, in a constrained line.
    pub(super) fn next_number(&mut self) -> Option<u64> {
        match self.guard {
            LineGuard::False => None,
            LineGuard::Unknown => self.next_unevaluated().map(|(arrived, _)| arrived),
        }
    }

    /// Evaluates the next message of a constrained line. Returns its index.
    pub(super) fn evaluate_next(
        &mut self,
        evaluate: impl FnOnce(&M) -> Evaluation,
    ) -> Option<(Evaluation, usize)> {
        let (_, at) = self.next_unevaluated()?;
        let evaluation = evaluate(self.get(at)?);
        match evaluation {
            // The index stays here, until the message is taken out.
            Evaluation::Open => {}
            Evaluation::Closed if self.waits_for == WaitsFor::Constraints(Guard::State) => {
                self.guard = LineGuard::False;
            }
            Evaluation::Closed | Evaluation::Offered => self.next = at + 1,
        }
        Some((evaluation, at))
    }

    /// Evaluates the next guards of the line. Returns the number and the index of the first open
    /// message.
    pub(super) fn evaluate(
        &mut self,
        evaluate: &mut impl FnMut(u64, &M) -> Evaluation,
    ) -> Option<(u64, usize)> {
        let scope = if self.reads_arguments() {
            EVALUATIONS_MAX
        } else {
            1
        };
        for _ in 0..scope {
            let (arrived, at) = self.next_unevaluated()?;
            match evaluate(arrived, self.get(at)?) {
                // The index stays here, because an older message of another line may go first.
                Evaluation::Open => return Some((arrived, at)),
                Evaluation::Closed | Evaluation::Offered => {}
            }
            self.next = match self.reads_arguments() {
                true => self.next + 1,
                false => self.messages.len(),
            };
        }
        None
    }

    fn next_unevaluated(&mut self) -> Option<(u64, usize)> {
        loop {
            match self.messages.get(self.next) {
                Some((arrived, Some(_))) => return Some((*arrived, self.next)),
                Some((_, None)) => self.next += 1,
                None if self.restart == Restart::Yes => {
                    self.next = 0;
                    self.restart = Restart::No;
                }
                None => return None,
            }
        }
    }

    /// Takes out the message at this index; returns it with its number.
    #[inline]
    pub(super) fn take(&mut self, at: usize) -> Option<(u64, M)> {
        if at > 0 || self.holes > 0 {
            return self.take_between(at);
        }
        let (arrived, message) = self.messages.pop_front()?;
        self.next = self.next.saturating_sub(1);
        Some((arrived, message?))
    }

    /// As `take`, for a line that has holes or gets one.
    #[inline(never)]
    fn take_between(&mut self, at: usize) -> Option<(u64, M)> {
        let (arrived, place) = self.messages.get_mut(at)?;
        let (arrived, message) = (*arrived, place.take()?);
        self.holes += 1;
        while let Some((_, None)) = self.messages.front() {
            self.messages.pop_front();
            self.holes -= 1;
            self.next = self.next.saturating_sub(1);
        }
        if self.holes > self.messages.len() / 2 {
            let before = self.messages.iter().take(self.next);
            self.next -= before.filter(|(_, message)| message.is_none()).count();
            self.messages.retain(|(_, message)| message.is_some());
            self.holes = 0;
        }
        Some((arrived, message))
    }

    /// Returns all messages with their numbers.
    pub(super) fn each(&mut self) -> impl Iterator<Item = (u64, &mut M)> {
        let messages = self.messages.iter_mut();
        messages.filter_map(|(arrived, message)| Some((*arrived, message.as_mut()?)))
    }

    /// Returns all messages with their numbers.
    pub(super) fn into_messages(self) -> impl Iterator<Item = (u64, M)> {
        let all = self.messages.into_iter();
        all.filter_map(|(arrived, message)| Some((arrived, message?)))
    }
}
