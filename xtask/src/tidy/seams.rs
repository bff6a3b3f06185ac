//! Two seams of the runtime. Atomics come through `crate::sync`, so that loom can replace them.
//! Time and random numbers come through the oracle, so that a seed repeats a run. The third seam,
//! of observations, has its own rule: [`super::observations`].

use super::{Code, Finding, uses};

const SOURCE: &str = "crates/vivant/src/";

/// Files that name real atomics.
const SYNC: &[&str] = &["crates/vivant/src/sync.rs", "crates/vivant/src/sync/"];

/// Files that read real clocks and draw real random numbers.
const ORACLE: &[&str] = &["crates/vivant/src/oracle/"];

/// Calls and types with another result in each run.
const CLOCKS_AND_DICE: &[&str] = &[
    "Instant::now",
    "SystemTime::now",
    "RandomState",
    "thread_rng",
    "ThreadRng",
    "OsRng",
    "getrandom",
];

/// Crates of random numbers; named as the first part of a path.
const CRATES_OF_CHANCE: &[&str] = &["rand", "rand_core", "fastrand", "oorandom", "getrandom"];

pub(super) fn check(source: &Code) -> Vec<Finding> {
    if !source.path.starts_with(SOURCE) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if !below(&source.path, SYNC) {
        findings.extend(atomics(source));
    }
    if !below(&source.path, ORACLE) {
        findings.extend(chance(source));
    }
    findings.sort();
    findings.dedup();
    findings
}

fn atomics(source: &Code) -> Vec<Finding> {
    let what = "atomics come from `crate::sync`";
    let imported = imports(source)
        .filter(|(_, path)| {
            ["std::sync::atomic", "core::sync::atomic"]
                .iter()
                .any(|banned| is_at(path, banned))
        })
        .map(|(line, _)| line);
    let named = ["std::sync::atomic", "core::sync::atomic"]
        .into_iter()
        .flat_map(|path| source.lines_with(path));
    imported
        .chain(named)
        .map(|line| Finding::new(&source.path, line, what))
        .collect()
}

fn chance(source: &Code) -> Vec<Finding> {
    let mut findings = Vec::new();
    for word in CLOCKS_AND_DICE {
        let what = format!("`{word}`: time and chance come from the oracle");
        findings.extend(
            source
                .lines_with(word)
                .map(|line| Finding::new(&source.path, line, what.as_str())),
        );
    }
    for (line, path) in imports(source).chain(named_paths(source)) {
        let first = path
            .trim_start_matches("::")
            .split("::")
            .next()
            .unwrap_or_default();
        if CRATES_OF_CHANCE.contains(&first) {
            findings.push(Finding::new(
                &source.path,
                line,
                format!("`{first}`: chance comes from the oracle"),
            ));
        }
    }
    findings
}

/// The paths of `use` items. A file that does not parse is a finding of [`super::layers`].
fn imports(source: &Code) -> impl Iterator<Item = (usize, String)> {
    let paths = source.syntax().map(uses::paths);
    paths.unwrap_or_default().into_iter()
}

/// The paths in the code that begin with a crate of random numbers: `rand::random()`, but not
/// `oracle::rand::random()`.
fn named_paths(source: &Code) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for first in CRATES_OF_CHANCE {
        for (index, line) in source.code.lines().enumerate() {
            let path = format!("{first}::");
            let begins = |at: usize| {
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            };
            if line.match_indices(&path).any(|(at, _)| begins(at)) {
                found.push((index + 1, path));
            }
        }
    }
    found
}

/// Whether `path` is `parent` or something in it.
fn is_at(path: &str, parent: &str) -> bool {
    path.trim_start_matches("::")
        .strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Whether `path` is one of these files or lies in one of these folders, which end in `/`.
fn below(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| {
        if place.ends_with('/') {
            path.starts_with(place)
        } else {
            path == *place
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Code::new(path, text.into()))
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    const CELL: &str = "crates/vivant/src/actor/signals.rs";

    #[test]
    fn canary_an_atomic_of_std_is_flagged() {
        for text in [
            "use std::sync::atomic::AtomicU64;",
            "use std::sync::{Arc, atomic::{AtomicU64, Ordering}};",
            "use std::{mem, sync::{\n    Arc,\n    atomic as a,\n}};",
            "use core::sync::atomic::*;",
            "fn f() { ::std::sync::atomic::fence(o) }",
        ] {
            assert_eq!(lines(CELL, text), [1], "{text}");
        }
    }

    #[test]
    fn atomics_of_sync_and_within_sync_are_right() {
        assert_eq!(
            lines(
                CELL,
                "use crate::sync::atomic::AtomicU64;\nuse crate::sync::{Arc, atomic::fence};"
            ),
            [0; 0]
        );
        assert_eq!(
            lines(
                "crates/vivant/src/sync.rs",
                "pub(crate) use std::sync::atomic;"
            ),
            [0; 0]
        );
        assert_eq!(
            lines(
                "crates/vivant/src/sync/std.rs",
                "pub(crate) use std::sync::atomic;"
            ),
            [0; 0]
        );
        assert_eq!(
            lines(
                "crates/vivant-macros/src/lib.rs",
                "use std::sync::atomic::AtomicU64;"
            ),
            [0; 0]
        );
        assert_eq!(
            lines(CELL, "// std::sync::atomic\nuse std::sync::Arc;"),
            [0; 0]
        );
    }

    #[test]
    fn canary_a_clock_or_a_die_outside_the_oracle_is_flagged() {
        for text in [
            "let now = Instant::now();",
            "let now = std::time::SystemTime::now();",
            "let x: u64 = rand::random();",
            "use rand::Rng;",
            "use ::fastrand as dice;",
            "let s = std::hash::RandomState::new();",
            "getrandom(&mut bytes);",
        ] {
            assert_eq!(lines(CELL, text).first(), Some(&1), "{text}");
            assert_eq!(
                lines("crates/vivant/src/oracle_of_mine.rs", text).first(),
                Some(&1),
                "{text}"
            );
        }
    }

    #[test]
    fn clocks_and_dice_of_the_oracle_are_right() {
        assert_eq!(
            lines(
                "crates/vivant/src/oracle/real.rs",
                "Instant::now(); rand::random();"
            ),
            [0; 0]
        );
        assert_eq!(
            lines(
                CELL,
                "let x = self.oracle.now() + crate::oracle::rand::pick(brand::new());"
            ),
            [0; 0]
        );
        assert_eq!(
            lines("crates/vivant/tests/soak.rs", "Instant::now();"),
            [0; 0]
        );
    }
}
