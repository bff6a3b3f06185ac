//! The thread that accepts clients, and the conversation with one of them.
//!
//! Every conversation has a thread of its own within the scope of the accepting thread. When the
//! accepting thread ends, all conversations have ended, and the console no longer holds the system.

use crate::door::{Door, Stay};
use crate::lines::{Line, Lines};
use crate::peer::Peer;
use crate::token::Token;
use crate::wire::{Greeting, Reason, Refusal, Request, Snapshot, Subject, VERSION};
use serde::Serialize;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use vivant::System;

/// Pause after a failed `accept`, which fails again at once when the process has no file
/// descriptors left.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

pub(crate) const THREADS_NAME: &str = "vivant-console";

/// Time for which a refused client may take to read the reason.
const FAREWELL: Duration = Duration::from_millis(200);

/// The data that all conversations need.
pub(crate) struct Host {
    pub(crate) system: System,
    pub(crate) token: Token,
    pub(crate) began: Instant,
}

/// Why a conversation ends.
enum End {
    Closed,
    SentAway(Reason),
}

/// Accepts clients until the door closes.
pub(crate) fn welcome(
    host: &Host,
    door: &Door,
    listener: &TcpListener,
    peer_of: impl Fn(&TcpStream) -> Peer,
) {
    thread::scope(|scope| {
        for stream in listener.incoming() {
            if door.is_closing() {
                return;
            }
            let Ok(stream) = stream else {
                door.wait(AFTER_FAILURE);
                continue;
            };
            let Ok(Some(stay)) = door.enter(&stream, peer_of(&stream)) else {
                // One write without waiting, because this thread must not block. A client that has
                // sent already may lose the answer.
                let _said = send_away(&stream, Reason::Busy);
                continue;
            };
            // If the thread cannot be started, the conversation is dropped, which closes it.
            let _started =
                thread::Builder::new().spawn_scoped(scope, move || converse(host, &stream, &stay));
        }
    });
}

fn converse(host: &Host, stream: &TcpStream, stay: &Stay<'_>) {
    let Ok(mut lines) = stream.try_clone().map(Lines::of) else {
        return;
    };
    if let End::SentAway(reason) = talk(host, stream, &mut lines, stay)
        && send_away(stream, reason).is_ok()
    {
        lines.ignore_rest(FAREWELL);
    }
}

fn talk(host: &Host, stream: &TcpStream, lines: &mut Lines, stay: &Stay<'_>) -> End {
    let limits = stay.limits();
    let greeting = match lines.next(limits.token_within) {
        Line::Whole(line) => serde_json::from_str::<Greeting>(&line).ok(),
        other => return end_of(&other, Reason::Token),
    };
    if !greeting.is_some_and(|greeting| host.token.admits(&greeting.token)) {
        stay.wait(limits.wrong_token_costs);
        return End::SentAway(Reason::Token);
    }
    if !stay.becomes_guest() {
        return End::SentAway(Reason::Busy);
    }
    loop {
        let line = match lines.next(limits.request_within) {
            Line::Whole(line) => line,
            other => return end_of(&other, Reason::Request),
        };
        let answered = match serde_json::from_str(&line) {
            Ok(Request {
                get: Subject::Facts,
            }) => say(
                stream,
                &Snapshot::from_inspection(host.began.elapsed(), &host.system.inspect()),
                limits.write_within,
            ),
            Err(_) => return End::SentAway(Reason::Request),
        };
        if answered.is_err() {
            return End::Closed;
        }
    }
}

fn end_of(line: &Line, not_text: Reason) -> End {
    match line {
        Line::Closed | Line::Whole(_) => End::Closed,
        Line::TooLong => End::SentAway(Reason::TooLong),
        Line::TooLate => End::SentAway(Reason::TooLate),
        Line::NotText => End::SentAway(not_text),
    }
}

fn send_away(stream: &TcpStream, reason: Reason) -> io::Result<()> {
    let refusal = Refusal {
        version: VERSION,
        error: reason,
    };
    say(stream, &refusal, FAREWELL)?;
    stream.shutdown(Shutdown::Write)
}

/// Writes a whole line; each of its writes may block for `limit`.
fn say(mut stream: &TcpStream, what: &impl Serialize, limit: Duration) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(limit))?;
    stream.write_all(&line)
}
