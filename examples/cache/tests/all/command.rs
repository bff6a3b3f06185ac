//! The program as a user starts it.

use example_load::{Ended, Process};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

fn cache() -> Command {
    Command::new(env!("CARGO_BIN_EXE_cache"))
}

fn ran(words: &str) -> Ended {
    Ended::run(&mut cache(), words)
}

/// Both stores, end to end: fill, serve, request, report, audit, stop.
#[test]
fn a_short_run_is_good() {
    let output = ran(
        "--seconds=0.4 --rate=250 --rounds=2 --pause=0 --connections=4 --capacity=300 \
         --titles=900 --page-bytes=500 --seed=3 --json",
    );
    // The progress bar is hidden.
    let line = output.well().json();
    assert_eq!(line["good"], true);
    let runs = line["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for (run, store) in runs.iter().zip(["graph", "plain"]) {
        assert_eq!(run["store"], store);
        // The requests of a second of each round are not measured.
        let answered = run["hits"].as_u64().unwrap() + run["misses"].as_u64().unwrap();
        assert_eq!(answered, 2 * 350);
        for latency in ["due to sent", "due to answered"] {
            assert_eq!(run["latencies"][latency]["count"], 200);
            assert!(run["latencies"][latency]["p50_ns"].as_u64() > Some(0));
        }
        let stats = &run["stats"];
        assert_eq!(
            (&stats["entries"], &stats["capacity"]),
            (&300.into(), &300.into())
        );
        assert_eq!(stats["turn"]["count"], 700);
        assert!(stats["evicted"].as_u64() > run["misses"].as_u64());
        assert_eq!(run["audit"]["holds"], true);
        assert_eq!(run["audit"]["entries"], 300);
        let live = stats["heap"]["live_bytes"].as_u64();
        assert_eq!(live > Some(0), store == "graph");
    }
    if cfg!(target_os = "linux") {
        assert!(runs[0]["stats"]["rss_peak_bytes"].as_u64() > Some(1 << 20));
    }
}

#[test]
fn the_table_is_for_people() {
    let output = ran(
        "--store=graph --seconds=0.2 --rate=100 --rounds=1 --pause=0 --connections=2 \
         --capacity=100 --stripes=2 --titles=300",
    );
    let output = output.well();
    output.shows(&[
        "300 titles",
        "graph: 100 of 100 entries",
        "2 stripes",
        "p99.99",
        "due to answered",
        "asked to turn",
        "pauses under load",
        "heap: ",
        "at its peak",
        "audit: 100 entries, holds",
    ]);
    assert!(!output.stdout.contains("plain"));
}

/// A server as a user starts it.
fn served(arguments: &[&str]) -> Process {
    let small = ["serve", "--port=0", "--capacity=20", "--titles=50"];
    let server = Process::start(cache().args(small).args(arguments)).unwrap();
    assert!(server.printed[0].contains("20 entries"), "{server:?}");
    server
}

fn ended_well(server: Process) {
    let (ended, printed) = server.wait().unwrap();
    assert!(ended.success());
    assert_eq!(printed, ["end with Ctrl-C, or by a POST to /_stop"]);
}

#[test]
fn a_server_can_be_asked_by_another_process_and_told_to_stop() {
    let served = served(&["--seed=4", "--store=plain"]);
    let server = format!("--server={}", served.address);
    let load = |more: &str| {
        let short = "--rounds=1 --pause=0 --seconds=0.2 --rate=100 --connections=2 --titles=50";
        ran(&format!("load {server} {short} {more}"))
    };
    // Twice: the server's earlier counts are not this run's.
    for _ in 0..2 {
        let output = load("--seed=4");
        let output = output.well();
        output.shows(&["plain: 20 of 20 entries"]);
        // The load generator has not measured it.
        assert!(!output.stdout.contains("filled in"));
    }
    // Self-test: a server with other pages.
    for other in ["--seed=5", "--seed=5 --pages-only"] {
        load(other).failed("is not that page");
    }
    let output = load("--seed=4 --pages-only --warm=0.1 --json").well();
    output.shows(&["pages only\n"]);
    for word in ["entries", "audit"] {
        assert!(!output.stdout.contains(word), "{word}");
    }
    let line = output.json();
    let run = &line["runs"][0];
    assert_eq!(run["latencies"]["due to answered"]["count"], 20);
    let answered = run["hits"].as_u64().unwrap() + run["misses"].as_u64().unwrap();
    assert_eq!(answered, 30);

    let mut stream = TcpStream::connect(served.address).unwrap();
    stream
        .write_all(b"POST /_stop HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    ended_well(served);
}

/// Serves until it is interrupted, and then ends well.
#[cfg(unix)]
#[test]
fn it_serves_until_interrupted() {
    for signal in ["INT", "TERM"] {
        let served = served(&[]);
        served.signal(signal).unwrap();
        ended_well(served);
    }
}

#[test]
fn a_port_in_use_is_a_failure_that_says_what_to_do() {
    Ended::port_in_use(|port| ran(&format!("serve {port} --capacity=1")));
}

#[test]
fn a_server_that_is_not_there_is_a_failure() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap();
    drop(taken);
    let output = ran(&format!("load --server={address}"));
    output.failed("cannot be reached");
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    let lines = "--rate=0 | --seconds=-1 | --capacity=0 | --titles=0 | --stripes=0 \
        | --page-bytes=10 | --workers=0 | --connections=0 | --rounds=0 | --pause=-1 \
        | --warm=-1 | --store=tree | serve --port=70000 | load --server=here | forget";
    Ended::refused(ran, lines);
}
