//! Feature `tracing`: one root span for each turn, linked to the span in which its message was
//! sent; events.
//!
//! No test of this binary may run a system on a thread without a subscriber: while the process has
//! at most one, `tracing` asks the subscriber of the thread that comes first to an event or span
//! whether it is wanted, and keeps the answer for all threads.

mod collector;
mod panics;

use collector::{Record, Seen};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::Level;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cancelled, Report};

/// What a program on one thread makes a subscriber receive.
fn seen(seed: u64, program: impl FnOnce(&Simulation)) -> Seen {
    let seen = Seen::default();
    tracing::subscriber::with_default(seen.subscriber(), || {
        let simulation = Simulation::new(seed);
        program(&simulation);
        simulation.run();
    });
    seen
}

#[derive(Actor)]
struct Desk {
    next: Option<Address<Desk>>,
    open: bool,
}

#[behaviours]
impl Desk {
    fn pass(&mut self, t: &Turn<Self>, hops: u64) {
        if let (Some(next), true) = (&self.next, hops > 0) {
            t.send(next.pass(hops - 1));
        }
    }

    fn work(&mut self, t: &Turn<Self>) {
        let _within = tracing::info_span!("work").entered();
        t.send(t.me().rest());
    }

    fn rest(&mut self) {
        tracing::info!("resting");
    }

    /// Asks the next desk, which leaves the answer to the one after it.
    fn begin(&mut self, t: &Turn<Self>) {
        if let Some(next) = &self.next {
            let _answered = t.ask(next.forward()).then(t.me().reported());
        }
    }

    fn forward(&mut self, t: &Turn<Self>) -> Promise<u64> {
        match &self.next {
            Some(next) => t.ask(next.answer()),
            None => Promise::ready(0),
        }
    }

    fn answer(&mut self) -> u64 {
        7
    }

    #[then]
    fn reported(&mut self, number: Result<u64, AskError>) {
        assert_eq!(number, Ok(7));
    }

    fn open(&mut self) {
        self.open = true;
    }

    #[when(self.open)]
    fn enter(&mut self) {}

    fn fail(&mut self) {
        panic!("the desk collapsed");
    }
}

fn desk(system: &System, next: Option<&Address<Desk>>) -> Address<Desk> {
    system.spawn(Desk {
        next: next.cloned(),
        open: false,
    })
}

fn follows(record: &Record, behaviour: &str) -> Vec<usize> {
    record.spans[record.turn_of(behaviour)].follows.clone()
}

#[test]
fn a_turn_is_a_root_span_with_its_actor_behaviour_and_place() {
    let mut line = 0;
    let seen = seen(1, |simulation| {
        let desk = desk(simulation.system(), None);
        let _request = tracing::info_span!("request").entered();
        line = line!() + 1;
        desk.pass(0).send();
        simulation.run();
    });
    let record = seen.record();
    let turn = &record.spans[record.turn_of("::pass")];
    assert_eq!((turn.name, turn.target.as_str()), ("turn", "vivant"));
    assert_eq!(turn.fields["actor"], format!("{}/0", Desk::NAME));
    assert_eq!(turn.fields["behaviour"], format!("{}::pass", Desk::NAME));
    let at = format!("{}:{line}:", file!());
    assert!(turn.fields["place"].starts_with(&at), "{:?}", turn.fields);
    assert_eq!(turn.fields.len(), 3);
    assert_eq!(turn.parent, None, "also when it runs within another span");
    assert_eq!(turn.follows, [record.named("request")]);
    assert_eq!((turn.entered, turn.closed), (1, true));
}

#[test]
fn a_chain_of_messages_is_a_chain_of_links_and_no_trace_grows() {
    const HOPS: usize = 100;
    let seen = seen(2, |simulation| {
        let system = simulation.system();
        let last = desk(system, None);
        let mut first = last.clone();
        for _ in 0..HOPS {
            first = desk(system, Some(&first));
        }
        first.pass(HOPS as u64).send();
        simulation.run();
    });
    let record = seen.record();
    let turns = record.turns_of("::pass");
    assert_eq!(turns.len(), HOPS + 1);
    let follows = &record.spans[turns[0]].follows;
    assert!(follows.is_empty(), "sent outside any span");
    for pair in turns.windows(2) {
        assert_eq!(record.spans[pair[1]].follows, [pair[0]]);
    }
    assert!(record.spans.iter().all(|span| span.parent.is_none()));
    assert!(record.spans.iter().all(|span| span.closed));
    assert!(
        record.open_max <= 2,
        "a span closes once its messages have begun: {} were open",
        record.open_max
    );
}

#[test]
fn a_message_follows_from_the_users_own_span() {
    let seen = seen(3, |simulation| {
        desk(simulation.system(), None).work().send();
    });
    let record = seen.record();
    let work = record.named("work");
    assert_eq!(record.spans[work].parent, Some(record.turn_of("::work")));
    assert_eq!(follows(&record, "::rest"), [work]);
    let resting = record.events.iter().find(|event| event.target != "vivant");
    assert_eq!(
        resting.and_then(|event| event.within),
        Some(record.turn_of("::rest")),
        "what a behaviour says is within its turn"
    );
}

