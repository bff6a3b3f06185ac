//! `cache`: a server for each store, requests for each in turn, report, audit.

use super::args::RunArguments;
use super::child::ServerProcess;
use super::target::{Target, Tells};
use crate::popularity::Popularity;
use crate::report::{self, Outcome};
use std::error::Error;
use std::io;
use std::rc::Rc;
use tokio::runtime::{self, Runtime};

/// Runs, and returns whether all was well.
///
/// # Errors
///
/// It could not be run at all.
pub(super) fn run(arguments: &RunArguments) -> Result<bool, Box<dyn Error>> {
    let runtime = runtime()?;
    let popularity = Rc::new(Popularity::new(arguments.pages.titles.into()));
    let mut servers = Vec::new();
    for store in arguments.stores() {
        let server = ServerProcess::start(arguments, store)?;
        let target = Target::new(
            server.address,
            Some(server.filled_in),
            Tells::Everything,
            &runtime,
        )?;
        servers.push((server, target));
    }
    for round in 0..arguments.rate.rounds {
        let plan = arguments.rate.plan(&arguments.pages, round);
        for number in 0..servers.len() {
            // Each time another one is first.
            let at = (number + round as usize) % servers.len();
            arguments.rate.rest();
            servers[at].1.ask(&runtime, &plan, &popularity)?;
        }
    }
    let mut runs = Vec::new();
    for (server, target) in servers {
        runs.push(target.done(&runtime)?);
        server.stop(&runtime)?;
    }
    let outcome = Outcome {
        plan: arguments.rate.plan(&arguments.pages, 0),
        titles: popularity.titles(),
        seed: arguments.pages.seed,
        rounds: arguments.rate.rounds,
        runs,
    };
    Ok(tell(&outcome, arguments.rate.format()))
}

/// The runtime of the load generator: this thread.
pub(super) fn runtime() -> io::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

/// In which form an outcome is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Table,
    TableAndJson,
}

/// Prints an outcome; whether it is good.
#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command"
)]
pub(super) fn tell(outcome: &Outcome, format: Format) -> bool {
    println!("{outcome}");
    if format == Format::TableAndJson {
        println!("{}", report::json(outcome));
    }
    for complaint in outcome.complaints() {
        eprintln!("{complaint}");
    }
    outcome.is_good()
}
