//! Hostile clients.

use super::*;
use crate::limits::LINE_BYTES_MAX;

#[test]
fn a_line_that_is_too_long_is_sent_away() {
    let console = console(&System::new(), patient());
    let mut stranger = Visitor::to(&console);
    stranger.sends(&vec![b'x'; LINE_BYTES_MAX + 1]);
    stranger.is_sent_away(Reason::TooLong);
    let mut guest = Visitor::guest(&console);
    guest.sends(&vec![b'['; 100 * LINE_BYTES_MAX]);
    guest.is_sent_away(Reason::TooLong);
}

#[test]
fn a_line_of_the_greatest_length_is_read() {
    let console = console(&System::new(), patient());
    let mut guest = Visitor::guest(&console);
    let blanks = " ".repeat(LINE_BYTES_MAX - FACTS.len());
    guest.says(&format!("{FACTS}{blanks}"));
    assert!(guest.hears().expect("facts").contains("totals"));
    guest.says(&format!("{FACTS}{blanks} "));
    guest.is_sent_away(Reason::TooLong);
}

#[test]
fn bytes_that_are_no_text_are_sent_away() {
    let console = console(&System::new(), patient());
    let mut visitor = Visitor::to(&console);
    visitor.sends(b"\xff\xfe\x00\n");
    visitor.is_sent_away(Reason::Token);
}

#[test]
fn half_a_line_and_silence_is_sent_away() {
    let limits = Limits {
        token_within: SHORT,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut silent = Visitor::to(&console);
    silent.is_sent_away(Reason::TooLate);
    let mut half = Visitor::to(&console);
    half.sends(br#"{"token":"a-tok"#);
    half.is_sent_away(Reason::TooLate);
}

#[test]
fn a_line_that_comes_byte_by_byte_wins_no_time() {
    let limits = Limits {
        token_within: SHORT,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut slow = Visitor::to(&console);
    // Each byte arrives well within the limit; all of them would take a day.
    let heard = loop {
        if slow.0.get_mut().write_all(b"x").is_err() {
            break None;
        }
        std::thread::sleep(SHORT / 10);
        let stream = slow.0.get_mut();
        stream.set_nonblocking(true).unwrap();
        let was_answered = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).unwrap();
        if was_answered {
            break slow.hears();
        }
    };
    // A client that goes on sending may lose the reason with the connection.
    assert!(heard.is_none_or(|line| line.contains("too_late")));
}

#[test]
fn a_silent_guest_is_sent_away() {
    let limits = Limits {
        request_within: SHORT,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut silent = Visitor::to(&console);
    silent.says(&greeting(TOKEN));
    silent.is_sent_away(Reason::TooLate);
}

#[test]
fn a_guest_that_does_not_read_is_given_up() {
    let limits = Limits {
        write_within: SHORT,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut deaf = Visitor::guest(&console);
    let requests = format!("{FACTS}\n").repeat(64);
    // Ends when the server has closed: its answers fill every buffer on the way.
    while deaf.0.get_mut().write_all(requests.as_bytes()).is_ok() {}
    Visitor::guest(&console);
}

#[test]
fn there_are_only_so_many_strangers_and_guests_go_on() {
    let limits = Limits {
        strangers_max: 2,
        guests_max: 2,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut guest = Visitor::guest(&console);
    let strangers = [Visitor::to(&console), Visitor::to(&console)];
    for _ in 0..20 {
        Visitor::to(&console).is_sent_away(Reason::Busy);
    }
    guest.facts();
    drop(strangers);
    // Their places are free as soon as the server has seen their connections close.
    let mut second = loop {
        let mut visitor = Visitor::to(&console);
        visitor.says(&format!("{}\n{FACTS}", greeting(TOKEN)));
        match visitor.hears() {
            Some(line) if line.contains("totals") => break visitor,
            _ => {}
        }
    };
    let mut third = Visitor::to(&console);
    third.says(&greeting(TOKEN));
    third.is_sent_away(Reason::Busy);
    guest.facts();
    second.facts();
}

#[test]
fn a_wrong_token_keeps_its_place_while_it_waits() {
    let limits = Limits {
        strangers_max: 1,
        wrong_token_costs: NEVER,
        ..patient()
    };
    let console = console(&System::new(), limits);
    let mut guesser = Visitor::to(&console);
    guesser.says(&greeting("a-guess-of-tokens"));
    Visitor::to(&console).is_sent_away(Reason::Busy);
    // It does not delay the console's end.
    drop(console);
    assert_eq!(guesser.hears(), None);
}
