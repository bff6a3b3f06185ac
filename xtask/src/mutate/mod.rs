//! `mutate`: changes protocol lines one at a time, in a copy of the workspace. For each change a
//! named test must fail, not hang. The lists are `verify/mutations/*.toml`.
//!
//! Injected faults of the code itself are no mutations: their own self-tests look for them.

mod mutation;
mod tree;

use crate::Failure;
use mutation::{Expected, Mutation, TestBinary};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use tree::{TestsEnd, Tree};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only mutations with this text in their name or file; several times: with one of the texts
    #[arg(long)]
    only: Vec<String>,
}

/// What became of a mutation.
#[derive(PartialEq, Eq)]
enum Outcome {
    Killed,
    Survived,
    TimeLimit,
    /// The change does not compile: this says nothing about tests.
    NotBuilt,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Killed => "killed",
            Outcome::Survived => "survived",
            Outcome::TimeLimit => "hangs",
            Outcome::NotBuilt => "does not compile",
        })
    }
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut mutations = mutation::load()?;
    if !options.only.is_empty() {
        let has = |it: &Mutation, only: &String| it.name.contains(only) || it.file.contains(only);
        mutations.retain(|it| options.only.iter().any(|only| has(it, only)));
    }
    if mutations.is_empty() {
        return Err("no such mutation".into());
    }
    let tree = Tree::copy()?;
    check_unmutated(&tree, &mutations)?;
    let mut rows = Vec::new();
    for mutation in &mutations {
        let outcome = outcome(&tree, mutation)?;
        println!("---- {}: {outcome}", mutation.name);
        rows.push((mutation, outcome));
    }
    report(&rows)
}

/// The tests pass on the sources as they are.
fn check_unmutated(tree: &Tree, mutations: &[Mutation]) -> Result<(), Failure> {
    let mut names: BTreeMap<&TestBinary, Vec<&str>> = BTreeMap::new();
    for mutation in mutations {
        if let Expected::KilledBy(test) = &mutation.expected {
            let of_binary = names.entry(&mutation.tests).or_default();
            if !of_binary.contains(&test.as_str()) {
                of_binary.push(test);
            }
        }
    }
    for (tests, names) in names {
        let binary = tree.build(tests)?;
        if tree.test(tests, &binary, &names)? != TestsEnd::Passed {
            let package = &tests.package;
            return Err(format!("tests of {package} fail without any mutation"));
        }
    }
    Ok(())
}

fn outcome(tree: &Tree, mutation: &Mutation) -> Result<Outcome, Failure> {
    let Expected::KilledBy(test) = &mutation.expected else {
        return Ok(Outcome::Survived);
    };
    let unmutated = tree.read(&mutation.file)?;
    tree.write(&mutation.file, &mutation.apply(&unmutated)?)?;
    let built: Result<PathBuf, Failure> = tree.build(&mutation.tests);
    let end = built.map(|binary| tree.test(&mutation.tests, &binary, &[test]));
    tree.write(&mutation.file, &unmutated)?;
    Ok(match end {
        Err(_) => Outcome::NotBuilt,
        Ok(end) => match end? {
            TestsEnd::Failed => Outcome::Killed,
            TestsEnd::Passed => Outcome::Survived,
            TestsEnd::TimeLimit => Outcome::TimeLimit,
        },
    })
}

/// Prints the table; fails if a mutation was not killed, and nothing says why.
fn report(rows: &[(&Mutation, Outcome)]) -> Result<(), Failure> {
    println!("\n| mutation | where | killed by |\n|---|---|---|");
    let mut wrong = Vec::new();
    for (mutation, outcome) in rows {
        let by = match (&mutation.expected, outcome) {
            (Expected::KilledBy(test), Outcome::Killed) => format!("`{test}`"),
            (Expected::Survives(reason), _) => format!("survives: {reason}"),
            (Expected::KilledBy(_), outcome) => {
                wrong.push(mutation.name.as_str());
                outcome.to_string()
            }
        };
        let file = mutation.file.trim_start_matches("crates/");
        println!("| {} | `{file}` | {by} |", mutation.name);
    }
    let killed = rows.iter().filter(|(_, it)| *it == Outcome::Killed).count();
    println!("\n{killed} of {} mutations were killed", rows.len());
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("not killed by their tests: {}", wrong.join("; "))),
    }
}
