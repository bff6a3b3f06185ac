//! The reference model of a cut (`README.md`): actors, outside threads, bounded queues, deferred
//! messages, refusals, signals, the last address, and a shared table, as plain data.
//!
//! Each step of the model is one atomic step of the runtime. The model keeps the history of each
//! actor, which the runtime does not: so it knows of each message on which side of the line it was
//! sent and taken, whatever its stamp says.
//!
//! | model | real |
//! |---|---|
//! | `Model::enter` | `RunGuard::enter_pass`, `Idle::enter_pass` |
//! | `Model::arrives` | `RunGuard::across_line` |
//! | `Model::send` | `post`, `bury`, `BoundedQueue::offer` |
//! | `Model::is_over`, `begin_next_pass` | `Coordinator::step` |

use super::history::{At, Kind, Line, News, Taken};
use super::number::{Pass, PassMark, Stamp, Walk};
use std::collections::VecDeque;

pub(super) const ACTORS: usize = 4;
pub(super) const OUTSIDE: usize = 2;
const BOUND: usize = 3;

/// A defect of the protocol, which the checks of the model find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Defect {
    None,
    OldMessageLeftInQueue,
    DisplacedUnrecorded,
    CaptureAfterNewerMessage,
    OutsideThreadNotAwaited,
    RefusalWithPhaseOfSender,
    RefusedUnrecorded,
    SignalWithoutPhase,
    PhaseReadBeforeCount,
    NameSeenAcrossLine,
    ChildInPassOfSystem,
    PassBeforeTheLastIsOver,
    EntryTakenUnrecorded,
    NewerEntryRecorded,
    LineInTurn,
}

impl Defect {
    pub(super) const ALL: &[Defect] = &[
        Defect::OldMessageLeftInQueue,
        Defect::DisplacedUnrecorded,
        Defect::CaptureAfterNewerMessage,
        Defect::OutsideThreadNotAwaited,
        Defect::RefusalWithPhaseOfSender,
        Defect::RefusedUnrecorded,
        Defect::SignalWithoutPhase,
        Defect::PhaseReadBeforeCount,
        Defect::NameSeenAcrossLine,
        Defect::ChildInPassOfSystem,
        Defect::PassBeforeTheLastIsOver,
        Defect::EntryTakenUnrecorded,
        Defect::NewerEntryRecorded,
        Defect::LineInTurn,
    ];
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    news: usize,
    pub(super) stamp: Stamp,
}

#[derive(Clone, Debug)]
pub(super) struct Actor {
    pass: PassMark,
    pub(super) events: usize,
    pub(super) line: Line,
    pub(super) born: Option<At>,
    pub(super) runs: bool,
    pub(super) inbox: VecDeque<Message>,
    pub(super) deferred: VecDeque<Message>,
    /// By the parity of the phase.
    signals: [Option<Message>; 2],
    last_address: Option<usize>,
    pub(super) ended: Option<Pass>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    sends: usize,
    /// The pass that it has read, while it sends.
    pub(super) sends_in: Option<Pass>,
    to: usize,
}

#[derive(Debug)]
pub(super) struct Model {
    defect: Defect,
    pub(super) pass: Pass,
    pub(super) actors: Vec<Actor>,
    pub(super) threads: Vec<Thread>,
    pub(super) news: Vec<News>,
    /// What waits in the cut, in the order of the records.
    pub(super) waiting: Vec<usize>,
    /// The entry of the table.
    entry: Option<Message>,
    /// The entries that the cut has.
    pub(super) entries: Vec<usize>,
    pub(super) is_void: bool,
    /// Whether no turn may begin.
    pub(super) is_pausing: bool,
    /// Whether the line began in a pause.
    pub(super) has_paused: bool,
}

impl Actor {
    fn new(pass: PassMark, line: Line, born: Option<At>) -> Actor {
        let (inbox, deferred) = (VecDeque::new(), VecDeque::new());
        let (signals, last_address, ended) = ([None; 2], None, None);
        let (events, runs) = (0, false);
        Actor {
            pass,
            events,
            line,
            born,
            runs,
            inbox,
            deferred,
            signals,
            last_address,
            ended,
        }
    }
}

impl Model {
    pub(super) fn new(defect: Defect) -> Model {
        let first = Actor::new(Pass::FIRST.mark(), Line::NotYet, None);
        let (actors, threads) = (vec![first; ACTORS], vec![Thread::default(); OUTSIDE]);
        let (news, waiting, entries) = (Vec::new(), Vec::new(), Vec::new());
        let (pass, entry) = (Pass::FIRST, None);
        Model {
            defect,
            pass,
            actors,
            threads,
            news,
            waiting,
            entry,
            entries,
            is_void: false,
            is_pausing: false,
            has_paused: false,
        }
    }

