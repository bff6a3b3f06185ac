//! A system of five actors, as the tests of the model and of the view see it.

use super::{Model, Pace};
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
