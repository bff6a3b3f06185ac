//! Synchronizers: constraints over the messages of several actors. `constraints/model.rs` has their
//! order.

use crate::joins::answer;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};
use vivant::{
    Cancelled, Cause, Messages, Pattern, Report, Supervisor, Synchronizer, SynchronizerError,
};

/// An account that notes what it does, in a log that several share.
#[derive(Actor)]
struct Account {
    name: &'static str,
    log: Log,
    is_open: bool,
}

type Log = Arc<Mutex<Vec<String>>>;

#[behaviours]
impl Account {
    #[start]
    fn new(name: &'static str, log: Log) -> Self {
        Account {
            name,
            log,
            is_open: true,
        }
    }

    fn pay(&mut self, number: u64) -> u64 {
        self.note(format!("pay {number}"));
        number
    }

    #[when(self.is_open)]
    fn draw(&mut self, number: u64) -> u64 {
        self.note(format!("draw {number}"));
        number
    }

    fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    fn ping(&mut self, number: u64) {
        self.note(format!("ping {number}"));
    }

    fn pay_later(&mut self, t: &Turn<Self>, number: u64) -> Promise<u64> {
        t.ask(t.me().pay(number))
    }

    /// Waits exclusively for a reply of `other`.
    fn wait(&mut self, t: &Turn<Self>, other: Address<Account>) {
        let _waited = t.ask(other.draw(0)).exclusive().then(t.me().waited());
    }

    #[then]
    fn waited(&mut self, number: Result<u64, AskError>) {
        self.note(format!("waited {number:?}"));
    }

    fn crash(&mut self, number: u64) {
        panic!("crash {number}");
    }

    #[local]
    fn note(&self, what: String) {
        let mut log = self.log.lock().expect("no turn panics with it");
        log.push(format!("{} {what}", self.name));
    }
}
use account_messages::{Draw, Pay};

fn pay(at: &Address<Account>, number: u64) -> Pattern<Pay<Account>> {
    Pattern::at(at).when(move |(it,)| *it == number)
}

fn draw(at: &Address<Account>, number: u64) -> Pattern<Draw<Account>> {
    Pattern::at(at).when(move |(it,)| *it == number)
}

/// The entries of the log since the last call.
fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().expect("no turn panics with it"))
}

struct Scene {
    simulation: Simulation,
    log: Log,
    ada: Address<Account>,
    bob: Address<Account>,
}

impl Scene {
    fn new(seed: u64) -> Scene {
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
    fn happened(&self) -> Vec<String> {
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

#[test]
fn a_message_is_refused_when_its_partner_has_ended() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 1), pay(bob, 1));
    let synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    let before = ada.pay(1).ask();
    scene.simulation.run();
    Address::stop(bob);
    scene.simulation.run();
    let after = ada.pay(1).ask();
    scene.simulation.run();
    for refused in [answer(before), answer(after)] {
        let Err(AskError::Constrained(it)) = refused else {
            panic!("{refused:?}");
        };
        assert!(it.why.contains(&Address::path(bob)), "{}", it.why);
        assert!(it.why.contains("synchronizers.rs"), "{}", it.why);
        assert_eq!(it.actor, Address::path(ada));
    }
    let letters = scene.simulation.system().dead_letters().counts();
    assert!(letters.iter().all(|line| line.cause == Cause::Constrained));
    assert_eq!(letters.iter().map(|line| line.count).sum::<u64>(), 2);
    ada.pay(2).send();
    synchronizer.lift();
    ada.pay(1).send();
    assert_eq!(scene.happened(), ["ada pay 2", "ada pay 1"]);
}

#[test]
fn a_restart_keeps_constraints_and_what_waits() {
    for messages in [Messages::Kept, Messages::Returned] {
        let scene = Scene::new(1);
        let system = scene.simulation.system();
        let tree = Supervisor::one_for_one().spawn(system);
        let child = Account::child("cleo", scene.log.clone()).messages(messages);
        let (bob, cleo) = (&scene.bob, &tree.add(child));
        let set = (pay(cleo, 1), pay(bob, 1));
        let _synchronizer = Synchronizer::new().atomic(set).declare();
        let waiting = cleo.pay(1).ask();
        scene.simulation.run();
        cleo.crash(1).send();
        assert!(scene.happened().is_empty());
        if messages == Messages::Returned {
            let returned = answer(waiting);
            assert!(
                matches!(returned, Err(AskError::Restarted(_))),
                "{returned:?}"
            );
            bob.pay(1).send();
            assert!(scene.happened().is_empty(), "its partner was returned");
            cleo.pay(1).send();
            assert_eq!(scene.happened().len(), 2);
        } else {
            bob.pay(1).send();
            assert_eq!(scene.happened().len(), 2);
            assert_eq!(answer(waiting), Ok(1));
        }
        cleo.pay(1).send();
        assert!(
            scene.happened().is_empty(),
            "the new incarnation is constrained"
        );
    }
}

