//! Connections to programs that answer, do not, or answer nonsense; and the snapshot thread.

use super::connection::Connection;
use super::looking::{Heard, Order, keep_looking};
use super::{Origin, Source, TokenSource, Trouble};
use crate::model::Pace;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use vivant::System;
use vivant_console::Console;
use vivant_console::wire::Report;

fn of(console: &Console, token: &str) -> Connection {
    let token = TokenSource::Text(token.to_owned());
    Connection::to(console.address().to_string(), token)
}

/// A server that answers the two lines of one client with `answer`, and closes.
fn answering(answer: &'static str) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(&stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        lines.read_line(&mut line).unwrap();
        (&stream).write_all(answer.as_bytes()).unwrap();
    });
    Connection::to(address, TokenSource::Text("any".into()))
}

#[track_caller]
fn says(trouble: &Trouble, words: &[&str]) {
    let text = trouble.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` in: {text}");
    }
}

#[test]
fn a_console_is_looked_at_again_and_again() {
    let console = vivant_console::serve(&System::new()).unwrap();
    let mut connection = of(&console, console.token().as_str());
    let first = connection.look().unwrap();
    let second = connection.look().unwrap();
    assert!(second.at_ms >= first.at_ms);
}

#[test]
fn a_wrong_token_is_said_so() {
    let console = vivant_console::serve(&System::new()).unwrap();
    let trouble = of(&console, "wrong").look().unwrap_err();
    says(
        &trouble,
        &[&console.address().to_string(), "token", "hint()"],
    );
}

#[test]
fn nobody_there_is_said_so() {
    let console = vivant_console::serve(&System::new()).unwrap();
    let mut connection = of(&console, "gone");
    drop(console);
    let trouble = connection.look().unwrap_err();
    assert!(matches!(trouble, Trouble::Connect { .. }), "{trouble}");
    says(&trouble, &["127.0.0.1", "is the program running"]);
}

#[test]
fn a_lost_connection_is_made_again() {
    let system = System::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let start = |port| {
        Console::builder(&system)
            .port(port)
            .token_file(&file)
            .start()
    };
    let console = start(0).unwrap();
    let address = console.address();
    let mut connection = Connection::to(address.to_string(), TokenSource::File(file.clone()));
    connection.look().unwrap();
    drop(console);
    assert!(matches!(connection.look(), Err(Trouble::Lost { .. })));
    let trouble = connection.look().unwrap_err();
    assert!(matches!(trouble, Trouble::TokenFile { .. }), "{trouble}");
    // The program was restarted: another console, another token in the same file. The old
    // connection may occupy the port for a while.
    match start(address.port()) {
        Ok(console) => {
            connection.look().unwrap();
            drop(console);
        }
        Err(_taken) => {
            let console = start(0).unwrap();
            let token = TokenSource::File(file.clone());
            Connection::to(console.address().to_string(), token)
                .look()
                .unwrap();
        }
    }
}

#[test]
fn another_version_is_said_so() {
    let mut connection = answering("{\"version\":99,\"totals\":\"of another form\"}\n");
    says(
        &connection.look().unwrap_err(),
        &["version 99", "version 1"],
    );
}

#[test]
fn nonsense_is_said_so() {
    for answer in [
        "HTTP/1.1 400 Bad Request\r\n",
        "{}\n",
        "[1,2]\n",
        "{\"version\":1,\"at_ms\":-1}\n",
        "{\"vers",
    ] {
        let trouble = answering(answer).look().unwrap_err();
        assert!(
            matches!(trouble, Trouble::Strange { .. }),
            "{answer}: {trouble}"
        );
    }
    let trouble = answering("").look().unwrap_err();
    assert!(matches!(trouble, Trouble::Lost { .. }), "{trouble}");
    let trouble = answering("{\"version\":1,\"error\":\"busy\"}\n")
        .look()
        .unwrap_err();
    says(&trouble, &["visitors"]);
}

#[test]
fn only_this_machine_is_told_the_token() {
    for (address, words) in [
        ("192.0.2.1:4711", "ssh -L"),
        ("127.0.0.1", "4711"),
        ("nonsense", "4711"),
    ] {
        let mut connection = Connection::to(address.into(), TokenSource::Text("secret".into()));
        says(&connection.look().unwrap_err(), &[address, words]);
    }
}

#[test]
fn seeded_demos_are_alike() {
    let look = |seed| {
        let origin = Origin::Seeded {
            seed,
            step: Duration::from_secs(2),
        };
        let mut source = origin.open().unwrap();
        source.look().unwrap();
        source.look().unwrap()
    };
    assert_eq!(look(7), look(7));
    assert_ne!(look(7), look(8));
}

#[test]
fn a_paused_look_has_rates_and_waits_for_orders() {
    let (order, orders) = channel();
    let (tell, told) = channel();
    let every = Duration::from_millis(1);
    let origin = Origin::Seeded {
        seed: 1,
        step: Duration::from_secs(1),
    };
    let looking = thread::spawn(move || {
        keep_looking(origin, every, Pace::Paused, &orders, |looked| {
            match tell.send(looked.unwrap().at_ms) {
                Ok(()) => Heard::Yes,
                Err(_) => Heard::No,
            }
        });
    });
    let next = || told.recv().unwrap();
    let (first, second) = (next(), next());
    assert!(first >= 1_000 && second >= 2_000);
    order.send(Order::Look).unwrap();
    assert!(next() >= 3_000);
    order.send(Order::Keep(Pace::Running)).unwrap();
    assert!(next() >= 4_000);
    assert!(next() >= 5_000, "by itself");
    drop(order);
    looking.join().unwrap();
}

#[test]
fn the_live_demo_shows_what_it_promises() {
    let mut source = Origin::Demo.open().unwrap();
    // Until all of it has happened; the time depends on the machine. The limit is far above the
    // snapshots needed.
    for _ in 0..5_000 {
        let snapshot = source.look().unwrap();
        let totals = snapshot.totals;
        let is_slow = |report: &Report| report.kind == "slow_turn";
        let slow = snapshot.reports.iter().any(is_slow);
        let blocked = snapshot.waits.iter().any(|wait| !wait.needs.is_empty());
        let collected = totals.heaps > 0 && snapshot.pauses.all.count > 0;
        let bounded = snapshot.actors.iter().any(|actor| actor.bound.is_some());
        let troubled = totals.muted > 0 && totals.panics > 0 && totals.dead_letters > 0 && slow;
        if troubled && blocked && collected && bounded {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("not all of it happened");
}
