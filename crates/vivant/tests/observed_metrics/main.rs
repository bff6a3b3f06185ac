//! Feature `metrics`: counts are right, times are the system's own, labels name types and never
//! actors.

mod recorder;

use recorder::Recorded;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, PauseKind, Supervisor};

#[derive(Actor)]
struct Till {
    sum: u64,
    open: bool,
}

#[behaviours]
impl Till {
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    fn ask_other(&mut self, t: &Turn<Self>, other: Address<Till>) {
        let _notified = t.ask(other.add(1)).then(t.me().notified());
    }

    #[then]
    fn notified(&mut self, sum: Result<u64, AskError>) {
        self.sum = sum.unwrap_or(0);
    }

    #[when(self.open)]
    fn enter(&mut self) {}

    fn open_in(&mut self, t: &Turn<Self>, time: Duration) {
        t.after(time, t.me().open());
    }

    fn open(&mut self) {
        self.open = true;
    }

    fn fail(&mut self) {
        panic!("no change");
    }
}

const CLOSED: Till = Till {
    sum: 0,
    open: false,
};

/// What a program on one thread makes a recorder receive.
fn recorded(program: impl FnOnce(&Simulation)) -> Recorded {
    let recorded = Recorded::default();
    metrics::with_local_recorder(&recorded, || {
        let simulation = Simulation::new(1);
        program(&simulation);
        simulation.run();
        simulation.system().shutdown();
    });
    recorded
}

/// A key as the recorder writes it.
fn key(name: &str, labels: &[(&str, &str)]) -> String {
    let labels: Vec<_> = labels
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{name}{{{}}}", labels.join(","))
}

fn of(name: &str, behaviour: &str) -> String {
    let behaviour = format!("{}::{behaviour}", Till::NAME);
    key(
        name,
        &[("actor_type", Till::NAME), ("behaviour", &behaviour)],
    )
}

#[test]
fn every_turn_is_counted_and_some_are_timed() {
    let recorded = recorded(|simulation| {
        let tills = [(); 3].map(|()| simulation.system().spawn(CLOSED));
        for n in 0..100 {
            tills[n % 3].add(1).send();
        }
        tills[0].ask_other(tills[1].clone()).send();
    });
    assert_eq!(recorded.count(&of("vivant_turns_total", "add")), 101);
    assert_eq!(recorded.count(&of("vivant_turns_total", "ask_other")), 1);
    assert_eq!(
        recorded.count(&of("vivant_turns_total", "notified")),
        1,
        "a continuation is a turn"
    );
    let timed = recorded.values(&of("vivant_turn_seconds", "add"));
    assert!((1..=101).contains(&timed.len()), "{}", timed.len());
    assert!(
        timed.iter().all(|seconds| *seconds == 0.0),
        "no virtual time passes within a turn"
    );
    let resolutions = |key: &String| key.contains("resolution");
    assert!(!recorded.keys().iter().any(resolutions));
}

#[derive(Actor)]
struct PadState<'gc> {
    notes: Vec<Gc<'gc, u64>>,
}

#[behaviours]
impl<'gc> PadState<'gc> {
    #[start]
    fn new() -> Self {
        PadState { notes: Vec::new() }
    }
    fn note(&mut self, t: &Turn<'gc, Pad>, many: u64) {
        self.notes = (0..many).map(|n| t.alloc(n)).collect();
    }
}

#[test]
fn pauses_are_recorded_by_type_and_kind() {
    let mut system = None;
    let recorded = recorded(|simulation| {
        let pad = Pad::spawn(simulation.system());
        (0..3).for_each(|_| pad.note(20_000).send());
        (0..2).for_each(|_| pad.note(1).send());
        simulation.run_for(Duration::from_secs(5));
        system = Some(simulation.system().clone());
    });
    let seen = system.unwrap().inspect().pauses;
    assert!(seen[PauseKind::Minor].count > 0 && seen[PauseKind::ReturnNursery].count == 1);
    for (kind, pauses) in seen.iter() {
        let labels = [("actor_type", Pad::NAME), ("kind", kind.name())];
        let notified = recorded.values(&key("vivant_pause_seconds", &labels));
        assert_eq!(notified, vec![0.0; pauses.count as usize], "{kind}");
    }
}

#[test]
fn waiting_is_measured_in_virtual_time() {
    let recorded = recorded(|simulation| {
        let till = simulation.system().spawn(CLOSED);
        till.enter().send();
        till.open_in(Duration::from_millis(250)).send();
    });
    let wait = |behaviour| recorded.values(&of("vivant_mailbox_wait_seconds", behaviour));
    assert_eq!(wait("enter"), [0.25]);
    assert_eq!(wait("open_in"), [0.0]);
    assert_eq!(
        recorded.count(&of("vivant_turns_total", "enter")),
        1,
        "a try that its guard refuses is no turn"
    );
}

