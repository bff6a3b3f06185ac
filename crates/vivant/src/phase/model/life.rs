//! Births, and ends of actors without addresses.

use super::Model;
use super::actor::Actor;
use super::defect::Defect;
use crate::phase::history::{Kind, Line, Taken};
use crate::phase::number::Walk;

impl Model {
    pub(in crate::phase) fn drop_last_address(&mut self, from: usize, to: usize) {
        if self.actors[to].last_address.is_none() {
            let made = self.event(from);
            self.actors[to].last_address = Some(self.learns(Kind::LastAddress, made));
        }
    }

    /// L6: an actor without addresses ends, and refuses its messages.
    pub(in crate::phase) fn end_unreferenced(&mut self, actor: usize) {
        let Some(news) = self.actors[actor].last_address else {
            return;
        };
        if !self.has(Defect::PhaseReadBeforeCount) {
            self.enter(actor);
        }
        self.news[news].taken = Taken::At(self.event(actor));
        self.handle_signals(actor);
        while !self.actors[actor].deferred.is_empty() {
            self.process(actor, true);
        }
        while !self.actors[actor].inbox.is_empty() {
            self.process(actor, false);
        }
        self.actors[actor].ended = Some(self.pass_of(actor));
        self.actors[actor].runs = false;
    }

    /// L7.
    pub(in crate::phase) fn give_birth(&mut self, parent: usize) {
        let born = Some(self.event(parent));
        let (pass, line) = match (
            self.has(Defect::ChildInPassOfSystem),
            self.actors[parent].line,
        ) {
            (true, _) if self.pass.walk() == Walk::Capture => (self.pass.mark(), Line::AllBehind),
            (_, Line::NotYet) => (self.actors[parent].pass, Line::NotYet),
            _ => (self.actors[parent].pass, Line::AllBehind),
        };
        self.actors.push(Actor::new(pass, line, born));
    }
}
