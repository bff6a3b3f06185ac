//! `airline serve` is killed at any moment and started again: each booking that was confirmed
//! before its last snapshot was requested is there, and the audit holds.

use crate::support::asks::book_form;
use crate::support::scratch::Scratch;
use crate::support::test_server::{json, login};
use airline::customer::user_name;
use airline::data::Moment;
use airline::id::Id;
use axum::http::header::AUTHORIZATION;
use example_load::{Ask, Caller, Process, encoded};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::SystemTime;
use std::{fs, io, thread};

const CLIENTS: u32 = 3;
/// To which each of them flies from New York, and perhaps back. Each has flights of its own, which
/// are not full before the end.
const AIRPORTS: [&str; CLIENTS as usize] = ["LHR", "FRA", "CDG"];
const TOKEN: &str = "00000000-0000-4000-8000-00000000000a";

/// What a client knows of a booking.
#[derive(Clone, Copy, Debug)]
struct Confirmed {
    booking: Id,
    /// No snapshot that was requested after so many requests, or more, was requested before the
    /// booking was confirmed: when the answer came, no client had sent more.
    sent: u64,
    cancelled: Cancelled,
}

#[derive(Clone, Copy, Debug)]
enum Cancelled {
    No,
    /// The server may have done it.
    Requested,
    /// It has; confirmed when the clients had sent so many requests.
    Confirmed(u64),
}

/// A snapshot as the server prints it.
#[derive(Clone, Copy, Debug)]
struct Printed {
    image: u64,
    answered: u64,
}

