//! The commit or abort of trial deletion of unreachable actors
//! (`crates/vivant/src/cycles/README.md`).
//!
//! Proved, on a model of `cycles/commit.rs` and of the word that counts addresses, with the
//! real inbox: U3 while all of a group are held none gives its addresses away, and messages sent to
//! them before are seen; U4 the actor of an existing address is alive, and an upgrade of a weak
//! address succeeds exactly if the actor stays.
//!
//! | model | real |
//! |---|---|
//! | `Member::word`, `upgrade`, `send` | `actor/reference_word.rs`; `CellRef::upgrade`; `post`, then the drop of the address |
//! | `Member::knows` | the state: the addresses that it holds, once each |
//! | `Pair::judge` | `verdict::Case`, with `Idle::commit_dying`, `abort_dying`, `let_go`, `ends` |
//! | `Pair::verdict` | `Detector::verdict` |
//! | `Pair::serve` | `cell::run` |
//!
//! Left out: the cell's memory, which `address` has; cycle candidates; that a thread which waits
//! for the commit cuts it short.
//!
//! The faults are in the model: the modelled code is in no file that can be shared.

use crate::check::{canaries, models};
use crate::letters::{Mailbox, Told, letter};
use crate::runtime::inbox::{Parked, TryHold};
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};
use crate::tracked::Tracked;
use loom::thread;
use std::rc::Rc as Unseen;

const DYING: usize = 1 << 31;

/// Upon this letter an actor gives an address of its neighbour to the outside.
const GIVE: char = 'g';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// The count is not compared.
    AnyCount,
    /// No check for messages after the count.
    InboxUnseen,
    /// The count is compared without `Acquire`.
    CountRelaxed,
    /// An upgrade does not check whether the actor is dying.
    BlindUpgrade,
    /// An upgrade that meets a dying actor fails at once.
    HastyUpgrade,
    /// Each is released before the next is held.
    OneByOne,
}

struct Member {
    word: AtomicUsize,
    inbox: Mailbox,
    knows: Tracked<Life>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    /// It holds the other's address.
    Knowing,
    Ended,
}

/// Two that hold each other's addresses.
struct Pair {
    members: [Member; 2],
    verdict: Mutex<()>,
    /// Addresses that were given to the outside.
    given: AtomicUsize,
    flaw: Flaw,
}

impl Pair {
    fn new(flaw: Flaw, outside: [usize; 2]) -> Unseen<Pair> {
        let member = |outside| Member {
            word: AtomicUsize::new(1 + outside),
            inbox: Mailbox::new(),
            knows: Tracked::new(Life::Knowing),
        };
        Unseen::new(Pair {
            members: outside.map(member),
            verdict: Mutex::new(()),
            given: AtomicUsize::new(0),
            flaw,
        })
    }

    /// Sends through an address, and drops it.
    fn send(&self, at: usize, from: char) {
        let member = &self.members[at];
        match member.inbox.push(letter(from, 0)) {
            Ok(Told::Wakes(letter)) => self.serve(at, Some(letter.from)),
            Ok(_) => {}
            Err(_) => panic!("U4: it ended while an address existed"),
        }
        member.word.fetch_sub(1, Ordering::AcqRel);
    }

    /// A run, by the worker that holds it.
    fn serve(&self, at: usize, first: Option<char>) {
        let member = &self.members[at];
        let mut backlog: Vec<char> = first.into_iter().collect();
        loop {
            backlog.extend(member.inbox.take().iter().map(|letter| letter.from));
            for from in backlog.drain(..) {
                let life = member.knows.change(|life| *life);
                assert_eq!(life, Life::Knowing, "U4: it runs after its end");
                if from == GIVE {
                    self.members[1 - at].word.fetch_add(1, Ordering::Relaxed);
                    self.given.fetch_add(1, Ordering::Relaxed);
                }
            }
            if member.inbox.park() == Parked::Yes {
                return;
            }
        }
    }

