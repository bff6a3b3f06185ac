//! What a restored state must not end, or begin a second time.

use super::note_program::Program;
use crate::{OnPanic, Topic};
use std::time::Duration;

/// An ask of the incarnation before with a limit: its limit still passes.
#[test]
fn limits_of_the_incarnation_before_pass() {
    for on in [OnPanic::Restart, OnPanic::RestoreLast] {
        let program = Program::new();
        let (note, other) = (program.note(on), program.note(OnPanic::Restart));
        note.ask_within(other.clone()).send();
        program.simulation.run_for(Duration::from_secs(1));
        program.snapshot();
        note.write(0).send();
        program.simulation.run_for(Duration::from_secs(60));
        let lines = program.write(&note, 2).expect("it lives");
        let expected: &[u64] = match on {
            OnPanic::Restart => &[404, 2],
            _ => &[404, 404, 2],
        };
        assert_eq!(lines, expected, "{on:?}");
    }
}

/// A subscription that was made to last forever after the snapshot.
#[test]
fn a_subscription_that_lasts_forever_does() {
    let program = Program::new();
    let note = program.note(OnPanic::RestoreLast);
    let topic = Topic::new();
    note.listen(topic.clone()).send();
    program.simulation.run();
    program.snapshot();
    note.listens_forever().send();
    program.simulation.run();
    // Twice: the restored state has the handle, and drops it.
    for _ in 0..2 {
        program.write(&note, 0).expect_err("it panics");
        program.simulation.run();
    }
    topic.publish(7);
    program.simulation.run();
    assert_eq!(program.write(&note, 2).expect("it lives"), [7, 2]);
}

/// A handle that was given to another actor since the snapshot.
#[test]
fn a_handle_that_was_given_away_is_not_ended() {
    let program = Program::new();
    let (note, other) = (
        program.note(OnPanic::RestoreLast),
        program.note(OnPanic::Restart),
    );
    let topic = Topic::new();
    note.listen(topic.clone()).send();
    program.simulation.run();
    program.snapshot();
    note.give(other.clone()).send();
    program.simulation.run();
    // Twice: the restored state has the handle, and drops it.
    for _ in 0..2 {
        program.write(&note, 0).expect_err("it panics");
        topic.publish(7);
        program.simulation.run();
        assert_eq!(program.write(&note, 2).expect("it lives"), [7, 2]);
    }
}

/// The same, of a synchronizer.
#[test]
fn a_synchronizer_that_lasts_forever_does() {
    let program = Program::new();
    let (note, other) = (
        program.note(OnPanic::RestoreLast),
        program.note(OnPanic::Restart),
    );
    note.declare(other.clone()).send();
    program.simulation.run();
    program.snapshot();
    note.constrains_forever().send();
    program.simulation.run();
    // Twice: the restored state has the handle, and drops it.
    for _ in 0..2 {
        program.write(&note, 0).expect_err("it panics");
        program.simulation.run();
    }
    let waits = note.write(7).ask();
    program.simulation.run();
    assert_eq!(
        program.write(&note, 2).expect("it lives"),
        [2],
        "7 waits for the other"
    );
    drop(waits);
}
