//! Synchronizers with members or code that fail, and such as cannot be declared.

use crate::joins::answer;
use crate::synchronizers::{Account, Log, Pay, Scene, draw, pay, taken};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use vivant::prelude::*;
use vivant::simulation::{Faults, Simulation};
use vivant::{
    Cancelled, Cause, Messages, Pattern, Report, Supervisor, Synchronizer, SynchronizerError,
};

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
        assert!(it.why.contains(file!()), "{}", it.why);
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
fn a_message_can_be_withdrawn_after_its_hold_was_given_up() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
    let set = (pay(ada, 1), pay(bob, 1));
    let _synchronizer = Synchronizer::new().atomic(set).declare();
    cleo.open(false).send();
    bob.pay(1).send();
    scene.simulation.run();
    bob.wait(cleo.clone()).send();
    scene.simulation.run();
    let asked = ada.pay(1).ask();
    assert!(scene.happened().is_empty(), "bob refuses his hold");
    assert_eq!(asked.cancel(), Cancelled::Withdrawn);
    cleo.open(true).send();
    let happened = scene.happened();
    assert!(
        !happened.iter().any(|it| it.contains(" pay ")),
        "{happened:?}"
    );
    ada.pay(1).send();
    assert_eq!(scene.happened().len(), 2);
}

/// An account with a guard that panics at one of its evaluations.
#[derive(Actor)]
struct Fragile {
    log: Log,
    evaluations: Arc<AtomicUsize>,
    panics_at: usize,
}

#[behaviours]
impl Fragile {
    #[when(self.is_open())]
    fn pay(&mut self, number: u64) -> u64 {
        let mut log = self.log.lock().expect("no turn panics with it");
        log.push(format!("fragile pay {number}"));
        number
    }

    #[local]
    fn is_open(&self) -> bool {
        let number = self.evaluations.fetch_add(1, Ordering::Relaxed);
        assert!(number != self.panics_at, "a bad guard");
        true
    }
}

#[test]
fn a_message_with_a_guard_that_panics_does_not_run_alone() {
    // The offer, and the hold.
    for panics_at in 0..2 {
        for fragile_is_first in [true, false] {
            let reports = Arc::new(AtomicUsize::new(0));
            let counted = reports.clone();
            let builder = System::builder().on_report(move |report| {
                if let Report::Panicked(panic) = report {
                    assert_eq!(panic.message(), "a bad guard");
                    assert!(panic.behaviour().ends_with("::pay"), "{panic}");
                    assert!(panic.place().is_some_and(|place| place.contains(file!())));
                    counted.fetch_add(1, Ordering::Relaxed);
                }
            });
            let simulation = Simulation::with(1, Faults::none(), builder);
            let (system, log) = (simulation.system(), Log::default());
            let before = Account::spawn(system, "partner", log.clone());
            let fragile = system.spawn(Fragile {
                log: log.clone(),
                evaluations: Arc::default(),
                panics_at,
            });
            let after = Account::spawn(system, "partner", log.clone());
            let partner = if fragile_is_first { after } else { before };
            let all = Pattern::<fragile_messages::Pay<Fragile>>::at(&fragile);
            let set = (all, pay(&partner, 1));
            let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
            let mine = fragile.pay(1).ask();
            simulation.run();
            let other = partner.pay(1).ask();
            simulation.run();
            let mine = answer(mine);
            assert!(matches!(mine, Err(AskError::Panicked(_))), "{mine:?}");
            let other = answer(other);
            assert!(matches!(other, Err(AskError::Constrained(_))), "{other:?}");
            assert_eq!(taken(&log), Vec::<String>::new());
            assert!(!Address::is_alive(&fragile));
            assert_eq!(reports.load(Ordering::Relaxed), 1);
        }
    }
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

/// A value with a drop that panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bad drop");
    }
}

