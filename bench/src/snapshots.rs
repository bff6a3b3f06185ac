//! `snapshots`: the Savina programs with a snapshot in every second iteration, and without.
//!
//! A run is a number of iterations of one program in this process. Runs with and without snapshots
//! alternate, and their order changes from pair to pair. An iteration with a snapshot requests it
//! at the program's snapshot point; another thread takes it while the program, and the iterations
//! behind it, go on. The time is that of the whole run: until the last iteration has ended and the
//! last snapshot is on disk. The first pair is not counted.
//!
//! - `line`: one program, measured; `summary`: the means of the programs.

use crate::bench::{Bench, SavedTypes};
use crate::failure::Failure;
use crate::meter::Meter;
use crate::run::Run;
use crate::workloads::listen;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::io::{self, Write};
use std::panic;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use vivant::journal::{DirectoryStore, Journal, Settings};
use vivant::{SnapshotError, System, SystemBuilder};

mod line;
mod summary;

use line::{Line, Outcome};
use summary::summary;

/// The verb of the command line.
pub(crate) const VERB: &str = "snapshots";

/// What the thread that takes snapshots is told.
#[derive(Debug)]
pub(crate) enum Event {
    /// An iteration has built this system.
    Built(System),
    /// The program is at its snapshot point.
    Point,
    /// The run has ended.
    Ended,
}

/// The saved types of a run, and what takes its snapshots, if anything does.
#[derive(Clone, Debug)]
pub struct Listed {
    types: SavedTypes,
    listener: Option<Sender<Event>>,
}

impl Listed {
    pub(crate) fn list(&self, builder: SystemBuilder) -> SystemBuilder {
        (self.types.list)(builder)
    }

    pub(crate) fn built(&self, system: &System) {
        if let Some(listener) = &self.listener {
            // An error: the thread has panicked, and its run says so.
            let _told = listener.send(Event::Built(system.clone()));
        }
    }
}

pub(crate) fn command() -> Command {
    let names = crate::BENCHES.iter().filter(|it| it.saved.is_some());
    let names: Vec<_> = names.map(|it| it.name).collect();
    Command::new(VERB)
        .about("The Savina programs with a snapshot in every second iteration, and without, in pairs of runs")
        .arg(
            Arg::new("program")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(names))
                .help("Only these programs"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .default_value("10")
                .value_parser(value_parser!(u64).range(1..))
                .help("Pairs of runs of each program that are counted"),
        )
        .arg(
            Arg::new("iterations")
                .long("iterations")
                .value_name("N")
                .default_value("4")
                .value_parser(value_parser!(u64).range(2..))
                .help("Iterations of each run: every second one has a snapshot"),
        )
}

/// Measures the programs, and prints a line for each. `sized` gives a program's run.
pub(crate) fn run(
    matches: &ArgMatches,
    sized: impl Fn(&Bench) -> Result<Run, Failure>,
) -> Result<(), Failure> {
    let rounds = *matches.get_one::<u64>("rounds").expect("has a default");
    let iterations = *matches.get_one::<u64>("iterations").expect("has a default");
    let chosen: Vec<&String> = matches.get_many("program").unwrap_or_default().collect();
    let json = matches.get_flag("json");
    let folder = tempfile::tempdir()?;
    let mut output = io::stdout().lock();
    if !json {
        writeln!(output, "store: the directory {}", folder.path().display())?;
        writeln!(output, "{}", Line::HEAD)?;
    }
    let mut lines = Vec::new();
    for bench in crate::BENCHES {
        let is_chosen = chosen.is_empty() || chosen.iter().any(|it| *it == bench.name);
        let (Some(types), true) = (bench.saved, is_chosen) else {
            continue;
        };
        let store = DirectoryStore::new(folder.path().join(bench.name));
        let journal = Journal::open(store, Settings::default())?;
        let line = measure(bench, &sized(bench)?, types, &journal, (rounds, iterations))?;
        let text = match json {
            true => serde_json::to_string(&line).map_err(io::Error::from)?,
            false => line.to_string(),
        };
        writeln!(output, "{text}")?;
        lines.push(line);
    }
    match json {
        true => eprint!("{}", summary(&lines)),
        false => write!(output, "{}", summary(&lines))?,
    }
    Ok(())
}

fn measure(
    bench: &Bench,
    run: &Run,
    types: SavedTypes,
    journal: &Journal,
    (rounds, iterations): (u64, u64),
) -> Result<Line, Failure> {
    let mut pairs = Vec::new();
    let mut outcomes = Vec::new();
    for round in 0..=rounds {
        let mut times = [0.0; 2];
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order {
            let journal = (side == 1).then_some(journal);
            let (seconds, taken) = whole_run(bench, run, types, (journal, iterations))?;
            times[side] = seconds / iterations as f64;
            if round > 0 {
                outcomes.extend(taken);
            }
        }
        if round > 0 {
            pairs.push(times);
        }
    }
    Ok(Line::of(bench.name, &pairs, &outcomes))
}

/// Runs a program some times, every second time with its snapshots into `journal`, or without any.
/// Returns the seconds and the snapshots.
fn whole_run(
    bench: &Bench,
    run: &Run,
    types: SavedTypes,
    (journal, iterations): (Option<&Journal>, u64),
) -> Result<(f64, Vec<Outcome>), Failure> {
    let (events, received) = mpsc::channel();
    let of_iteration = |listener| {
        let mut run = run.clone();
        run.snapshots = Some(Listed { types, listener });
        run
    };
    thread::scope(|scope| {
        let taker = journal.map(|journal| scope.spawn(|| take(received, journal)));
        let meter = Meter::start();
        let ran = (0..iterations).try_for_each(|iteration| {
            let has_snapshot = journal.is_some() && iteration % 2 == 1;
            let listener = has_snapshot.then(|| events.clone());
            listen(listener.clone());
            bench.run(&of_iteration(listener)).map(drop)
        });
        listen(None);
        // An error: the thread has panicked, and the join says so.
        let _told = events.send(Event::Ended);
        let outcomes = taker.map(|it| it.join());
        let seconds = meter.stop().wall.as_secs_f64();
        let outcomes = outcomes.transpose();
        let outcomes = outcomes.unwrap_or_else(|panicked| panic::resume_unwind(panicked));
        ran.map(|()| (seconds, outcomes.unwrap_or_default()))
    })
}

/// Takes a snapshot at each point of a run.
fn take(events: Receiver<Event>, journal: &Journal) -> Vec<Outcome> {
    let mut system = None;
    let mut outcomes = Vec::new();
    for event in events {
        match event {
            Event::Built(built) => system = Some(built),
            Event::Point => outcomes.push(match system.take() {
                Some(system) => system.snapshot(journal),
                None => Err(SnapshotError::NothingListed),
            }),
            Event::Ended => break,
        }
    }
    outcomes
}