#[test]
fn a_continuation_has_waited_since_its_answer_was_sent() {
    let recorded = recorded(|simulation| {
        simulation.run_for(Duration::from_millis(500));
        let till = simulation.system().spawn(CLOSED);
        let other = simulation.system().spawn(CLOSED);
        till.ask_other(other).send();
    });
    let waited = recorded.values(&of("vivant_mailbox_wait_seconds", "notified"));
    assert_eq!(waited, [0.0]);
}

#[test]
fn starts_ends_panics_and_dead_letters_are_counted_by_type() {
    let recorded = recorded(|simulation| {
        let system = simulation.system();
        let failing = system.spawn(CLOSED);
        failing.fail().send();
        simulation.run();
        failing.add(1).send();
        failing.add(2).send();
        let stopped = system.spawn(CLOSED);
        Address::stop(&stopped);
        drop(system.spawn(CLOSED));
    });
    let lives = |name: &str, reason: Option<&str>| {
        let mut labels = vec![("actor_type", Till::NAME)];
        labels.extend(reason.map(|reason| ("reason", reason)));
        recorded.count(&key(name, &labels))
    };
    assert_eq!(lives("vivant_spawned_total", None), 3);
    for reason in ["panicked", "stopped", "unreferenced"] {
        assert_eq!(lives("vivant_ended_total", Some(reason)), 1, "{reason}");
    }
    assert_eq!(recorded.count(&of("vivant_panics_total", "fail")), 1);
    let add = format!("{}::add", Till::NAME);
    let letters = key(
        "vivant_dead_letters_total",
        &[
            ("actor_type", Till::NAME),
            ("behaviour", &add),
            ("cause", "ended"),
        ],
    );
    assert_eq!(recorded.count(&letters), 2);
    for key in recorded.keys() {
        assert!(
            !key.contains('/'),
            "a label that names an actor has no bound: {key}"
        );
    }
}

#[test]
fn starts_after_the_first_are_counted() {
    let recorded = recorded(|simulation| {
        let tree = Supervisor::one_for_one().spawn(simulation.system());
        let till = tree.add(Child::new(|_| CLOSED));
        till.fail().send();
        till.fail().send();
        simulation.run();
    });
    let restarts = key("vivant_restarts_total", &[("actor_type", Till::NAME)]);
    assert_eq!(recorded.count(&restarts), 2);
}

#[test]
fn everything_that_is_recorded_is_described() {
    let recorded = recorded(|simulation| {
        let tree = Supervisor::one_for_one().spawn(simulation.system());
        tree.add(Child::new(|_| CLOSED)).fail().send();
        let till = simulation.system().spawn(CLOSED);
        till.fail().send();
        till.add(1).send();
        Pad::spawn(simulation.system()).note(20_000).send();
    });
    let described = recorded.described();
    assert_eq!(described.len(), 12);
    for key in recorded.keys() {
        let name = key.split('{').next().unwrap_or_default();
        assert!(described.contains(name), "{name}");
    }
}

/// The only test with threads, because their recorder is global to the process.
#[test]
fn counts_are_exact_when_nothing_runs() {
    const ROUNDS: u64 = 10_007;
    let recorded = Recorded::default();
    metrics::set_global_recorder(recorded.clone()).expect("no other test sets one");
    let system = System::builder().workers(2).build();
    let tills: Vec<_> = (0..10).map(|_| system.spawn(CLOSED)).collect();
    for _ in 0..ROUNDS {
        for till in &tills {
            till.add(1).send();
        }
    }
    // Workers report their counts before they sleep, so this ends.
    while recorded.count(&of("vivant_turns_total", "add")) < 10 * ROUNDS {
        std::thread::yield_now();
    }
    assert!(system.shutdown().is_complete());
    assert_eq!(
        recorded.count(&of("vivant_turns_total", "add")),
        10 * ROUNDS
    );
    let timed = recorded.values(&of("vivant_turn_seconds", "add"));
    assert!(
        timed.len() as u64 * 16 >= 10 * ROUNDS / 2,
        "{}",
        timed.len()
    );
    let ended = key(
        "vivant_ended_total",
        &[("actor_type", Till::NAME), ("reason", "shutdown")],
    );
    assert_eq!(recorded.count(&ended), 10);
}
