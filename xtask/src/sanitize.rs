//! `sanitize`: the tests of `vivant`, `vivant-brc` and `vivant-heap` and all workloads at once, on
//! real threads, with the standard library built under the same sanitizer.

use crate::args::Args;
use crate::command::Run;
use crate::toolchain::{self, NIGHTLY};
use crate::{Failure, workspace};

/// All tests that run the runtime; those of the compiler's messages are useless to a sanitizer.
const TESTS: &str = "--test by_hand --test order --test nothing_lost --test fairness --test back_pressure \
    --test lifecycle --test misbehaviour --test promises --test timers --test futures --test errors --test simulation \
    --test accounting --test macros --test graphs --test steps --test deaths --test sharing --test orphans --test lanes \
    --test unreachable --test far --test freezing --test collectors --test pauses --test broken --test destructors --test helped";

/// No recycling of message memory: see `mailbox/pool.rs`.
const OWN_MEMORY: &str = " --cfg vivant_plain_messages";

/// The tests of counted references that cross threads; the tests that count to an overflow take
/// long here, and show nothing.
const COUNTS: &str =
    "-p vivant-brc --lib --test threads --test reentry --test stress --test bounded";

/// Collected heaps, but for the programs for the compiler and those that end the process.
const HEAPS: &str = "-p vivant-heap --lib --test types --test graphs --test holes --test limits --test model --test orca --test hearing --test given_up --test region --test freeze --test sweeping --test sweeping_by_and_by --test short_of_pages --test markers --test marking --test paying --test settling --test keepers \
    --test collections --test persistent --test review --test review_sharing --test review_regions --test review_marks --test tags --test showing";

/// See `bias/header.rs`: the thread sanitizer does not know fences.
const NO_FENCES: &str = " --cfg vivant_no_fences";

/// Memory is mapped and unmapped by functions that the sanitizers know: else memory that is mapped
/// again seems to have its last user still.
const KNOWN_MAPPINGS: &str = " --cfg rustix_use_libc";

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
    let suppressions = |of: &str| {
        let file = workspace::root().join(format!("xtask/{of}-suppressions.txt"));
        format!("suppressions={}", file.display())
    };
    // Documentation tests are compiled by rustdoc, which does not get these flags.
    let tests = |what: &str, flags: &str| {
        Run::cargo_of(
            NIGHTLY,
            &format!("test {what} -Zbuild-std --target {TARGET}"),
        )
        .arg("--target-dir")
        .arg(workspace::target_dir("sanitize").join(sanitizer))
        .env(
            "RUSTFLAGS",
            format!("-Zsanitizer={sanitizer}{KNOWN_MAPPINGS}{flags}"),
        )
        .env("TSAN_OPTIONS", suppressions("tsan"))
        .env("LSAN_OPTIONS", suppressions("lsan"))
        // The million actors of `accounting.rs` are a few thousand here.
        .env("VIVANT_SMALL", "1")
        .run_tests()
    };
    let (runtime, workloads) = (
        format!("-p vivant --lib {TESTS}"),
        "-p vivant-bench --test tiny --test together",
    );
    // The runtime's counts rely on fences, too.
    let fences = if sanitizer == "thread" { NO_FENCES } else { "" };
    for what in [&*runtime, workloads, HEAPS, COUNTS] {
        tests(what, fences)?;
    }
    if sanitizer == "address" {
        // Again with separate memory for each message: recycled memory is reused before a late use
        // could be detected.
        tests(&runtime, OWN_MEMORY)?;
        tests(workloads, OWN_MEMORY)?;
    }
    Ok(())
}
