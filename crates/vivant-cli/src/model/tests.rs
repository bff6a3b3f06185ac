//! The model: every key, every new snapshot.

use super::column::Column;
use super::keys::{Key, Next};
use super::{Focus, Link, Model, Pace, Page, home};
use vivant_console::wire::{Actor, DeadLetters, Report, Snapshot, Totals, VERSION};

/// A system with five actors, `seconds` after the console began; its counts grow with the time.
pub(crate) fn snapshot(seconds: u64) -> Snapshot {
    let actor = |actor: &str, turns: u64, busy_ms: u64| Actor {
        actor: actor.to_owned(),
        type_name: actor.split('/').next().unwrap_or_default().to_owned(),
        turns: turns * seconds,
        busy_ms: busy_ms * seconds,
        because: "2 addresses, 1 messages".to_owned(),
        ..Actor::default()
    };
    let mut actors = vec![
        actor("shop::Desk/0", 1_500, 250),
        actor("shop::Desk/0/Clerk/0", 20, 900),
        actor("shop::Desk/0/Clerk/1", 30, 20),
        actor("shop::Store/1", 4, 1),
        actor("shop::Guest/2", 0, 0),
    ];
    (actors[1].depth, actors[1].age_ms) = (2_048, 4_200);
    (actors[1].mutes, actors[1].restarts) = (2, 3);
    actors[1].current = Some("shop::Clerk::sell".to_owned());
    actors[1].current_for_ms = Some(12);
    (actors[2].depth, actors[2].age_ms) = (7, 40);
    for muted in [0, 4] {
        actors[muted].muted_by = Some("shop::Desk/0/Clerk/0".to_owned());
    }
    (actors[3].deferred, actors[3].deferred_age_ms) = (12, Some(61_000));
    let letters = |behaviour: &str, place: &str, cause: &str, count| DeadLetters {
        behaviour: behaviour.to_owned(),
        place: place.to_owned(),
        cause: cause.to_owned(),
        count,
    };
    let report = |kind: &str, text: &str| Report {
        kind: kind.to_owned(),
        text: text.to_owned(),
    };
    Snapshot {
        version: VERSION,
        at_ms: seconds * 1000,
        totals: Totals {
            actors: 5,
            turns: 1_554 * seconds,
            waiting: 2_055,
            deferred: 12,
            muted: 2,
            dead_letters: 100 + 4 * seconds,
            restarts: 3,
            panics: 3,
            timers: 1,
            workers: 4,
            surplus_workers: 1,
            bytes: 150_000,
            ..Totals::default()
        },
        actors,
        dead_letters: vec![
            letters(
                "shop::Guest::greet",
                "src/desk.rs:12:9",
                "its actor had ended",
                100,
            ),
            letters(
                "shop::Store::take",
                "src/clerk.rs:40:21",
                "it was withdrawn",
                4 * seconds,
            ),
        ],
        reports: vec![
            report(
                "panicked",
                "a turn panicked: \"no\nstock\" at src/store.rs:7:5",
            ),
            report(
                "slow_turn",
                "shop::Clerk::sell has been holding its worker for 12 ms",
            ),
        ],
        ..Snapshot::default()
    }
}

/// A model with two snapshots, one second apart.
pub(crate) fn model() -> Model {
    let mut model = Model::new("127.0.0.1:4711, every 1s", Pace::Running);
    model.looked(snapshot(1));
    model.looked(snapshot(2));
    model
}

fn paths(model: &Model) -> Vec<String> {
    let rows = model.rows();
    rows.iter().map(|row| row.facts.actor.clone()).collect()
}

fn press(model: &mut Model, keys: &str) {
    for c in keys.chars() {
        assert_eq!(model.press(Key::Char(c)), Next::Draw);
    }
}

#[test]
fn rates_are_differences_between_two_looks() {
    let mut model = Model::new("", Pace::Running);
    model.looked(snapshot(1));
    assert_eq!(model.look.rows[0].turns, None, "one look has no rates");
    model.looked(snapshot(3));
    let row = &model.look.rows[0];
    assert_eq!((row.turns, row.busy), (Some(1_500.0), Some(0.25)));
    assert_eq!(model.look.dead_letters, Some(4.0));
    assert_eq!(model.look.letters[1].rate, Some(4.0));
    assert_eq!(model.look.turns, Some(1_554.0));
}

#[test]
fn a_count_that_falls_is_no_rate_below_zero() {
    let mut model = model();
    let mut third = snapshot(3);
    third.actors[0].turns = 0;
    third.totals.panics = 0;
    model.looked(third);
    assert_eq!(model.look.rows[0].turns, Some(0.0));
    assert_eq!(model.look.panics, Some(0.0));
}

#[test]
fn an_actor_that_is_new_began_at_nothing() {
    let mut model = model();
    let mut third = snapshot(3);
    let new = Actor {
        actor: "shop::New/9".into(),
        turns: 8,
        ..Actor::default()
    };
    third.actors.push(new);
    model.looked(third.clone());
    assert_eq!(model.look.rows[5].turns, Some(8.0));
    // If the snapshot may only have left it out, nothing is reported.
    let mut partial = snapshot(2);
    partial.totals.left_out = 1;
    model.looked(partial);
    model.looked(third);
    assert_eq!(model.look.rows[5].turns, None);
}

#[test]
fn another_run_of_the_program_has_no_rates_at_first() {
    let mut model = model();
    model.looked(snapshot(1));
    assert_eq!(model.look.rows[0].turns, None, "its clock is behind");
    model.looked(snapshot(2));
    model.lost("nobody there");
    assert_eq!(model.link, Link::Lost("nobody there".into()));
    assert_eq!(model.look.rows.len(), 5, "what was seen last stays");
    model.looked(snapshot(9));
    assert_eq!(model.link, Link::Live);
    assert_eq!(model.look.rows[0].turns, None);
}

