//! The run word, step by step. Beside `state.rs`, which `verify/loom` compiles too.

use super::state::{Parked, RunWord, Signals, Told};

#[test]
fn one_enqueue_for_many_tellings() {
    let word = RunWord::new();
    assert_eq!(word.notify(), Told::Enqueue);
    assert_eq!(word.notify(), Told::Nothing);
    assert_eq!(word.signal(Signals::STOP), Told::Nothing);
    assert!(word.hold().has(Signals::STOP));
    assert_eq!(word.park(), Parked::Yes);
    assert_eq!(word.notify(), Told::Enqueue);
}

#[test]
fn told_while_held_is_looked_at_again() {
    let word = RunWord::new();
    assert_eq!(word.notify(), Told::Enqueue);
    assert_eq!(word.hold(), Signals::default());
    assert_eq!(word.signal(Signals::UNMUTE), Told::Nothing);
    assert!(word.look().has(Signals::UNMUTE));
    assert_eq!(word.notify(), Told::Nothing);
    assert_eq!(word.park(), Parked::Again(Signals::default()));
    word.requeue();
    assert_eq!(word.signal(Signals::STOP), Told::Nothing);
    assert!(word.hold().has(Signals::STOP));
}
