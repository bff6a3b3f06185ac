//! Documents name files and functions that exist, so that a name that changes in the code changes
//! in each text about it.
//!
//! - A name in backticks that ends in `.rs` is the end of the path of a file. A name that ends in
//!   `/` is a part of the path of a folder.
//! - A name in backticks with an underscore, in small letters, stands in the code or the texts of a
//!   file of Rust, or is the name of such a file.
//!
//! Records of the past keep their names. Some documents speak of other systems.

use super::markdown::spans;
use super::{Code, Finding};
use std::collections::BTreeSet;

/// Documents with the names of the time that they tell of.
const RECORDS: &[&str] = &["CHANGELOG.md", "docs/decisions/"];

/// Documents with the names of other systems, and of examples: only their paths are checked.
const OTHER_SYSTEMS: &[&str] = &["CONTRIBUTING.md", "bench/README.md", "docs/coming-from.md"];

/// Names of the standard library that this project does not have.
const WORDS: &[&str] = &["try_new"];

pub(super) fn check(
    sources: &[Code],
    documents: &[(String, String)],
    paths: &BTreeSet<String>,
) -> Vec<Finding> {
    let known = Known::of(sources, paths);
    let is_one_of = |path: &str, list: &[&str]| list.iter().any(|start| path.starts_with(start));
    let mut findings = Vec::new();
    for (path, text) in documents {
        if is_one_of(path, RECORDS) {
            continue;
        }
        let checks = match is_one_of(path, OTHER_SYSTEMS) {
            true => Checks::Paths,
            false => Checks::PathsAndNames,
        };
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = spans(line).filter(|span| !known.has(span, checks));
            let finding = |span| Finding::new(path, number, format!("`{span}` is not there"));
            findings.extend(wrong.map(finding));
        }
    }
    findings
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Checks {
    Paths,
    PathsAndNames,
}

/// What a document may name.
struct Known<'a> {
    /// The ends of the paths of all files.
    ends: BTreeSet<&'a str>,
    /// The paths of all folders, each between slashes.
    folders: BTreeSet<String>,
    /// The words of all lines but comments, and the names of all files of Rust.
    words: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(sources: &'a [Code], paths: &'a BTreeSet<String>) -> Self {
        let mut known = Self {
            ends: BTreeSet::new(),
            folders: BTreeSet::new(),
            words: WORDS.iter().copied().collect(),
        };
        for path in paths {
            let slashes = path.match_indices('/').map(|(at, _)| at + 1);
            known
                .ends
                .extend(slashes.chain([0]).map(|start| &path[start..]));
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            known.words.extend(file.strip_suffix(".rs"));
            known.folders.insert(format!("/{folder}/"));
        }
        for source in sources {
            let lines = source.text.lines().map(str::trim_start);
            let words = lines
                .filter(|line| !line.starts_with("//"))
                .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            known.words.extend(words);
        }
        known
    }

    /// Whether a span names what is there, or is no such name.
    fn has(&self, span: &str, checks: Checks) -> bool {
        let is_of = |more: &str| {
            let is_one = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            span.chars().all(|c| is_one(c) || more.contains(c))
        };
        if span.ends_with(".rs") && is_of("/.-") {
            self.ends.contains(span)
        } else if span.len() > 1 && span.ends_with('/') && is_of("/.-") {
            let name = format!("/{span}");
            self.folders.iter().any(|folder| folder.contains(&name))
        } else if checks == Checks::PathsAndNames && span.contains('_') && is_of(":") {
            span.split("::").all(|name| self.words.contains(name))
        } else {
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(path: &str, text: &str) -> Vec<String> {
        let sources = [Code::new("crates/a/src/b.rs", "fn a_test() {}".into())];
        let paths = ["crates/a/src/b.rs", "crates/a/tests/ui/a_program.rs"];
        let paths = paths.map(String::from).into();
        let found = check(&sources, &[(path.into(), text.into())], &paths);
        found.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn canary_a_name_that_is_not_there_is_flagged() {
        let right = "`b.rs`, `src/b.rs`, `a_test`, `a_program`, `plain`, `tests/*_x.rs`, `a/src/`";
        assert_eq!(whats("docs/a.md", right), [""; 0]);
        for wrong in [
            "c/",
            "c.rs",
            "rc/b.rs",
            "b.rs/b.rs",
            "b_test",
            "no_module::a_test",
        ] {
            let text = format!("Text.\n| `{wrong}` |");
            assert_eq!(
                whats("docs/a.md", &text),
                [format!("`{wrong}` is not there")]
            );
            assert_eq!(whats("docs/decisions/0001-a.md", &text), [""; 0]);
        }
        assert_eq!(whats("bench/README.md", "`b_test`, `b.rs`"), [""; 0]);
        assert_eq!(whats("bench/README.md", "`c.rs`").len(), 1);
    }
}
