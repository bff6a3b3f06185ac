//! `exchange`: send orders, report, audit.

use super::args::RunArguments;
use super::books;
use crate::exchange::{Exchange, Settings};
use crate::flow::Market;
use crate::load::{self, Plan};
use crate::report::{self, Facts, Outcome};
use example_load::{ReportFile, command};
use std::error::Error;
use std::time::Duration;
use vivant::prelude::*;

/// Runs, and returns whether all was well.
///
/// # Errors
///
/// It could not be run at all.
pub(super) fn run(arguments: &RunArguments) -> Result<bool, Box<dyn Error>> {
    let file = ReportFile::open(&arguments.report)?;
    let system = System::builder()
        .name("exchange")
        .workers(
            arguments
                .workers
                .map_or_else(command::processors, usize::from),
        )
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
    let bar = command::bar(plan.orders(), "", "orders")?;
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
    file.write(&report::html(&outcome))?;
    let text = format!("{outcome}\n\nwritten: {}", arguments.report.display());
    let line = arguments.json.then(|| report::json(&outcome));
    Ok(command::print(&text, line, &outcome.complaints()))
}
