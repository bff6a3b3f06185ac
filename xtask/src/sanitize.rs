//! `sanitize`: the tests of `vivant` on real threads, with the standard library built under the same sanitizer.

use crate::args::Args;
use crate::command::Run;
use crate::toolchain::{self, NIGHTLY};
use crate::{Failure, workspace};

/// All tests that run the runtime; those of the compiler's messages have nothing to say to a sanitizer.
const TESTS: &str = "--test by_hand --test order --test nothing_lost --test fairness --test back_pressure \
    --test lifecycle --test misbehaviour --test promises --test timers --test futures --test errors --test simulation \
    --test accounting --test macros";

/// Naming the target keeps the sanitizer out of build scripts and macros.
const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let sanitizer = match args.positional().as_deref() {
        Some("thread") => "thread",
        Some("address") => "address",
        _ => return Err("which sanitizer? `cargo xtask sanitize thread` or `address`".into()),
    };
    args.finish()?;
    toolchain::ensure_components(NIGHTLY, &["rust-src"])?;
    // Tests of documentation are compiled by rustdoc, which does not see these flags.
    Run::cargo_of(
        NIGHTLY,
        &format!("test -p vivant --lib {TESTS} -Zbuild-std --target"),
    )
    .arg(TARGET)
    .arg("--target-dir")
    .arg(workspace::target_dir("sanitize").join(sanitizer))
    .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"))
    // The million actors of `accounting.rs` are some thousands here.
    .env("VIVANT_SMALL", "1")
    .run_tests()
}
