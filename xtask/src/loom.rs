//! `loom`: all interleavings of single protocols, up to a number of preemptions.

use crate::Failure;
use crate::command::Run;
use crate::filtered::Tests;

/// The short form has two, and is a part of the tests of the workspace (`verify/loom`). Three, with
/// the larger models, take tens of minutes; four take hours.
const PREEMPTIONS_LONG: &str = "3";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// More preemptions, and the larger models
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let run = match options.long {
        true => Run::cargo("test -p vivant-loom --profile checks")
            .env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS_LONG)
            .env("VIVANT_LOOM_LONG", "1"),
        false => Run::cargo("test -p vivant-loom"),
    };
    Tests::of(run).run()
}
