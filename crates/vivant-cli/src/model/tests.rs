//! The model: every key, every new snapshot.

use super::column::{Column, List};
use super::keys::{Key, Next};
use super::sample::{model, snapshot};
use super::waits::Hold;
use super::{Focus, Link, Model, Pace, Page, home};
use vivant_console::wire::{Actor, Snapshot};

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
    let mut firsts = |list: List| -> Vec<(Column, String)> {
        (0..list.columns().len())
            .map(|_| {
                let first = (model.sort(list), paths(&model)[0].clone());
                press(&mut model, "s");
                first
            })
            .collect()
    };
    let actors = firsts(List::Actors);
    model.press(Key::Tab);
    assert_eq!(model.page, Page::Heaps);
    assert_eq!(model.sort(List::Actors), Column::Busy, "round and round");
    let mut firsts = |list: List| -> Vec<(Column, String)> {
        (0..list.columns().len())
            .map(|_| {
                let first = (model.sort(list), paths(&model)[0].clone());
                press(&mut model, "s");
                first
            })
            .collect()
    };
    let heaps = firsts(List::Heaps);
    assert_eq!(model.sort(List::Heaps), Column::Live, "round and round");
    let (clerk, desk, store) = ("shop::Desk/0/Clerk/0", "shop::Desk/0", "shop::Store/1");
    let expected = [
        (Column::Busy, clerk),
        (Column::Depth, clerk),
        (Column::Age, clerk),
        (Column::Turns, desk),
        (Column::Deferred, store),
        (Column::Restarts, clerk),
        (Column::Actor, desk),
    ];
    assert_eq!(actors, expected.map(|(sort, path)| (sort, path.to_owned())));
    let expected = [
        (Column::Live, store),
        (Column::Pages, store),
        (Column::Allocating, store),
        (Column::Marks, store),
        (Column::Paused, store),
        (Column::Longest, desk),
        (Column::Actor, desk),
    ];
    assert_eq!(heaps, expected.map(|(sort, path)| (sort, path.to_owned())));
}

#[test]
fn heaps_have_rates_and_only_actors_with_a_heap_are_listed() {
    let mut model = model();
    press(&mut model, "3");
    assert_eq!(model.page, Page::Heaps);
    let rows = model.rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].allocating, Some(150_000_000.0));
    assert_eq!(rows[0].paused, Some(0.015));
    let guest = model.detail("shop::Guest/2").unwrap();
    assert_eq!((guest.allocating, guest.paused), (None, None));
    press(&mut model, "/clerk");
    assert_eq!(model.page, Page::Heaps, "the filter is typed here");
    assert_eq!(paths(&model), [""; 0]);
}

#[test]
fn waits_are_edges_requests_of_waiting_actors_and_other_requests() {
    let mut model = model();
    press(&mut model, "4");
    let lines: Vec<_> = model
        .waits()
        .iter()
        .map(|line| (line.hold, &*line.asker, &*line.answerer, &*line.state))
        .map(|(hold, asker, answerer, state)| {
            (
                hold,
                asker.to_owned(),
                answerer.to_owned(),
                state.to_owned(),
            )
        })
        .collect();
    let expected = [
        (
            Hold::Exclusive,
            "shop::Desk/0",
            "shop::Desk/0/Clerk/0",
            "begun",
        ),
        (Hold::Exclusive, "shop::Guest/2", "shop::Desk/0", "blocked"),
        (Hold::Open, "outside", "shop::Store/1", "begun"),
        (
            Hold::Open,
            "shop::Desk/0/Clerk/0",
            "shop::Store/1",
            "queued",
        ),
    ];
    assert_eq!(
        lines,
        expected.map(|(hold, asker, answerer, state)| {
            (
                hold,
                asker.to_owned(),
                answerer.to_owned(),
                state.to_owned(),
            )
        })
    );
    let blocked = model.waits()[1];
    assert_eq!(
        blocked.chain(&model.look.waits),
        ["shop::Guest/2", "shop::Desk/0", "shop::Desk/0/Clerk/0"]
    );
    press(&mut model, "jj");
    model.press(Key::Enter);
    assert_eq!(model.focus, Focus::Page, "no actor asked");
    press(&mut model, "k");
    model.press(Key::Enter);
    assert_eq!(model.focus, Focus::Detail("shop::Guest/2".into()));
    model.press(Key::Esc);
    press(&mut model, "/CLERK::SELL");
    assert_eq!((model.page, model.waits().len()), (Page::Waits, 1));
    assert_eq!(model.wait_at(), 0);
    model.press(Key::Esc);
    // A wait without a request, for example for a promise of the actor itself.
    let mut third = snapshot(3);
    third.requests.clear();
    model.looked(third);
    let first = model.waits()[0];
    assert_eq!(
        (&*first.answerer, &*first.asked_at),
        ("-", "src/desk.rs:40:14")
    );
    model.looked(Snapshot::default());
    assert_eq!((model.waits().len(), model.wait_at()), (0, 0));
    model.press(Key::Down);
    model.press(Key::Enter);
    assert_eq!(model.focus, Focus::Page);
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
    press(&mut model, "9");
    assert_eq!(model.page, Page::Reports, "no such page");
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
