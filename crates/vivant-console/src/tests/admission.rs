//! Admission: tokens, limits of connections, addresses.

use super::*;
use crate::StartError;
use std::net::{IpAddr, Ipv6Addr};

#[test]
fn the_right_token_gets_facts_again_and_again() {
    let system = System::new();
    let counter = system.spawn(Counter { count: 0 });
    let console = console(&system, patient());
    let mut visitor = Visitor::to(&console);
    visitor.says(&greeting(TOKEN));
    let before = visitor.facts();
    assert_eq!(before.version, crate::wire::VERSION);
    assert_eq!(before.totals.actors, 1);
    assert_eq!(counter.add().ask_blocking(), Ok(1));
    let after = visitor.facts();
    assert!(after.actors[0].type_name.ends_with("Counter"));
    assert!(after.at_ms >= before.at_ms);
}

#[test]
fn both_lines_may_come_at_once() {
    let console = console(&System::new(), patient());
    let mut visitor = Visitor::to(&console);
    visitor.says(&format!("{}\n{FACTS}", greeting(TOKEN)));
    assert!(visitor.hears().expect("facts").contains("totals"));
}

#[test]
fn a_wrong_token_is_sent_away() {
    let console = console(&System::new(), patient());
    for wrong in ["", "a", "a-token-for-testz", "a-token-for-tests-and-more"] {
        let mut visitor = Visitor::to(&console);
        visitor.says(&greeting(wrong));
        visitor.says(FACTS);
        visitor.is_sent_away(Reason::Token);
    }
}

#[test]
fn no_token_is_sent_away() {
    let console = console(&System::new(), patient());
    for line in [
        FACTS,
        "",
        "{}",
        "null",
        r#"{"token":7}"#,
        "GET / HTTP/1.1\r",
    ] {
        let mut visitor = Visitor::to(&console);
        visitor.says(line);
        visitor.is_sent_away(Reason::Token);
    }
}

#[test]
fn an_unknown_request_is_sent_away() {
    let console = console(&System::new(), patient());
    for line in [r#"{"get":"secrets"}"#, r#"{"stop":"all"}"#, "?"] {
        let mut visitor = Visitor::guest(&console);
        visitor.says(line);
        visitor.is_sent_away(Reason::Request);
    }
}

#[test]
fn only_the_loopback_device_is_listened_on() {
    let system = System::new();
    for ip in [
        "0.0.0.0",
        "192.0.2.1",
        "::",
        "::ffff:127.0.0.1",
        "2001:db8::1",
    ] {
        let refused = Console::builder(&system)
            .ip(ip.parse::<IpAddr>().unwrap())
            .start();
        match refused {
            Err(error @ StartError::NotLoopback(_)) => {
                assert!(error.to_string().contains("127.0.0.1"), "{error}");
            }
            other => panic!("{ip}: {other:?}"),
        }
    }
    // Not every machine has an IPv6 loopback device; the console may not take another address
    // instead.
    match Console::builder(&system).ip(Ipv6Addr::LOCALHOST).start() {
        Ok(console) => assert!(console.address().ip().is_loopback()),
        Err(error) => assert!(matches!(error, StartError::Bind { .. }), "{error}"),
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let system = System::new();
    let first = console(&system, patient());
    let second = Console::builder(&system)
        .port(first.address().port())
        .start();
    let error = second.unwrap_err().to_string();
    assert!(error.contains(&first.address().to_string()), "{error}");
}
