//! An actor of the model: its current message, the messages that wait for it, and so what must
//! happen to it next. Of mailboxes and guards it models only what concerns steps; they have models
//! of their own.
//!
//! | model | real |
//! |---|---|
//! | `Actor::hand` | `ColdFields::step` and `RunState::steps` |
//! | `Actor::told` | the signal word, a turn's wish to end, a panic |
//! | `Actor::queue` | the mailbox, from inbox to backlog |
//! | `Actor::before_gate` | `ColdFields::waiting` |
//! | `Actor::next` | `handle_signals`, then `RunGuard::next` |
//! | `Actor::end_incarnation` | `RunGuard::take_step`, then `RunGuard::refuse_all` or `RunGuard::return_messages` |

use super::program::{Message, Way, Why};
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifecycle {
    Down,
    Up,
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Message(usize),
    /// Needs no place, and is kept at a restart.
    Answer(usize),
    StopMark,
}

/// What must happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    Begins,
    Step(usize, usize),
    Ends(Why),
    /// Ends without a state, so no stop hook runs.
    EndsUnheard,
    /// Nothing must happen, and it waits for no answer.
    Idle,
    /// Nothing must happen.
    Rests,
}

/// What happens to the waiting messages at the end of an incarnation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    Stays,
    MessagesGo,
    Goes,
}

pub(super) struct Actor {
    pub(super) life: Lifecycle,
    pub(super) told: Option<Why>,
    /// The message that has begun, and its next step.
    pub(super) hand: Option<(usize, usize)>,
    pub(super) gate_is_shut: bool,
    /// No address of it is left, except for answers in flight.
    pub(super) is_unreferenced: bool,
    places: usize,
    queue: VecDeque<Item>,
    before_gate: VecDeque<usize>,
}

impl Actor {
    pub(super) fn new(places: usize) -> Actor {
        Actor {
            life: Lifecycle::Down,
            told: None,
            hand: None,
            gate_is_shut: false,
            is_unreferenced: false,
            places,
            queue: VecDeque::new(),
            before_gate: VecDeque::new(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        let takes_place = |item: &&Item| matches!(item, Item::Message(_));
        self.queue.iter().filter(takes_place).count() + self.before_gate.len() >= self.places
    }

    pub(super) fn push(&mut self, item: Item) {
        self.queue.push_back(item);
    }

    pub(super) fn next(&mut self, messages: &[Message]) -> Next {
        match (self.life, self.told, self.hand) {
            (Lifecycle::Ended, ..) => Next::Rests,
            (Lifecycle::Down, None, _) => Next::Begins,
            (Lifecycle::Down, Some(_), _) => Next::EndsUnheard,
            (Lifecycle::Up, Some(why), _) => Next::Ends(why),
            (Lifecycle::Up, None, Some((number, step))) => Next::Step(number, step),
            (Lifecycle::Up, None, None) => match self.first(messages) {
                Some(Item::Message(number) | Item::Answer(number)) => Next::Step(number, 0),
                Some(Item::StopMark) => Next::Ends(Why::Drained),
                None if self.is_unreferenced => Next::Idle,
                None => Next::Rests,
            },
        }
    }

    /// Takes the next item out of the mailbox.
    fn first(&mut self, messages: &[Message]) -> Option<Item> {
        if !self.gate_is_shut && !self.before_gate.is_empty() {
            return self.before_gate.front().copied().map(Item::Message);
        }
        while let Some(&Item::Message(number)) = self.queue.front()
            && self.gate_is_shut
            && messages[number].way == Way::ThroughGate
        {
            self.queue.pop_front();
            self.before_gate.push_back(number);
        }
        self.queue.front().copied()
    }

    /// A step of this message begins.
    pub(super) fn takes(&mut self, number: usize) {
        let others = |item: &Item| ![Item::Message(number), Item::Answer(number)].contains(item);
        self.hand = None;
        self.queue.retain(others);
        self.before_gate.retain(|other| *other != number);
    }

    /// Returns the messages that are lost, in the order in which their senders are told.
    pub(super) fn end_incarnation(&mut self, life: Lifecycle, waiting: Waiting) -> Vec<usize> {
        (self.life, self.told) = (life, None);
        let begun = self.hand.take().map(|(number, _)| number);
        let mut lost: Vec<usize> = begun.into_iter().collect();
        let stays = |item: &Item| match item {
            Item::Message(_) => waiting == Waiting::Stays,
            Item::Answer(_) | Item::StopMark => waiting != Waiting::Goes,
        };
        let (stay, go) = self.queue.drain(..).partition::<VecDeque<Item>, _>(stays);
        self.queue = stay;
        for item in go {
            if let Item::Message(number) | Item::Answer(number) = item {
                lost.push(number);
            }
        }
        if waiting != Waiting::Stays {
            lost.extend(self.before_gate.drain(..));
        }
        lost
    }
}
