//! The walks of the code tour lead through files that exist, to symbols that those files define,
//! and through as many files as the tour says.
//!
//! A symbol is a name in backticks, `function`, `Type` or `Type::function`; it belongs to the file
//! that the text names before it. After a document it may be defined in any file. The number of
//! files of a walk is the number of different files that begin an item of its list.

use super::definitions::Definitions;
use super::markdown::{cells, spans};
use super::{Code, Finding};
use std::collections::{BTreeMap, BTreeSet};

const DOCUMENT: &str = "docs/code-tour.md";
const QUESTIONS: &str = "questions";

/// Names in backticks that are none of a file.
const WORDS: &[&str] = &["unsafe"];

pub(super) fn check(
    sources: &[Code],
    documents: &[(String, String)],
    paths: &BTreeSet<String>,
) -> Vec<Finding> {
    let Some((_, text)) = documents.iter().find(|(path, _)| path == DOCUMENT) else {
        return vec![Finding::new(DOCUMENT, 0, "is missing")];
    };
    judged(text, sources, paths)
}

fn judged(text: &str, sources: &[Code], paths: &BTreeSet<String>) -> Vec<Finding> {
    let tour = Tour::read(text);
    let mut findings = tour.counts();
    let mut definitions = Cache::new();
    for (line, file, symbol) in &tour.names {
        match symbol {
            None if !paths.contains(*file) => {
                let what = format!("`{file}` is not there");
                findings.push(Finding::new(DOCUMENT, *line, what));
            }
            Some(symbol) if !is_defined(symbol, file, sources, &mut definitions) => {
                let what = format!("`{symbol}` is not defined in {file}");
                findings.push(Finding::new(DOCUMENT, *line, what));
            }
            _ => {}
        }
    }
    findings
}

type Cache<'a> = BTreeMap<&'a str, Definitions>;

/// Whether `file` defines the symbol, or any file of Rust if `file` is a document.
fn is_defined<'a>(symbol: &str, file: &str, sources: &'a [Code], cache: &mut Cache<'a>) -> bool {
    let name = symbol.rsplit("::").next().unwrap_or(symbol);
    let mut candidates = sources.iter().filter(|source| match file.ends_with(".md") {
        true => source.lines_with(name).next().is_some(),
        false => source.path == file,
    });
    candidates.any(|source| {
        let definitions = cache.entry(&source.path);
        let definitions = definitions.or_insert_with(|| Definitions::of(source));
        definitions.has(symbol)
    })
}

/// What the document says.
#[derive(Default)]
struct Tour<'a> {
    /// Line, file, and the symbol that the file must define, or none for the file itself.
    names: Vec<(usize, &'a str, Option<&'a str>)>,
    /// The different files of each walk.
    files: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Walk, line and number of files, as the table and the walks state them.
    stated: Vec<(&'a str, usize, usize)>,
    targets: BTreeMap<&'a str, usize>,
}

impl<'a> Tour<'a> {
    fn read(text: &'a str) -> Self {
        let mut tour = Self::default();
        let (mut walk, mut file) = ("", None);
        for (line, text) in (1..).zip(text.lines()) {
            if let Some(title) = text.strip_prefix("## ") {
                walk = title
                    .split_once(". ")
                    .map_or(QUESTIONS, |(number, _)| number);
                file = None;
            } else if text.starts_with('#') {
                file = None;
            } else if walk.is_empty() {
                tour.row(line, text);
            } else {
                let stated = text
                    .strip_prefix("Files: ")
                    .and_then(|rest| rest.split_once('.'));
                let number = stated.and_then(|(number, _)| number.parse().ok());
                tour.stated
                    .extend(number.map(|number| (walk, line, number)));
                file = tour.line(walk, line, text, file);
            }
        }
        tour
    }

    /// A row of the table: walk, files, target.
    fn row(&mut self, line: usize, text: &'a str) {
        if let [title, files, target] = cells(text)[..]
            && let Some((walk, _)) = title.split_once(' ')
            && let Ok(files) = files.parse()
        {
            self.stated.push((walk, line, files));
            self.targets
                .extend(target.parse().map(|target| (walk, target)));
        }
    }

