//! Children of each kind in an image, and the reasons for which trees end.

use super::image::Content;
use super::supervised::{IncarnationState, SupervisedAs, WaitingOrder};
use super::supervised_program::{ENDED, Hand, Log, STARTED, image_of_tree, kinds, notes, patient};
use super::taking::{assert_is, restored, simulated, take, take_now};
use super::unsaved::Unsaved;
use crate::api::{SavedKinds, address_by};
use crate::failures::StopReason;
use crate::oracle::Dice;
use crate::prelude::*;
use crate::supervision::{Restarts, children_of};
use crate::sync::Arc;
use crate::{Child, ChildState, Supervisor};

/// What the supervisor knows is known: how often a child was restarted, and why.
#[test]
fn a_supervisor_knows_what_it_knew() {
    let image = image_of_tree();
    let (simulation, actors) = restored(&image, 2, &kinds());
    let child = image.supervised[0].actor;
    let restarts = Restarts::of(simulation.system().shared());
    assert_eq!(restarts.number_of(child), 1);
    let tree = address_by::<Supervisor>(&actors[&0], &kinds()).expect("it is a supervisor");
    tree.settled()
        .ask_blocking()
        .expect("it lives")
        .expect("it settles");
    let facts = tree.children().ask_blocking().expect("it lives");
    let facts: Vec<_> = facts
        .iter()
        .map(|it| {
            (
                &it.actor[..],
                it.state,
                it.restarts,
                it.last_failure.is_some(),
            )
        })
        .collect();
    let expected = [
        ("mill::Hand/2", ChildState::Up, 1, true),
        ("mill::Hand/3", ChildState::Up, 0, false),
        ("mill::Hand/4", ChildState::Up, 0, false),
    ];
    assert_eq!(facts, expected);
}

/// A child that restarts: at a restore it starts anew, by the start that its supervisor keeps.
#[derive(Actor)]
#[actor(saved(restart), id = "mill::Bell")]
struct Bell {
    log: Address<Log>,
    rung: u64,
}

#[behaviours(id = "mill::Bell")]
impl Bell {
    #[start]
    fn new(t: &Turn<Self>, log: Address<Log>) -> Bell {
        t.send(log.notes(7, STARTED));
        Bell { log, rung: 0 }
    }

    fn ring(&mut self, t: &Turn<Self>, at: u64) {
        if at == 0 {
            std::panic::resume_unwind(Box::new("as planned"));
        }
        self.rung += 1;
        t.send(self.log.notes(7, self.rung * 100 + at));
    }
}

fn kinds_with_bell() -> Arc<SavedKinds> {
    let kinds = SavedKinds::of::<(Hand, Log, Bell, Supervisor)>();
    Arc::new(kinds.expect("no two names are equal"))
}

#[test]
fn a_child_that_restarts_starts_anew() {
    let kinds = kinds_with_bell();
    let simulation = simulated(&kinds, 1);
    let tree = patient(Supervisor::one_for_one()).spawn(simulation.system());
    let log = Log::spawn(simulation.system());
    let bell = tree.add(Bell::child(log.clone()));
    simulation.system().keep(&log);
    simulation.system().keep(&tree);
    bell.ring(1).send();
    simulation.run();
    bell.ring(2).send();
    let image = take_now(&simulation);
    let is_leaf = |child: &SupervisedAs| match child {
        SupervisedAs::Leaf(leaf) => leaf.is == IncarnationState::Down,
        SupervisedAs::Branch => false,
    };
    assert!(is_leaf(&image.supervised[0].child));
    assert_eq!(image.actors[2].content, Content::Unstarted);
    drop((simulation, tree, log, bell));

    let (simulation, actors) = restored(&image, 2, &kinds);
    assert_is(&take_now(&simulation), &image, "once more");
    simulation.run();
    // The new incarnation has the message that waited, and is restarted when it fails.
    assert_eq!(notes(&simulation)[&7], [STARTED, 101, STARTED, 102]);
    let bell = address_by::<Bell>(&actors[&2], &kinds).expect("it is a bell");
    bell.ring(0).send();
    bell.ring(3).send();
    simulation.run();
    let all = [STARTED, 101, STARTED, 102, STARTED, 103];
    assert_eq!(notes(&simulation)[&7], all);
}

/// A child that is not saved.
#[derive(Actor)]
struct Guest;

