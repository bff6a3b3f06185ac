//! The program as a user starts it.

use example_load::Ended;
use std::path::{Path, PathBuf};
use std::process::Command;

fn exchange() -> Command {
    Command::new(env!("CARGO_BIN_EXE_exchange"))
}

fn ran(words: &str) -> Ended {
    Ended::run(&mut exchange(), words)
}

fn reported(report: &Path, words: &str) -> Ended {
    Ended::run(exchange().arg("--report").arg(report), words)
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A second of the whole way: send, hand over, publish, report, audit, compare.
#[test]
fn a_short_run_is_good_and_leaves_a_report() {
    let report = scratch("exchange-short.html");
    let output = reported(
        &report,
        "--seconds=1 --rate=1000 --resting=50 --readers=8 --hand-over-every=100 \
         --book-orders=2000 --seed=3 --json",
    );
    // The progress bar is hidden.
    let line = output.well().json();
    assert_eq!(line["good"], true);
    assert_eq!(
        (&line["sent"], &line["answered"]),
        (&1000.into(), &1000.into())
    );
    for latency in ["due to sent", "due to answered", "due to last reader"] {
        assert_eq!(line["latencies"][latency]["count"], 1000);
        assert!(line["latencies"][latency]["p50_ns"].as_u64() > Some(0));
    }
    assert_eq!(line["shards"], 4);
    assert!(line["hand_overs"].as_u64() >= Some(10));
    assert!(line["trades"].as_u64() > Some(50));
    let versions = line["versions"].as_u64().unwrap();
    assert!(versions > 10);
    assert_eq!(line["read"], versions * 8);
    assert_eq!(line["audit"]["holds"], true);
    assert_eq!(line["books"]["times"].as_array().unwrap().len(), 5);
    let page = std::fs::read_to_string(report).unwrap();
    assert_eq!(page.matches("<svg").count(), 3);
    assert!(page.contains("no reader missed a version") && !page.contains("://"));
}

#[test]
fn the_table_is_for_people() {
    let report = scratch("exchange-table.html");
    let output = reported(
        &report,
        "--seconds=0.5 --rate=200 --symbols=2 --readers=2 --book-orders=0 \
         --hand-over-every=0",
    );
    let output = output.well();
    output.shows(&[
        "due to last reader",
        "p99.9",
        "1 shards; 0 instruments handed over",
        "audit: 100 orders",
        "holds",
    ]);
    assert!(!output.stdout.contains("ns/order"));
}

#[test]
fn books_alone_come_to_one_state() {
    let output = ran("books --orders=3000 --rounds=1 --resting=100");
    let output = output.well();
    output.shows(&["Rc<RefCell>", "slab", "ns/order", "state of all: "]);
}

/// Before the run, which would take hours.
#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let output = ran("--seconds=10000 --rate=1 --readers=1 --book-orders=0 \
         --report=/nowhere/at/all.html");
    output.failed("cannot write /nowhere/at/all.html");
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    let lines = "--rate=0 | --seconds=-1 | --symbols=0 | --readers=0 | --traders=0 | --shards=0 \
        | --workers=0 | --resting=0 | books --rounds=0 | books --orders=0 | trade";
    Ended::refused(ran, lines);
}
