//! T5: mailboxes with a bound: what a full one does with a message, and the fate of that message.
//!
//! A model shows that each policy loses the right messages, in `src/mailbox/model_tests.rs`.

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, DeadLetter, Mailbox, NotSent};

#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Picky {
    got: Vec<u64>,
}

#[behaviours]
impl Picky {
    fn take(&mut self, number: u64) -> u64 {
        self.got.push(number);
        number
    }
    fn got(&mut self) -> Vec<u64> {
        self.got.clone()
    }
}

#[derive(Actor)]
#[actor(mailbox = drop_oldest(2))]
struct Latest {
    got: Vec<u64>,
}

#[behaviours]
impl Latest {
    fn take(&mut self, number: u64) {
        self.got.push(number);
    }
}

fn picky(system: &System) -> Address<Picky> {
    system.spawn(Picky { got: Vec::new() })
}

fn latest(system: &System) -> Address<Latest> {
    system.spawn(Latest { got: Vec::new() })
}

/// The number of lost messages, by cause.
fn lost(system: &System) -> Vec<(Cause, u64)> {
    let counts = system.dead_letters().counts();
    counts.iter().map(|line| (line.cause, line.count)).collect()
}

#[test]
fn a_rejected_message_is_returned_or_a_dead_letter() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let picky = picky(system);
    picky.take(1).send();
    assert!(picky.take(2).try_send().is_ok());
    let refused = picky.take(3).try_send().expect_err("two wait");
    assert_eq!(refused.why, NotSent::Full(Mailbox::Reject(2)));
    assert!(
        refused.to_string().ends_with("is full: reject(2)"),
        "{refused}"
    );
    assert_eq!(refused.call.into_args(), (3,));
    assert!(picky.take(3).try_ask().is_err());
    assert_eq!(lost(system), [], "what comes back is not lost");
    picky.take(4).send();
    let asked = picky.take(5).ask();
    assert_eq!(lost(system), [(Cause::Rejected, 1), (Cause::Rejected, 1)]);
    let facts = &system.inspect().actors[0];
    assert_eq!((facts.lost, facts.mailbox), (2, Mailbox::Reject(2)));
    assert_eq!((facts.depth, facts.because.messages), (2, 2));
    let Err(AskError::Overloaded(it)) = system.block_on(asked) else {
        panic!("the ask was not refused");
    };
    assert_eq!(it.mailbox, Mailbox::Reject(2));
    assert!(it.behaviour.ends_with("Picky::take"), "{}", it.behaviour);
    assert_eq!(it.place.file(), file!());
    simulation.run();
    assert_eq!(picky.got().ask_blocking().expect("it lives"), [1, 2]);
    Address::stop(&picky);
    simulation.run();
    let ended = picky.take(6).try_send().expect_err("it has ended");
    assert_eq!(ended.why, NotSent::Ended);
    drop((picky, ended));
    assert_eq!(system.inspect().bytes, 0);
}

/// What an ask of the same message would have failed with.
#[test]
fn a_refusal_becomes_the_error_of_an_ask() {
    let simulation = Simulation::new(1);
    let picky = picky(simulation.system());
    (1..=2).for_each(|number| picky.take(number).send());
    let refused = || -> Result<(), AskError> { Ok(picky.take(3).try_send()?) };
    let Err(AskError::Overloaded(it)) = refused() else {
        panic!("the mailbox was not full");
    };
    assert_eq!(it.mailbox, Mailbox::Reject(2));
    assert_eq!(it.actor, Address::path(&picky));
    assert!(it.behaviour.ends_with("Picky::take"), "{}", it.behaviour);
    assert_eq!(it.place.file(), file!());
    Address::stop(&picky);
    simulation.run();
    let offered = simulation.system().block_on(picky.take(4).offer());
    for error in [refused().unwrap_err(), offered.unwrap_err().into()] {
        let AskError::Stopped(it) = error else {
            panic!("{error}");
        };
        assert_eq!(it.reason, StopReason::Stopped);
    }
}

/// Two messages wait for its guard, so that it stays full however often it runs.
#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Shut {
    open: bool,
    got: Vec<u64>,
}

#[behaviours]
impl Shut {
    #[when(self.open)]
    fn take(&mut self, number: u64) -> u64 {
        self.got.push(number);
        number
    }
    #[then]
    fn took(&mut self, number: Result<u64, AskError>) {
        self.got.extend(number);
    }
    #[then]
    fn letter(&mut self, _letter: DeadLetter) {
        self.open = true;
    }
}

#[interface]
trait Takes {
    fn put(&mut self, number: u64);
}

#[behaviours]
impl Takes for Shut {
    fn put(&mut self, number: u64) {
        self.got.push(number);
    }
}

#[derive(Actor)]
struct Sender {
    to: Address<Shut>,
}

#[behaviours]
impl Sender {
    fn send(&mut self, t: &Turn<Self>) {
        self.to.take(1).send();
        t.send(self.to.take(2));
        drop(t.ask(self.to.take(3)));
        t.after(Duration::from_secs(1), self.to.take(4));
        Address::upcast::<dyn Takes>(&self.to).put(5).send();
        drop(Promise::ready(6).then(self.to.took()));
        drop(t.promise::<u64>().0.then(self.to.took()));
    }
    fn delegate(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.delegate(self.to.take(8))
    }
    fn tick(&mut self, t: &Turn<Self>) {
        t.every(Duration::from_secs(1), self.to.take(9));
    }
    fn bring_letters(&mut self, t: &Turn<Self>) {
        t.on_dead_letters(self.to.letter());
    }
}

