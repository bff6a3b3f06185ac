//! Muting, with mailbox and run word around it (`crates/vivant/src/mute/README.md`).
//!
//! Proved, on the files of the runtime: P1 a muted actor mutes nobody; P2 who is muted is in one list or has been told;
//! P3 when all is quiet nobody is muted: not when the receiver drains meanwhile, not when it ends, not when two actors
//! overload each other, not when the one who muted is muted in turn.
//!
//! | model | real |
//! |---|---|
//! | `System::post` | `mailbox::post` and `Worker::sent_to_overloaded` |
//! | `System::serve`, `System::work` | `cell::run` and the steps of `Held` |
//! | `System::taken`, `System::mute_if_asked`, `System::heed`, `System::end` | the same of `Held` |
//! | a letter to `B` in A's mailbox | a message upon which A sends one to B |
//!
//! Left out: guards and deferred messages, budgets, senders outside actors (who are not muted).

mod broken;

use crate::check::{Canary, holds, holds_long};
use crate::letters::{Letter, Mailbox, Node, letter};
use crate::runtime::inbox::{Inbox, Pushed};
use crate::runtime::mute::{Marks, Mutes, Muting, Pressure};
use crate::runtime::state::{Parked, RunWord, Signals, Told};
use crate::sync::{Arc, Mutex, lock};
use crate::tracked::Tracked;
use loom::thread;
use std::collections::BTreeMap;

/// Who is muted by whom: the real book, or one with a planted bug. Actors are numbers.
pub(crate) trait Book {
    type Load;
    fn load() -> Self::Load;
    fn add(load: &Self::Load) -> usize;
    fn subtract(&self, load: &Self::Load, count: usize, marks: Marks) -> bool;
    fn depth(load: &Self::Load) -> usize;
    fn mute(
        &self,
        sender: (usize, &Self::Load),
        receiver: (usize, &Self::Load),
        marks: Marks,
    ) -> Muting<usize>;
    fn unmuted(&self, load: &Self::Load);
    fn recovered(&self, actor: (usize, &Self::Load)) -> Vec<usize>;
    fn ended(&self, actor: (usize, &Self::Load)) -> Vec<usize>;
    fn counts(&self) -> BTreeMap<u64, usize>;
}

impl Book for Mutes<usize> {
    type Load = Pressure;
    fn load() -> Pressure {
        Pressure::new()
    }
    fn add(load: &Pressure) -> usize {
        load.add()
    }
    fn subtract(&self, load: &Pressure, count: usize, marks: Marks) -> bool {
        load.subtract(count, marks)
    }
    fn depth(load: &Pressure) -> usize {
        load.depth()
    }
    fn mute(
        &self,
        sender: (usize, &Pressure),
        receiver: (usize, &Pressure),
        marks: Marks,
    ) -> Muting<usize> {
        let named = |(number, load)| (number as u64, load);
        Mutes::mute(self, named(sender), sender.0, named(receiver), marks)
    }
    fn unmuted(&self, load: &Pressure) {
        Mutes::unmuted(self, load);
    }
    fn recovered(&self, actor: (usize, &Pressure)) -> Vec<usize> {
        Mutes::recovered(self, (actor.0 as u64, actor.1))
    }
    fn ended(&self, actor: (usize, &Pressure)) -> Vec<usize> {
        Mutes::ended(self, (actor.0 as u64, actor.1))
    }
    fn counts(&self) -> BTreeMap<u64, usize> {
        Mutes::counts(self)
    }
}

struct Actor<B: Book> {
    word: RunWord,
    inbox: Inbox<Node>,
    load: B::Load,
    queued: Mutex<bool>,
    owner: Tracked<Owner>,
}

#[derive(Default)]
struct Owner {
    backlog: Vec<Letter>,
    mute: Mute,
    life: Life,
}

#[derive(Default, PartialEq, Eq, Debug, Clone, Copy)]
enum Mute {
    #[default]
    Free,
    Muted,
}

#[derive(Default, PartialEq, Eq, Debug, Clone, Copy)]
enum Life {
    #[default]
    Running,
    Ended,
}

/// A letter upon which nothing is sent.
const NOTHING: char = '-';
/// A letter upon which the actor ends.
const END: char = '!';

struct System<B: Book> {
    actors: Vec<Actor<B>>,
    book: B,
    marks: Marks,
}

