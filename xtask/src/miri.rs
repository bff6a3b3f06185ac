//! `miri`: the unit tests of `vivant` under an interpreter that knows undefined behaviour when it sees it.

use crate::Failure;
use crate::args::Args;
use crate::command::Run;
use crate::toolchain::{self, NIGHTLY};

/// No pointer out of an integer, and no alignment by luck.
const FLAGS: &str = "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check";

/// Each seed is another schedule, another layout of memory and other weak-memory outcomes.
const FLAG_LONG: &str = "-Zmiri-many-seeds=0..32";

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let long = args.flag("--long");
    args.finish()?;
    toolchain::ensure_components(NIGHTLY, &["miri", "rust-src"])?;
    let run = Run::cargo_of(NIGHTLY, "miri test -p vivant --lib").env("MIRIFLAGS", FLAGS);
    run.expect_tests()?;
    if long {
        run.env("MIRIFLAGS", format!("{FLAGS} {FLAG_LONG}")).run()
    } else {
        run.run()
    }
}
