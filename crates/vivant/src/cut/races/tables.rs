//! Tables that a turn before the line looks at.

use super::*;
use crate::Group;

/// A turn before the line does `look` after `change` was done behind the line with an actor that
/// was born there. The turn gets the answer as it is, and the cut is void.
fn looks_across_line(
    change: impl FnOnce(&System, &Address<Doer>),
    look: impl FnOnce(&System) -> bool + Send + 'static,
) {
    let system = System::builder().workers(3).build();
    let actor = system.spawn(doer());
    let in_turn = system.clone();
    let go = held_turn(&actor, move |me, _| me.sum = u64::from(look(&in_turn)));
    let (mut coordinator, log) = begin(&system);
    let born = system.spawn(doer());
    change(&system, &born);
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    let knows = Event::Captured(id(&actor), Some(1));
    assert!(log.has(&knows), "{:?}", log.all());
    assert!(!log.has(&Event::Captured(id(&born), Some(0))));
    assert_eq!(outcome, Outcome::Void);
}

pub(super) fn an_older_turn_finds_a_newer_name() {
    looks_across_line(
        |system, born| system.register("born behind", born).expect("it is free"),
        |system| system.lookup::<Doer>("born behind").is_ok(),
    );
}

pub(super) fn an_older_turn_finds_a_newer_member() {
    let group = Group::new();
    let in_turn = group.clone();
    looks_across_line(
        move |_, born| assert!(group.join(born)),
        move |_| in_turn.members().len() == 1,
    );
}

#[test]
fn a_newer_name_that_an_older_turn_finds_makes_the_cut_void() {
    an_older_turn_finds_a_newer_name();
}

#[test]
fn a_newer_member_that_an_older_turn_finds_makes_the_cut_void() {
    an_older_turn_finds_a_newer_member();
}
