//! Runs all models, and their self-tests, the canaries: models with a fault that loom must find.
//!
//! Without the harness of the compiler, because the protocols' files are the register.

use libtest_mimic::{Arguments, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use vivant_loom::{Canary, Test};

fn main() {
    let mut trials: Vec<_> = vivant_loom::tests()
        .map(|test| trial(test.name(), || test.run()))
        .collect();
    // The self-tests of self-tests.
    let of_canary = |test, run: fn(Canary)| trial(test, move || run(Canary { test }));
    trials.extend([
        of_canary("canary::fails_without_a_find", Canary::fails_without_a_find),
        of_canary(
            "canary::fails_without_the_fault",
            Canary::fails_without_the_fault,
        ),
        trial(
            "every_fault_is_in_a_file_and_has_a_self_test",
            every_fault_is_in_a_file_and_has_a_self_test,
        ),
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, || {
        test();
        Ok(())
    })
}

/// A fault that is on the list, and in no file or in no self-test, would prove nothing.
fn every_fault_is_in_a_file_and_has_a_self_test() {
    let listed: BTreeSet<String> = vivant_loom::fault::NAMES
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut injected = BTreeMap::<String, usize>::new();
    for source in CRATES {
        for (_, text) in sources(source) {
            for name in names_of_faults(&text) {
                *injected.entry(name).or_default() += 1;
            }
        }
    }
    injected.retain(|name, _| listed.contains(name));
    assert_eq!(injected.keys().cloned().collect::<BTreeSet<_>>(), listed);
    assert!(injected.values().all(|points| *points <= 2), "{injected:?}");
    let tested: BTreeSet<String> = vivant_loom::tests().filter_map(Test::fault).collect();
    assert_eq!(tested, listed);
}

const CRATES: [&str; 3] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant/src"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant-brc/src"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/vivant-heap/src"),
];

/// All files below a folder. White space is one space each.
fn sources(folder: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let mut folders = vec![PathBuf::from(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    files.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (path, text.replace("( ", "("))
    })
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What stands before an arrow, between the brackets of a `fault!`.
fn names_of_faults(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in text.split("fault!(").skip(1) {
        let mut depth = 1;
        let end = rest.find(|bracket| {
            depth += i32::from(bracket == '(') - i32::from(bracket == ')');
            depth == 0
        });
        let mut pieces: Vec<&str> = rest[..end.unwrap_or(rest.len())].split(" =>").collect();
        pieces.pop();
        let words = pieces
            .iter()
            .filter_map(|piece| piece.rsplit(|before| !is_in_word(before)).next());
        names.extend(words.map(ToString::to_string));
    }
    names
}
