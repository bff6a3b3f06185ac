//! The program as a user starts it.

#[cfg(unix)]
use example_load::Process;
use serde_json::Value;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output};

fn airline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airline"));
    command.args(arguments);
    command
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn ran(arguments: &[&str]) -> Output {
    airline(arguments)
        .output()
        .expect("the program can be started")
}

/// A second and a half of the whole way: load, serve, send, report, audit. Thirteen days, so that there are flights back.
#[test]
fn a_short_run_is_good_and_leaves_a_report() {
    let report = scratch("airline-short.html");
    let output = ran(&[
        "--seconds=1.5",
        "--rate=300",
        "--customers=40",
        "--connections=8",
        "--days=13",
        "--seed=3",
        "--json",
        "--report",
        report.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "the progress bar is hidden");
    let stdout = text(&output.stdout);
    let line: Value = serde_json::from_str(stdout.lines().last().unwrap()).unwrap();
    assert_eq!(line["good"], true);
    assert_eq!(line["answered"], 450);
    assert_eq!(line["flights"], 13 * 394);
    assert_eq!(line["requests"]["Logout"]["count"], line["loops"]);
    assert!(line["booked"].as_u64() > Some(10));
    assert!(line["round_trips"].as_u64() > Some(5));
    assert_eq!(line["audit"]["holds"], true);
    assert_eq!(line["audit"]["bookings"], line["audit"]["seats_taken"]);
    let there = line["booked"].as_u64().unwrap() - line["cancelled"].as_u64().unwrap();
    assert_eq!(line["audit"]["bookings"], there);
    let page = std::fs::read_to_string(report).unwrap();
    assert_eq!(page.matches("<svg").count(), 8);
    assert!(page.contains("no seat was sold twice") && !page.contains("://"));
}

#[test]
fn the_table_is_for_people() {
    let report = scratch("airline-table.html");
    let output = ran(&[
        "--seconds=0.5",
        "--rate=100",
        "--customers=10",
        "--connections=4",
        "--days=1",
        "--report",
        report.to_str().unwrap(),
    ]);
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    for word in [
        "Query flights",
        "p99.9",
        ">500 ms",
        "audit: 394 flights, 10 customers",
        "holds",
    ] {
        assert!(table.contains(word), "{word} is not in\n{table}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let output = ran(&[
        "--seconds=0.1",
        "--rate=10",
        "--customers=1",
        "--days=1",
        "--report=/nowhere/at/all.html",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write /nowhere/at/all.html"));
}

#[test]
fn a_port_in_use_is_a_failure_that_says_what_to_do() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = ran(&["serve", &format!("--port={port}"), "--customers=1"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains(&format!("port {port} is in use")), "{error}");
    assert!(error.contains("choose another port with --port"), "{error}");
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    for arguments in [
        &["--rate=0"][..],
        &["--seconds=-1"],
        &["--customers=0"],
        &["--days=0"],
        &["--workers=0"],
        &["--connections=0"],
        &["serve", "--port=70000"],
        &["fly"],
    ] {
        assert_eq!(ran(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

/// Serves until it is interrupted, and then ends well.
#[cfg(unix)]
#[test]
fn it_serves_until_interrupted() {
    let mut serve = airline(&["serve", "--port=0", "--customers=10", "--days=1"]);
    let server = Process::start(&mut serve).unwrap();
    let printed = &server.printed;
    assert!(
        printed[0].contains("10 customers and 394 flights"),
        "{printed:?}"
    );
    assert!(std::net::TcpStream::connect(server.address).is_ok());
    server.interrupt().unwrap();
    assert!(server.wait().unwrap().0.success());
}
