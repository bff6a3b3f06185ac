//! The server with clients of every kind. Limits are short where a test waits for them to pass, and
//! very long where they must not pass; no test asserts how long anything took.

mod admission;
mod fairness;
mod hostile;
mod life;
mod shop;
mod snapshot;
mod whole;

use crate::limits::Limits;
use crate::lines::is_late;
use crate::wire::{Reason, Refusal, Snapshot};
use crate::{Console, Token};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;
use vivant::prelude::*;

const TOKEN: &str = "a-token-for-tests";
const FACTS: &str = r#"{"get":"facts"}"#;
const SHORT: Duration = Duration::from_millis(30);
/// Far more than any test needs; a test that waits in vain must not hang.
const GIVE_UP_AFTER: Duration = Duration::from_secs(30);
const NEVER: Duration = Duration::from_secs(3600);

#[derive(Actor)]
struct Counter {
    count: u64,
}

#[behaviours]
impl Counter {
    fn add(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// No limit passes by itself, and there is room for clients that have left without the server's
/// notice yet.
fn patient() -> Limits {
    Limits {
        strangers_max: 64,
        guests_max: 64,
        token_within: NEVER,
        request_within: NEVER,
        write_within: NEVER,
        wrong_token_costs: Duration::ZERO,
    }
}

fn console(system: &System, limits: Limits) -> Console {
    Console::builder(system)
        .token(Token::new(TOKEN).unwrap())
        .limits(limits)
        .start()
        .unwrap()
}

fn greeting(token: &str) -> String {
    format!(r#"{{"token":"{token}"}}"#)
}

struct Visitor(BufReader<TcpStream>);

impl Visitor {
    fn to(console: &Console) -> Visitor {
        let stream = TcpStream::connect(console.address()).unwrap();
        stream.set_read_timeout(Some(GIVE_UP_AFTER)).unwrap();
        Visitor(BufReader::new(stream))
    }

    fn guest(console: &Console) -> Visitor {
        let mut visitor = Visitor::to(console);
        visitor.says(&greeting(TOKEN));
        visitor.facts();
        visitor
    }

    fn says(&mut self, line: &str) {
        self.sends(format!("{line}\n").as_bytes());
    }

    fn sends(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// `None`: the server has closed.
    fn hears(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Err(error) if is_late(&error) => panic!("neither an answer nor the end"),
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line),
        }
    }

    fn facts(&mut self) -> Snapshot {
        self.says(FACTS);
        let line = self.hears().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    #[track_caller]
    fn is_sent_away(&mut self, why: Reason) {
        let line = self.hears().expect("a reason");
        let refusal: Refusal = serde_json::from_str(&line).expect("a refusal, no facts");
        assert_eq!(refusal.error, why);
        assert_eq!(self.hears(), None, "closed");
    }
}
