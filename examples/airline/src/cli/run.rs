//! `airline`: load, serve, send requests, report, audit.

use super::args::RunArguments;
use super::instance::{Instance, Saving};
use crate::load::{self, Plan};
use crate::report::{self, Outcome};
use example_load::{ReportFile, command};
use std::error::Error;
use std::time::Duration;

/// Runs, and returns whether all was well.
///
/// # Errors
///
/// It could not be run at all.
pub(super) fn run(arguments: &RunArguments) -> Result<bool, Box<dyn Error>> {
    let file = ReportFile::open(&arguments.report)?;
    let beside = arguments.report.with_extension("snapshots");
    let saving = Saving::of(&arguments.snapshots, &beside, |_| ());
    let instance = Instance::open(&arguments.data, saving, 0, |service| service)?;
    // A new airline has none.
    let mut confirmed = instance.system.block_on(instance.airline.settled())?;
    let directory = instance.airline.manager().directory().ask_blocking()?;
    let today = directory.map(|directory| directory.timetable().first_day());
    let load = &arguments.load;
    let plan = Plan {
        duration: Duration::from_secs_f64(load.seconds),
        rate: load.rate,
        connections: load.connections.min(instance.loaded.customers),
        seed: load.seed,
        customers: instance.loaded.customers,
        today: today.ok_or("the airline has no timetable")?,
    };
    let tally = load::run(&plan, instance.address)?;
    let facts = instance.system.inspect();
    let (loaded, restored) = (instance.loaded, instance.restored.clone());
    confirmed.booked.extend(&tally.confirmed.booked);
    confirmed.cancelled.extend(&tally.confirmed.cancelled);
    let closed = instance.close(Some(confirmed))?;
    let outcome = Outcome {
        plan,
        workers: facts.workers,
        loaded,
        tally,
        audit: closed.audit,
        panics: facts.panics,
        restored,
        snapshots: closed.snapshots,
    };
    file.write(&report::html(&outcome))?;
    let text = format!("{outcome}\nwritten: {}", arguments.report.display());
    let line = arguments.json.then(|| report::json(&outcome));
    Ok(command::print(&text, line, &outcome.complaints()))
}
