//! Alarms that an older worker fires, and requests that are withdrawn.

use super::*;

#[test]
fn the_message_of_an_alarm_that_was_set_behind_the_line_is_not_in_the_cut() {
    let system = System::builder().workers(2).build();
    let (actor, receiver, gone) = (
        system.spawn(doer()),
        system.spawn(doer()),
        system.spawn(doer()),
    );
    let (argument, hold, has_begun) = OnDrop::held();
    let to_gone = gone.clone();
    let first: Code = Box::new(move |_, t| {
        let _timer = t.after(Duration::from_millis(30), to_gone.gated_drop(argument));
    });
    actor.run(first).send();
    stop_and_await(&gone);
    has_begun
        .recv()
        .expect("a worker drops the message of the first alarm");
    let (mut coordinator, log) = begin(&system);
    let to = receiver.clone();
    let (to_test, is_set) = channel::<()>();
    let (to_turn, in_turn) = channel::<()>();
    let second: Code = Box::new(move |me, t| {
        me.sum += 1;
        let _timer = t.after(Duration::from_millis(1), to.plain(5));
        to_test.send(()).expect("the test waits for it");
        in_turn.recv().expect("the test releases the turn");
    });
    actor.run(second).send();
    is_set.recv().expect("the turn begins");
    settle();
    release(&hold);
    settle();
    release(&to_turn);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(
        log.has(&Event::Captured(id(&actor), Some(0))),
        "{:?}",
        log.all()
    );
    let unaware = Event::Captured(id(&receiver), Some(0));
    assert!(log.has(&unaware), "{:?}", log.all());
    assert!(log.amounts().is_empty(), "{:?}", log.all());
}

#[test]
fn an_older_request_that_is_withdrawn_behind_the_line_waits_or_makes_the_cut_void() {
    let system = System::builder().workers(3).build();
    let (actor, receiver) = (system.spawn(doer()), system.spawn(doer()));
    let go = held_turn(&receiver, |_, _| {});
    let asked = receiver.plain(5).ask();
    let (mut coordinator, log) = begin(&system);
    let (to_test, is_withdrawn) = channel();
    let withdraw: Code = Box::new(move |_, _| {
        let _answer = asked.cancel();
        to_test.send(()).expect("the test waits for it");
    });
    actor.run(withdraw).send();
    is_withdrawn.recv().expect("the turn ends");
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(
        log.amounts().contains(&5) || outcome == Outcome::Void,
        "{:?}",
        log.all()
    );
}