impl<B: Book + 'static> System<B> {
    /// Actors A, B, … with these letters in their mailboxes.
    fn new(book: B, marks: Marks, mailboxes: &[&str]) -> Arc<System<B>> {
        let actor = || Actor {
            word: RunWord::new(),
            inbox: Inbox::new(),
            load: B::load(),
            queued: Mutex::new(false),
            owner: Tracked::new(Owner::default()),
        };
        let system = Arc::new(System {
            actors: mailboxes.iter().map(|_| actor()).collect(),
            book,
            marks,
        });
        for (number, letters) in mailboxes.iter().enumerate() {
            for to in letters.chars() {
                let _overloaded = system.post(number, to);
            }
        }
        system
    }

    /// `Some` if the receiver is overloaded.
    fn post(&self, to: usize, upon_it_send_to: char) -> Option<usize> {
        let actor = &self.actors[to];
        let depth = B::add(&actor.load);
        match Mailbox::push(&actor.inbox, letter(upon_it_send_to, 0)) {
            Ok(Pushed::First) => self.enqueue_if(to, actor.word.notify()),
            Ok(Pushed::Later) => {}
            Err(_) => {
                let _ended = self.book.subtract(&actor.load, 1, self.marks);
                return None;
            }
        }
        (depth >= self.marks.overloaded).then_some(to)
    }

    fn enqueue_if(&self, actor: usize, told: Told) {
        if told == Told::Enqueue {
            *lock(&self.actors[actor].queued) = true;
        }
    }

    fn unmute(&self, release: Vec<usize>) {
        for muted in release {
            self.enqueue_if(muted, self.actors[muted].word.signal(Signals::UNMUTE));
        }
    }

    /// One run of this actor, if it is queued.
    fn serve(&self, me: usize) -> bool {
        let actor = &self.actors[me];
        if !std::mem::take(&mut *lock(&actor.queued)) {
            return false;
        }
        let mut signals = actor.word.hold();
        loop {
            actor.owner.change(|owner| self.work(me, owner, signals));
            match actor.word.park() {
                Parked::Yes => return true,
                Parked::Again(told) => signals = told,
            }
        }
    }

    fn work(&self, me: usize, owner: &mut Owner, signals: Signals) {
        let actor = &self.actors[me];
        self.heed(me, owner, signals);
        while owner.mute == Mute::Free && owner.life == Life::Running {
            if owner.backlog.is_empty() {
                owner.backlog = Mailbox::take(&actor.inbox);
            }
            if owner.backlog.is_empty() {
                break;
            }
            let to = owner.backlog.remove(0).from;
            let overloaded = match to {
                NOTHING | END => None,
                to => self.post(to as usize - 'A' as usize, NOTHING),
            };
            self.taken(me, 1);
            if to == END {
                self.end(me, owner);
            } else if let Some(receiver) = overloaded {
                self.mute_if_asked(me, owner, receiver);
            }
            self.heed(me, owner, actor.word.look());
        }
    }

    fn taken(&self, me: usize, count: usize) {
        let load = &self.actors[me].load;
        if self.book.subtract(load, count, self.marks) {
            self.unmute(self.book.recovered((me, load)));
        }
    }

    fn mute_if_asked(&self, me: usize, owner: &mut Owner, receiver: usize) {
        let named = |number: usize| (number, &self.actors[number].load);
        match self.book.mute(named(me), named(receiver), self.marks) {
            Muting::GoesOn => {}
            Muting::Muted { release } => {
                self.unmute(release);
                owner.mute = Mute::Muted;
            }
        }
    }

    fn heed(&self, me: usize, owner: &mut Owner, signals: Signals) {
        let unmuted = signals.has(Signals::UNMUTE) && owner.mute == Mute::Muted;
        if unmuted && owner.life == Life::Running {
            owner.mute = Mute::Free;
            self.book.unmuted(&self.actors[me].load);
        }
    }

    fn end(&self, me: usize, owner: &mut Owner) {
        let actor = &self.actors[me];
        owner.life = Life::Ended;
        owner.backlog.extend(Mailbox::close(&actor.inbox));
        let rest = owner.backlog.drain(..).count();
        let _ended = self.book.subtract(&actor.load, rest, self.marks);
        self.unmute(self.book.ended((me, &actor.load)));
    }

    fn is_muted(&self, actor: usize) -> bool {
        self.actors[actor]
            .owner
            .read(|owner| owner.mute == Mute::Muted)
    }

    /// Nobody runs: who mutes somebody is free and has a depth that will fall.
    fn invariants_hold(&self) {
        for receiver in self.book.counts().into_keys() {
            let depth = B::depth(&self.actors[receiver as usize].load);
            assert!(!self.is_muted(receiver as usize), "P1: a muted actor mutes");
            assert!(depth > self.marks.recovered, "P3: nobody will let them go");
        }
    }

    /// Runs what is queued, to the end.
    fn when_quiet(&self) {
        self.invariants_hold();
        while (0..self.actors.len()).any(|actor| self.serve(actor)) {
            self.invariants_hold();
        }
        for (number, actor) in self.actors.iter().enumerate() {
            assert!(!self.is_muted(number), "P3: muted for ever");
            assert_eq!(B::depth(&actor.load), 0, "not all was taken");
            assert!(Mailbox::close(&actor.inbox).is_empty(), "left behind");
        }
        assert!(self.book.counts().is_empty(), "P2: in a list and not muted");
    }
}