#[test]
fn a_panic_of_a_drop_in_a_commit_holds_no_member() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let slot: Arc<Mutex<Option<Synchronizer>>> = Arc::default();
    let inner = slot.clone();
    let synchronizer = Synchronizer::with(Bomb)
        .atomic((pay(ada, 1), pay(bob, 1)))
        .upon(pay(ada, 1), move |_| {
            let inner = inner.clone();
            move |_: &mut Bomb| drop(inner.lock().expect("not poisoned").take())
        })
        .declare()
        .expect("valid");
    *slot.lock().expect("not poisoned") = Some(synchronizer);
    ada.pay(1).send();
    bob.pay(1).send();
    assert_eq!(scene.happened().len(), 2);
    ada.ping(1).send();
    bob.ping(1).send();
    assert_eq!(scene.happened().len(), 2, "no member is held");
}

#[test]
fn a_state_is_not_dropped_while_a_panic_of_a_change_unwinds() {
    let scene = Scene::new(1);
    let ada = &scene.ada;
    let _synchronizer = Synchronizer::with(Bomb)
        .upon(pay(ada, 1), |_| |_: &mut Bomb| panic!("a bad change"))
        .declare()
        .expect("valid");
    ada.pay(1).send();
    scene.simulation.run();
    ada.ping(1).send();
    assert!(scene.happened().contains(&"ada ping 1".to_owned()));
}

#[test]
fn a_panic_of_the_drop_of_an_update_does_not_end_another_member() {
    let scene = Scene::new(1);
    let (ada, bob) = (&scene.ada, &scene.bob);
    let cleo = Account::spawn(scene.simulation.system(), "cleo", scene.log.clone());
    let _synchronizer = Synchronizer::with(0_u64)
        .atomic((pay(ada, 1), pay(bob, 1)))
        .upon(pay(ada, 1), move |_| {
            let bomb = Bomb;
            move |_: &mut u64| std::mem::forget(bomb)
        })
        .declare()
        .expect("valid");
    cleo.open(false).send();
    bob.pay(1).send();
    scene.simulation.run();
    bob.wait(cleo.clone()).send();
    scene.simulation.run();
    ada.pay(1).send();
    scene.simulation.run();
    bob.ping(3).send();
    cleo.open(true).send();
    let happened = scene.happened();
    assert!(happened.contains(&"bob ping 3".to_owned()), "{happened:?}");
}

#[test]
fn an_incomplete_set_is_not_tried_in_each_combination() {
    let simulation = Simulation::new(1);
    let log = Log::default();
    let new = |_| Account::spawn(simulation.system(), "x", log.clone());
    let all: Vec<_> = (0..12).map(new).collect();
    let set: Vec<_> = all.iter().map(|it| pay(it, 1)).collect();
    let _synchronizer = Synchronizer::new().atomic(set).declare().expect("valid");
    simulation.run();
    // 20 to the power of 11 combinations.
    for _ in 0..20 {
        all[..11].iter().for_each(|it| it.pay(1).send());
    }
    simulation.run();
    assert!(taken(&log).is_empty());
    all[11].pay(1).send();
    simulation.run();
    assert_eq!(taken(&log).len(), 12);
}

#[derive(Actor)]
struct Library;

#[behaviours]
impl Library {
    #[if_awaited]
    fn search(&mut self) -> u64 {
        3
    }
}

#[test]
fn a_behaviour_that_runs_if_awaited_cannot_be_constrained() {
    let scene = Scene::new(1);
    let library = scene.simulation.system().spawn(Library);
    let search = Pattern::<library_messages::Search<Library>>::at(&library);
    let set = (search, pay(&scene.bob, 1));
    let refused = Synchronizer::new().atomic(set).declare();
    let refused = refused.expect_err("it may be withdrawn");
    assert!(matches!(refused, SynchronizerError::IfAwaited { .. }));
    assert!(refused.to_string().contains("search"), "{refused}");
    assert_eq!(library.search().ask_blocking(), Ok(3));
}
