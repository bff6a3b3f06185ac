//! Images of supervision trees that are none: an error that says so, and never a panic.

use super::image::{Content, Image};
use super::not_restored::NotRestored;
use super::restore::restore;
use super::supervised::{OrderRecord, SupervisedAs, SupervisedRecord, WaitingOrder};
use super::supervised_program::{MS, image_of_tree, kinds, patient};
use super::taking::{simulated, take_now};
use crate::Supervisor;
use crate::failures::StopReason;
use crate::oracle::Dice;

fn error_of(image: &Image) -> NotRestored {
    let simulation = simulated(&kinds(), 3);
    let refused = restore(simulation.system().shared(), image, &kinds());
    let error = refused.err().expect("the image is no good");
    // What was made ends.
    simulation.run_for(1_000 * MS);
    error
}

#[test]
fn children_of_no_tree_are_an_error() {
    let (tree, log) = (0, 1);
    let with = |change: &dyn Fn(&mut Image)| {
        let mut image = image_of_tree();
        change(&mut image);
        error_of(&image)
    };
    let no_supervisor = |error: &NotRestored| matches!(error, NotRestored::NoSupervisor { .. });
    let is_wrong = |error: &NotRestored| matches!(error, NotRestored::Value { .. });

    let error = with(&|image| image.supervised[0].supervisor = log);
    assert!(no_supervisor(&error), "{error}");
    let error = with(&|image| image.supervised[0].supervisor = 1_000);
    assert!(no_supervisor(&error), "{error}");
    let error = with(&|image| image.supervised[0].child = SupervisedAs::Branch);
    assert!(no_supervisor(&error), "{error}");
    let error = with(&|image| image.actors[2].content = Content::Unstarted);
    assert!(matches!(error, NotRestored::WrongState { .. }), "{error}");
    let error = with(&|image| image.supervised[0].actor = 1_000);
    assert!(matches!(error, NotRestored::NoActor(1_000)), "{error}");
    let error = with(&|image| image.supervised[0].actor = image.supervised[1].actor);
    assert!(matches!(error, NotRestored::Twice(_)), "{error}");
    let error = with(&|image| drop(image.supervised.remove(0)));
    assert!(is_wrong(&error), "{error}");
    let error = with(&|image| {
        image.supervised.push(SupervisedRecord {
            actor: tree,
            supervisor: tree,
            child: SupervisedAs::Branch,
        });
    });
    assert!(
        matches!(error, NotRestored::SupervisorCycle(it) if it == tree),
        "{error}"
    );
}

#[test]
fn a_cycle_of_supervisors_is_an_error() {
    let simulation = simulated(&kinds(), 1);
    let rules = || patient(Supervisor::one_for_one());
    let root = rules().spawn(simulation.system());
    let branch = root.add(rules());
    let _leaf = branch.add(rules());
    simulation.run();
    let mut image = take_now(&simulation);
    let (root, last) = (image.actors[0].id, image.actors[2].id);
    image.supervised.push(SupervisedRecord {
        actor: root,
        supervisor: last,
        child: SupervisedAs::Branch,
    });
    let error = error_of(&image);
    assert!(matches!(error, NotRestored::SupervisorCycle(_)), "{error}");
}

#[test]
fn an_order_that_no_supervisor_gives_is_an_error() {
    let order = |actor, order| {
        let mut image = image_of_tree();
        image.shared.orders = vec![OrderRecord { actor, order }];
        error_of(&image)
    };
    let child = image_of_tree().supervised[0].actor;
    for error in [
        order(child, WaitingOrder::Halt(128)),
        order(child, WaitingOrder::Halt(u64::MAX)),
        order(1, WaitingOrder::Start),
        order(0, WaitingOrder::End(StopReason::Stopped)),
    ] {
        assert!(matches!(error, NotRestored::NoOrder { .. }), "{error}");
    }
    let error = order(1_000, WaitingOrder::Start);
    assert!(matches!(error, NotRestored::NoActor(1_000)), "{error}");
}

/// A failure behind the time of the image would count for ever.
#[test]
fn a_failure_of_the_future_is_an_error() {
    let mut image = image_of_tree();
    assert!(image.system.clock_ns > 0);
    image.system.clock_ns = 0;
    let error = error_of(&image);
    assert!(error.to_string().contains("future"), "{error}");
}

/// Any byte of a supervisor, or of a child on its way to it, is another one.
#[test]
fn a_supervisor_of_other_bytes_is_no_panic() {
    let (mut dice, mut errors, mut restores) = (Dice::new(1), 0, 0);
    for _ in 0..if cfg!(miri) { 10 } else { 600 } {
        let mut image = image_of_tree();
        let image_bytes: Vec<&mut Vec<u8>> = {
            let state = match &mut image.actors[0].content {
                Content::State(state) => &mut state.bytes,
                other => panic!("a supervisor without a state: {other:?}"),
            };
            let waiting = image.waiting.iter_mut().filter(|it| it.actor == 0);
            let waiting = waiting.map(|it| &mut it.message.bytes);
            std::iter::once(state).chain(waiting).collect()
        };
        let at = dice.below(image_bytes.len());
        let bytes = image_bytes.into_iter().nth(at).expect("it is below");
        let byte = dice.below(bytes.len());
        match dice.below(3) {
            0 => bytes.truncate(byte),
            1 => bytes[byte] = [0, 1, 0x7f, 0xff][dice.below(4)],
            _ => bytes[byte] ^= 1 << dice.below(8),
        }
        let simulation = simulated(&kinds(), 3);
        match restore(simulation.system().shared(), &image, &kinds()) {
            Err(_) => errors += 1,
            Ok(actors) => {
                restores += 1;
                drop(actors);
            }
        }
        simulation.run_for(1_000 * MS);
    }
    if !cfg!(miri) {
        assert!(errors > 100 && restores > 30, "{errors}, {restores}");
    }
}
