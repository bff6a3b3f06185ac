//! A turn that drives another system.

use super::*;

#[test]
fn a_message_of_a_system_that_an_older_turn_drives_waits_in_the_cut() {
    let system = System::builder().workers(3).build();
    let (actor, receiver) = (system.spawn(doer()), system.spawn(doer()));
    let to = receiver.clone();
    let go = held_turn(&actor, move |me, _| {
        me.sum += 1;
        let inner = Simulation::new(3);
        let inside = inner.system().spawn(doer());
        inside.run(Box::new(move |_, _| to.plain(5).send())).send();
        inner.run();
    });
    let (mut coordinator, log) = begin(&system);
    release(&go);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(
        log.has(&Event::Captured(id(&actor), Some(1))),
        "{:?}",
        log.all()
    );
    // The worker of the older turn may run the receiver in the same round, before its capture.
    let is_processed = log.has(&Event::Captured(id(&receiver), Some(5)));
    assert!(
        log.amounts().contains(&5) != is_processed,
        "{:?}",
        log.all()
    );
}

pub(super) fn an_older_turn_drives_a_system_that_finds_a_newer_name() {
    let system = System::builder().workers(3).build();
    let actor = system.spawn(doer());
    let outer = system.clone();
    let go = held_turn(&actor, move |me, _| {
        let inner = Simulation::new(3);
        let inside = inner.system().spawn(doer());
        let (to_turn, found) = channel();
        let look: Code = Box::new(move |_, _| {
            let is_found = outer.lookup::<Doer>("born behind").is_ok();
            to_turn.send(is_found).expect("the outer turn waits for it");
        });
        inside.run(look).send();
        inner.run();
        me.sum = u64::from(found.recv().expect("the inner turn has run"));
    });
    let (mut coordinator, log) = begin(&system);
    let born = system.spawn(doer());
    system
        .register("born behind", &born)
        .expect("the name is free");
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(
        log.has(&Event::Captured(id(&actor), Some(1))),
        "{:?}",
        log.all()
    );
    assert_eq!(outcome, Outcome::Void);
}

#[test]
fn a_look_at_a_table_from_a_system_that_an_older_turn_drives_makes_the_cut_void() {
    an_older_turn_drives_a_system_that_finds_a_newer_name();
}
