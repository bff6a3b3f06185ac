//! Messages and signals: sent, displaced, refused, taken out.

use super::actor::Message;
use super::defect::Defect;
use super::{BOUND, Model};
use crate::phase::history::{At, Kind, Line, Taken};
use crate::phase::number::Pass;

impl Model {
    /// L2, L4: an actor takes a message out.
    fn arrives(&mut self, actor: usize, mut message: Message) -> Message {
        let phase = |model: &Model| model.pass_of(actor).phase().stamp();
        if message.stamp != phase(self) && !self.has(Defect::CaptureAfterNewerMessage) {
            self.enter(actor);
        }
        if message.stamp != phase(self) && self.actors[actor].line != Line::NotYet {
            self.waiting.push(message.news);
            message.stamp = phase(self);
        }
        message
    }

    fn pop(&mut self, actor: usize, from_deferred: bool) -> Option<Message> {
        let one = &mut self.actors[actor];
        let queue = match from_deferred {
            true => &mut one.deferred,
            false => &mut one.inbox,
        };
        let message = queue.pop_front()?;
        Some(self.arrives(actor, message))
    }

    pub(in crate::phase) fn process(&mut self, actor: usize, from_deferred: bool) {
        if let Some(message) = self.pop(actor, from_deferred) {
            self.news[message.news].taken = Taken::At(self.event(actor));
        }
    }

    pub(in crate::phase) fn defer(&mut self, actor: usize) {
        if let Some(message) = self.pop(actor, false) {
            self.actors[actor].deferred.push_back(message);
        }
    }

    pub(in crate::phase) fn handle_signals(&mut self, actor: usize) {
        for parity in 0..2 {
            let Some(mut signal) = self.actors[actor].signals[parity].take() else {
                continue;
            };
            if self.has(Defect::SignalWithoutPhase) {
                signal.stamp = self.pass_of(actor).phase().stamp();
            }
            let signal = self.arrives(actor, signal);
            self.news[signal.news].taken = Taken::At(self.event(actor));
        }
    }

    /// Sends a message of `pass`, made at `made`.
    fn send(&mut self, kind: Kind, made: At, pass: Pass, to: usize) {
        let news = self.learns(kind, made);
        let message = Message {
            news,
            stamp: pass.phase().stamp(),
        };
        if let Some(ended) = self.actors[to].ended {
            return self.refuse(message, made, pass, to, ended);
        }
        if kind == Kind::Signal {
            let place = &mut self.actors[to].signals[pass.phase().parity() as usize];
            match place {
                // One bit: raised again, it stays.
                Some(_) => drop(self.news.pop()),
                None => *place = Some(message),
            }
            return;
        }
        let displaced = match (self.actors[to].inbox.len() >= BOUND, made) {
            (true, At::Actor(sender, _)) => self.actors[to].inbox.pop_front().map(|m| (m, sender)),
            _ => None,
        };
        self.actors[to].inbox.push_back(message);
        let Some((displaced, sender)) = displaced else {
            return;
        };
        let is_same = displaced.stamp == message.stamp;
        let is_older = !is_same && pass.phase() == self.pass.phase();
        if is_older && !self.has(Defect::DisplacedUnrecorded) {
            self.waiting.push(displaced.news);
        }
        // L3: to displace a newer message is news from behind the line.
        let taken = match self.news[displaced.news].made {
            _ if is_same || is_older => self.event(sender),
            At::Actor(maker, _) => self.event(maker),
            outside => outside,
        };
        self.news[displaced.news].taken = Taken::At(taken);
    }

    /// L3, L4: a message finds that its receiver has ended.
    fn refuse(&mut self, message: Message, made: At, pass: Pass, to: usize, ended: Pass) {
        let At::Actor(sender, _) = made else {
            self.news[message.news].taken = Taken::At(made);
            return;
        };
        let is_newer = ended.phase() > pass.phase();
        if is_newer && !self.has(Defect::RefusedUnrecorded) {
            self.waiting.push(message.news);
        }
        let refuser = if is_newer { to } else { sender };
        self.news[message.news].taken = Taken::At(self.event(refuser));
        if self.news[message.news].kind == Kind::Message {
            let made = self.event(refuser);
            let news = self.learns(Kind::Message, made);
            let phase = match is_newer && !self.has(Defect::RefusalWithPhaseOfSender) {
                true => ended.phase(),
                false => pass.phase(),
            };
            let stamp = phase.stamp();
            self.actors[sender].inbox.push_back(Message { news, stamp });
        }
    }

    pub(in crate::phase) fn send_from(&mut self, kind: Kind, from: usize, to: usize) {
        let made = self.event(from);
        self.send(kind, made, self.pass_of(from), to);
    }

    /// L5.
    pub(in crate::phase) fn begin_to_send(&mut self, thread: usize, to: usize) {
        self.threads[thread].sends_in = Some(self.pass);
        self.threads[thread].to = to;
    }

    pub(in crate::phase) fn send_from_outside(&mut self, thread: usize) {
        let sender = &mut self.threads[thread];
        let Some(pass) = sender.sends_in.take() else {
            return;
        };
        sender.sends += 1;
        let (made, to) = (At::Outside(thread, sender.sends), sender.to);
        self.send(Kind::Message, made, pass, to);
    }
}
