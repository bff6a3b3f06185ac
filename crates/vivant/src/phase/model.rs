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
//!
//! - [`actor`]: an actor, and its mailbox.
//! - [`mail`]: messages and signals.
//! - [`life`]: births and ends.
//! - [`table`]: the shared table.
//! - [`defect`]: defects of the protocol.

mod actor;
mod defect;
mod life;
mod mail;
mod table;

use super::history::{At, Kind, Line, News, Taken};
use super::number::{Pass, Walk};
use actor::{Actor, Message};
pub(super) use defect::Defect;

pub(super) const ACTORS: usize = 4;
pub(super) const OUTSIDE: usize = 2;
const BOUND: usize = 3;

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
        let skips_queue = self.has(Defect::OldMessageLeftInQueue);
        let skips_deferred = self.has(Defect::OldMessageLeftDeferred);
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
        let queue = one.inbox.iter_mut().filter(|_| !skips_queue);
        let mailbox = deferred
            .chain(queue)
            .chain(one.signals.iter_mut().flatten());
        for message in mailbox.filter(|message| message.stamp != stamp) {
            message.stamp = stamp;
            self.waiting.push(message.news);
        }
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