    /// Takes in a line's names, and returns the last file that it or an earlier one has named.
    fn line(
        &mut self,
        walk: &'a str,
        line: usize,
        text: &'a str,
        mut file: Option<&'a str>,
    ) -> Option<&'a str> {
        let item = text
            .split_once(". `")
            .filter(|(number, _)| number.parse::<usize>().is_ok());
        for (at, span) in spans(text).enumerate() {
            if span.contains('/') && (span.ends_with(".rs") || span.ends_with(".md")) {
                file = Some(span);
                self.names.push((line, span, None));
                if at == 0 && item.is_some() {
                    self.files.entry(walk).or_default().insert(span);
                }
            } else if let Some(file) = file.filter(|_| is_symbol(span)) {
                self.names.push((line, file, Some(span)));
            }
        }
        file
    }

    /// Stated numbers that are not the code's, and walks above their targets.
    fn counts(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut finding = |line, what| findings.push(Finding::new(DOCUMENT, line, what));
        let count = |walk| self.files.get(walk).map_or(0, BTreeSet::len);
        for (walk, line, stated) in &self.stated {
            let files = count(walk);
            if *stated != files {
                finding(
                    *line,
                    format!("walk {walk} has {files} files, not {stated}"),
                );
            }
        }
        for walk in self.files.keys() {
            let times = self.stated.iter().filter(|(of, ..)| of == walk).count();
            if times != 2 {
                let what = "the number of files stands in the table and below the heading";
                finding(0, format!("walk {walk}: {what}"));
            }
        }
        for (walk, target) in &self.targets {
            let files = count(walk);
            if files > *target {
                let what = format!("walk {walk} has {files} files, {target} are allowed");
                finding(0, what);
            }
        }
        findings
    }
}

/// Names between `::`. A word in capitals is a variable of the environment.
fn is_symbol(span: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let is_variable = span.contains('_') && span == span.to_uppercase();
    span.split("::").all(is_name) && !is_variable && !WORDS.contains(&span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Code::new(path, text.into());
        let sources = [
            source("a/a.rs", "struct A; impl A { fn f() {} }"),
            source("a/b.rs", "pub(crate) fn g() {}"),
        ];
        let paths = ["a/a.rs", "a/b.rs", "a/README.md"].map(String::from).into();
        let found = judged(text, &sources, &paths);
        found.iter().map(|finding| finding.what.clone()).collect()
    }

    /// A tour of one walk, in which `from` is replaced.
    fn tour(from: &str, to: &str) -> String {
        let text = "| walk | files today | target |\n|---|---|---|\n| 1 a walk | 2 | 2 |\n\n\
            ## 1. A `Walk`\n\nFiles: 2. Of `B`.\n\n1. `a/a.rs`: calls it: `A::f`,\n   `f`.\n\
            2. `a/b.rs`: is called: `g`.\n3. `a/a.rs`: ends.\n\n## Questions\n\n### Where?\n\n\
            `a/README.md`, `A::f` of `unsafe` code, `A_VARIABLE`, `cargo b`.\n";
        assert!(text.contains(from));
        text.replace(from, to)
    }

    #[test]
    fn a_tour_through_what_is_there_is_right() {
        assert_eq!(findings(&tour("", "")), [""; 0]);
    }

    #[test]
    fn canary_a_file_or_symbol_that_is_not_there_is_flagged() {
        for (from, to, what) in [
            (
                "2. `a/b.rs`: is called: `g`",
                "2. `a/c.rs`: is",
                "`a/c.rs` is not there",
            ),
            ("`A::f`,", "`A::g`,", "`A::g` is not defined in a/a.rs"),
            ("`f`.", "`h`.", "`h` is not defined in a/a.rs"),
            ("`g`", "`f`", "`f` is not defined in a/b.rs"),
            (
                "`A::f` of",
                "`A::g` of",
                "`A::g` is not defined in a/README.md",
            ),
        ] {
            assert_eq!(findings(&tour(from, to)), [what]);
        }
    }

    #[test]
    fn canary_a_wrong_number_of_files_is_flagged() {
        for (from, to) in [("walk | 2", "walk | 3"), ("Files: 2", "Files: 1")] {
            let found = findings(&tour(from, to));
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with("walk 1 has 2 files, not"), "{found:?}");
        }
        assert_eq!(findings(&tour("Files: 2.", "")).len(), 1, "not stated");
    }

    #[test]
    fn canary_a_walk_above_its_target_is_flagged() {
        let count = |target: &str| findings(&tour("| 2 | 2 |", target)).len();
        assert_eq!(count("| 2 | 1 |"), 1);
        assert_eq!(count("| 2 | |"), 0, "no target");
    }
}
