//! A snapshot of many idle actors, and the system made of it again.
//!
//! Protocol: our own. 1,000,000 saved actors have each processed a message and wait for the next. A
//! snapshot is taken into a directory, with its syncs. Beside a second one a thread asks a random
//! actor each 0.2 ms, whether or not the asks before are answered, and another thread only looks at
//! the clock. Both do the same for as long again without a snapshot. Then a program that has no
//! snapshots: each actor is asked for its state, with nothing else to do, and the states are
//! encoded by serde and postcard into one file with a sync. At last a new system is restored from
//! the snapshot, and the sum of all states is compared.
//!
//! Timed: by `step`, the first snapshot, the encoding, the restore. An operation is an actor. The
//! delay of an actor is the time from the ask until its turn reads the clock. `asks`,
//! `delayed_over_1ms` and `longest_delay_ms` are of the second snapshot; `stalls_over_1ms` and
//! `longest_stall_ms` are of the times between two looks at the clock, with a pause of 50 µs. With
//! `quiet_` in front they are without a snapshot. So a machine that stalls can be told from a
//! system that does. `slow_values` counts values that took over a millisecond to encode. Of the
//! encoding, `collect_s` is the time until all actors have given their states; a program that has
//! them at hand needs only the rest.

use crate::prelude::*;
use std::fs::File;
use std::io::Write;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use vivant::AskFuture;
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

/// From one ask to the next.
const ASK_EVERY: Duration = Duration::from_micros(200);
/// From one look at the clock to the next.
const LOOK_EVERY: Duration = Duration::from_micros(50);
/// An actor that waits for longer is delayed.
const LIMIT: Duration = Duration::from_millis(1);
/// States that are asked for and have not come yet.
const IN_FLIGHT: usize = 10_000;

/// Where this process's clock begins: both sides of an ask read it.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

#[derive(Actor)]
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

    /// When this turn is, in nanoseconds.
    fn now(&self) -> u64 {
        BEGAN.elapsed().as_nanos() as u64
    }

    fn state(&self) -> State {
        (self.number, self.balance, self.owner.clone())
    }
}

/// The fields of an account.
type State = (u64, i64, String);

/// Times of which those over the limit are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    count: u64,
    over: u64,
    longest: Duration,
}

impl Waits {
    fn record(&mut self, time: Duration) {
        self.count += 1;
        self.over += u64::from(time > LIMIT);
        self.longest = self.longest.max(time);
    }
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let count = run.count("actors");
    LazyLock::force(&BEGAN);
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
        let snapshot = snapshot(run, &system, &actors, &journal)?;
        if wanted("snapshot") {
            all.push(snapshot);
        }
        if wanted("encode") {
            all.push(encode(
                run,
                &system,
                &actors,
                &folder.path().join("states"),
            )?);
        }
        let _report = system.shutdown();
    }
    if wanted("restore") {
        all.push(restore(run, count, &journal)?);
    }
    Ok(all)
}

/// Two snapshots: the first with nothing else to do is timed, the second has threads that ask and
/// look at the clock beside it.
fn snapshot(
    run: &Run,
    system: &System,
    actors: &[Address<Account>],
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
    let began = Instant::now();
    let (taken, delays, stalls) = watched(system, actors, || system.snapshot(journal))?;
    taken?;
    add_waits(&mut figures, "", delays, stalls);
    let time = began.elapsed();
    let ((), delays, stalls) = watched(system, actors, || thread::sleep(time))?;
    add_waits(&mut figures, "quiet_", delays, stalls);
    figures.add("slow_values", (report.slow.len() + report.more_slow) as u64);
    figures.add("bytes", report.bytes);
    figures.add("stored_bytes", report.stored_bytes);
    Ok(figures)
}

fn add_waits(figures: &mut Figures, when: &str, delays: Waits, stalls: Waits) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let mut add = |name, value: serde_json::Value| figures.add(&format!("{when}{name}"), value);
    add("asks", delays.count.into());
    add("delayed_over_1ms", delays.over.into());
    add("longest_delay_ms", ms(delays.longest).into());
    add("stalls_over_1ms", stalls.over.into());
    add("longest_stall_ms", ms(stalls.longest).into());
}

/// Does something while one thread asks actors and another looks at the clock. Returns what came of
/// it, the delays of the actors, and the times between two looks.
fn watched<T>(
    system: &System,
    actors: &[Address<Account>],
    body: impl FnOnce() -> T,
) -> Result<(T, Waits, Waits), Failure> {
    let is_over = AtomicBool::new(false);
    let (done, asked, stalls) = thread::scope(|scope| {
        let asks = scope.spawn(|| ask_random(actors, &is_over));
        let looks = scope.spawn(|| look(&is_over));
        let done = body();
        is_over.store(true, Ordering::Relaxed);
        (done, joined(asks), joined(looks))
    });
    let mut delays = Waits::default();
    for (at, turn) in asked {
        let turn = Duration::from_nanos(system.block_on(turn)?);
        delays.record(turn.saturating_sub(at));
    }
    Ok((done, delays, stalls))
}

/// Asks an actor each time that one is due. Returns when, and the answers.
fn ask_random(
    actors: &[Address<Account>],
    is_over: &AtomicBool,
) -> Vec<(Duration, AskFuture<u64>)> {
    let mut chance = fastrand::Rng::with_seed(1);
    let mut asked = Vec::new();
    let mut due = Instant::now();
    while !is_over.load(Ordering::Relaxed) {
        let actor = &actors[chance.usize(0..actors.len())];
        let at = BEGAN.elapsed();
        asked.push((at, actor.now().ask()));
        due += ASK_EVERY;
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    asked
}

fn look(is_over: &AtomicBool) -> Waits {
    let (mut waits, mut last) = (Waits::default(), Instant::now());
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(LOOK_EVERY);
        let now = Instant::now();
        waits.record(now - last);
        last = now;
    }
    waits
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// What a program does that has no snapshots: while nothing else runs, each actor gives a copy of
/// its state, and then all of them are encoded.
fn encode(
    run: &Run,
    system: &System,
    actors: &[Address<Account>],
    path: &std::path::Path,
) -> Result<Figures, Failure> {
    let count = run.count("actors");
    let meter = Meter::start();
    let began = Instant::now();
    let mut states: Vec<State> = Vec::with_capacity(actors.len());
    for actors in actors.chunks(IN_FLIGHT) {
        let asked: Vec<_> = actors.iter().map(|actor| actor.state().ask()).collect();
        for state in asked {
            states.push(system.block_on(state)?);
        }
    }
    let collected = began.elapsed();
    let bytes = postcard::to_allocvec(&states).map_err(std::io::Error::other)?;
    let mut file = File::create(path)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    let spent = meter.stop();
    let sum = states.iter().map(|(_, balance, _)| balance.unsigned_abs());
    let check = run.check("sum of balances", count * (count - 1) / 2, sum.sum())?;
    let mut figures = Figures::new(spent, count, check);
    figures.params = vec![("step", Value::Choice("encode"))];
    figures.add("collect_s", collected.as_secs_f64());
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
