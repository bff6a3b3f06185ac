//! What synchronizers cost: calls of predicates, and work that grows with the size of a set.

use crate::synchronizers::{Account, Log, Pay, Scene, pay, taken};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vivant::simulation::Simulation;
use vivant::{Pattern, Synchronizer};

/// The pattern of `pay` with this number, which counts the calls of its predicate.
fn counted(
    at: &vivant::Address<Account>,
    number: u64,
    calls: &Arc<AtomicUsize>,
) -> Pattern<Pay<Account>> {
    let calls = calls.clone();
    Pattern::at(at).when(move |(it,)| {
        calls.fetch_add(1, Ordering::Relaxed);
        *it == number
    })
}

#[test]
fn each_predicate_is_called_once_for_a_message_that_waits() {
    const TRANSFERS: u64 = 40;
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let calls = Arc::new(AtomicUsize::new(0));
    let declare = |number| {
        let set = (counted(ada, number, &calls), pay(bob, number));
        let synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
        ada.pay(number).send();
        scene.simulation.run();
        synchronizer
    };
    let mut synchronizers: Vec<_> = (0..TRANSFERS).map(declare).collect();
    // Each pattern meets each message once.
    let most = (TRANSFERS * TRANSFERS) as usize;
    assert_eq!(calls.load(Ordering::Relaxed), most);
    let half = TRANSFERS as usize / 2;
    synchronizers.truncate(half);
    scene.simulation.run();
    assert_eq!(taken(&scene.log).len(), half);
    // What is free meets the patterns that are left when it is offered, and when it is chosen.
    let more = calls.load(Ordering::Relaxed) - most;
    assert!(more <= 2 * half * half, "{more} calls by lifts");
}

/// A hold that is refused changes nothing in what a message matches.
#[test]
fn a_refused_hold_calls_no_predicate() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
    let calls = Arc::new(AtomicUsize::new(0));
    let set = (pay(ada, 1), counted(bob, 1, &calls));
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    bob.pay(1).send();
    scene.simulation.run();
    let once = calls.load(Ordering::Relaxed);
    cleo.open(false).send();
    bob.wait(cleo.clone()).send();
    scene.simulation.run();
    ada.pay(1).send();
    assert!(scene.happened().is_empty(), "bob waits");
    cleo.open(true).send();
    let happened = scene.happened();
    assert_eq!(happened.iter().filter(|it| it.contains(" pay ")).count(), 2);
    assert_eq!(calls.load(Ordering::Relaxed), once);
}

/// With the third power of the number of members this would take minutes.
#[test]
fn a_set_may_have_many_members() {
    const MEMBERS: usize = 600;
    let (simulation, log) = (Simulation::new(1), Log::default());
    let new = |_| Account::spawn(simulation.system(), "x", log.clone());
    let all: Vec<_> = (0..MEMBERS).map(new).collect();
    let set: Vec<_> = all.iter().map(|it| pay(it, 1)).collect();
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    simulation.run();
    for _ in 0..2 {
        all.iter().for_each(|it| it.pay(1).send());
        simulation.run();
        assert_eq!(taken(&log).len(), MEMBERS);
    }
}
