//! Programs for the model and the real actors: messages with steps that do things, drawn from a
//! seed; and the events that may happen when they run.

use crate::failures::Cause;
use crate::oracle::{below, split_mix};

/// What a step does, besides leaving locals for the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Nothing,
    TurnsGate,
    /// Sends this message.
    Sends(usize),
    /// Sends this message too; its answer arrives with another message.
    Asks(usize),
    /// Stops this actor by its address.
    Stops(usize),
    StopsItself,
    Panics,
}

/// A message: a behaviour with one step for each deed.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) to: usize,
    pub(super) way: Way,
    pub(super) deeds: Vec<Deed>,
    /// The message that carries its answer.
    pub(super) heard: Option<usize>,
}

/// How a message is admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Straight,
    /// It begins when its actor's gate is open.
    ThroughGate,
}

/// The locals that a step has left: the message, and the step.
pub(super) type Left = (usize, usize);

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// This actor's start function runs.
    Begins(usize),
    /// In this actor, this step of this message runs; and the locals that it found.
    Steps(usize, usize, usize, Option<Left>),
    /// This actor's stop hook runs.
    Ends(usize, Why),
    Dropped(Left),
}

/// Why an actor, or an incarnation, ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    Stopped,
    Drained,
    Finished,
    Unreferenced,
    Shutdown,
    Panicked,
    Restarting,
}

/// The fate of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Not decided yet.
    Open,
    Done,
    Panicked,
    Dead(Cause),
}

/// The supervisor of an actor, and its policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Care {
    Nobody,
    Restarts,
    /// Restarts it, and returns the messages that wait.
    Returns,
    Resumes,
}

/// Which requests a program may send. With bounded mailboxes an answer could find no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Questions {
    Asked,
    None,
}

pub(super) struct Program {
    pub(super) cares: Vec<Care>,
    pub(super) messages: Vec<Message>,
    /// The messages that are sent from outside.
    pub(super) outside: Vec<usize>,
}

impl Program {
    /// Returns the actor that receives the answer to this message.
    pub(super) fn asker(&self, number: usize) -> Option<usize> {
        let heard = self.messages[number].heard?;
        Some(self.messages[heard].to)
    }
}

const ACTORS_MAX: usize = 3;
/// An interpreter checks the code once.
const OUTSIDE_MAX: usize = if cfg!(miri) { 3 } else { 10 };
const STEPS_MAX: usize = 6;
/// Limit of the depth at which messages send messages.
const DEEP_MAX: usize = 2;

/// The seed's choices.
pub(super) struct Draws(pub(super) u64);

impl Draws {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let (state, number) = split_mix(self.0);
        self.0 = state;
        below(number, bound as u64) as usize
    }

    pub(super) fn program(&mut self, questions: Questions) -> Program {
        let actors = 1 + self.below(ACTORS_MAX);
        let care = |draws: &mut Draws| match draws.below(6) {
            0..3 => Care::Nobody,
            3 => Care::Restarts,
            4 => Care::Returns,
            _ => Care::Resumes,
        };
        let mut program = Program {
            cares: (0..actors).map(|_| care(self)).collect(),
            messages: Vec::new(),
            outside: Vec::new(),
        };
        for _ in 0..1 + self.below(OUTSIDE_MAX) {
            let (to, way) = (self.below(actors), self.way());
            let number = self.message(&mut program, questions, to, way, 0);
            program.outside.push(number);
        }
        program
    }

    fn way(&mut self) -> Way {
        match self.below(3) {
            0 => Way::ThroughGate,
            _ => Way::Straight,
        }
    }

    fn message(
        &mut self,
        program: &mut Program,
        questions: Questions,
        to: usize,
        way: Way,
        deep: usize,
    ) -> usize {
        let number = program.messages.len();
        program.messages.push(Message {
            to,
            way,
            deeds: Vec::new(),
            heard: None,
        });
        for _ in 0..1 + self.below(STEPS_MAX) {
            let deed = self.deed(program, questions, to, deep);
            program.messages[number].deeds.push(deed);
        }
        number
    }

    fn deed(
        &mut self,
        program: &mut Program,
        questions: Questions,
        me: usize,
        deep: usize,
    ) -> Deed {
        let actors = program.cares.len();
        match self.below(64) {
            0..5 => Deed::TurnsGate,
            5..13 if deep < DEEP_MAX => {
                let (to, way) = (self.below(actors), self.way());
                Deed::Sends(self.message(program, questions, to, way, deep + 1))
            }
            13..19 if deep < DEEP_MAX && questions == Questions::Asked && actors > 1 => {
                let to = (me + 1 + self.below(actors - 1)) % actors;
                let asked = self.message(program, questions, to, Way::Straight, deep + 1);
                let heard = self.message(program, questions, me, Way::Straight, deep + 1);
                program.messages[asked].heard = Some(heard);
                Deed::Asks(asked)
            }
            19 => Deed::StopsItself,
            20 => Deed::Stops(self.below(actors)),
            21..24 => Deed::Panics,
            _ => Deed::Nothing,
        }
    }
}