#[test]
fn every_column_sorts() {
    let mut model = model();
    model.press(Key::Tab);
    let firsts: Vec<(Column, String)> = (0..Column::ALL.len())
        .map(|_| {
            let first = (model.sort, paths(&model)[0].clone());
            press(&mut model, "s");
            first
        })
        .collect();
    let clerk = "shop::Desk/0/Clerk/0";
    let expected = [
        (Column::Busy, clerk),
        (Column::Depth, clerk),
        (Column::Age, clerk),
        (Column::Turns, "shop::Desk/0"),
        (Column::Deferred, "shop::Store/1"),
        (Column::Restarts, clerk),
        (Column::Actor, "shop::Desk/0"),
    ];
    assert_eq!(firsts, expected.map(|(sort, path)| (sort, path.to_owned())));
    assert_eq!(model.sort, Column::Busy, "round and round");
}

#[test]
fn the_filter_is_typed_kept_and_cleared() {
    let mut model = model();
    press(&mut model, "/");
    assert_eq!(
        (model.page, model.focus.clone()),
        (Page::Actors, Focus::Filter)
    );
    press(&mut model, "CLERKq");
    assert_eq!(paths(&model), [""; 0], "q is a letter here");
    model.press(Key::Backspace);
    assert_eq!(paths(&model).len(), 2);
    model.press(Key::Enter);
    assert_eq!(model.focus, Focus::Page);
    assert_eq!(paths(&model).len(), 2, "kept");
    model.press(Key::Esc);
    assert_eq!(paths(&model).len(), 5, "cleared");
    press(&mut model, "/sell");
    assert_eq!(paths(&model), ["shop::Desk/0/Clerk/0"], "by behaviour");
    model.press(Key::Esc);
    assert_eq!((paths(&model).len(), model.focus), (5, Focus::Page));
}

#[test]
fn the_chosen_actor_stays_chosen_when_the_order_changes() {
    let mut model = model();
    model.press(Key::Tab);
    press(&mut model, "jj");
    let chosen = paths(&model)[2].clone();
    assert_eq!(chosen, "shop::Desk/0/Clerk/1");
    let mut third = snapshot(3);
    third.actors[2].busy_ms += 1_000;
    model.looked(third.clone());
    assert_eq!(paths(&model)[model.chosen_at()], chosen);
    assert_eq!(model.chosen_at(), 0);
    third.at_ms += 1;
    third.actors.remove(2);
    model.looked(third);
    assert_eq!(model.chosen_at(), 0, "whoever is at its place");
    model.press(Key::Last);
    assert_eq!(model.chosen_at(), 3);
    model.press(Key::PageUp);
    assert_eq!(model.chosen_at(), 0);
}

#[test]
fn detail_and_back() {
    let mut model = model();
    model.press(Key::Enter);
    assert_eq!(model.page, Page::Actors, "from the first page to the list");
    model.press(Key::Enter);
    assert_eq!(model.focus, Focus::Detail("shop::Desk/0/Clerk/0".into()));
    assert!(model.detail("shop::Desk/0/Clerk/0").is_some());
    assert!(model.detail("shop::Nobody/7").is_none());
    model.press(Key::Esc);
    assert_eq!(model.focus, Focus::Page);
    press(&mut model, "?");
    assert_eq!(model.focus, Focus::Help);
    assert_eq!(model.press(Key::Char('q')), Next::Quit);
}

#[test]
fn looks_are_paused_and_taken_one_by_one() {
    let mut model = model();
    assert_eq!(model.press(Key::Char('n')), Next::Draw, "only while paused");
    assert_eq!(model.press(Key::Char('p')), Next::Keep(Pace::Paused));
    assert_eq!(model.press(Key::Char('n')), Next::Look);
    assert_eq!(model.press(Key::Char('p')), Next::Keep(Pace::Running));
}

#[test]
fn no_actor_at_all_is_no_panic() {
    let mut model = Model::new("", Pace::Running);
    model.looked(Snapshot::default());
    model.press(Key::Tab);
    for key in [Key::Down, Key::Up, Key::Last, Key::PageUp, Key::Enter] {
        model.press(key);
    }
    assert_eq!(model.focus, Focus::Page, "nobody to show");
}

#[test]
fn every_key_quits_or_goes_on() {
    let mut model = model();
    assert_eq!(model.press(Key::Interrupt), Next::Quit);
    press(&mut model, "/");
    assert_eq!(model.press(Key::Interrupt), Next::Quit);
    model.press(Key::Esc);
    model.press(Key::BackTab);
    assert_eq!(model.page, Page::Home);
    model.press(Key::BackTab);
    assert_eq!(model.page, Page::Reports);
    press(&mut model, "jjj");
    assert_eq!(model.reports_above, 1, "the last report stays");
}

#[test]
fn the_lists_of_the_first_page() {
    let model = model();
    let look = &model.look;
    let names = |rows: Vec<&super::look::Row>| -> Vec<String> {
        rows.iter().map(|row| row.facts.actor.clone()).collect()
    };
    assert_eq!(
        names(home::busiest(look)).len(),
        4,
        "idle ones are not busy"
    );
    assert_eq!(names(home::longest(look))[0], "shop::Desk/0/Clerk/0");
    assert_eq!(names(home::restarted(look)).len(), 1);
    let muting = home::muting(look);
    assert_eq!(muting[0].muted, ["shop::Desk/0", "shop::Guest/2"]);
    assert_eq!(
        home::letters(look)[0].facts.count,
        8,
        "the one that grows first"
    );
}