#[behaviours]
impl Guest {
    #[start]
    fn new() -> Guest {
        Guest
    }
}

/// It has ended in the restored system. The children behind it begin.
#[test]
fn a_child_that_is_not_saved_is_gone() {
    for steps in 0..12 {
        let simulation = simulated(&kinds(), 1);
        let tree = patient(Supervisor::rest_for_one()).spawn(simulation.system());
        let log = Log::spawn(simulation.system());
        simulation.system().keep(&log);
        simulation.system().keep(&tree);
        tree.add(Guest::child());
        tree.add(Hand::child(0, log));
        (0..steps).for_each(|_| {
            simulation.step();
        });
        let image = take_now(&simulation);
        let (simulation, actors) = restored(&image, 2, &kinds());
        simulation.run();
        assert_eq!(notes(&simulation)[&0], [STARTED], "{steps} steps");
        let mut idle = actors[&0].cell().hold_idle().expect("all is done");
        let children = children_of(&mut idle.state());
        idle.park();
        assert_eq!(children, [3], "{steps} steps");
    }
}

/// No image contains a closure.
#[test]
fn a_child_that_a_closure_starts_is_an_error() {
    let simulation = simulated(&kinds(), 1);
    let tree = patient(Supervisor::one_for_one()).spawn(simulation.system());
    let log = Log::spawn(simulation.system());
    let _child = tree.add(Child::new(move |_| Hand {
        me: 1,
        done: 0,
        log: log.clone(),
    }));
    let error = take(&simulation, &mut Dice::new(1)).expect_err("a closure");
    assert!(matches!(&error, Unsaved::Lacking { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("mill::Hand/2") && text.contains("closure"),
        "{text}"
    );
}

/// A root has ended, and the branch has not taken the signal: the child of the branch names the
/// root.
#[test]
fn a_branch_ends_for_the_reason_of_its_tree() {
    let simulation = simulated(&kinds(), 1);
    let rules = || patient(Supervisor::one_for_one());
    let root = rules().spawn(simulation.system());
    let branch = root.add(rules());
    let log = Log::spawn(simulation.system());
    simulation.system().keep(&log);
    let hand = branch.add(Hand::child(0, log));
    simulation.run();
    let path = Address::path(&root);
    Address::stop(&root);
    while Address::is_alive(&root) {
        simulation.step();
    }
    let image = take_now(&simulation);
    let order = image.shared.orders.first().expect("it waits");
    let WaitingOrder::End(StopReason::SupervisorEnded(why)) = &order.order else {
        panic!("{order:?} is no end of a tree");
    };
    assert_eq!(why.supervisor, path);
    drop((simulation, branch, hand));
    let (simulation, actors) = restored(&image, 2, &kinds());
    assert_is(&take_now(&simulation), &image, "once more");
    let cells: Vec<_> = actors.values().map(|actor| actor.cell()).collect();
    drop(actors);
    simulation.run();
    let ends = cells.iter().filter_map(|cell| cell.ended());
    let of_root = ends.filter(|end| match end {
        StopReason::SupervisorEnded(why) => why.supervisor == path,
        _ => false,
    });
    assert_eq!(of_root.count(), 1);
}

/// A supervisor has ended, and its children have not taken the signal.
#[test]
fn a_child_ends_for_the_reason_of_its_tree() {
    let simulation = simulated(&kinds(), 1);
    let tree = patient(Supervisor::one_for_one()).spawn(simulation.system());
    let log = Log::spawn(simulation.system());
    simulation.system().keep(&log);
    let hands: Vec<_> = (0..3)
        .map(|me| tree.add(Hand::child(me, log.clone())))
        .collect();
    simulation.run();
    Address::stop(&tree);
    while Address::is_alive(&tree) {
        simulation.step();
    }
    let image = take_now(&simulation);
    let ends = image.shared.orders.iter();
    let ends = ends.filter(|it| matches!(it.order, WaitingOrder::End(_)));
    assert!(ends.count() > 0);
    drop((simulation, hands));
    let (simulation, actors) = restored(&image, 2, &kinds());
    assert_is(&take_now(&simulation), &image, "once more");
    drop(actors);
    simulation.run();
    for hand in 0..3 {
        assert_eq!(notes(&simulation)[&hand], [STARTED, ENDED]);
    }
}