    fn upgrade(&self, at: usize) -> bool {
        let member = &self.members[at];
        let mut word = member.word.load(Ordering::Relaxed);
        loop {
            if word & DYING != 0 && self.flaw == Flaw::HastyUpgrade {
                return false;
            }
            if word & DYING != 0 && self.flaw != Flaw::BlindUpgrade {
                let _none = lock(&self.verdict);
                word = member.word.load(Ordering::Relaxed);
                if word & DYING != 0 {
                    return false;
                }
            }
            if word & !DYING == 0 {
                return false;
            }
            let raised =
                member
                    .word
                    .compare_exchange(word, word + 1, Ordering::Relaxed, Ordering::Relaxed);
            match raised {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
    }

    fn let_go(&self, at: usize) {
        if self.members[at].inbox.park() == Parked::Again {
            self.serve(at, None);
        }
    }

    /// Commits both, or neither.
    fn judge(&self) {
        for (at, member) in self.members.iter().enumerate() {
            if member.inbox.try_hold() != TryHold::Yes {
                (0..at).for_each(|held| self.let_go(held));
                return;
            }
            if self.flaw == Flaw::OneByOne && at == 0 {
                // Only read; assumed from here on.
                self.let_go(at);
            }
        }
        let first = usize::from(self.flaw == Flaw::OneByOne);
        let held = || self.members.iter().skip(first);
        held().for_each(|member| member.knows.change(|_| ()));
        let sentence = lock(&self.verdict);
        let dying = held()
            .take_while(|member| self.commit_dying(member))
            .count();
        if dying < held().count() {
            for member in held().take(dying) {
                member.word.fetch_and(!DYING, Ordering::AcqRel);
            }
            drop(sentence);
            (first..2).for_each(|at| self.let_go(at));
            return;
        }
        drop(sentence);
        for member in &self.members {
            member.knows.change(|life| *life = Life::Ended);
            let refused = member.inbox.close();
            assert!(refused.is_empty(), "U3: a message was lost");
        }
    }

    fn commit_dying(&self, member: &Member) -> bool {
        let mut word = member.word.load(Ordering::Relaxed);
        loop {
            if word != 1 && self.flaw != Flaw::AnyCount {
                return false;
            }
            let order = match self.flaw {
                Flaw::CountRelaxed => Ordering::Relaxed,
                _ => Ordering::AcqRel,
            };
            match member
                .word
                .compare_exchange(word, word | DYING, order, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        if self.flaw == Flaw::InboxUnseen || member.inbox.is_empty() {
            return true;
        }
        member.word.fetch_and(!DYING, Ordering::AcqRel);
        false
    }

    /// All threads have ended. Returns whether both are alive; they are both or neither.
    fn are_alive(&self) -> bool {
        let alive = |member: &Member| member.knows.read(|life| *life == Life::Knowing);
        let [one, other] = [0, 1].map(|at| alive(&self.members[at]));
        assert_eq!(one, other, "U4: all or nobody");
        one
    }
}

/// The last address outside of the first is dropped after a message is sent through it; that
/// message makes the first give an address of the second away.
fn a_last_message(flaw: Flaw) {
    let pair = Pair::new(flaw, [1, 0]);
    let sender = thread::spawn({
        let pair = pair.clone();
        move || pair.send(0, GIVE)
    });
    pair.judge();
    sender.join().unwrap();
    assert!(pair.are_alive(), "U3: one that is known outside has ended");
    let given = pair.given.load(Ordering::Relaxed);
    assert_eq!(given, 1, "U3: a message was lost");
}

/// No address is left outside, and a thread upgrades a weak one.
fn an_upgrade(flaw: Flaw) {
    let pair = Pair::new(flaw, [0, 0]);
    let asking = thread::spawn({
        let pair = pair.clone();
        move || pair.upgrade(1)
    });
    pair.judge();
    let found = asking.join().unwrap();
    assert_eq!(
        pair.are_alive(),
        found,
        "U4: an address exactly if it stays"
    );
}

/// A thread outside has an address of the second throughout, and another thread upgrades a weak one
/// of the first.
fn an_upgrade_of_one_that_stays(flaw: Flaw) {
    let pair = Pair::new(flaw, [0, 1]);
    let asking = thread::spawn({
        let pair = pair.clone();
        move || pair.upgrade(0)
    });
    pair.judge();
    assert!(asking.join().unwrap(), "U4: it can be reached");
    assert!(pair.are_alive(), "U4: it can be reached");
}

models! {
    /// U3: a message sent before the last address was dropped is seen, and the addresses that it
    /// makes the actor give away count.
    a_message_before_the_last_drop_is_seen: holds || a_last_message(Flaw::None);
    /// U4: an address, or an end; never both, and never neither.
    an_upgrade_waits_for_the_verdict: holds || an_upgrade(Flaw::None);
    /// U4: of an actor that stays an upgrade does not fail.
    an_upgrade_of_an_aborted_candidate_succeeds: holds || an_upgrade_of_one_that_stays(Flaw::None);
}

canaries! {
    /// A thread outside has an address, and both actors end all the same.
    a_count_that_is_not_compared_is_caught: "U4" => || an_upgrade_of_one_that_stays(Flaw::AnyCount);
    /// A message sent before the last address was dropped is refused.
    a_message_that_is_not_looked_for_is_caught: "U" => || a_last_message(Flaw::InboxUnseen);
    /// The same: the check may be older than the count.
    a_count_compared_without_acquire_is_caught: "" => || a_last_message(Flaw::CountRelaxed);
    /// An upgrade returns an address of an ending actor.
    an_upgrade_that_does_not_wait_is_caught: "U4" => || an_upgrade(Flaw::BlindUpgrade);
    /// An upgrade fails although the actor stays.
    an_upgrade_that_fails_at_once_is_caught:
        "U4" => || an_upgrade_of_one_that_stays(Flaw::HastyUpgrade);
    /// The first gives an address of the second away during the commit.
    members_held_one_after_the_other_are_caught: "" => || a_last_message(Flaw::OneByOne);
}
