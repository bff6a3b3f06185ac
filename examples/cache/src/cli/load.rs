//! `cache load`: requests for a server that somebody has started.

use super::args::LoadArguments;
use super::run;
use super::target::Target;
use crate::popularity::Popularity;
use crate::report::Outcome;
use std::error::Error;
use std::rc::Rc;

/// Asks for pages, and returns whether all was well.
///
/// # Errors
///
/// The server cannot be reached, or is none of these.
pub(super) fn load(arguments: &LoadArguments) -> Result<bool, Box<dyn Error>> {
    let runtime = run::runtime()?;
    let popularity = Rc::new(Popularity::new(arguments.pages.titles.into()));
    let mut target = Target::new(arguments.server, None, arguments.tells(), &runtime)?;
    for round in 0..arguments.rate.rounds {
        let plan = arguments.rate.plan(&arguments.pages, round);
        arguments.rate.rest();
        target.ask(&runtime, &plan, &popularity)?;
    }
    let outcome = Outcome {
        plan: arguments.rate.plan(&arguments.pages, 0),
        titles: popularity.titles(),
        seed: arguments.pages.seed,
        rounds: arguments.rate.rounds,
        runs: vec![target.done(&runtime)?],
    };
    Ok(run::tell(&outcome, arguments.rate.format()))
}