    fn has(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn event(&mut self, actor: usize) -> At {
        self.actors[actor].events += 1;
        At::Actor(actor, self.actors[actor].events - 1)
    }

    fn learns(&mut self, kind: Kind, made: At) -> usize {
        self.news.push(News {
            kind,
            made,
            taken: Taken::NotYet,
        });
        self.news.len() - 1
    }

    /// The pass of an actor: that of the system, or the one before (L1).
    pub(super) fn pass_of(&self, actor: usize) -> Pass {
        match self.actors[actor].pass == self.pass.mark() {
            true => self.pass,
            false => Pass::new(self.pass.number() - 1),
        }
    }

    /// L1: whether no code of an earlier pass runs, and each actor has entered this one.
    pub(super) fn is_over(&self) -> bool {
        let is_here = |pass: Pass| pass == self.pass;
        let mut threads = self.threads.iter();
        let left = threads.all(|thread| thread.sends_in.is_none_or(is_here));
        let mut actors = self.actors.iter();
        let entered = |actor: &Actor| actor.ended.is_some() || actor.pass == self.pass.mark();
        (left || self.has(Defect::OutsideThreadNotAwaited))
            && (actors.all(entered) || self.has(Defect::PassBeforeTheLastIsOver))
    }

    /// L2.
    pub(super) fn enter(&mut self, actor: usize) {
        let (walk, stamp) = (self.pass.walk(), self.pass.phase().stamp());
        let skips_deferred = self.has(Defect::OldMessageLeftInQueue);
        let one = &mut self.actors[actor];
        if one.pass == self.pass.mark() {
            return;
        }
        one.pass = self.pass.mark();
        if walk == Walk::Capture {
            one.line = Line::At(one.events);
            return;
        }
        let deferred = one.deferred.iter_mut().filter(|_| !skips_deferred);
        let mailbox = deferred
            .chain(&mut one.inbox)
            .chain(one.signals.iter_mut().flatten());
        for message in mailbox.filter(|message| message.stamp != stamp) {
            message.stamp = stamp;
            self.waiting.push(message.news);
        }
    }

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

    pub(super) fn process(&mut self, actor: usize, from_deferred: bool) {
        if let Some(message) = self.pop(actor, from_deferred) {
            self.news[message.news].taken = Taken::At(self.event(actor));
        }
    }

    pub(super) fn defer(&mut self, actor: usize) {
        if let Some(message) = self.pop(actor, false) {
            self.actors[actor].deferred.push_back(message);
        }
    }

    pub(super) fn handle_signals(&mut self, actor: usize) {
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

    pub(super) fn send_from(&mut self, kind: Kind, from: usize, to: usize) {
        let made = self.event(from);
        self.send(kind, made, self.pass_of(from), to);
    }

    /// L5.
    pub(super) fn begin_to_send(&mut self, thread: usize, to: usize) {
        self.threads[thread].sends_in = Some(self.pass);
        self.threads[thread].to = to;
    }

    pub(super) fn send_from_outside(&mut self, thread: usize) {
        let sender = &mut self.threads[thread];
        let Some(pass) = sender.sends_in.take() else {
            return;
        };
        sender.sends += 1;
        let (made, to) = (At::Outside(thread, sender.sends), sender.to);
        self.send(Kind::Message, made, pass, to);
    }

    pub(super) fn drop_last_address(&mut self, from: usize, to: usize) {
        if self.actors[to].last_address.is_none() {
            let made = self.event(from);
            self.actors[to].last_address = Some(self.learns(Kind::LastAddress, made));
        }
    }

    /// L6: an actor without addresses ends, and refuses its messages.
    pub(super) fn end_unreferenced(&mut self, actor: usize) {
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
    pub(super) fn give_birth(&mut self, parent: usize) {
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

    /// L10: replaces the entry by another one.
    pub(super) fn write_entry(&mut self, actor: usize) {
        let made = self.event(actor);
        let phase = self.pass_of(actor).phase();
        let news = self.learns(Kind::Entry, made);
        let stamp = phase.stamp();
        let Some(before) = self.entry.replace(Message { news, stamp }) else {
            return;
        };
        match before.stamp == stamp {
            true => {}
            false if phase != self.pass.phase() => self.is_void = true,
            false if self.has(Defect::EntryTakenUnrecorded) => {}
            false => self.entries.push(before.news),
        }
    }

    /// L10: the mailbox pass is over.
    pub(super) fn record_table(&mut self) {
        let stamp = self.pass.phase().stamp();
        let records_newer = self.has(Defect::NewerEntryRecorded);
        if let Some(entry) = &mut self.entry
            && (entry.stamp != stamp || records_newer)
        {
            entry.stamp = stamp;
            self.entries.push(entry.news);
        }
    }

    /// L8.
    pub(super) fn read_entry(&mut self, actor: usize) {
        let Some(entry) = self.entry else { return };
        let seen = self.learns(Kind::Entry, self.news[entry.news].made);
        self.news[seen].taken = Taken::At(self.event(actor));
        let is_older = self.pass_of(actor).phase() != self.pass.phase();
        self.is_void |= is_older && !self.has(Defect::NameSeenAcrossLine);
    }

    /// The cut has been checked: the next pass may begin.
    pub(super) fn begin_next_pass(&mut self) {
        self.pass = self.pass.next();
        if self.pass.walk() == Walk::Capture {
            self.actors
                .iter_mut()
                .for_each(|actor| actor.line = Line::NotYet);
            self.waiting.clear();
            self.entries.clear();
            self.is_void = false;
            self.has_paused = false;
        }
    }

    /// L11: a line begins as soon as no turn runs.
    pub(super) fn begin_line_in_pause(&mut self) {
        let mut actors = self.actors.iter();
        if actors.all(|actor| !actor.runs) || self.has(Defect::LineInTurn) {
            self.begin_next_pass();
            self.is_pausing = false;
            self.has_paused = true;
        }
    }
}