#[test]
fn a_withdrawn_message_does_not_take_part() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 1), pay(bob, 1));
    let _synchronizer = Synchronizer::new().atomic(set).declare();
    let (first, second) = (ada.pay(1).ask(), ada.pay(1).ask());
    scene.simulation.run();
    assert_eq!(first.cancel(), Cancelled::Withdrawn);
    bob.pay(1).send();
    assert_eq!(scene.happened().len(), 2);
    assert_eq!(answer(second), Ok(1));
    let letters = scene.simulation.system().dead_letters().counts();
    assert_eq!((letters[0].cause, letters[0].count), (Cause::Withdrawn, 1));
}

#[test]
fn a_panic_of_its_code_breaks_a_synchronizer_down() {
    let panics: [fn(&Scene) -> Synchronizer; 3] = [
        |scene| {
            let fails = Pattern::<Pay<Account>>::at(&scene.ada).when(|_| panic!("a bad predicate"));
            let set = (fails, pay(&scene.bob, 1));
            Synchronizer::new().atomic(set).declare().expect("valid")
        },
        |scene| {
            Synchronizer::with(0_u64)
                .upon(pay(&scene.ada, 1), |_| |_: &mut u64| panic!("a bad change"))
                .upon(pay(&scene.bob, 1), |_| |_: &mut u64| {})
                .declare()
                .expect("valid")
        },
        |scene| {
            Synchronizer::with(0_u64)
                .upon(pay(&scene.ada, 1), |_| |count: &mut u64| *count += 1)
                .disable(pay(&scene.bob, 1), |count| {
                    *count > 0 && panic!("a bad condition")
                })
                .declare()
                .expect("valid")
        },
    ];
    for declare in panics {
        let reports = Arc::new(AtomicUsize::new(0));
        let counted = reports.clone();
        let builder = System::builder().on_report(move |report| {
            let Report::Panicked(panic) = report else {
                return;
            };
            assert!(panic.message().starts_with("a bad "), "{panic}");
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let simulation = Simulation::with(1, Faults::none(), builder);
        let log = Log::default();
        let ada = Account::spawn(simulation.system(), "ada", log.clone());
        let bob = Account::spawn(simulation.system(), "bob", log.clone());
        let scene = Scene {
            simulation,
            log,
            ada,
            bob,
        };
        let synchronizer = declare(&scene);
        scene.ada.pay(1).send();
        scene.simulation.run();
        taken(&scene.log);
        assert_eq!(reports.load(Ordering::Relaxed), 1);
        let refused = scene.bob.pay(1).ask_blocking();
        let Err(AskError::Constrained(it)) = refused else {
            panic!("{refused:?}");
        };
        assert!(it.why.contains("a bad "), "{}", it.why);
        scene.bob.pay(2).send();
        drop(synchronizer);
        scene.bob.pay(1).send();
        assert_eq!(scene.happened(), ["bob pay 2", "bob pay 1"]);
    }
}

#[test]
fn what_cannot_be_declared_is_an_error() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let none = Synchronizer::new().declare();
    assert_eq!(none.expect_err("empty"), SynchronizerError::TooFew);
    let one = Synchronizer::new().atomic(pay(ada, 1)).declare();
    assert_eq!(one.expect_err("one pattern"), SynchronizerError::TooFew);
    let twice = Synchronizer::new()
        .atomic((pay(ada, 1), draw(ada, 1)))
        .declare();
    let path = Address::path(ada);
    assert_eq!(
        twice.expect_err("one actor"),
        SynchronizerError::SameActor { actor: path }
    );
    let other = Scene::new(2);
    let across = Synchronizer::new()
        .atomic((pay(ada, 1), pay(&other.ada, 1)))
        .declare();
    let path = Address::path(&other.ada);
    assert_eq!(
        across.expect_err("two systems"),
        SynchronizerError::OtherSystem { actor: path }
    );
    Address::stop(bob);
    scene.simulation.run();
    let ended = Synchronizer::new()
        .atomic((pay(ada, 1), pay(bob, 1)))
        .declare();
    let path = Address::path(bob);
    let ended = ended.expect_err("it has ended");
    assert_eq!(
        ended,
        SynchronizerError::Ended {
            actor: path.clone()
        }
    );
    assert!(ended.to_string().starts_with(&path), "{ended}");
    ada.pay(1).send();
    assert_eq!(scene.happened(), ["ada pay 1"], "nothing is left of it");
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

/// A philosopher's neighbours must not eat while it does: who eats is written at the forks.
#[derive(Actor)]
struct Fork {
    used_by: Option<usize>,
}

#[behaviours]
impl Fork {
    #[start]
    fn new() -> Self {
        Fork { used_by: None }
    }

    #[when(self.used_by.is_none())]
    fn pick_up(&mut self, philosopher: usize) {
        assert_eq!(self.used_by, None);
        self.used_by = Some(philosopher);
    }

    fn put_down(&mut self, philosopher: usize) {
        if self.used_by == Some(philosopher) {
            self.used_by = None;
        }
    }
}
use fork_messages::PickUp;

#[derive(Actor)]
struct Philosopher {
    number: usize,
    forks: [Address<Fork>; 2],
    meals: usize,
    eating: Arc<Mutex<Vec<usize>>>,
    _together: Synchronizer,
}

#[behaviours]
impl Philosopher {
    #[start]
    fn new(number: usize, forks: [Address<Fork>; 2], eating: Arc<Mutex<Vec<usize>>>) -> Self {
        let pick_up = forks.each_ref().map(|fork| {
            Pattern::<PickUp<Fork>>::at(fork).when(move |(philosopher,)| *philosopher == number)
        });
        let together = Synchronizer::new().atomic(pick_up).declare();
        Philosopher {
            number,
            forks,
            meals: 0,
            eating,
            _together: together.expect("the forks are there"),
        }
    }

    fn dine(&mut self, t: &Turn<Self>, meals: usize) {
        if self.meals < meals {
            let picked_up = self
                .forks
                .each_ref()
                .map(|fork| t.ask(fork.pick_up(self.number)));
            let _eaten = t.all(picked_up).then(t.me().eat(meals));
        }
    }

    #[then]
    fn eat(&mut self, t: &Turn<Self>, forks: Result<Vec<()>, AskError>, meals: usize) {
        forks.expect("both are there");
        self.eating.lock().expect("no panic").push(self.number);
        t.after(Duration::from_millis(1), t.me().think(meals));
    }

    fn think(&mut self, t: &Turn<Self>, meals: usize) {
        self.eating
            .lock()
            .expect("no panic")
            .retain(|it| *it != self.number);
        self.meals += 1;
        for fork in &self.forks {
            t.send(fork.put_down(self.number));
        }
        t.send(t.me().dine(meals));
    }

    fn meals(&self) -> usize {
        self.meals
    }
}

/// Five to seven philosophers, no arbiter. Each eats three times, and never with a neighbour.
fn dinner(simulation: &Simulation) {
    let count = 5 + simulation.seed() as usize % 3;
    let system = simulation.system();
    let forks: Vec<_> = (0..count).map(|_| Fork::spawn(system)).collect();
    let eating = Arc::new(Mutex::new(Vec::new()));
    let philosopher = |number: usize| {
        let both = [forks[number].clone(), forks[(number + 1) % count].clone()];
        Philosopher::spawn(system, number, both, eating.clone())
    };
    let philosophers: Vec<_> = (0..count).map(philosopher).collect();
    philosophers.iter().for_each(|one| one.dine(3).send());
    let eats_with_a_neighbour = || {
        let eating = eating.lock().expect("no panic");
        eating
            .iter()
            .any(|one| eating.contains(&((one + 1) % count)))
    };
    assert!(
        !simulation.run_until(eats_with_a_neighbour),
        "neighbours eat together"
    );
    for one in &philosophers {
        assert_eq!(one.meals().ask_blocking(), Ok(3));
    }
}

#[test]
fn philosophers_eat_without_an_arbiter() {
    let name = "philosophers_eat_without_an_arbiter";
    check(
        name,
        Seeds(if cfg!(miri) { 1 } else { 500 }),
        &Faults::none(),
        dinner,
    );
}

#[test]
fn philosophers_eat_under_muting_and_delays() {
    let name = "philosophers_eat_under_muting_and_delays";
    let faults = Faults::none()
        .delays(100_000, Duration::from_millis(5))
        .full_mailboxes();
    check(
        name,
        Seeds(if cfg!(miri) { 1 } else { 300 }),
        &faults,
        dinner,
    );
}

#[test]
fn philosophers_eat_on_threads() {
    let system = System::builder().workers(2).build();
    let count = 7;
    let forks: Vec<_> = (0..count).map(|_| Fork::spawn(&system)).collect();
    let eating = Arc::new(Mutex::new(Vec::new()));
    let philosopher = |number: usize| {
        let both = [forks[number].clone(), forks[(number + 1) % count].clone()];
        Philosopher::spawn(&system, number, both, eating.clone())
    };
    let philosophers: Vec<_> = (0..count).map(philosopher).collect();
    philosophers.iter().for_each(|one| one.dine(20).send());
    for one in &philosophers {
        while one.meals().ask_blocking() != Ok(20) {
            std::thread::yield_now();
        }
    }
}
