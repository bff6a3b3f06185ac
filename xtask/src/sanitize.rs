//! `sanitize`: the tests of `vivant`, `vivant-brc`, `vivant-heap` and `vivant-collections` and all
//! workloads at once, on real threads, with the standard library built under the same sanitizer.

use crate::command::Run;
use crate::filtered::Tests;
use crate::toolchain::{self, NIGHTLY};
use crate::{Failure, workspace};
#[cfg(test)]
use std::collections::BTreeSet;

/// The modules that run the runtime; those of the compiler's messages have nothing to say to a
/// sanitizer.
const RUNTIME: &str = "without_macros order nothing_lost fairness back_pressure lifecycle misbehaviour \
    promises timers named_timers futures errors simulation accounting macros graphs steps death_notices \
    sharing detached_heaps unreachable far freezing collectors pauses promise_breaks destructors \
    deep_drops mark_helpers open_requests exclusive wait_cycles synchronizers synchronizer_failures \
    philosophers";

/// Those that count what the whole process allocates: one binary.
const ALLOCATIONS: &str = "count_inbox";

const WORKLOADS: &str = "tiny together";

/// No recycling of message memory: see `message/pool.rs`.
const OWN_MEMORY: &str = " --cfg vivant_plain_messages";

/// The tests of counted references that cross threads; those that count to an overflow take long
/// here, and show nothing.
const COUNTS: &str = "threads reentry stress bounded";

/// Collected heaps, but for the programs for the compiler and those that end the process.
const HEAPS: &str = "types graphs holes limits model orca count_inbox aborted_marks region freeze sweeping \
    sweep_budget allocation_failure markers marking mark_termination retainers hostile \
    hostile_sharing heap_programs tags edge_snapshot";

/// Collections, but for the programs for the compiler.
const COLLECTIONS: &str =
    "mutator_assist collections edge_snapshot freeze markers persistent nested_regions";

/// See `bias/header/mod.rs`: the thread sanitizer does not know fences.
const NO_FENCES: &str = " --cfg vivant_no_fences";

/// Memory is mapped and unmapped by functions that the sanitizers know: else memory that is mapped
/// again seems to have its last user still.
const KNOWN_MAPPINGS: &str = " --cfg rustix_use_libc";

/// No allocator in C: the sanitizers see neither its writes nor the order that it makes.
const KNOWN_ALLOCATOR: &str = " --cfg vivant_system_allocator";

/// Naming the target keeps the sanitizer out of build scripts and macros.
const TARGET: &str = "x86_64-unknown-linux-gnu";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[arg(value_parser = ["thread", "address"])]
    sanitizer: String,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let sanitizer = options.sanitizer.as_str();
    toolchain::ensure_components(NIGHTLY, &["rust-src"])?;
    let suppressions = |of: &str| {
        let file = workspace::root().join(format!("xtask/{of}-suppressions.txt"));
        format!("suppressions={}", file.display())
    };
    // Documentation tests are compiled by rustdoc, which does not get these flags.
    let tests = |what: &str, flags: &str| {
        let run = Run::cargo_of(
            NIGHTLY,
            &format!("test -p {what} -Zbuild-std --target {TARGET}"),
        )
        .arg("--target-dir")
        .arg(workspace::target_dir("sanitize").join(sanitizer))
        .env(
            "RUSTFLAGS",
            format!("-Zsanitizer={sanitizer}{KNOWN_MAPPINGS}{KNOWN_ALLOCATOR}{flags}"),
        )
        .env("TSAN_OPTIONS", suppressions("tsan"))
        .env("LSAN_OPTIONS", suppressions("lsan"))
        // The million actors of `accounting.rs` are some thousands here.
        .env("VIVANT_SMALL", "1");
        Tests::of(run)
    };
    let runtime = |flags: &str| {
        tests("vivant --lib", flags).run()?;
        tests("vivant --test all", flags).modules(RUNTIME).run()?;
        tests("vivant --test allocations", flags)
            .modules(ALLOCATIONS)
            .run()?;
        tests("vivant-bench --test all", flags)
            .modules(WORKLOADS)
            .run()
    };
    // The runtime counts by fences, too.
    let fences = if sanitizer == "thread" { NO_FENCES } else { "" };
    runtime(fences)?;
    tests("vivant-heap --lib", fences).run()?;
    tests("vivant-heap --test all", fences)
        .modules(HEAPS)
        .run()?;
    tests("vivant-collections --lib", fences).run()?;
    tests("vivant-collections --test all", fences)
        .modules(COLLECTIONS)
        .run()?;
    tests("vivant-brc --lib", fences).run()?;
    tests("vivant-brc --test all", fences)
        .modules(COUNTS)
        .run()?;
    if sanitizer == "address" {
        // Once more with memory of its own for each message: what is recycled is used again before
        // it can be missed.
        runtime(OWN_MEMORY)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suppression that names no code suppresses nothing: a test was renamed.
    #[test]
    fn each_leak_suppression_names_code_of_the_workspace() {
        let mut names = BTreeSet::new();
        for path in workspace::files().unwrap() {
            if path.ends_with(".rs") {
                let text = workspace::read(&path).unwrap();
                names.extend(names_in(&text).map(str::to_owned));
            }
        }
        let suppressions = workspace::read("xtask/lsan-suppressions.txt").unwrap();
        let suppressed = suppressions
            .lines()
            .filter_map(|line| line.strip_prefix("leak:"));
        let named = suppressed.map(|path| path.rsplit("::").next().unwrap_or(path));
        let stale: Vec<_> = named
            .filter(|part| !names.iter().any(|name| name.contains(part)))
            .collect();
        assert!(
            stale.is_empty(),
            "no function or module has these names: {stale:?}"
        );
    }

    fn names_in(text: &str) -> impl Iterator<Item = &str> {
        let after = |keyword| text.split(keyword).skip(1);
        let named = after("fn ").chain(after("mod "));
        named.filter_map(|rest| rest.split(['(', '<', ';', ' ']).next())
    }
}
