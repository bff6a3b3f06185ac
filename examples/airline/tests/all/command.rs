//! The program as a user starts it.

use crate::support::scratch::Scratch;
use example_load::{Ask, Caller, Ended};
use std::path::{Path, PathBuf};
use std::process::Command;

fn airline() -> Command {
    Command::new(env!("CARGO_BIN_EXE_airline"))
}

fn ran(words: &str) -> Ended {
    Ended::run(&mut airline(), words)
}

fn reported(report: &Path, words: &str) -> Ended {
    Ended::run(airline().arg("--report").arg(report), words)
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A second and a half of the whole way: load, serve, send, report, audit. Thirteen days, so that
/// there are flights back.
#[test]
fn a_short_run_is_good_and_leaves_a_report() {
    let report = scratch("airline-short.html");
    let output = reported(
        &report,
        "--seconds=1.5 --rate=300 --customers=40 --connections=8 --days=13 --seed=3 \
         --json",
    );
    // The progress bar is hidden.
    let line = output.well().json();
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

/// Two runs with one folder: the second goes on where the first has ended.
#[test]
fn a_run_takes_snapshots_and_goes_on_from_the_last() {
    let scratch = Scratch::new("airline-snapshots");
    let report = scratch.path().join("run.html");
    let words = "--seconds=1 --rate=200 --customers=10 --connections=4 --days=2 --json \
        --snapshot-every=50";
    let first = reported(&report, words);
    let line = first.well().json();
    assert!(line["restored"].is_null());
    let snapshots = &line["snapshots"];
    // One after each 50 requests, and one at the end.
    assert_eq!(snapshots["requested"], 200 / 50 + 1);
    assert_eq!(snapshots["completed"], snapshots["requested"]);
    assert!(snapshots["max_us"].as_u64() >= snapshots["p50_us"].as_u64());
    assert!(snapshots["stored_bytes_max"].as_u64() > Some(1_000));

    let second = reported(&report, words);
    let again = second.well().json();
    assert_eq!(again["restored"]["image"], snapshots["requested"]);
    // A manager, eight desks, and two days of flights.
    assert_eq!(again["restored"]["actors"], 1 + 8 + 2 * 394 + 10);
    let number = |line: &serde_json::Value, name: &str| line[name].as_u64().unwrap();
    let new = number(&again, "booked") - number(&again, "cancelled");
    let old = number(&line["audit"], "bookings");
    assert!(old > 0);
    assert_eq!(number(&again["audit"], "bookings"), old + new);
    let page = std::fs::read_to_string(report).unwrap();
    for part in [
        "restored from snapshot 5",
        "5 requested, 5 completed, 0 failed",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 2);
}

/// Two pairs of runs, with the snapshots of each run in its own folder.
#[test]
fn runs_with_snapshots_are_compared_with_runs_without() {
    let compared = ran(
        "compare --rounds=2 --seconds=0.5 --rate=200 --customers=10 --connections=4 --days=1 \
         --snapshot-every=50 --json",
    );
    let compared = compared.well();
    compared.shows(&["without", "p99.99", ">100 ms", "snapshots completed"]);
    let line = compared.json();
    let pairs = line["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2);
    for pair in pairs {
        assert!(pair["without"]["snapshots"].is_null());
        assert_eq!(pair["without"]["answered"], pair["with"]["answered"]);
        // One after each 50 requests, and one at the end.
        let snapshots = &pair["with"]["snapshots"];
        assert_eq!(snapshots["requested"], 100 / 50 + 1);
        assert_eq!(snapshots["completed"], snapshots["requested"]);
    }
    let middle = line["mean_ratio"].as_f64().unwrap();
    assert!(middle > 0.0);
}

#[test]
fn the_table_is_for_people() {
    let report = scratch("airline-table.html");
    let output = reported(
        &report,
        "--seconds=0.5 --rate=100 --customers=10 --connections=4 --days=1",
    );
    let output = output.well();
    output.shows(&[
        "Query flights",
        "p99.9",
        ">500 ms",
        "audit: 394 flights, 10 customers",
        "holds",
    ]);
}

/// Before the load begins, which would take hours.
#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let output =
        ran("--seconds=10000 --rate=1 --customers=1 --days=1 --report=/nowhere/at/all.html");
    output.failed("cannot write /nowhere/at/all.html");
}

#[test]
fn a_port_in_use_is_a_failure_that_says_what_to_do() {
    Ended::port_in_use(|port| ran(&format!("serve {port} --customers=1")));
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    let lines = "--rate=0 | --seconds=-1 | --customers=0 | --days=0 | --workers=0 | --connections=0 \
        | serve --port=70000 | fly | compare --rounds=0 | --snapshot-every=0 | serve --snapshots=folder";
    Ended::refused(ran, lines);
}

/// Serves until it is interrupted, and then ends well.
#[cfg(unix)]
#[test]
fn it_serves_until_interrupted() {
    for signal in ["INT", "TERM"] {
        let words = ["serve", "--port=0", "--customers=10", "--days=1"];
        let server = example_load::Process::start(airline().args(words)).unwrap();
        let printed = &server.printed;
        assert!(
            printed[0].contains("10 customers and 394 flights"),
            "{printed:?}"
        );
        assert!(std::net::TcpStream::connect(server.address).is_ok());
        server.signal(signal).unwrap();
        let (ended, printed) = server.wait().unwrap();
        assert!(ended.success(), "{signal}");
        let audit = "audit: 394 flights, 10 customers, 0 seats taken, 0 bookings: holds";
        assert_eq!(printed.last().unwrap(), audit);
    }
}

/// Numbers of requests and of actors, and a line for each request that names no customer.
#[test]
fn an_operator_sees_what_it_does() {
    let words = [
        "serve",
        "--port=0",
        "--customers=10",
        "--days=1",
        "--access-log",
    ];
    let log = scratch("airline-access.log");
    let mut command = airline();
    command
        .args(words)
        .stderr(std::fs::File::create(&log).unwrap());
    let server = example_load::Process::start(&mut command).unwrap();
    let mut caller = Caller::new(server.address).unwrap();
    let form = [("login", "uid3@email.com"), ("password", "password")];
    assert_eq!(
        caller
            .ask(Ask::form("/rest/api/login", &form))
            .unwrap()
            .status,
        200
    );
    let profile = Ask::get("/rest/api/customer/byid/uid3%40email.com");
    assert_eq!(caller.ask(profile).unwrap().status, 200);
    assert_eq!(caller.ask(Ask::get("/made/up")).unwrap().status, 404);
    let metrics = caller.ask(Ask::get("/metrics")).unwrap().text();
    for line in [
        "axum_http_requests_total{method=\"POST\",status=\"200\",endpoint=\"/rest/api/login\"} 1",
        "vivant_spawned_total{actor_type=\"airline::Flight\"} 394",
        "vivant_turn_seconds_bucket{actor_type=\"airline::Desk\"",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
    server.signal("TERM").unwrap();
    assert!(server.wait().unwrap().0.success());
    let log = std::fs::read_to_string(log).unwrap();
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(lines.len(), 4, "{log}");
    assert!(!metrics.contains("made/up"), "{metrics}");
    for (line, parts) in lines.iter().zip([
        ["method=POST", "route=\"/rest/api/login\"", "status=200"],
        [
            "method=GET",
            "route=\"/rest/api/customer/byid/{user}\"",
            "status=200",
        ],
        ["method=GET", "route=\"none\"", "status=404"],
        ["peer=127.0.0.1:", "route=\"/metrics\"", "status=200"],
    ]) {
        assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    }
    assert!(!log.contains("uid3"), "{log}");
}

/// A signal under load: each request that was sent is answered, and the last answer on each
/// connection says so. Then the process ends well.
#[cfg(unix)]
#[test]
fn no_request_is_lost_by_a_signal() {
    let words = ["serve", "--port=0", "--customers=10", "--days=1"];
    let server = example_load::Process::start(airline().args(words)).unwrap();
    let address = server.address;
    let (begun, all_begun) = std::sync::mpsc::channel();
    let users: Vec<_> = (0..4)
        .map(|_| {
            let begun = begun.clone();
            std::thread::spawn(move || {
                let mut caller = Caller::new(address).unwrap();
                for number in 0.. {
                    let answer = caller.ask(Ask::get("/rest/api/config/countBookings"));
                    let answer = answer.unwrap_or_else(|error| panic!("request {number}: {error}"));
                    assert_eq!(answer.text(), "0");
                    if number == 50 {
                        begun.send(()).unwrap();
                    }
                    if answer
                        .headers
                        .get("connection")
                        .is_some_and(|it| it == "close")
                    {
                        return;
                    }
                }
            })
        })
        .collect();
    drop(begun);
    for _ in &users {
        all_begun.recv().unwrap();
    }
    let count = || Ask::get("/rest/api/config/countBookings");
    let mut idle = Caller::new(address).unwrap();
    assert_eq!(idle.ask(count()).unwrap().headers.get("connection"), None);
    server.signal("TERM").unwrap();
    for user in users {
        user.join().unwrap();
    }
    // The server listens no more, and a connection from before can be used once more.
    while std::net::TcpStream::connect(address).is_ok() {}
    assert_eq!(idle.ask(count()).unwrap().headers["connection"], "close");
    assert!(server.wait().unwrap().0.success());
}