fn shut(simulation: &Simulation) -> Address<Shut> {
    let shut = simulation.system().spawn(Shut {
        open: false,
        got: Vec::new(),
    });
    shut.take(100).send();
    shut.take(101).send();
    simulation.run();
    assert_eq!(simulation.system().inspect().actors[0].deferred, 2);
    shut
}

fn lost_by(system: &System, actor: &str) -> u64 {
    system.inspect().actor(actor).map_or(0, |facts| facts.lost)
}

#[test]
fn every_way_of_sending_respects_the_bound() {
    let simulation = Simulation::new(3);
    let system = simulation.system();
    let shut = shut(&simulation);
    let sender = system.spawn(Sender { to: shut.clone() });
    sender.send().send();
    simulation.run();
    let letters = system.dead_letters();
    assert_eq!(letters.total(), 7, "{letters:?}");
    assert!(matches!(
        sender.delegate().ask_blocking(),
        Err(AskError::Overloaded(_))
    ));
    sender.tick().send();
    simulation.run_for(Duration::from_millis(3_500));
    assert_eq!(letters.total(), 11, "an interval goes on: {letters:?}");
    assert_eq!(lost_by(system, &Address::path(&shut)), 11);
    assert!(
        letters
            .counts()
            .iter()
            .all(|line| line.cause == Cause::Rejected)
    );
    // The runtime's own messages are exempt.
    Address::stop_after_queue(&shut);
    simulation.run_for(Duration::ZERO);
    assert!(!Address::is_alive(&shut));
}

#[test]
fn a_full_subscriber_stays_subscribed() {
    let simulation = Simulation::new(4);
    let system = simulation.system();
    let shut = shut(&simulation);
    system
        .spawn(Sender { to: shut.clone() })
        .bring_letters()
        .send();
    simulation.run();
    let other = picky(system);
    Address::stop(&other);
    simulation.run();
    other.take(1).send();
    simulation.run();
    let of_the_telling = (Cause::Rejected, 1);
    assert_eq!(lost(system), [(Cause::Ended, 1), of_the_telling]);
    // A cancelled message makes room; the guards have not opened.
    assert_eq!(
        system
            .inspect()
            .actor(&Address::path(&shut))
            .expect("it lives")
            .deferred,
        2
    );
}

#[test]
fn deferred_messages_count_and_are_displaced_first() {
    #[derive(Actor)]
    #[actor(mailbox = drop_oldest(2))]
    struct Door {
        open: bool,
        got: Vec<u64>,
    }
    #[behaviours]
    impl Door {
        #[when(self.open)]
        fn pass(&mut self, number: u64) {
            self.got.push(number);
        }
        fn open(&mut self) {
            self.open = true;
        }
        fn got(&mut self) -> Vec<u64> {
            self.got.clone()
        }
    }
    let simulation = Simulation::new(5);
    let system = simulation.system();
    let door = system.spawn(Door {
        open: false,
        got: Vec::new(),
    });
    for number in 0..5 {
        door.pass(number).send();
        simulation.run();
    }
    assert_eq!(system.inspect().actors[0].deferred, 2);
    // The mailbox is full of waiting messages, and the message that opens the guard still gets in.
    door.open().send();
    simulation.run();
    assert_eq!(door.got().ask_blocking().expect("it lives"), [4]);
    assert_eq!(lost(system), [(Cause::DroppedOldest, 4)]);
}

#[vivant::test(seeds = 50)]
fn seeded_an_own_continuation_has_room_in_a_full_mailbox(simulation: &Simulation) {
    #[derive(Actor)]
    #[actor(mailbox = reject(1))]
    struct Asker {
        other: Address<Asked>,
        answers: u64,
    }
    #[behaviours]
    impl Asker {
        fn ask(&mut self, t: &Turn<Self>) {
            drop(t.ask(self.other.answer()).then(t.me().answered()));
            t.send(t.me().nothing());
        }
        fn nothing(&mut self) {}
        #[then]
        fn answered(&mut self, answer: Result<u64, AskError>) {
            self.answers += answer.unwrap_or(0);
        }
        fn answers(&mut self) -> u64 {
            self.answers
        }
    }
    #[derive(Actor)]
    struct Asked;
    #[behaviours]
    impl Asked {
        fn answer(&mut self) -> u64 {
            1
        }
    }
    let system = simulation.system();
    let other = system.spawn(Asked);
    let asker = system.spawn(Asker { other, answers: 0 });
    for _ in 0..5 {
        asker.ask().send();
        simulation.run();
    }
    assert_eq!(asker.answers().ask_blocking().expect("it lives"), 5);
    // The number of its places has not changed.
    assert!(asker.nothing().try_send().is_ok());
    assert!(asker.nothing().try_send().is_err());
    assert_eq!(system.dead_letters().total(), 0);
}

#[test]
fn a_displacing_message_does_not_overtake_a_stop_mark() {
    let simulation = Simulation::new(6);
    let system = simulation.system();
    let latest = latest(system);
    latest.take(1).send();
    latest.take(2).send();
    Address::stop_after_queue(&latest);
    latest.take(3).send();
    simulation.run();
    assert_eq!(lost(system), [(Cause::DroppedOldest, 1), (Cause::Ended, 1)]);
    assert!(!Address::is_alive(&latest));
}
