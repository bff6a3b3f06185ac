//! `VIVANT_TRACE=1` prints the turns of a simulation with their arguments, and arguments enter the
//! signature on request.

use std::collections::HashSet;
use std::fmt;
use std::process::Command;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::{Faults, Seeds, Simulation, check};

/// Without `Debug`.
struct Secret;

struct PanicsInDebug;

impl fmt::Debug for PanicsInDebug {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("as planned")
    }
}

#[derive(Actor)]
struct Clerk;

#[behaviours]
impl Clerk {
    fn file(&mut self, t: &Turn<Self>, title: String, secret: Secret, pages: Option<u32>) -> u64 {
        let _ = (title, secret, pages);
        t.after(Duration::from_millis(1500), t.me().rest());
        7
    }

    fn rest(&mut self) {}

    fn misfile(&mut self, _sheet: PanicsInDebug) -> u64 {
        8
    }

    fn copy(&mut self, t: &Turn<Self>) -> Promise<u64> {
        t.ask(t.me().stamp(3)).then(t.me().stamped(vec![1, 2]))
    }

    fn stamp(&mut self, times: u64) -> u64 {
        times
    }

    #[then]
    fn stamped(&mut self, times: Result<u64, AskError>, copies: Vec<u8>) -> u64 {
        times.unwrap_or(0) + copies.len() as u64
    }
}

#[derive(Actor)]
struct Shelf<T: Send + 'static> {
    last: Option<T>,
}

#[behaviours]
impl<T: Send + 'static> Shelf<T> {
    fn put(&mut self, value: T, at: u8) {
        let _ = at;
        self.last = Some(value);
    }
}

fn office(simulation: &Simulation) {
    let clerk = simulation.system().spawn(Clerk);
    let filed = clerk.file("Emma".into(), Secret, Some(400)).ask_blocking();
    assert_eq!(filed, Ok(7));
    simulation.run();
    assert_eq!(clerk.misfile(PanicsInDebug).ask_blocking(), Ok(8));
    assert_eq!(clerk.copy().ask_blocking(), Ok(5));
    let shelf = simulation.system().spawn(Shelf { last: None });
    shelf.put("Dune", 2).send();
    simulation.run();
}

/// Traced by the test below, which runs this one in a process of its own.
#[test]
fn office_for_another_process() {
    office(&Simulation::new(4));
}

fn output(trace: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "recorded_turns::office_for_another_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("VIVANT_TRACE", trace)
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn turns_are_printed_with_virtual_time_and_arguments() {
    let trace = output("1");
    let lines: Vec<&str> = trace.lines().collect();
    assert_eq!(
        lines[0],
        "turns under seed 4: number, virtual time, actor, message"
    );
    let has = |line: &str| {
        assert!(
            lines.iter().any(|traced| traced.ends_with(line)),
            "`{line}` in\n{trace}"
        );
    };
    has("0ns  all::recorded_turns::Clerk/0  \
         all::recorded_turns::Clerk::file(title: \"Emma\", secret: .., pages: Some(400))");
    has("1.5s  all::recorded_turns::Clerk/0  all::recorded_turns::Clerk::rest()");
    has("all::recorded_turns::Clerk::misfile(their `Debug` failed)");
    has("all::recorded_turns::Clerk::stamped(times: Ok(3), copies: [1, 2])");
    has("all::recorded_turns::Shelf::put(value: .., at: 2)");
}

#[test]
fn without_the_variable_nothing_is_printed() {
    assert!(!output("0").contains("Clerk"));
}

#[test]
fn another_value_of_the_variable_is_refused() {
    let refused = output("yes");
    assert!(refused.contains("VIVANT_TRACE is Ok(\"yes\")"), "{refused}");
}

/// Keys in an order that differs from run to run: of so many, no two orders are the same.
fn keys() -> Vec<u64> {
    let keys: HashSet<u64> = (0..32).collect();
    keys.into_iter().collect()
}

#[derive(Actor)]
struct Reader;

#[behaviours]
impl Reader {
    fn read(&mut self, pages: Vec<u64>) -> usize {
        pages.len()
    }
}

fn read(simulation: &Simulation) {
    let reader = simulation.system().spawn(Reader);
    assert_eq!(reader.read(keys()).ask_blocking(), Ok(32));
}

#[test]
fn arguments_enter_the_signature_on_request() {
    let signature = |pages: &[u64], sign: fn(&Simulation)| {
        let simulation = Simulation::new(1);
        sign(&simulation);
        let reader = simulation.system().spawn(Reader);
        reader.read(pages.to_vec()).send();
        simulation.run();
        simulation.signature()
    };
    let signed = Simulation::sign_arguments;
    assert_eq!(signature(&[1, 2], signed), signature(&[1, 2], signed));
    assert_ne!(signature(&[1, 2], signed), signature(&[2, 1], signed));
    assert_eq!(signature(&[1, 2], |_| ()), signature(&[2, 1], |_| ()));
}

/// A hash set's order is in the arguments only: the two runs have the same turns, and end alike.
#[test]
fn an_order_by_hash_in_arguments_shows_in_the_signature() {
    let signature = || {
        let simulation = Simulation::new(1);
        simulation.sign_arguments();
        read(&simulation);
        simulation.signature()
    };
    assert_ne!(signature(), signature());
}

/// Fails under its seed for the tests below, which run it in processes of their own.
#[test]
fn failing_runs_for_another_process() {
    let Ok(wanted) = std::env::var("VIVANT_FAILING_RUN") else {
        return;
    };
    check(
        "failing_runs",
        Seeds(1),
        &Faults::none(),
        move |simulation| {
            if wanted == "signed" {
                simulation.sign_arguments();
            }
            read(simulation);
            panic!("as planned");
        },
    );
}

fn report(wanted: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "recorded_turns::failing_runs_for_another_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("VIVANT_FAILING_RUN", wanted)
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_failing_seed_with_an_order_by_hash_in_arguments_is_named_with_its_turn() {
    let report = report("signed");
    assert!(
        report.contains("The seed does not determine this run: the next ones had other turns."),
        "{report}"
    );
    assert!(
        report.contains(
            "Turn 1 of the second run is actor 0: all::recorded_turns::Reader::read(pages: ["
        ),
        "{report}"
    );
}

#[test]
fn without_signed_arguments_an_order_by_hash_in_them_is_not_noticed() {
    let report = report("unsigned");
    assert!(
        report.contains("A second run had the same 1 turns, and failed too."),
        "{report}"
    );
}
