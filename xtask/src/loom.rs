//! `loom`: all interleavings of single protocols, up to a number of preemptions.

use crate::Failure;
use crate::command::Run;
use crate::filtered::Tests;

/// Two preemptions show nearly all known bugs of such protocols in minutes.
const PREEMPTIONS_SHORT: &str = "2";

/// Three, with the larger models, take tens of minutes; four take hours.
const PREEMPTIONS_LONG: &str = "3";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// More preemptions, and the larger models
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let run = Run::cargo("test -p vivant-loom --profile checks");
    let run = if options.long {
        run.env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS_LONG)
            .env("VIVANT_LOOM_LONG", "1")
    } else {
        run.env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS_SHORT)
    };
    Tests::of(run).run()
}
