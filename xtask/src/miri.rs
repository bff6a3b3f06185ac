//! `miri`: tests of `vivant`, `vivant-brc` and `vivant-heap` under an interpreter that detects
//! undefined behaviour.

use crate::Failure;
use crate::args::Args;
use crate::command::Run;
use crate::toolchain::{self, NIGHTLY};
use std::thread;

/// No alignment by luck. The clocks are the machine's, because the runtime's clock thread waits for
/// real time. The inbox exposes the provenance of its nodes (see `push`), so strict provenance is
/// out; everything else would pass it.
const FLAGS: &str =
    "-Zmiri-permissive-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation";

/// Each seed is another schedule, another layout of memory and other weak-memory outcomes; memory
/// is used again at once, also by other threads.
const FLAGS_LONG: &str = "-Zmiri-many-seeds=0..32 -Zmiri-address-reuse-rate=1.0 \
    -Zmiri-address-reuse-cross-thread-rate=1.0 -Zmiri-preemption-rate=0.1";

/// The unit tests, and the tests that walk through every state of cells, mailboxes and promises, on
/// threads and simulated. The rest test orders and progress, which cost an interpreter hours and
/// show it nothing new.
const TESTS: &str = "--lib --test by_hand --test promises --test errors --test lifecycle --test losses --test offers --test deaths \
    --test misbehaviour --test races --test steps";

/// Tests that take an interpreter minutes: simulations of many actors.
const TESTS_LONG: &str = "--test orphans --test unreachable --test far";

/// Unit tests of the runtime left to the long form: models of states and orders, random orders of a
/// scheduler's round, histograms, hundreds of waiting messages.
const SKIPPED: &str = "--skip model --skip interleaved --skip nobody_waits_for_ever --skip distribution --skip a_flood_that_lines_up";

/// Counted references: the tests that cross threads, or re-enter from destructors.
const COUNTS: &str =
    "miri test -p vivant-brc --lib --test threads --test reentry --test stress --test bounded";

/// Collected heaps: all but the programs for the compiler and those that end the process. The
/// self-tests are of the verifier and show nothing new here.
const HEAPS: &str = "miri test -p vivant-heap --lib --test types --test graphs --test memory --test holes --test limits --test model \
    --test orca --test tags --test showing";

/// Tests that take an interpreter minutes: regions, collections, attempts to break it.
const HEAPS_LONG: &str = "--test hearing --test given_up --test settling --test paying --test region --test freeze --test keepers --test markers --test sweeping --test collections --test persistent --test review --test review_sharing --test review_regions --test review_marks";

/// Random programs beside models, and in two layouts; large heaps that end in steps; long sums, and
/// tables without `unsafe`: minutes, left to the long form.
const MODELS: &str = "--skip what_the_model_does --skip changes_have_one_order --skip orphan_tests --skip collector::debt --skip are_spread --skip shards";

/// The second aliasing model is the stricter one in other places.
const FLAGS_STRICT: &[&str] = &[
    "-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation",
    "-Zmiri-strict-provenance -Zmiri-tree-borrows -Zmiri-disable-isolation",
];

pub(crate) fn run(args: &mut Args) -> Result<(), Failure> {
    let long = args.flag("--long");
    args.finish()?;
    toolchain::ensure_components(NIGHTLY, &["miri", "rust-src"])?;
    let more = if long { TESTS_LONG } else { "" };
    let runtime = runtime(&format!("{TESTS} {more}"), long)?;
    // An interpreter uses one thread. The two halves take about the same time, so that two
    // processors are busy.
    thread::scope(|scope| {
        let runtime = scope.spawn(move || runtime.run());
        let parts = counts(long).and_then(|()| heaps(long));
        runtime
            .join()
            .unwrap_or_else(|_| Err("a panic in `miri`".to_owned()))
            .and(parts)
    })
}

fn runtime(tests: &str, long: bool) -> Result<Run, Failure> {
    // Backtraces of the many panics would take most of the time, here and below.
    let run = Run::cargo_of(NIGHTLY, &format!("miri test -p vivant {tests}"))
        .env("MIRIFLAGS", FLAGS)
        .env("RUST_BACKTRACE", "0");
    run.expect_tests()?;
    Ok(match long {
        true => run.env("MIRIFLAGS", format!("{FLAGS} {FLAGS_LONG}")),
        // One random program of each kind: more seeds run under `cargo test`.
        false => run.words("--").words(SKIPPED).env("VIVANT_SEEDS", "1"),
    })
}

/// One aliasing model is enough for a pull request, here and below.
fn counts(long: bool) -> Result<(), Failure> {
    let (models, long) = match long {
        true => (FLAGS_STRICT, FLAGS_LONG),
        false => (&FLAGS_STRICT[..1], ""),
    };
    for flags in models {
        Run::cargo_of(NIGHTLY, COUNTS)
            .env("MIRIFLAGS", format!("{flags} {long}"))
            .env("RUST_BACKTRACE", "0")
            .run()?;
    }
    Ok(())
}

/// One graph is enough too: a heap has one thread at a time, so more seeds of Miri only show other
/// addresses.
fn heaps(long: bool) -> Result<(), Failure> {
    let (models, flags, graphs) = match long {
        true => (
            FLAGS_STRICT,
            "-Zmiri-many-seeds=0..4 -Zmiri-address-reuse-rate=1.0",
            20,
        ),
        false => (&FLAGS_STRICT[..1], "", 1),
    };
    for model in models {
        let (more, skip) = if long { (HEAPS_LONG, "") } else { ("", MODELS) };
        Run::cargo_of(
            NIGHTLY,
            &format!("{HEAPS} {more} -- --skip canaries {skip}"),
        )
        .env("MIRIFLAGS", format!("{model} {flags}"))
        .env("RUST_BACKTRACE", "0")
        .env("VIVANT_SEEDS", graphs.to_string())
        .run()?;
    }
    Ok(())
}
