//! Muting, with inbox and signals around it (`crates/vivant/src/mute/README.md`).
//!
//! Proved, on the files of the runtime: P1 a muted actor mutes no other; P2 a muted actor is in one
//! list or has been notified; P3 when all is quiet no actor is muted: not when the receiver drains
//! meanwhile, not when it ends, not when two actors overload each other, not when the muting actor
//! is muted in turn; and each message that was counted is subtracted once.
//!
//! | model | real |
//! |---|---|
//! | `System::post` | `mailbox::post`, `AddressRef::woken_by` and `Worker::sent_to_overloaded` |
//! | `System::serve`, `System::work` | `cell::run` and the steps of `Held` |
//! | `System::taken`, `System::count`, `System::mute_if_asked`, `System::heed`, `System::end` | `RunGuard::count_taken`, `count`, `mute_if_overloaded`, `handle_request`, `end` |
//! | `System::may_park`, `System::refill` | the first half of `RunGuard::park`, `RunGuard::refill` |
//! | `Owner::expect_batch` | the same |
//! | a letter to `B` in A's mailbox | a message upon which A sends one to B |
//!
//! The holder updates the pressure at most two messages late; in the runtime it is more.
//!
//! Senders outside actors are not muted; those that wait for room are in `offers.rs`.
//!
//! Left out: guards and deferred messages, budgets.
//!
//! Faults of the holder (`Slip`, `Holder::TellsNobody`) are in the model: the holder's code is not
//! in a file that the model shares.

mod offers;

use crate::check::{canaries, models};
use crate::letters::{Letter, Mailbox, Told, letter};
use crate::phase::Parity;
use crate::runtime::inbox::{Notified, Parked};
use crate::runtime::mute::{Mutes, Muting, Pressure, Watermarks};
use crate::runtime::signals::{SignalWord, Signals};
use crate::sync::{Arc, Mutex, lock};
use crate::tracked::Tracked;
use loom::thread;
use std::collections::BTreeSet;

/// As in the runtime, where it is 32.
const COUNT_EVERY: u32 = 2;

struct Actor {
    inbox: Mailbox,
    signals: SignalWord,
    load: Pressure,
    queued: Mutex<bool>,
    owner: Tracked<Owner>,
}

#[derive(Default)]
struct Owner {
    backlog: Vec<Letter>,
    batch: Batch,
    uncounted: u32,
    mute: Mute,
    life: Life,
}

impl Owner {
    fn expect_batch(&mut self, load: &Pressure, slip: Slip) {
        if self.backlog.is_empty() {
            self.batch = Batch::Fresh;
        } else if slip != Slip::BatchNotCounted {
            let _depth = load.add();
        }
    }
}

/// Faults of the holder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slip {
    None,
    /// The first of a batch that comes behind a backlog is not counted, as if it were the first in
    /// an empty mailbox.
    BatchNotCounted,
    /// The holder does not count before it has seen a number of messages, even if its backlog is
    /// empty.
    CountLate,
}

#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Batch {
    Fresh,
    #[default]
    MarkStart,
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

struct System {
    actors: Vec<Actor>,
    mutes: Mutes<usize>,
    marks: Watermarks,
    slip: Slip,
}

