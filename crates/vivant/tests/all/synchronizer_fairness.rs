//! Synchronizers and members that are seldom at rest: how often other messages pass a constrained
//! one (`constraints/README.md`, S9).

use crate::synchronizers::{Account, Log, Pay, Scene, pay, taken};
use std::time::Duration;
use vivant::simulation::Simulation;
use vivant::{Pattern, Synchronizer};

/// The number of exclusive waits that ended before the first payment.
fn waits_before_the_payment(happened: &[String]) -> usize {
    let before = happened.iter().take_while(|it| !it.contains(" pay "));
    before.filter(|it| it.contains("waited")).count()
}

#[test]
fn exclusive_waits_pass_an_offer_once() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
        // The transaction asks the member that was made first for its hold first.
        let (first, second) = (&scene.ada, &scene.bob);
        for (busy, other) in [(first, second), (second, first)] {
            let set = (pay(busy, 1), pay(other, 1));
            let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
            scene.simulation.run();
            busy.pay(1).send();
            busy.wait(cleo.clone()).send();
            other.pay(1).send();
            (0..100).for_each(|_| busy.wait(cleo.clone()).send());
            let happened = scene.happened();
            let waits = waits_before_the_payment(&happened);
            assert!(waits <= 2, "seed {seed}: {waits} of 101 waits passed");
            assert_eq!(happened.iter().filter(|it| it.contains(" pay ")).count(), 2);
        }
    }
}

/// A message that is constrained does not go before older ones, which its sender sent first.
#[test]
fn a_constrained_message_does_not_pass_older_ones() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let (ada, bob) = (&scene.ada, &scene.bob);
        let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
        let set = (pay(ada, 1), pay(bob, 1));
        let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
        scene.simulation.run();
        bob.pay(1).send();
        scene.simulation.run();
        // All that comes meanwhile is deferred.
        ada.wait(cleo.clone()).send();
        (1..=3).for_each(|number| ada.ping(number).send());
        ada.pay(2).send();
        ada.pay(1).send();
        ada.ping(4).send();
        let happened = scene.happened();
        let of_ada = happened.iter().filter(|it| it.starts_with("ada"));
        let order = [
            "ada waited Ok(0)",
            "ada ping 1",
            "ada ping 2",
            "ada ping 3",
            "ada pay 2",
            "ada pay 1",
            "ada ping 4",
        ];
        assert_eq!(of_ada.collect::<Vec<_>>(), order, "seed {seed}");
    }
}

/// All members have exclusive waits one after the other, and are at rest between two of them only.
#[test]
fn members_that_are_never_at_rest_together_are_waited_for() {
    const WAITS: usize = 200;
    for members in 2..5 {
        for seed in 0..10 {
            let (simulation, log) = (Simulation::new(seed), Log::default());
            let new = |name| Account::spawn(simulation.system(), name, log.clone());
            let all: Vec<_> = (0..members).map(|_| (new("busy"), new("helper"))).collect();
            let set: Vec<_> = all.iter().map(|(busy, _)| pay(busy, 1)).collect();
            let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
            for (busy, helper) in &all {
                busy.pay(1).send();
                (0..WAITS).for_each(|_| busy.wait(helper.clone()).send());
            }
            simulation.run();
            let waits = waits_before_the_payment(&taken(&log));
            assert!(
                waits <= 20 * members,
                "seed {seed}: {waits} waits of {members} members"
            );
        }
    }
}

/// As above, but by their times: when one member is between two waits, the other is within one.
#[test]
fn members_with_waits_that_overlap_are_waited_for() {
    const WAITS: usize = 200;
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let set = (pay(ada, 1), pay(bob, 1));
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    bob.nap(Duration::from_millis(1)).send();
    for member in [ada, bob] {
        member.pay(1).send();
        (0..WAITS).for_each(|_| member.nap(Duration::from_millis(2)).send());
    }
    let happened = scene.happened();
    assert_eq!(happened.iter().filter(|it| it.contains(" pay ")).count(), 2);
    let waits = waits_before_the_payment(&happened);
    assert!(waits <= 10, "{waits} waits passed");
}

/// The exclusive wait of one member depends on the other: the transaction does not wait for ever.
#[test]
fn a_member_that_waits_for_another_is_not_waited_for() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        for (busy, other) in [(&scene.ada, &scene.bob), (&scene.bob, &scene.ada)] {
            let set = (pay(busy, 1), pay(other, 1));
            let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
            scene.simulation.run();
            busy.pay(1).send();
            (0..20).for_each(|_| busy.wait(other.clone()).send());
            other.pay(1).send();
            let happened = scene.happened();
            let count = |what| happened.iter().filter(|it| it.contains(what)).count();
            assert_eq!(
                (count("waited Ok(0)"), count(" pay ")),
                (20, 2),
                "{happened:?}"
            );
        }
    }
}

#[test]
fn a_lift_keeps_the_order_of_what_other_synchronizers_constrain() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
    let all = Pattern::<Pay<Account>>::at;
    let first = Synchronizer::new().atomic((pay(ada, 1), pay(&cleo, 1)));
    let first = first.declare().expect("valid");
    let second = Synchronizer::new().atomic((all(ada), all(bob)));
    let _second = second.declare().expect("valid");
    ada.pay(1).send();
    scene.simulation.run();
    ada.pay(2).send();
    scene.simulation.run();
    first.lift();
    scene.simulation.run();
    bob.pay(9).send();
    let mut happened = scene.happened();
    happened.sort();
    assert_eq!(happened, ["ada pay 1", "bob pay 9"], "the oldest goes");
}

/// A message that waits for one synchronizer is constrained by those that are declared later too.
#[test]
fn a_later_synchronizer_constrains_what_waits() {
    for seed in 0..20 {
        let scene = Scene::new(seed);
        let (ada, bob) = (&scene.ada, &scene.bob);
        let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
        let first = Synchronizer::new().atomic((pay(ada, 1), pay(bob, 1)));
        let first = first.declare().expect("valid");
        ada.pay(1).send();
        scene.simulation.run();
        let second = Synchronizer::new().atomic((pay(ada, 1), pay(&cleo, 1)));
        let second = second.declare().expect("valid");
        scene.simulation.run();
        bob.pay(1).send();
        assert!(scene.happened().is_empty(), "both constrain it");
        first.lift();
        assert_eq!(scene.happened(), ["bob pay 1"]);
        second.lift();
        assert_eq!(scene.happened(), ["ada pay 1"]);
    }
}
