//! `exchange`: send orders, report, audit.

use super::args::RunArguments;
use super::books;
use crate::exchange::{Exchange, Settings};
use crate::flow::Market;
use crate::load::{self, Plan};
use crate::report::{self, Facts, Outcome};
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::fs;
use std::thread;
use std::time::Duration;
use vivant::prelude::*;

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
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    let system = System::builder()
        .name("exchange")
        .workers(arguments.workers.map_or_else(processors, usize::from))
        .build();
    let settings = Settings {
        symbols: arguments.symbols,
        traders: arguments.traders,
        readers: arguments.readers,
        balance: arguments.balance(),
    };
    let plan = Plan {
        duration: Duration::from_secs_f64(arguments.seconds),
        rate: arguments.rate,
        market: Market {
            symbols: arguments.symbols,
            traders: arguments.traders,
            resting: arguments.resting as usize,
        },
        seed: arguments.seed,
    };
    let exchange = Exchange::open(&system, settings);
    let bar = ProgressBar::new(plan.orders());
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} orders, {eta} left",
    )?);
    let sent = load::run(&plan, &system, &exchange, |count| bar.set_position(count))?;
    bar.finish_and_clear();
    let audit = exchange.audit(&system)?;
    let facts = Facts::of(&system);
    drop(exchange);
    system.shutdown();
    let outcome = Outcome {
        plan,
        settings,
        sent,
        audit,
        system: facts,
        race: arguments.course().map(books::shown).transpose()?,
    };
    fs::write(&arguments.report, report::html(&outcome))
        .map_err(|error| format!("cannot write {}: {error}", arguments.report.display()))?;
    println!("{outcome}\n\nwritten: {}", arguments.report.display());
    if arguments.json {
        println!("{}", report::json(&outcome));
    }
    for complaint in outcome.complaints() {
        eprintln!("{complaint}");
    }
    Ok(outcome.is_good())
}
