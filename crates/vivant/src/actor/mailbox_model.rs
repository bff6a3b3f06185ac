//! The reference model of a bounded mailbox: the waiting messages, as plain data. `model_tests.rs`
//! steps it beside the real mailbox.
//!
//! | model | real |
//! |---|---|
//! | `Model::queue` | the bounded queue and its tickets; control messages of the inbox |
//! | `Model::deferred` | `Owner::waiting`, but for what is overdue |
//! | `Model::offer` | `BoundedQueue::offer`, `BoundedQueue::reserve` |
//! | `Model::run` | `cell::run` |
//!
//! Left out: threads. A run finishes before the next send, except for sends of a turn to its own
//! actor.

use super::options::Mailbox;
use crate::failures::Cause;
use std::collections::{BTreeMap, VecDeque};

/// What a message does in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Nothing,
    /// Waits until the gate is open.
    PassesGate,
    TurnsGate,
    /// Sends this many more messages to its own actor; each of them does nothing.
    Sends(u64),
    StopsItself,
    Panics,
}

/// The fate of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Begun,
    Returned,
    Dead(Cause),
}

#[derive(Clone, Copy, Debug)]
enum Item {
    Message(u64, Deed),
    StopMark,
}

pub(super) struct Model {
    mailbox: Mailbox,
    queue: VecDeque<Item>,
    deferred: VecDeque<(u64, Deed)>,
    gate_is_open: bool,
    is_told_to_stop: bool,
    next_number: u64,
    pub(super) has_ended: bool,
    pub(super) begun: Vec<u64>,
    pub(super) fates: BTreeMap<u64, Fate>,
}

impl Model {
    pub(super) fn new(mailbox: Mailbox) -> Model {
        Model {
            mailbox,
            queue: VecDeque::new(),
            deferred: VecDeque::new(),
            gate_is_open: true,
            is_told_to_stop: false,
            next_number: 0,
            has_ended: false,
            begun: Vec::new(),
            fates: BTreeMap::new(),
        }
    }

    /// Returns the number of places taken.
    pub(super) fn taken(&self) -> usize {
        let is_message = |item: &&Item| matches!(item, Item::Message(..));
        self.queue.iter().filter(is_message).count() + self.deferred.len()
    }

    /// Sends a message.
    pub(super) fn send(&mut self, number: u64, deed: Deed) {
        let if_not = match (self.has_ended, self.mailbox) {
            (true, _) => Cause::Ended,
            (_, Mailbox::DropNewest(_)) => Cause::DroppedNewest,
            (_, Mailbox::DropOldest(_)) => Cause::DroppedOldest,
            (_, Mailbox::Reject(_) | Mailbox::BackPressure) => Cause::Rejected,
        };
        self.offer(number, deed, Fate::Dead(if_not));
    }

    /// Sends a message. Its fate is `if_not` if the actor has ended or the mailbox rejects the
    /// message.
    pub(super) fn offer(&mut self, number: u64, deed: Deed, if_not: Fate) {
        self.next_number = number + 1;
        let is_full = self.taken() >= self.mailbox.bound();
        match self.mailbox {
            _ if self.has_ended => return self.meets(number, if_not),
            Mailbox::DropOldest(_) if is_full => self.drop_oldest(),
            Mailbox::DropNewest(_) if is_full => {
                return self.meets(number, Fate::Dead(Cause::DroppedNewest));
            }
            _ if is_full => return self.meets(number, if_not),
            _ => {}
        }
        self.queue.push_back(Item::Message(number, deed));
    }

    fn meets(&mut self, number: u64, fate: Fate) {
        self.fates.insert(number, fate);
    }

    fn drop_oldest(&mut self) {
        let oldest = self.deferred.pop_front().or_else(|| {
            let is_message = |item: &Item| matches!(item, Item::Message(..));
            match self.queue.remove(self.queue.iter().position(is_message)?)? {
                Item::Message(number, deed) => Some((number, deed)),
                Item::StopMark => None,
            }
        });
        let (number, _) = oldest.expect("it is full");
        self.meets(number, Fate::Dead(Cause::DroppedOldest));
    }

    pub(super) fn stop(&mut self) {
        self.is_told_to_stop = true;
    }

    pub(super) fn stop_after_queue(&mut self) {
        self.queue.push_back(Item::StopMark);
    }

    /// Runs until no work is left.
    pub(super) fn run(&mut self) {
        while !self.has_ended {
            if self.is_told_to_stop {
                return self.end();
            }
            if self.gate_is_open
                && let Some((number, deed)) = self.deferred.pop_front()
            {
                self.begin(number, deed);
                continue;
            }
            match self.queue.pop_front() {
                None => return,
                Some(Item::StopMark) => self.end(),
                Some(Item::Message(number, deed))
                    if deed == Deed::PassesGate && !self.gate_is_open =>
                {
                    self.deferred.push_back((number, deed));
                }
                Some(Item::Message(number, deed)) => self.begin(number, deed),
            }
        }
    }

    fn begin(&mut self, number: u64, deed: Deed) {
        self.begun.push(number);
        self.meets(number, Fate::Begun);
        match deed {
            Deed::Nothing | Deed::PassesGate => {}
            Deed::TurnsGate => self.gate_is_open = !self.gate_is_open,
            Deed::Sends(count) => {
                for _ in 0..count {
                    self.send(self.next_number, Deed::Nothing);
                }
            }
            Deed::StopsItself | Deed::Panics => self.end(),
        }
    }

    fn end(&mut self) {
        self.has_ended = true;
        let deferred = self
            .deferred
            .drain(..)
            .map(|(n, deed)| Item::Message(n, deed));
        for item in self.queue.drain(..).chain(deferred) {
            if let Item::Message(number, _) = item {
                self.fates.insert(number, Fate::Dead(Cause::Ended));
            }
        }
    }
}
