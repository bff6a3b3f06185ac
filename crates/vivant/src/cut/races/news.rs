//! What an older turn learns from behind the line, and what the code of a displaced message does.

use super::*;

/// The message that is displaced does something when it is dropped.
pub(super) fn an_older_message_displaces_a_newer_one() {
    let system = System::builder().workers(4).build();
    let (actor, other, stopped) = (
        system.spawn(doer()),
        system.spawn(doer()),
        system.spawn(doer()),
    );
    let one = system.spawn(keeps_latest::new());
    let two = system.spawn(keeps_latest_two::new());
    let (argument, hold_two, two_has_begun) = OnDrop::held();
    two.drops(argument).send();
    let (argument, hold_one, one_has_begun) = OnDrop::held();
    one.drops(argument).send();
    two_has_begun.recv().expect("the turn begins");
    one_has_begun.recv().expect("the turn begins");
    two.plain(1).send();
    one.plain(5).send();
    let to = two.clone();
    let go = held_turn(&actor, move |_, t| {
        t.send(to.plain(2));
        // Displaces the newer message.
        t.send(to.plain(3));
    });
    let (mut coordinator, log) = begin(&system);
    let (to_one, to_other, to_stopped, in_system) =
        (one.clone(), other.clone(), stopped.clone(), system.clone());
    let news = OnDrop::new(move || {
        to_one.plain(6).send();
        to_other.plain(7).send();
        Address::stop(&to_stopped);
        let born = in_system.spawn(Doer {
            sum: 100,
            open: false,
        });
        in_system.keep(&born);
    });
    two.drops(news).send();
    release(&go);
    settle();
    release(&hold_two);
    release(&hold_one);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    let (all, amounts) = (log.all(), log.amounts());
    assert!(
        amounts.contains(&5),
        "5 was displaced by news and is lost: {all:?}"
    );
    assert!(
        !amounts.contains(&7),
        "7 is news and is in the cut: {all:?}"
    );
    let is_born = |event: &Event| matches!(event, Event::Captured(_, Some(100)));
    assert!(
        !all.iter().any(is_born),
        "born by news, and in the cut: {all:?}"
    );
    let is_signalled = |event: &Event| matches!(event, Event::Signalled(_));
    assert!(
        !all.iter().any(is_signalled),
        "signalled by news, and in the cut: {all:?}"
    );
}

#[test]
fn what_news_does_is_not_in_the_cut_and_what_it_displaces_is() {
    an_older_message_displaces_a_newer_one();
}

#[test]
fn news_to_an_actor_that_ended_behind_the_line_is_not_in_the_cut() {
    let system = System::builder().workers(4).build();
    let (actor, ended) = (system.spawn(doer()), system.spawn(doer()));
    let two = system.spawn(keeps_latest_two::new());
    let (argument, hold, has_begun) = OnDrop::held();
    two.drops(argument).send();
    has_begun.recv().expect("the turn begins");
    two.plain(1).send();
    let to = two.clone();
    let go = held_turn(&actor, move |_, t| {
        t.send(to.plain(2));
        t.send(to.plain(3));
    });
    let (mut coordinator, log) = begin(&system);
    let to_ended = ended.clone();
    two.drops(OnDrop::new(move || to_ended.plain(9).send()))
        .send();
    stop_and_await(&ended);
    release(&go);
    settle();
    release(&hold);
    finish(&mut coordinator, &system);
    let _report = system.shutdown();
    assert!(!log.amounts().contains(&9), "{:?}", log.all());
}
