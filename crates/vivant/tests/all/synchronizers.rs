//! Synchronizers: constraints over the messages of several actors. `constraints/model.rs` has their
//! order.

use crate::joins::answer;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Pattern, Synchronizer};

/// An account that notes what it does, in a log that several share.
#[derive(Actor)]
pub(crate) struct Account {
    name: &'static str,
    log: Log,
    is_open: bool,
}

pub(crate) type Log = Arc<Mutex<Vec<String>>>;

#[behaviours]
impl Account {
    #[start]
    pub(crate) fn new(name: &'static str, log: Log) -> Self {
        Account {
            name,
            log,
            is_open: true,
        }
    }

    pub(crate) fn pay(&mut self, number: u64) -> u64 {
        self.note(format!("pay {number}"));
        number
    }

    #[when(self.is_open)]
    pub(crate) fn draw(&mut self, number: u64) -> u64 {
        self.note(format!("draw {number}"));
        number
    }

    pub(crate) fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    pub(crate) fn ping(&mut self, number: u64) {
        self.note(format!("ping {number}"));
    }

    fn pay_later(&mut self, t: &Turn<Self>, number: u64) -> Promise<u64> {
        t.ask(t.me().pay(number))
    }

    /// Waits exclusively for a reply of `other`.
    pub(crate) fn wait(&mut self, t: &Turn<Self>, other: Address<Account>) {
        let _waited = t.ask(other.draw(0)).exclusive().then(t.me().waited());
    }

    /// Waits exclusively for some time.
    pub(crate) fn nap(&mut self, t: &Turn<Self>, time: Duration) {
        let clock = t.clock();
        let napped = t.spawn(async move {
            clock.sleep(time).await;
            0
        });
        let _waited = napped.exclusive().then(t.me().waited());
    }

    #[then]
    fn waited(&mut self, number: Result<u64, AskError>) {
        self.note(format!("waited {number:?}"));
    }

    pub(crate) fn crash(&mut self, number: u64) {
        panic!("crash {number}");
    }

    #[local]
    fn note(&self, what: String) {
        let mut log = self.log.lock().expect("no turn panics with it");
        log.push(format!("{} {what}", self.name));
    }
}
pub(crate) use account_messages::{Draw, Pay};

pub(crate) fn pay(at: &Address<Account>, number: u64) -> Pattern<Pay<Account>> {
    Pattern::at(at).when(move |(it,)| *it == number)
}

pub(crate) fn draw(at: &Address<Account>, number: u64) -> Pattern<Draw<Account>> {
    Pattern::at(at).when(move |(it,)| *it == number)
}

/// The entries of the log since the last call.
pub(crate) fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().expect("no turn panics with it"))
}

pub(crate) struct Scene {
    pub(crate) simulation: Simulation,
    pub(crate) log: Log,
    pub(crate) ada: Address<Account>,
    pub(crate) bob: Address<Account>,
}

impl Scene {
    pub(crate) fn new(seed: u64) -> Scene {
        let (simulation, log) = (Simulation::new(seed), Log::default());
        let ada = Account::spawn(simulation.system(), "ada", log.clone());
        let bob = Account::spawn(simulation.system(), "bob", log.clone());
        Scene {
            simulation,
            log,
            ada,
            bob,
        }
    }

    /// What has happened since the last call, when nothing is left to do.
    pub(crate) fn happened(&self) -> Vec<String> {
        self.simulation.run();
        taken(&self.log)
    }
}

#[test]
fn messages_of_a_set_are_dispatched_together_or_not_at_all() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 7), draw(bob, 7));
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    ada.pay(7).send();
    ada.pay(8).send();
    ada.ping(1).send();
    bob.draw(8).send();
    let mut happened = scene.happened();
    happened.sort();
    assert_eq!(happened, ["ada pay 8", "ada ping 1", "bob draw 8"]);
    let facts = &scene.simulation.system().inspect().actors;
    assert_eq!(facts[0].deferred, 1, "it waits, as with a false guard");
    // A false guard is waited for.
    bob.open(false).send();
    bob.draw(7).send();
    assert!(scene.happened().is_empty());
    bob.open(true).send();
    let mut happened = scene.happened();
    happened.sort();
    assert_eq!(happened, ["ada pay 7", "bob draw 7"]);
    ada.pay(7).send();
    assert!(scene.happened().is_empty(), "each time");
}

