//! A snapshot of many idle actors, and the system made of it again.
//!
//! Protocol: our own. 1,000,000 saved actors have each processed a message and wait for the next. A
//! snapshot is taken into a directory, with its syncs. Beside a second one a thread asks one of the
//! actors again and again, and another thread only reads the clock. Then the same states are
//! encoded by serde and postcard into one file with a sync, as a program would that stops all
//! actors first. At last a new system is restored from the snapshot, and the sum of all states is
//! compared.
//!
//! Timed: by `step`, the first snapshot, the encoding, the restore. An operation is an actor.
//! `longest_ask_ms` and `longest_stall_ms` are the longest times between two answers and between
//! two looks at the clock, so a machine that stalls can be told from a system that does.
//! `slow_values` counts values that took over a millisecond to encode.

use crate::prelude::*;
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use vivant::journal::{DirectoryStore, Journal, Settings};
use vivant::prelude::*;

const STEP: Param = Param::choice(
    "step",
    &["all", "snapshot", "encode", "restore"],
    "what a row measures; `all` runs all three",
);

pub(super) const IDLE_SNAPSHOT: Bench = Bench::new(
    Group::Uncharted,
    "idle_snapshot",
    "a snapshot of actors that have nothing to do, and its restore",
    &[
        Param::count("actors", 1_000_000, 100, "actors that are alive"),
        STEP,
    ],
    run,
);

#[derive(Actor, Serialize)]
#[actor(saved)]
struct Account {
    number: u64,
    balance: i64,
    owner: String,
}

#[behaviours]
impl Account {
    fn new(number: u64) -> Account {
        Account {
            number,
            balance: -1,
            owner: format!("owner {number}"),
        }
    }

    fn pay_in(&mut self, amount: i64) {
        self.balance += amount;
    }

    fn balance(&self) -> i64 {
        self.balance
    }
}

/// The longest time between two calls of `body`, until `is_over`.
fn longest(is_over: &AtomicBool, mut body: impl FnMut()) -> Duration {
    let (mut longest, mut last) = (Duration::ZERO, Instant::now());
    while !is_over.load(Ordering::Relaxed) {
        body();
        let now = Instant::now();
        longest = longest.max(now - last);
        last = now;
    }
    longest
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let count = run.count("actors");
    let folder = tempfile::tempdir()?;
    let store = || DirectoryStore::new(folder.path().join("images"));
    let journal = Journal::open(store(), Settings::default())?;
    let wanted = |step| run.is_chosen(STEP, "all") || run.is_chosen(STEP, step);
    let mut all = Vec::new();
    {
        let system = run.builder().saved::<(Account,)>().build();
        let actors: Vec<_> = (0..count)
            .map(|number| system.spawn(Account::new(number)))
            .collect();
        for (number, actor) in (0..).zip(&actors) {
            actor.pay_in(1 + number).send();
        }
        for actor in &actors {
            actor.balance().ask_blocking()?;
        }
        let snapshot = snapshot(run, &system, &actors[0], &journal)?;
        if wanted("snapshot") {
            all.push(snapshot);
        }
        let _report = system.shutdown();
    }
    if wanted("encode") {
        all.push(encode(run, count, &folder.path().join("states"))?);
    }
    if wanted("restore") {
        all.push(restore(run, count, &journal)?);
    }
    Ok(all)
}

/// Two snapshots: the first with nothing else to do is timed, the second has a thread that asks
/// beside it.
fn snapshot(
    run: &Run,
    system: &System,
    asked: &Address<Account>,
    journal: &Journal,
) -> Result<Figures, Failure> {
    let meter = Meter::start();
    let report = system.snapshot(journal)?;
    let spent = meter.stop();
    let count = run.count("actors");
    let saved = report.actors(vivant::SavedAs::State);
    let check = run.check("actors in the snapshot", count, saved)?;
    let mut figures = Figures::new(spent, count, check);
    figures.params = vec![("step", Value::Choice("snapshot"))];
    let (longest_ask, longest_stall) = snapshot_beside_asks(system, asked, journal)?;
    figures.add("longest_ask_ms", longest_ask.as_secs_f64() * 1e3);
    figures.add("longest_stall_ms", longest_stall.as_secs_f64() * 1e3);
    figures.add("slow_values", (report.slow.len() + report.more_slow) as u64);
    figures.add("bytes", report.bytes);
    figures.add("stored_bytes", report.stored_bytes);
    Ok(figures)
}

/// Returns the longest times between two answers and between two looks at the clock, both with a
/// pause of 50 µs.
fn snapshot_beside_asks(
    system: &System,
    asked: &Address<Account>,
    journal: &Journal,
) -> Result<(Duration, Duration), Failure> {
    let is_over = AtomicBool::new(false);
    let pause = || thread::sleep(Duration::from_micros(50));
    let ask = || {
        // An error: the sum of the restored states is compared anyway.
        let _balance = asked.balance().ask_blocking();
        pause();
    };
    let (taken, longest_ask, longest_stall) = thread::scope(|scope| {
        let asks = scope.spawn(|| longest(&is_over, ask));
        let looks = scope.spawn(|| longest(&is_over, pause));
        let taken = system.snapshot(journal);
        is_over.store(true, Ordering::Relaxed);
        (taken, joined(asks), joined(looks))
    });
    taken?;
    Ok((longest_ask, longest_stall))
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// What a program does that stops all its actors, and has their states at hand then.
fn encode(run: &Run, count: u64, path: &std::path::Path) -> Result<Figures, Failure> {
    let states: Vec<Account> = (0..count)
        .map(|number| Account {
            balance: number as i64,
            ..Account::new(number)
        })
        .collect();
    let meter = Meter::start();
    let bytes = postcard::to_allocvec(&states).map_err(std::io::Error::other)?;
    let mut file = File::create(path)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    let spent = meter.stop();
    let check = run.check("states", count, states.len() as u64)?;
    let mut figures = Figures::new(spent, count, check);
    figures.params = vec![("step", Value::Choice("encode"))];
    figures.add("bytes", bytes.len() as u64);
    Ok(figures)
}

fn restore(run: &Run, count: u64, journal: &Journal) -> Result<Figures, Failure> {
    let meter = Meter::start();
    let image = journal.catalog().latest()?.image;
    let image = image.ok_or(Failure::NoSnapshot)?;
    let restored = run.builder().saved::<(Account,)>().restore(&image)?;
    let spent = meter.stop();
    let mut sum = 0;
    for account in restored.actors.actors::<Account>() {
        sum += account.balance().ask_blocking()?.unsigned_abs();
    }
    let check = run.check("sum of balances", count * (count - 1) / 2, sum)?;
    let mut figures = Figures::new(spent, count, check);
    figures.params = vec![("step", Value::Choice("restore"))];
    let _report = restored.system.shutdown();
    Ok(figures)
}
