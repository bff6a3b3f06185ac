//! Deferred requests: those that the wait-for graph knows, and those that have to be examined
//! (`wait_for/README.md`).

use super::DeferredMessages;
use crate::actor::Envelope;

impl DeferredMessages {
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
        self.lines
            .iter()
            .flat_map(|line| line.since(since))
            .collect()
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
        self.lines[line].get(at)
    }

    /// Takes out the message with this number, whatever the value of its guard.
    pub(crate) fn take_numbered(&mut self, number: u64) -> Option<Envelope> {
        let (line, at) = self.place_of(number)?;
        self.take(line, at)
    }

    pub(super) fn place_of(&self, number: u64) -> Option<(usize, usize)> {
        self.lines.iter().enumerate().find_map(|(at, line)| {
            let found = line.index_of(number)?;
            Some((at, found))
        })
    }
}