#[test]
fn messages_that_are_not_constrained_keep_their_order() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let (ada, bob) = (&scene.ada, &scene.bob);
        let _synchronizer = Synchronizer::with(0_u64)
            .upon(pay(ada, 1), |_| |count: &mut u64| *count += 1)
            .atomic((pay(ada, 2), pay(bob, 2)))
            .declare();
        (1..=2).for_each(|_| ada.pay(1).send());
        ada.ping(1).send();
        ada.pay(3).send();
        ada.pay(1).send();
        ada.ping(2).send();
        let order = [
            "ada pay 1",
            "ada pay 1",
            "ada ping 1",
            "ada pay 3",
            "ada pay 1",
            "ada ping 2",
        ];
        assert_eq!(scene.happened(), order);
    }
}

#[test]
fn the_messages_that_wait_longest_go_first() {
    let scene = Scene::new(3);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (
        Pattern::<Pay<Account>>::at(ada),
        Pattern::<Pay<Account>>::at(bob),
    );
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    (1..=3).for_each(|number| ada.pay(number).send());
    scene.simulation.run();
    for number in 1..=3 {
        bob.pay(10 + number).send();
        let mut happened = scene.happened();
        happened.sort();
        assert_eq!(
            happened,
            [
                format!("ada pay {number}"),
                format!("bob pay {}", 10 + number)
            ]
        );
    }
}

/// A message of two sets, of two synchronizers, needs the messages of both.
#[test]
fn sets_that_share_a_message_go_together() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let (ada, bob) = (&scene.ada, &scene.bob);
        let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
        let first = Synchronizer::new().atomic((pay(ada, 1), pay(bob, 1)));
        let second = Synchronizer::new().atomic((pay(bob, 1), pay(&cleo, 1)));
        let (_first, second) = (first.declare(), second.declare().expect("valid"));
        ada.pay(1).send();
        bob.pay(1).send();
        assert!(scene.happened().is_empty());
        cleo.pay(1).send();
        assert_eq!(scene.happened().len(), 3);
        cleo.pay(1).send();
        assert!(scene.happened().is_empty());
        second.lift();
        assert_eq!(scene.happened(), ["cleo pay 1"]);
        ada.pay(1).send();
        bob.pay(1).send();
        assert_eq!(scene.happened().len(), 2);
    }
}

/// The oldest partner needs a message that is not there; the next does not.
#[test]
fn a_partner_that_cannot_go_is_passed_over() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
    let all = Pattern::<Pay<Account>>::at;
    let _first = Synchronizer::new().atomic((all(ada), all(bob))).declare();
    let _second = Synchronizer::new()
        .atomic((pay(bob, 1), pay(&cleo, 1)))
        .declare();
    bob.pay(1).send();
    bob.pay(2).send();
    scene.simulation.run();
    ada.pay(3).send();
    let mut happened = scene.happened();
    happened.sort();
    assert_eq!(happened, ["ada pay 3", "bob pay 2"]);
}

#[test]
fn a_continuation_is_constrained_too() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 1), pay(bob, 1));
    let _synchronizer = Synchronizer::new().atomic(set).declare();
    let later = ada.pay_later(1).ask();
    assert!(scene.happened().is_empty());
    bob.pay(1).send();
    assert_eq!(scene.happened().len(), 2);
    assert_eq!(answer(later), Ok(1));
}

#[test]
fn a_member_that_waits_exclusively_takes_part_later() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let other = Account::spawn(scene.simulation.system(), "other", scene.log.clone());
    let set = (pay(ada, 1), pay(bob, 1));
    let _synchronizer = Synchronizer::new().atomic(set).declare();
    ada.pay(1).send();
    scene.simulation.run();
    other.open(false).send();
    ada.wait(other.clone()).send();
    bob.pay(1).send();
    bob.ping(1).send();
    assert_eq!(scene.happened(), ["bob ping 1"]);
    other.open(true).send();
    let happened = scene.happened();
    assert_eq!(happened[..2], ["other draw 0", "ada waited Ok(0)"]);
    assert_eq!(happened.len(), 4);
}

