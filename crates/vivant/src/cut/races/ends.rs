//! Ends and restarts of actors behind the line.

use super::*;
use crate::{Child, Messages, Restart, Supervisor};

/// What is recorded for an actor that ended behind the line, when a turn before it does `code`.
fn records_of_ended(
    code: impl FnOnce(&Turn<'_, Doer>, &Address<Doer>) + Send + 'static,
) -> Vec<Event> {
    let system = System::builder().workers(3).build();
    let (actor, ended) = (system.spawn(doer()), system.spawn(doer()));
    let to = ended.clone();
    let go = held_turn(&actor, move |_, t| code(t, &to));
    let (mut coordinator, log) = begin(&system);
    stop_and_await(&ended);
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    assert_eq!(outcome, Outcome::Consistent);
    let _report = system.shutdown();
    let of_ended = |event: &Event| match event {
        Event::Waits(actor, _) | Event::Signalled(actor) => *actor == id(&ended),
        _ => false,
    };
    log.all().into_iter().filter(of_ended).collect()
}

pub(super) fn an_older_message_finds_its_receiver_ended() {
    let records = records_of_ended(|t, ended| t.send(ended.plain(5)));
    assert!(
        matches!(records[..], [Event::Waits(_, Some(5))]),
        "{records:?}"
    );
}

#[test]
fn an_older_message_to_an_actor_that_ended_behind_the_line_waits_in_the_cut() {
    an_older_message_finds_its_receiver_ended();
}

/// The request waits in the cut, so the refusal is not in it.
pub(super) fn an_older_request_is_refused_by_an_actor_that_ended_behind_the_line() {
    let system = System::builder().workers(3).build();
    let (actor, ended) = (system.spawn(doer()), system.spawn(doer()));
    let to = ended.clone();
    let go = held_turn(&actor, move |_, t| {
        t.ask(to.plain(5)).then_send(t.me().answered());
    });
    let (mut coordinator, log) = begin(&system);
    stop_and_await(&ended);
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert_eq!(outcome, Outcome::Consistent);
    assert_eq!(log.waiting(), [Some(5)], "{:?}", log.all());
    let waits_for_answer = Event::Captured(id(&actor), Some(0));
    assert!(log.has(&waits_for_answer), "{:?}", log.all());
}

#[test]
fn the_refusal_of_an_older_request_is_news_of_the_end() {
    an_older_request_is_refused_by_an_actor_that_ended_behind_the_line();
}

/// What the refused message does is not in the cut.
pub(super) fn an_end_before_the_line_refuses_a_newer_message() {
    let system = System::builder().workers(3).build();
    let (ends, other) = (system.spawn(doer()), system.spawn(doer()));
    let go = held_turn(&ends, |_, t| t.stop());
    let (mut coordinator, log) = begin(&system);
    let to = other.clone();
    let newer = OnDrop::new(move || to.plain(7).send());
    ends.gated_drop(newer).send();
    release(&go);
    let outcome = finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert_eq!(outcome, Outcome::Consistent);
    assert_eq!(log.waiting(), [], "{:?}", log.all());
    let unaware = Event::Captured(id(&other), Some(0));
    assert!(log.has(&unaware), "{:?}", log.all());
}

#[test]
fn an_end_refuses_a_newer_message_as_news_of_its_phase() {
    an_end_before_the_line_refuses_a_newer_message();
}

/// A turn before the line runs, and the stop comes behind the line.
pub(super) fn an_actor_is_stopped_behind_the_line() {
    let system = System::builder().workers(3).build();
    let actor = system.spawn(doer());
    let go = held_turn(&actor, |me, _| me.sum += 1);
    let (mut coordinator, log) = begin(&system);
    Address::stop(&actor);
    release(&go);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    let captured = Event::Captured(id(&actor), Some(1));
    assert!(log.has(&captured), "{:?}", log.all());
    let is_signalled = Event::Signalled(id(&actor));
    assert!(!log.has(&is_signalled), "{:?}", log.all());
}

#[test]
fn an_actor_that_is_stopped_behind_the_line_is_captured_first() {
    an_actor_is_stopped_behind_the_line();
}

#[test]
fn an_older_stop_after_the_queue_of_an_ended_actor_is_in_the_cut() {
    let records = records_of_ended(|_, ended| Address::stop_after_queue(ended));
    assert_eq!(records.len(), 1, "{records:?}");
}

#[test]
fn an_older_signal_to_an_actor_that_ended_behind_the_line_is_in_the_cut() {
    let records = records_of_ended(|_, ended| Address::stop(ended));
    assert_eq!(records.len(), 1, "{records:?}");
}

#[test]
fn an_actor_that_finds_newer_messages_in_its_end_is_not_captured_as_ended() {
    let system = System::builder().workers(3).build();
    let (watcher, ends) = (system.spawn(doer()), system.spawn(doer()));
    let watched = ends.clone();
    let watch: Code = Box::new(move |_, t| {
        t.watch(&watched).then_send(t.me().gone());
    });
    watcher.run(watch).send();
    settle();
    let go = held_turn(&ends, |_, t| t.stop());
    let (mut coordinator, log) = begin(&system);
    ends.plain(10).send();
    release(&go);
    finish(&mut coordinator, &system);
    // No notice of the end is in the cut.
    let ended = Event::Life(id(&ends), "ended");
    assert!(!log.has(&ended), "{:?}", log.all());
    let _report = system.shutdown();
}

#[test]
fn an_actor_is_captured_as_down_only_with_the_news_of_it() {
    let system = System::builder().workers(3).build();
    let tree = Supervisor::one_for_one().spawn(&system);
    let child = Child::new(|_| doer())
        .restart(Restart::OnFailure)
        .messages(Messages::Returned);
    let fails = tree.add(child);
    settle();
    let go = held_turn(&fails, |_, t| t.fail("now"));
    let (mut coordinator, log) = begin(&system);
    fails.plain(10).send();
    release(&go);
    finish(&mut coordinator, &system);
    let down = log.has(&Event::Life(id(&fails), "down"));
    // Or its supervisor has taken the news before the line, and its order waits.
    let is_ordered = log.has(&Event::Signalled(id(&fails)));
    let is_known = is_ordered || !log.waiting().is_empty();
    assert!(!down || is_known, "{:?}", log.all());
    let _report = system.shutdown();
}

#[test]
fn a_cut_is_complete_only_when_an_end_has_recorded_its_deferred_messages() {
    let system = System::builder().workers(3).build();
    let actor = system.spawn(doer());
    let (argument, hold, has_begun) = OnDrop::held();
    actor.gated_drop(argument).send();
    actor.gated(5).send();
    settle();
    let (mut coordinator, log) = begin(&system);
    let go = held_turn(&actor, |_, t| t.stop());
    reach_mailbox_pass(&mut coordinator, &system);
    release(&go);
    has_begun
        .recv()
        .expect("the end refuses the first deferred message");
    // Either the record comes before the refusal, or the cut waits for the end.
    let early = finish_within(1000, &mut coordinator, &system).map(|_| log.amounts());
    release(&hold);
    let complete = early.unwrap_or_else(|| {
        finish(&mut coordinator, &system);
        log.amounts()
    });
    let _report = system.shutdown();
    assert_eq!(complete, [5], "{:?}", log.all());
}

/// Its end has taken all signals, and the actor is in no pass any more.
#[test]
fn a_newer_signal_for_an_actor_in_its_end_does_not_capture_it() {
    let system = System::builder().workers(3).build();
    let (actor, _other) = (system.spawn(doer()), system.spawn(doer()));
    let (argument, hold, has_begun) = OnDrop::held();
    actor.gated_drop(argument).send();
    settle();
    let go = held_turn(&actor, |_, t| t.stop());
    release(&go);
    has_begun.recv().expect("the end refuses the message");
    let (mut coordinator, log) = begin(&system);
    Address::stop(&actor);
    release(&hold);
    assert_eq!(finish(&mut coordinator, &system), Outcome::Consistent);
    let of_actor =
        |event: &Event| matches!(event, Event::Captured(actor_id, _) if *actor_id == id(&actor));
    assert!(!log.all().iter().any(of_actor), "{:?}", log.all());
    // The system still knows how many actors are in which pass.
    let (mut coordinator, _log) = begin(&system);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
}