impl System {
    /// Actors A, B, … with these letters in their mailboxes.
    fn new(marks: Watermarks, slip: Slip, mailboxes: &[&str]) -> Arc<System> {
        let actor = || Actor {
            inbox: Mailbox::new(),
            signals: SignalWord::new(),
            load: Pressure::new(),
            queued: Mutex::new(false),
            owner: Tracked::new(Owner::default()),
        };
        let system = Arc::new(System {
            actors: mailboxes.iter().map(|_| actor()).collect(),
            mutes: Mutes::new(),
            marks,
            slip,
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
        let depth = match actor.inbox.push(letter(upon_it_send_to, 0)) {
            Ok(Told::Wakes(letter)) => {
                let depth = actor.load.first();
                actor.owner.change(|owner| {
                    owner.expect_batch(&actor.load, self.slip);
                    owner.backlog.push(letter);
                });
                self.enqueue(to);
                depth
            }
            Ok(Told::First) => actor.load.first(),
            Ok(Told::Later) => actor.load.add(),
            Err(_) => return None,
        };
        (depth >= self.marks.overloaded).then_some(to)
    }

    fn enqueue(&self, actor: usize) {
        *lock(&self.actors[actor].queued) = true;
    }

    fn unmute(&self, release: Vec<usize>) {
        for muted in release {
            let actor = &self.actors[muted];
            actor.signals.raise(Signals::UNMUTE, Parity::Even);
            if actor.inbox.notify() == Notified::Wakes {
                self.enqueue(muted);
            }
        }
    }

    /// One run of this actor, if it is queued.
    fn serve(&self, me: usize) -> bool {
        let actor = &self.actors[me];
        if !std::mem::take(&mut *lock(&actor.queued)) {
            return false;
        }
        loop {
            let may_park = actor.owner.change(|owner| {
                self.work(me, owner);
                (owner.life == Life::Running).then(|| self.may_park(me, owner))
            });
            match may_park {
                None => return true,
                Some(true) if actor.inbox.park() == Parked::Yes => return true,
                Some(_) => {}
            }
        }
    }

    fn work(&self, me: usize, owner: &mut Owner) {
        self.heed(me, owner);
        while owner.mute == Mute::Free && owner.life == Life::Running {
            if owner.backlog.is_empty() {
                self.refill(me, owner);
            }
            if owner.backlog.is_empty() {
                break;
            }
            let to = owner.backlog.remove(0).from;
            self.taken(me, owner);
            let overloaded = match to {
                NOTHING | END => None,
                to => self.post(to as usize - 'A' as usize, NOTHING),
            };
            if to == END {
                self.end(me, owner);
            } else if let Some(receiver) = overloaded {
                self.mute_if_asked(me, owner, receiver);
            }
            self.heed(me, owner);
        }
    }

    fn refill(&self, me: usize, owner: &mut Owner) {
        let actor = &self.actors[me];
        let taken = actor.inbox.take();
        if !taken.is_empty() {
            owner.expect_batch(&actor.load, self.slip);
            owner.backlog.extend(taken);
        }
    }

    fn may_park(&self, me: usize, owner: &mut Owner) -> bool {
        if owner.mute == Mute::Muted {
            self.refill(me, owner);
            if self.actors[me].signals.is_raised() {
                return false;
            }
        }
        if self.slip != Slip::CountLate {
            self.count(me, owner);
        }
        true
    }

    fn taken(&self, me: usize, owner: &mut Owner) {
        if owner.batch == Batch::Fresh {
            owner.batch = Batch::MarkStart;
            return;
        }
        owner.uncounted += 1;
        let empty = owner.backlog.is_empty() && self.slip != Slip::CountLate;
        if owner.uncounted >= COUNT_EVERY || empty {
            self.count(me, owner);
        }
    }

    fn count(&self, me: usize, owner: &mut Owner) {
        let count = std::mem::take(&mut owner.uncounted);
        let load = &self.actors[me].load;
        if count > 0 && load.subtract(count, self.marks) {
            self.unmute(self.mutes.recovered((me as u64, load)));
        }
    }

    fn mute_if_asked(&self, me: usize, owner: &mut Owner, receiver: usize) {
        let named = |number: usize| (number as u64, &self.actors[number].load);
        match self.mutes.mute(named(me), me, named(receiver), self.marks) {
            Muting::NotMuted => {}
            Muting::Muted { release } => {
                self.unmute(release);
                owner.mute = Mute::Muted;
            }
        }
    }

    fn heed(&self, me: usize, owner: &mut Owner) {
        let actor = &self.actors[me];
        let unmuted =
            actor.signals.take().of(Parity::Even).has(Signals::UNMUTE) && owner.mute == Mute::Muted;
        if unmuted && owner.life == Life::Running {
            owner.mute = Mute::Free;
            self.mutes.unmuted(&actor.load);
        }
    }

    fn end(&self, me: usize, owner: &mut Owner) {
        let actor = &self.actors[me];
        owner.life = Life::Ended;
        owner.backlog.clear();
        let _refused = actor.inbox.close();
        owner.uncounted = 0;
        actor.load.closed();
        self.unmute(self.mutes.ended((me as u64, &actor.load)));
    }

    fn who_mute(&self) -> BTreeSet<u64> {
        let pairs = self.mutes.pairs(|_| ());
        pairs.into_iter().map(|(by, ())| by).collect()
    }

    fn is_muted(&self, actor: usize) -> bool {
        self.actors[actor]
            .owner
            .read(|owner| owner.mute == Mute::Muted)
    }

    /// No thread runs: an actor that mutes others is free and has a depth that will fall.
    fn invariants_hold(&self) {
        for receiver in self.who_mute() {
            let depth = self.actors[receiver as usize].load.depth();
            assert!(!self.is_muted(receiver as usize), "P1: a muted actor mutes");
            assert!(depth > self.marks.recovered, "P3: nobody will let them go");
        }
    }

    /// Runs the queued actors, to the end.
    fn when_quiet(&self) {
        self.invariants_hold();
        while (0..self.actors.len()).any(|actor| self.serve(actor)) {
            self.invariants_hold();
        }
        for (number, actor) in self.actors.iter().enumerate() {
            assert!(!self.is_muted(number), "P3: muted for ever");
            if actor.owner.read(|owner| owner.life == Life::Running) {
                assert!(actor.inbox.close().is_empty(), "left behind");
                // Zero, and not below: the first of two more finds nothing counted, the second one.
                let settled = (actor.load.add(), actor.load.add()) == (2, 3);
                assert!(settled, "not each counted message was subtracted once");
            }
        }
        assert!(self.who_mute().is_empty(), "P2: in a list and not muted");
    }
}

/// One worker for each actor.
fn run(overloaded: usize, mailboxes: &[&str]) {
    run_with(Slip::None, overloaded, mailboxes);
}

fn run_with(slip: Slip, overloaded: usize, mailboxes: &[&str]) {
    let system = System::new(Watermarks::at(overloaded), slip, mailboxes);
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

// A message that finds the inbox empty is not counted, so a receiver has two letters before it can
// be overloaded: the first woke it, and the second is in its inbox.

/// A and B send to C, which drains meanwhile.
const FAN_IN: &[&str] = &["C", "C", "--"];
/// A sends to B, which drains meanwhile.
const DRAIN: &[&str] = &["B-", "--"];
/// The same where the recovery mark is higher.
const DRAIN_MORE: &[&str] = &["B-", "----"];
/// Each overloads the other.
const MUTUAL: &[&str] = &["B-", "A-"];
/// The same where the recovery mark is higher.
const MUTUAL_MORE: &[&str] = &["B---", "A---"];
/// B, which may have muted A, is muted by C.
const CHAIN: &[&str] = &["B", "C-", "--"];
/// B, which may have muted A, ends, and C sends too late.
const ENDING: &[&str] = &["B", "!-", "B"];

fn with(mailboxes: &'static [&str]) -> impl Fn() + Send + Sync + 'static {
    move || run(1, mailboxes)
}

models! {
    /// P2, P3: the receiver drains while its senders are muted.
    a_drained_receiver_unmutes_all_senders: holds
        || run(1, DRAIN), || run(2, DRAIN_MORE), || run(1, FAN_IN);
    /// P1: of two that overload each other, one goes on.
    mutual_overload_does_not_deadlock: holds || run(1, MUTUAL), || run(2, MUTUAL_MORE);
    /// P1: a muted actor releases the actors that it had muted, and messages sent to it meanwhile
    /// are counted.
    a_muted_receiver_unmutes_all_senders: holds || run(1, CHAIN);
    /// P3: the receiver ends while its sender is muted, without the lock if it has muted no actor.
    an_ending_receiver_unmutes_all_senders: holds || run(1, ENDING);
    /// P3: a waiting sender outside is notified once, when the receiver drains or ends; a sender
    /// that leaves is removed.
    a_waiting_offer_is_notified: holds
        || offers::run(offers::Holder::Drains), || offers::run(offers::Holder::Ends);
    /// Three actors in a ring, and marks that leave room.
    long_ring_and_fan_in: holds_long
        || run(1, &["B-", "C-", "A-"]), || run(2, &["C", "C", "---"]),
        || run(1, &["BB", "--", "B"]);
}

canaries! {
    /// The holder recovers and does not notify senders outside.
    an_offer_that_is_not_notified_is_caught: "P3" => || offers::run(offers::Holder::TellsNobody);
    /// The sender relies on the depth that it saw when it sent.
    muting_without_rereading_the_depth_is_caught: NoReread, "P3" => with(DRAIN);
    /// The sender checks again before it registers in the receiver's list.
    rereading_the_depth_too_early_is_caught: RereadEarly, "P3" => with(DRAIN);
    /// The second check is a load, and may be older than the holder's subtraction.
    rereading_the_depth_by_a_load_is_caught: RereadByLoad, "P3" => with(DRAIN);
    /// The holder reads the state before it lowers the depth.
    a_state_that_is_read_too_early_is_caught: StateEarly, "P3" => with(DRAIN);
    /// P1 without its first half: a muted actor keeps its list.
    a_muted_actor_that_keeps_its_list_is_caught: KeepList, "P1" => with(CHAIN);
    /// P1 without its second half: a muted actor mutes others.
    being_muted_by_a_muted_actor_is_caught: NeverImmune, "P1" => with(MUTUAL);
    /// An ended actor mutes others.
    being_muted_by_an_ended_actor_is_caught: EndedCalm, "P3" => with(ENDING);
    /// An actor that seems not to mute others ends without the lock, and an actor is muted by it
    /// meanwhile.
    an_end_by_a_load_and_a_store_is_caught: EndByStore, "P3" => with(ENDING);
    /// An actor that has muted another ends without the lock.
    an_end_that_never_locks_is_caught: EndWithoutLock, "P3" => with(ENDING);
    /// A sender that is to be muted writes over the end of its receiver.
    a_mute_by_a_load_and_a_store_is_caught: MuteByStore, "P3" => with(ENDING);
    /// A message that comes behind the backlog of a muted actor is subtracted and was never added.
    a_batch_behind_a_backlog_uncounted_is_caught:
        "not each" => || run_with(Slip::BatchNotCounted, 1, CHAIN);
    /// The last messages are never subtracted, so no muted actor is released.
    a_count_that_comes_too_late_is_caught: "P3" => || run_with(Slip::CountLate, 1, DRAIN);
}
