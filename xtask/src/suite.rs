//! `test`: all tests, once. `sim`: the tests named `seeded…` under many seeds, and those of images
//! under more seeds. `counts`: random operations on counted references.

use crate::Failure;
use crate::command::Run;
use crate::filtered::Tests;

/// About twenty minutes on two cores, after the build.
const SEEDS_DEFAULT: u64 = 10_000;

/// Tests of images save and restore a program after each of its steps, for each seed.
const SEEDS_OF_IMAGES: &str = "30";

/// Random operations on counted references: a quarter of a minute.
const OPERATIONS_DEFAULT: u64 = 100_000_000;

#[derive(clap::Args)]
pub(crate) struct Sim {
    #[arg(long, value_parser = count, default_value_t = SEEDS_DEFAULT)]
    seeds: u64,
}

#[derive(clap::Args)]
pub(crate) struct Counts {
    #[arg(long, value_parser = count, default_value_t = OPERATIONS_DEFAULT)]
    operations: u64,
}

/// The command that the README gives to a newcomer.
pub(crate) fn test() -> Result<(), Failure> {
    Run::cargo("test --workspace").run()
}

pub(crate) fn sim(options: &Sim) -> Result<(), Failure> {
    seeded("seeded", &options.seeds.to_string())?;
    seeded("snapshot::", SEEDS_OF_IMAGES)
}

/// Runs the tests with this in their names.
fn seeded(name: &str, seeds: &str) -> Result<(), Failure> {
    // With a name cargo builds unit tests of packages that have none (`verify/loom/Cargo.toml`).
    let run = Run::cargo("test --profile checks --workspace --exclude vivant-loom")
        .arg(name)
        .env("VIVANT_SEEDS", seeds)
        // The books of what is shared are kept by debug builds (`orca/count_audit.rs`).
        .env("CARGO_PROFILE_CHECKS_DEBUG_ASSERTIONS", "true");
    Tests::of(run).run()
}

pub(crate) fn counts(options: &Counts) -> Result<(), Failure> {
    let run = Run::cargo("test --profile checks -p vivant-brc --test all")
        .env("VIVANT_OPERATIONS", options.operations.to_string());
    Tests::of(run).modules("stress overflow").run()
}

/// A number above zero.
pub(crate) fn count(text: &str) -> Result<u64, Failure> {
    match text.replace('_', "").parse() {
        Ok(0) | Err(_) => Err(format!("`{text}`: a number above zero is needed")),
        Ok(count) => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn seeds_are_a_number_above_zero() {
        assert_eq!(count("1_000_000"), Ok(1_000_000));
        assert!(count("0").is_err());
        assert!(count("many").is_err());
    }
}
