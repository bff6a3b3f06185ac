//! `cache`: a server for each store, requests for each in turn, report, audit.

use super::args::{PageArguments, RateArguments, RunArguments};
use super::target::{Endpoints, Target};
use crate::popularity::Popularity;
use crate::report::{self, Outcome, Run};
use example_load::{Ask, Caller, Process, command};
use std::env;
use std::error::Error;
use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

/// Runs, and returns true if every check passed.
///
/// # Errors
///
/// The run could not begin.
pub(super) fn run(arguments: &RunArguments) -> Result<bool, Box<dyn Error>> {
    let popularity = Rc::new(Popularity::new(arguments.pages.titles.into()));
    let mut servers = Vec::new();
    for &store in &arguments.store {
        let start = Instant::now();
        let mut serve = Command::new(env::current_exe()?);
        let server = Process::start(serve.args(arguments.serve(store)))?;
        let filled_in = Some(start.elapsed());
        let target = Target::new(server.address, filled_in, Endpoints::All)?;
        servers.push((server, target));
    }
    for round in 0..arguments.rate.rounds {
        let plan = arguments.rate.plan(&arguments.pages, round);
        for number in 0..servers.len() {
            // In each round another server is first.
            let at = (number + round as usize) % servers.len();
            arguments.rate.rest();
            servers[at].1.ask(&plan, &popularity)?;
        }
    }
    let mut runs = Vec::new();
    for (server, target) in servers {
        runs.push(target.done()?);
        Caller::new(server.address)?.ask(Ask::post("/_stop", "text/plain", String::new()))?;
        let (ended, _) = server.wait()?;
        if !ended.success() {
            return Err(format!("a server did not end well: {ended}").into());
        }
    }
    Ok(show(&arguments.rate, &arguments.pages, runs))
}

/// Prints the results of the runs; returns true if they are good.
pub(super) fn show(rate: &RateArguments, pages: &PageArguments, runs: Vec<Run>) -> bool {
    let outcome = Outcome {
        plan: rate.plan(pages, 0),
        titles: pages.titles.into(),
        seed: pages.seed,
        rounds: rate.rounds,
        runs,
    };
    let line = rate.json.then(|| report::json(&outcome));
    command::print(&outcome, line, &outcome.complaints())
}