#[test]
fn a_continuation_is_a_turn_of_its_own_that_follows_from_the_one_that_answered() {
    for seed in 0..20 {
        let seen = seen(seed, |simulation| {
            let system = simulation.system();
            let last = desk(system, None);
            let middle = desk(system, Some(&last));
            desk(system, Some(&middle)).begin().send();
            // The thread that drives the actors has sent nothing.
            let _driver = tracing::info_span!("driver").entered();
            simulation.run();
        });
        let record = seen.record();
        let turns: Vec<_> = (record.spans.iter())
            .filter(|span| span.name == "turn")
            .map(|span| span.fields["behaviour"].rsplit("::").next().unwrap_or("-"))
            .collect();
        assert_eq!(
            turns,
            ["begin", "forward", "answer", "reported"],
            "what brings the answer is no turn"
        );
        assert_eq!(follows(&record, "::forward"), [record.turn_of("::begin")]);
        assert_eq!(follows(&record, "::answer"), [record.turn_of("::forward")]);
        assert_eq!(follows(&record, "::reported"), [record.turn_of("::answer")]);
    }
}

#[test]
fn a_message_that_waits_for_its_guard_has_one_span() {
    let seen = seen(4, |simulation| {
        let desk = desk(simulation.system(), None);
        let _request = tracing::info_span!("request").entered();
        desk.enter().send();
        for _ in 0..5 {
            desk.rest().send();
            simulation.run();
        }
        desk.open().send();
        simulation.run();
    });
    let record = seen.record();
    let (enter, open) = (record.turn_of("::enter"), record.turn_of("::open"));
    assert!(open < enter, "no span before its guard opened");
    assert_eq!(record.spans[enter].follows, [record.named("request")]);
}

#[test]
fn a_withdrawn_message_has_no_span() {
    let seen = seen(5, |simulation| {
        let asked = desk(simulation.system(), None).answer().ask();
        assert_eq!(asked.cancel(), Cancelled::Withdrawn);
    });
    let record = seen.record();
    assert!(record.turns_of("::answer").is_empty());
    let letters = record.events_of("dead letter");
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].fields["cause"], "it was withdrawn");
}

#[test]
fn starts_ends_panics_and_dead_letters_are_events() {
    let seen = seen(6, |simulation| {
        let desk = desk(simulation.system(), None);
        desk.fail().send();
        simulation.run();
        desk.rest().send();
    });
    let record = seen.record();
    let (actor, path) = (Desk::NAME, format!("{}/0", Desk::NAME));
    let one = |message, level, fields: &[(&'static str, &str)]| {
        let events = record.events_of(message);
        assert_eq!(events.len(), 1, "{message}");
        assert_eq!(events[0].level, level, "{message}");
        assert_eq!(events[0].fields["actor"], path, "{message}");
        for (name, value) in fields {
            let got = &events[0].fields[name];
            assert!(got.contains(value), "{message}: {name} is {got}");
        }
        assert_eq!(events[0].fields.len(), fields.len() + 2, "{message}");
    };
    let (fail, rest) = (format!("{actor}::fail"), format!("{actor}::rest"));
    let here = file!();
    one("spawned", Level::DEBUG, &[]);
    one(
        "panicked",
        Level::WARN,
        &[
            ("behaviour", &fail),
            ("place", here),
            ("error", "the desk collapsed"),
        ],
    );
    one("ended", Level::DEBUG, &[("reason", "it panicked")]);
    one(
        "dead letter",
        Level::DEBUG,
        &[
            ("behaviour", &rest),
            ("place", here),
            ("cause", "its actor had ended"),
        ],
    );
    let failed = &record.spans[record.turn_of("::fail")];
    assert!(failed.closed, "a panic leaves no span entered");
    assert!(record.turns_of("::rest").is_empty());
}

/// The only test with threads, because their subscriber is global to the process.
#[test]
fn workers_and_the_clock_use_the_global_subscriber() {
    #[derive(Actor)]
    struct Slow {
        reported: Arc<AtomicBool>,
    }
    #[behaviours]
    impl Slow {
        fn hold(&mut self) {
            while !self.reported.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
    }
    let seen = Seen::default();
    tracing::subscriber::set_global_default(seen.subscriber()).expect("no other test sets one");
    let reported = Arc::new(AtomicBool::new(false));
    let received = reported.clone();
    let system = System::builder()
        .workers(2)
        .turn_limit(Duration::from_millis(1))
        .on_report(move |report| {
            let slow = matches!(report, Report::SlowTurn { .. });
            received.fetch_or(slow, Ordering::Release);
        })
        .build();
    let slow = system.spawn(Slow { reported });
    let request = tracing::info_span!("request");
    let answer = request.in_scope(|| slow.hold().ask_blocking());
    assert_eq!(answer, Ok(()));
    assert!(system.shutdown().is_complete());
    drop((request, slow));
    let record = seen.record();
    assert_eq!(follows(&record, "::hold"), [record.named("request")]);
    let mut slow = record.events_of("slow turn");
    // A busy machine makes other turns slow too.
    slow.retain(|event| event.fields["behaviour"].ends_with("::hold"));
    assert_eq!(slow.len(), 1);
    assert_eq!(slow[0].level, Level::WARN);
    let ended = record.events_of("ended");
    assert_eq!(ended[0].fields["reason"], "the system shut down");
}
