//! `exchange books`: the race alone.

use super::args::BookArguments;
use crate::race::{Course, Entrant, Race, race};
use example_load::command::bar;
use std::error::Error;
use strum::VariantArray;

/// Races, and prints what came of it.
///
/// # Errors
///
/// A book came to another state than the others.
#[allow(clippy::print_stdout, reason = "this is a command")]
pub(super) fn books(arguments: &BookArguments) -> Result<(), Box<dyn Error>> {
    println!("{}", shown(arguments.course())?);
    Ok(())
}

/// Races with a progress bar: on standard error, and hidden when that is not a terminal.
pub(super) fn shown(course: Course) -> Result<Race, Box<dyn Error>> {
    let count = course.rounds * Entrant::VARIANTS.len();
    let bar = bar(count as u64, "", "books")?;
    let race = race(course, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(race)
}