fn serve(folder: &Path) -> Process {
    let words = [
        "serve",
        "--port=0",
        "--customers=3",
        "--days=2",
        "--workers=2",
        "--snapshot-every=25",
        "--snapshots",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_airline"));
    command.args(words).arg(folder);
    Process::start(command.env("AIRLINE_OPERATOR_TOKEN", TOKEN)).unwrap()
}

/// Reads `snapshot 7: …; requested after 350 requests`.
fn printed(line: &str) -> Option<Printed> {
    let (image, rest) = line.strip_prefix("snapshot ")?.split_once(": ")?;
    let (_, answered) = rest.rsplit_once("; requested after ")?;
    Some(Printed {
        image: image.parse().ok()?,
        answered: answered.strip_suffix(" requests")?.parse().ok()?,
    })
}

/// The image from which the server goes on.
fn restored_image(server: &Process) -> Option<u64> {
    let lines = server.printed.iter();
    let mut restored = lines.filter_map(|line| line.strip_prefix("restored from snapshot "));
    restored.next()?.split(',').next()?.parse().ok()
}

/// Counts the requests of all clients, and tells when it was a certain number.
#[derive(Clone)]
struct Sent {
    count: Arc<AtomicU64>,
    told: mpsc::Sender<u64>,
}

impl Sent {
    /// Sends a request, and returns the answer and the number of requests that were sent then.
    fn ask(&self, caller: &mut Caller, ask: Ask) -> io::Result<(example_load::Answer, u64)> {
        let number = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        // An error: the number that was waited for has come.
        let _told = self.told.send(number);
        let answer = caller.ask(ask).map_err(io::Error::other)?;
        Ok((answer, self.count.load(Ordering::SeqCst)))
    }
}

/// Books, and cancels a third of the flights, until the server is gone.
fn book_until_the_end(
    server: SocketAddr,
    customer: u32,
    sent: &Sent,
    confirmed: &mut Vec<Confirmed>,
) -> io::Result<()> {
    let mut caller = Caller::new(server)?;
    let user = user_name(customer);
    sent.ask(&mut caller, login(&user))?;
    let tomorrow = airline::data::Day(Moment::of(SystemTime::now()).day().0 + 1).to_string();
    let query = [
        ("fromAirport", "JFK"),
        ("toAirport", AIRPORTS[customer as usize]),
        ("fromDate", &tomorrow),
        ("returnDate", &tomorrow),
        ("oneWay", "false"),
    ];
    let query = Ask::form("/rest/api/flights/queryflights", &query);
    let found = json(&sent.ask(&mut caller, query)?.0);
    let flight = |leg| found["tripFlights"][leg]["flightsOptions"][0]["_id"].as_str();
    let (out, back) = (flight(0).unwrap(), flight(1).unwrap());
    let mut dice = fastrand::Rng::with_seed(customer.into());
    loop {
        let back = if dice.bool() { back } else { "" };
        let (answer, number) = sent.ask(&mut caller, book_form(&user, out, back))?;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let booked = json(&answer);
        for leg in ["departBookingId", "returnBookingId"] {
            let Some(booking) = booked[leg].as_str() else {
                continue;
            };
            confirmed.push(Confirmed {
                booking: booking.parse().unwrap(),
                sent: number,
                cancelled: Cancelled::No,
            });
        }
        if dice.bool() {
            let standing = |it: &&mut Confirmed| matches!(it.cancelled, Cancelled::No);
            let Some(it) = confirmed.iter_mut().rfind(standing) else {
                continue;
            };
            it.cancelled = Cancelled::Requested;
            let number = it.booking.to_string();
            let cancel = [("number", &*number), ("userid", &*user)];
            let cancel = Ask::form("/rest/api/bookings/cancelbooking", &cancel);
            let (answer, number) = sent.ask(&mut caller, cancel)?;
            assert_eq!(answer.status, 200, "{}", answer.text());
            it.cancelled = Cancelled::Confirmed(number);
        }
    }
}

/// Clients that book at a server until it is gone.
struct Clients {
    sent: Sent,
    numbers: mpsc::Receiver<u64>,
    threads: Vec<thread::JoinHandle<Vec<Confirmed>>>,
}

impl Clients {
    /// Clients of a server that was sent `before` requests.
    fn of(server: &Process, before: u64) -> Clients {
        let (told, numbers) = mpsc::channel();
        let count = Arc::new(AtomicU64::new(before));
        let sent = Sent { count, told };
        let client = |customer| {
            let (address, sent) = (server.address, sent.clone());
            thread::spawn(move || {
                let mut confirmed = Vec::new();
                let ended = book_until_the_end(address, customer, &sent, &mut confirmed);
                assert!(ended.is_err(), "they book as long as they can");
                confirmed
            })
        };
        Clients {
            threads: (0..CLIENTS).map(client).collect(),
            sent,
            numbers,
        }
    }

    fn sent(&self) -> u64 {
        self.sent.count.load(Ordering::SeqCst)
    }

    /// Waits until they have sent this number of requests.
    fn wait(&self, sent: u64) {
        while self.numbers.recv().expect("they send until the end") < sent {}
    }

    /// Kills the server. Returns what they know, and the last snapshot that it printed: the one
    /// that was read before, if there is none.
    fn kill(self, server: Process, read: Printed) -> (Vec<Confirmed>, Printed) {
        server.signal("KILL").unwrap();
        let (ended, rest) = server.wait().unwrap();
        assert!(!ended.success());
        let last = rest.iter().filter_map(|line| printed(line)).next_back();
        let known = self.threads.into_iter().flat_map(|it| it.join().unwrap());
        (known.collect(), last.unwrap_or(read))
    }
}

/// Waits for the next snapshot that the server prints.
fn next_snapshot(server: &mut Process) -> Printed {
    loop {
        let line = server.next_line().unwrap().expect("it serves");
        if let Some(printed) = printed(&line) {
            return printed;
        }
    }
}

/// The number of requests of [`found`].
const REQUESTS_OF_FOUND: u64 = 2 + 2 * CLIENTS as u64;

/// The bookings of all customers. The second audit must hold: at the first, trips that were in
/// progress at the cut may still be.
fn found(server: &Process) -> BTreeSet<Id> {
    let mut caller = Caller::new(server.address).unwrap();
    for is_last in [false, true] {
        let audit = Ask::get("/audit").header(AUTHORIZATION, format!("Bearer {TOKEN}"));
        let answer = caller.ask(audit).unwrap();
        assert!(!is_last || answer.status == 200, "{}", answer.text());
    }
    let mut found = BTreeSet::new();
    for customer in 0..CLIENTS {
        let user = user_name(customer);
        assert_eq!(caller.ask(login(&user)).unwrap().status, 200);
        let path = format!("/rest/api/bookings/byuser/{}", encoded(&user));
        let bookings = json(&caller.ask(Ask::get(path)).unwrap());
        let bookings = bookings.as_array().unwrap();
        found.extend(
            bookings
                .iter()
                .map(|it| it["_id"].as_str().unwrap())
                .map(id),
        );
    }
    found
}

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

/// What the snapshot must have of this, and the server does not show.
fn wrong(known: &[Confirmed], snapshot: Printed, found: &BTreeSet<Id>) -> Vec<String> {
    let is_in = |sent: u64| sent <= snapshot.answered;
    let of = |it: &Confirmed| match it.cancelled {
        Cancelled::No if is_in(it.sent) && !found.contains(&it.booking) => {
            Some(format!("{} is lost", it.booking))
        }
        Cancelled::Confirmed(sent) if is_in(sent) && found.contains(&it.booking) => {
            Some(format!("{} was cancelled and is there", it.booking))
        }
        _ => None,
    };
    known.iter().filter_map(of).collect()
}

#[test]
fn what_was_confirmed_before_a_snapshot_survives_a_kill() {
    let folder = Scratch::new("survival");
    let mut dice = fastrand::Rng::with_seed(28);
    let mut server = serve(folder.path());
    assert_eq!(restored_image(&server), None);
    // What earlier rounds have left.
    let mut old: Vec<Confirmed> = Vec::new();
    let mut requests = 0;
    for round in 0..10 {
        let clients = Clients::of(&server, requests);
        let mut read = next_snapshot(&mut server);
        for _ in 0..dice.u64(0..3) {
            read = next_snapshot(&mut server);
        }
        clients.wait(clients.sent() + dice.u64(0..60));
        let (mut known, last) = clients.kill(server, read);
        known.extend(&old);
        server = serve(folder.path());
        let image = restored_image(&server).expect("there is an image");
        assert!(
            image >= last.image,
            "round {round}: {image} is not {last:?}"
        );
        let found = found(&server);
        let wrong = wrong(&known, last, &found);
        assert!(wrong.is_empty(), "round {round}, {last:?}: {wrong:#?}");
        assert!(!found.is_empty(), "round {round}: nothing was booked");
        requests = REQUESTS_OF_FOUND;
        old = found.iter().map(|booking| standing(*booking)).collect();
    }
}

/// A booking that was there when the server was started.
fn standing(booking: Id) -> Confirmed {
    Confirmed {
        booking,
        sent: 0,
        cancelled: Cancelled::No,
    }
}

/// The files of one image are put aside. It is a good image, and bookings that were confirmed when
/// it existed already are in a later one.
#[test]
fn canary_an_older_image_is_noticed() {
    let (folder, aside) = (Scratch::new("survival-of"), Scratch::new("survival-aside"));
    let mut server = serve(folder.path());
    let clients = Clients::of(&server, 0);
    let older = next_snapshot(&mut server);
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains(&format!("{:016x}", older.image)) {
            fs::copy(&path, aside.path().join(name)).unwrap();
        }
    }
    let sent = clients.sent();
    let mut read = older;
    while read.answered < sent + 25 {
        read = next_snapshot(&mut server);
    }
    let (known, last) = clients.kill(server, read);
    let server = serve(aside.path());
    assert_eq!(restored_image(&server), Some(older.image));
    let wrong = wrong(&known, last, &found(&server));
    assert!(wrong.iter().any(|it| it.ends_with("is lost")), "{wrong:#?}");
}
