//! The reference model of behaviours in steps, as plain data. `tests.rs` feeds it every event of
//! real actors. The model says whether that event must happen next, and what becomes of each
//! message.
//!
//! | model | real |
//! |---|---|
//! | `Model::actors` | `actor.rs` has its table |
//! | `Model::takes` | `RunGuard::process`, `RunGuard::set_step` |
//! | `Model::end_incarnation` | `RunGuard::end`, `RunGuard::go_down` |
//! | `Model::meets` | `Resolver`, `Refusal`, the dead letters |
//! | `Model::left` | the locals in the message of a next step, or in a heap |
//!
//! Left out: budgets and muting, which only decide when an actor continues, and supervisors:
//! `supervision` has a model of them.

mod actor;
// Self-tests show their faults without an interpreter.
#[cfg(not(miri))]
mod canaries;
mod lost_steps;
mod program;
mod subjects;
mod tests;

use crate::failures::Cause;
use crate::sync::Arc;
use actor::{Actor, Item, Lifecycle, Next, Waiting};
use program::{Care, Deed, Event, Fate, Left, Program, Why};
use std::collections::{BTreeMap, BTreeSet};

struct Model {
    program: Arc<Program>,
    actors: Vec<Actor>,
    /// The fate of each message sent.
    fates: BTreeMap<usize, Fate>,
    left: BTreeSet<Left>,
    panics: u64,
}

impl Model {
    fn new(program: Arc<Program>, places: usize) -> Model {
        Model {
            actors: program.cares.iter().map(|_| Actor::new(places)).collect(),
            program,
            fates: BTreeMap::new(),
            left: BTreeSet::new(),
            panics: 0,
        }
    }

    fn send(&mut self, number: usize) {
        let it = &mut self.actors[self.program.messages[number].to];
        if it.is_unreferenced {
            return;
        }
        self.fates.insert(number, Fate::Open);
        if it.life == Lifecycle::Ended {
            self.meets(number, Fate::Dead(Cause::Ended));
        } else if it.is_full() {
            self.meets(number, Fate::Dead(Cause::Rejected));
        } else {
            it.push(Item::Message(number));
        }
    }

    /// A signal reaches an actor, by an address or from the system.
    fn tell(&mut self, actor: usize, why: Why) {
        let it = &mut self.actors[actor];
        if why == Why::Shutdown || it.told.is_none() && !it.is_unreferenced {
            it.told = Some(why);
        }
    }

    fn next(&mut self, actor: usize) -> Next {
        let awaits = self.awaits(actor);
        match self.actors[actor].next(&self.program.messages) {
            Next::Idle if awaits => Next::Rests,
            Next::Idle => Next::Ends(Why::Unreferenced),
            next => next,
        }
    }

    /// Returns true if a request of the actor is pending, which keeps an address of it.
    fn awaits(&self, actor: usize) -> bool {
        let mut open = self.fates.iter().filter(|(_, fate)| **fate == Fate::Open);
        open.any(|(number, _)| self.program.asker(*number) == Some(actor))
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Begins(actor) => {
                assert_eq!(self.next(actor), Next::Begins, "{actor} begins");
                self.actors[actor].life = Lifecycle::Up;
                self.actors[actor].gate_is_shut = false;
            }
            Event::Steps(actor, number, step, found) => {
                assert_eq!(Next::Step(number, step), self.next(actor), "T1: what runs");
                let left = step.checked_sub(1).map(|before| (number, before));
                assert_eq!(found, left, "T1: what a step finds");
                self.takes(actor, number, step);
            }
            Event::Ends(actor, why) => {
                if why != Why::Restarting || self.program.cares[actor] == Care::Nobody {
                    assert_eq!(Next::Ends(why), self.next(actor), "T1: what ends");
                }
                self.end_incarnation(actor, why);
            }
            Event::Dropped(left) => {
                assert!(!self.is_held(left), "T1: {left:?} is dropped too early");
                assert!(self.left.remove(&left), "T1: {left:?} is dropped twice");
            }
        }
    }

    fn takes(&mut self, actor: usize, number: usize, step: usize) {
        let program = self.program.clone();
        let (deeds, it) = (&program.messages[number].deeds, &mut self.actors[actor]);
        it.takes(number);
        match deeds[step] {
            Deed::Nothing => {}
            Deed::TurnsGate => it.gate_is_shut = !it.gate_is_shut,
            Deed::Sends(other) | Deed::Asks(other) => self.send(other),
            Deed::Stops(other) => self.tell(other, Why::Stopped),
            Deed::StopsItself => it.told = Some(Why::Finished),
            Deed::Panics => return self.panicked(actor, number),
        }
        if step + 1 == deeds.len() {
            return self.meets(number, Fate::Done);
        }
        self.actors[actor].hand = Some((number, step + 1));
        self.left.insert((number, step));
    }

    /// An injected panic has hit the turn that was next.
    fn is_hit(&mut self, actor: usize) {
        let Next::Step(number, _) = self.next(actor) else {
            panic!("{actor} panicked, and no turn was next");
        };
        self.actors[actor].takes(number);
        self.panicked(actor, number);
    }

    fn panicked(&mut self, actor: usize, number: usize) {
        self.panics += 1;
        self.meets(number, Fate::Panicked);
        if self.program.cares[actor] != Care::Resumes {
            self.actors[actor].told = Some(Why::Panicked);
        }
    }

    fn end_incarnation(&mut self, actor: usize, why: Why) {
        let begins_again = matches!(why, Why::Panicked | Why::Finished | Why::Restarting);
        let (life, waiting, cause) = match (self.program.cares[actor], begins_again) {
            (Care::Nobody, _) | (_, false) => (Lifecycle::Ended, Waiting::Goes, Cause::Ended),
            (Care::Returns, true) => (Lifecycle::Down, Waiting::MessagesGo, Cause::Restarted),
            (_, true) => (Lifecycle::Down, Waiting::Stays, Cause::Restarted),
        };
        for number in self.actors[actor].end_incarnation(life, waiting) {
            self.meets(number, Fate::Dead(cause));
        }
    }

    fn meets(&mut self, number: usize, fate: Fate) {
        let before = self.fates.insert(number, fate);
        assert_eq!(before, Some(Fate::Open), "T3: {number} meets {fate:?}");
        let Some(heard) = self.program.messages[number].heard else {
            return;
        };
        self.fates.insert(heard, Fate::Open);
        match &mut self.actors[self.program.messages[heard].to] {
            it if it.life == Lifecycle::Ended => self.meets(heard, Fate::Dead(Cause::Ended)),
            it => it.push(Item::Answer(heard)),
        }
    }

    /// Returns true if a step is still to find these locals.
    fn is_held(&self, (number, step): Left) -> bool {
        let finds = Some((number, step + 1));
        self.actors.iter().any(|it| it.hand == finds)
    }

    /// Returns the locals that no step will find any more and that were not dropped.
    fn leaked(&self) -> Vec<Left> {
        let left = self.left.iter().copied();
        left.filter(|left| !self.is_held(*left)).collect()
    }

    /// Some of the actors that end without a stop hook have ended.
    fn end_unheard(&mut self, has_ended: impl Fn(usize) -> bool) {
        for actor in 0..self.actors.len() {
            if self.next(actor) == Next::EndsUnheard && has_ended(actor) {
                self.end_incarnation(actor, Why::Stopped);
            }
        }
    }

    /// Checks that no work is left.
    fn rests(&mut self) {
        for actor in 0..self.actors.len() {
            assert_eq!(self.next(actor), Next::Rests, "{actor} is idle");
        }
    }
}