#[test]
fn a_condition_disables_messages_until_a_dispatch_changes_the_state() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let begin = || {
        [
            Pattern::<Pay<Account>>::at(ada),
            Pattern::<Pay<Account>>::at(bob),
        ]
    };
    let end = [
        Pattern::<Draw<Account>>::at(ada),
        Pattern::<Draw<Account>>::at(bob),
    ];
    let at_most_two = Synchronizer::with(0_usize)
        .disable(begin(), |busy| *busy >= 2)
        .upon(begin(), |_| |busy: &mut usize| *busy += 1)
        .upon(end, |_| |busy: &mut usize| *busy -= 1)
        .declare();
    let at_most_two = at_most_two.expect("valid");
    for number in 1..=4 {
        [ada, bob][number as usize % 2].pay(number).send();
        scene.simulation.run();
    }
    assert_eq!(taken(&scene.log), ["bob pay 1", "ada pay 2"]);
    ada.ping(1).send();
    assert_eq!(scene.happened(), ["ada ping 1"]);
    ada.draw(0).send();
    assert_eq!(scene.happened(), ["ada draw 0", "bob pay 3"]);
    bob.draw(0).send();
    assert_eq!(scene.happened(), ["bob draw 0", "ada pay 4"]);
    ada.pay(5).send();
    assert!(scene.happened().is_empty());
    drop(at_most_two);
    assert_eq!(scene.happened(), ["ada pay 5"]);
}

/// A gate on one message of a set, and a change by another.
#[test]
fn gates_and_changes_hold_for_sets() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let all = Pattern::<Pay<Account>>::at;
    let _synchronizer = Synchronizer::with(2_u64)
        .atomic((all(ada), all(bob)))
        .disable(all(bob), |left| *left == 0)
        .upon(all(ada), |(number,)| {
            let number = *number;
            move |left: &mut u64| *left = left.saturating_sub(number)
        })
        .upon(Pattern::<Draw<Account>>::at(bob), |_| {
            |left: &mut u64| *left += 1
        })
        .declare();
    (1..=3).for_each(|_| ada.pay(1).send());
    (1..=3).for_each(|_| bob.pay(1).send());
    assert_eq!(scene.happened().len(), 4, "two sets");
    bob.draw(1).send();
    assert_eq!(scene.happened().len(), 3, "one more");
}

#[test]
fn a_lifted_synchronizer_lets_go_what_waits() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 1), pay(bob, 1));
    let synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    (1..=2).for_each(|_| ada.pay(1).send());
    assert!(scene.happened().is_empty());
    synchronizer.lift();
    assert_eq!(scene.happened(), ["ada pay 1", "ada pay 1"]);
}

#[derive(Actor)]
#[actor(mailbox = reject(2))]
struct Desk {
    served: u64,
}

#[behaviours]
impl Desk {
    fn serve(&mut self, number: u64) -> u64 {
        self.served += 1;
        number
    }
}

#[test]
fn constrained_messages_have_places_in_a_bounded_mailbox() {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let (left, right) = (
        system.spawn(Desk { served: 0 }),
        system.spawn(Desk { served: 0 }),
    );
    let serve = Pattern::<desk_messages::Serve<Desk>>::at;
    let _synchronizer = Synchronizer::new()
        .atomic((serve(&left), serve(&right)))
        .declare();
    let waiting = [left.serve(1).ask(), left.serve(2).ask()];
    simulation.run();
    let third = left.serve(3).ask_blocking();
    assert!(matches!(third, Err(AskError::Overloaded(_))), "{third:?}");
    let partners = [right.serve(1).ask(), right.serve(2).ask()];
    simulation.run();
    for asked in waiting.into_iter().chain(partners) {
        answer(asked).expect("both were served");
    }
    let more = left.serve(4).ask();
    assert_eq!(
        right.serve(4).ask_blocking(),
        Ok(4),
        "the places are free again"
    );
    simulation.run();
    assert_eq!(answer(more), Ok(4));
}
