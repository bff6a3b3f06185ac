//! The model: every key, every new snapshot.

use super::column::{Column, List};
use super::keys::{Key, Next};
use super::waits::Hold;
use super::{Focus, Link, Model, Pace, Page, home};
use vivant_console::wire::{
    Actor, DeadLetters, Distribution, Heap, OpenRequest, Pauses, REVISION, Report, Snapshot,
    SystemPauses, Totals, VERSION, Wait, WaitEdge,
};

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
    (actors[2].bound, actors[2].when_full) = (Some(7), "reject".to_owned());
    actors[0].exclusive_for_ms = Some(4_200);
    actors[4].exclusive_for_ms = Some(900);
    for (at, heap) in [(0, 2_u64), (3, 30)] {
        let minor = Pauses {
            count: 10 * heap * seconds,
            total_ns: 500_000 * heap * seconds,
            longest_ns: 20_000 * heap,
        };
        let mark_end = Pauses {
            count: heap,
            total_ns: 1_100_000,
            longest_ns: 600_000,
        };
        actors[at].heap = Some(Heap {
            live: 700_000 * heap,
            pages: 1_000_000 * heap,
            held: 800_000 * heap,
            allocated: 5_000_000 * heap * seconds,
            promoted: 90_000 * heap,
            minors: minor.count,
            marks: heap,
            exports: 12,
            imports: 3,
            pauses: [("minor", minor), ("mark_end", mark_end)]
                .map(|(kind, these)| (kind.to_owned(), these))
                .into(),
            ..Heap::default()
        });
    }
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
        revision: REVISION,
        name: "shop".to_owned(),
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
            full: 1,
            waits: 2,
            requests: 4,
            heaps: 2,
            heap_bytes: 32_000_000,
            heap_live: 22_400_000,
            ..Totals::default()
        },
        actors,
        pauses: pauses(),
        waits: waits(),
        requests: requests(),
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
    }
}

fn pauses() -> SystemPauses {
    let minor = Distribution {
        count: 1_234,
        total_ns: 32_000_000,
        p50_ns: 12_000,
        p99_ns: 80_000,
        p999_ns: 400_000,
        p9999_ns: 600_000,
        longest_ns: 600_000,
    };
    let mark_end = Distribution {
        count: 32,
        total_ns: 2_200_000,
        p50_ns: 60_000,
        p99_ns: 1_200_000,
        p999_ns: 1_200_000,
        p9999_ns: 1_200_000,
        longest_ns: 1_200_000,
    };
    let all = Distribution {
        count: 1_266,
        total_ns: 34_200_000,
        p99_ns: 90_000,
        longest_ns: 1_200_000,
        ..minor
    };
    SystemPauses {
        all,
        by_kind: [("minor", minor), ("mark_end", mark_end)]
            .map(|(kind, these)| (kind.to_owned(), these))
            .into(),
    }
}

/// The desk waits for a clerk that waits for no actor; a guest waits for the desk.
fn waits() -> Vec<Wait> {
    let wait = |actor: &str, waits_at: &str, for_ms| Wait {
        actor: actor.to_owned(),
        waits_at: waits_at.to_owned(),
        for_ms,
        ..Wait::default()
    };
    let mut waits = vec![
        wait("shop::Desk/0", "src/desk.rs:40:14", 4_200),
        wait("shop::Guest/2", "src/guest.rs:21:9", 900),
    ];
    waits[1].needs = vec![WaitEdge {
        behaviour: "shop::Desk::order".to_owned(),
        asked_at: "src/guest.rs:20:30".to_owned(),
        deferred_by: "shop::Desk/0".to_owned(),
    }];
    waits
}

fn requests() -> Vec<OpenRequest> {
    let request =
        |asker: Option<&str>, answerer: &str, behaviour: &str, place: &str, for_ms| OpenRequest {
            asker: asker.map(str::to_owned),
            answerer: Some(answerer.to_owned()),
            behaviour: behaviour.to_owned(),
            asked_at: place.to_owned(),
            for_ms,
            progress: "begun".to_owned(),
        };
    let (desk, store, clerk) = ("shop::Desk/0", "shop::Store/1", "shop::Desk/0/Clerk/0");
    let mut requests = vec![
        request(None, store, "shop::Store::take", "src/main.rs:9:5", 61_000),
        request(
            Some(desk),
            clerk,
            "shop::Clerk::sell",
            "src/desk.rs:39:20",
            4_200,
        ),
        request(
            Some("shop::Guest/2"),
            desk,
            "shop::Desk::order",
            "src/guest.rs:20:30",
            900,
        ),
        request(
            Some(clerk),
            store,
            "shop::Store::count",
            "src/clerk.rs:7:1",
            12,
        ),
    ];
    requests[2].progress = "deferred".to_owned();
    requests[3].progress = "queued".to_owned();
    requests
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