/// One worker for each actor.
fn run<B: Book + 'static>(book: B, overloaded: usize, mailboxes: &[&str]) {
    let system = System::new(book, Marks::at(overloaded), mailboxes);
    let workers: Vec<_> = (0..mailboxes.len())
        .map(|actor| {
            let system = system.clone();
            thread::spawn(move || system.serve(actor))
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    system.when_quiet();
}

/// A and B send to C, which drains meanwhile.
const FAN_IN: &[&str] = &["C", "C", "-"];
/// A sends to B, which drains meanwhile.
const DRAIN: &[&str] = &["B-", "-"];
/// Each overloads the other.
const MUTUAL: &[&str] = &["B-", "A-"];
/// B, which may have muted A, is muted by C.
const CHAIN: &[&str] = &["B", "C-", "-"];
/// B, which may have muted A, ends, and C sends too late.
const ENDING: &[&str] = &["B", "!", "B"];

/// P2, P3: the receiver drains while its senders are muted.
pub fn a_receiver_that_drains_lets_everybody_go() {
    holds(|| run(Mutes::new(), 1, DRAIN));
    holds(|| run(Mutes::new(), 2, DRAIN));
    holds(|| run(Mutes::new(), 1, FAN_IN));
}

/// P1: of two that overload each other, one goes on.
pub fn mutual_overload_does_not_deadlock() {
    holds(|| run(Mutes::new(), 1, MUTUAL));
    holds(|| run(Mutes::new(), 2, MUTUAL));
}

/// P1: who is muted lets go whom it had muted.
pub fn a_muted_receiver_lets_everybody_go() {
    holds(|| run(Mutes::new(), 1, CHAIN));
}

/// P3: the receiver ends while its sender is muted.
pub fn an_ending_receiver_lets_everybody_go() {
    holds(|| run(Mutes::new(), 1, ENDING));
}

/// Three actors in a ring, and marks that leave room.
pub fn long_ring_and_fan_in() {
    holds_long(|| run(Mutes::new(), 1, &["B", "C", "A"]));
    holds_long(|| run(Mutes::new(), 2, FAN_IN));
    holds_long(|| run(Mutes::new(), 1, &["BB", "-", "B"]));
}

/// The copy of the file in which bugs are planted does what the file does.
pub fn without_a_flaw_the_copy_holds() {
    canaries::copy_holds();
}

/// Each planted bug is met by the very models above.
pub mod canaries {
    use super::broken::{Flaw, FlawedMutes};
    use super::*;

    pub(crate) fn copy_holds() {
        holds(with(Flaw::None, DRAIN));
        holds(with(Flaw::None, MUTUAL));
    }

    fn with(flaw: Flaw, mailboxes: &'static [&str]) -> impl Fn() + Send + Sync + 'static {
        move || run(FlawedMutes::with(flaw), 1, mailboxes)
    }

    /// The sender relies on the depth that it saw when it sent.
    pub fn muting_without_a_second_look_is_caught(canary: Canary) {
        canary.dies("P3", with(Flaw::NoSecondLook, DRAIN));
    }

    /// The sender looks again before it says that the receiver mutes somebody.
    pub fn a_second_look_too_early_is_caught(canary: Canary) {
        canary.dies("P3", with(Flaw::LookEarly, DRAIN));
    }

    /// The second look is a load, and may be older than the holder's subtraction.
    pub fn a_second_look_by_a_load_is_caught(canary: Canary) {
        canary.dies("P3", with(Flaw::LookByLoad, DRAIN));
    }

    /// The holder reads the state before it lowers the depth.
    pub fn a_state_that_is_read_too_early_is_caught(canary: Canary) {
        canary.dies("P3", with(Flaw::StateEarly, DRAIN));
    }

    /// P1 without its first half: who is muted keeps its list.
    pub fn a_muted_actor_that_keeps_its_list_is_caught(canary: Canary) {
        canary.dies("P1", with(Flaw::KeepList, CHAIN));
    }

    /// P1 without its second half: who is muted mutes.
    pub fn being_muted_by_a_muted_actor_is_caught(canary: Canary) {
        canary.dies("P1", with(Flaw::NobodyImmune, MUTUAL));
    }

    /// Who has ended mutes.
    pub fn being_muted_by_an_ended_actor_is_caught(canary: Canary) {
        canary.dies("P3", with(Flaw::EndedCalm, ENDING));
    }
}
