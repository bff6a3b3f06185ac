//! `cache load`: requests for a server that was started elsewhere.

use super::args::LoadArguments;
use super::run;
use super::target::Target;
use crate::popularity::Popularity;
use std::error::Error;
use std::rc::Rc;

/// Sends requests for pages, and returns true if every check passed.
///
/// # Errors
///
/// The server cannot be reached, or is not a server of these pages.
pub(super) fn load(arguments: &LoadArguments) -> Result<bool, Box<dyn Error>> {
    let popularity = Rc::new(Popularity::new(arguments.pages.titles.into()));
    let mut target = Target::new(arguments.server, None, arguments.endpoints())?;
    for round in 0..arguments.rate.rounds {
        let plan = arguments.rate.plan(&arguments.pages, round);
        arguments.rate.rest();
        target.ask(&plan, &popularity)?;
    }
    let runs = vec![target.done()?];
    Ok(run::show(&arguments.rate, &arguments.pages, runs))
}
