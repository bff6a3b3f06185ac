//! `airline`: load, serve, send requests, report, audit.

use super::args::RunArguments;
use super::house::House;
use crate::load::{self, Plan, Tally};
use crate::report::{self, Outcome};
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::fs;
use std::time::Duration;
use tokio::runtime;

/// Runs, and returns whether all was well.
///
/// # Errors
///
/// It could not be run at all.
#[allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command"
)]
pub(super) fn run(arguments: &RunArguments) -> Result<bool, Box<dyn Error>> {
    let connections = arguments.connections.min(arguments.data.customers);
    let house = House::open(&arguments.data, 0)?;
    let directory = house.airline.manager().directory().ask_blocking()?;
    let today = directory.map(|directory| directory.timetable().first_day());
    let plan = Plan {
        duration: Duration::from_secs_f64(arguments.seconds),
        rate: arguments.rate,
        connections,
        seed: arguments.seed,
        customers: arguments.data.customers,
        today: today.ok_or("the airline has no timetable")?,
    };
    let tally = send(&plan, &house)?;
    let told = tally.told.clone();
    let audit = (house.system).block_on(house.airline.audit(&house.system, Some(told)));
    let facts = house.system.inspect();
    let outcome = Outcome {
        plan,
        workers: facts.workers,
        loaded: house.loaded,
        tally,
        audit,
        panics: facts.panics,
    };
    house.close()?;
    fs::write(&arguments.report, report::html(&outcome))
        .map_err(|error| format!("cannot write {}: {error}", arguments.report.display()))?;
    println!("{outcome}");
    println!("written: {}", arguments.report.display());
    if arguments.json {
        println!("{}", report::json(&outcome));
    }
    for complaint in outcome.complaints() {
        eprintln!("{complaint}");
    }
    Ok(outcome.is_good())
}

/// Sends the requests, from this thread.
fn send(plan: &Plan, house: &House) -> Result<Tally, Box<dyn Error>> {
    // On standard error, and hidden when that is not a terminal.
    let bar = ProgressBar::new(plan.requests());
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} requests, {eta} left",
    )?);
    let client = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let shown = bar.clone();
    let progress = move |count| shown.set_position(count);
    let tally = client.block_on(load::run(plan, house.address, progress))?;
    bar.finish_and_clear();
    Ok(tally)
}
