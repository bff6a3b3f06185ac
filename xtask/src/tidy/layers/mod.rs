//! Layers: the folders of a crate import each other only downwards.
//!
//! The folders below a crate's `src` are its map. `docs/ARCHITECTURE.md` has a table for each crate
//! with a row for each folder, from the top down. This rule draws the imports between files from
//! the code, behind re-exports and outside of tests, and finds:
//!
//! - an import of a folder above, and with it each cycle between folders: in any order of a cycle's
//!   folders one of its imports goes up;
//! - a table with other rows or imports than the code;
//! - an inherent `impl` block outside of its type's folder, which no import would show;
//! - a cycle of files within a folder that has no reason in [`left`], or more than
//!   [`CYCLE_FILES_MAX`] files.
//!
//! `cargo xtask tidy --layers` prints the tables and every exception with its place. What this rule
//! does not see: a method that is called on a value without a path to its type.

mod graph;
mod left;
mod modules;
mod reader;
mod table;

use super::{Code, Finding};
use modules::{Edge, Modules};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const DOCUMENT: &str = "docs/ARCHITECTURE.md";
const LEFT: &str = "xtask/src/tidy/layers/left.rs";
const CYCLE_FILES_MAX: usize = 12;

const CRATES: &[&str] = &[
    "vivant-brc",
    "vivant-heap",
    "vivant-collections",
    "vivant-codec",
    "vivant-macros",
    "vivant",
    "vivant-console",
    "vivant-axum",
    "vivant-cli",
];

/// What is allowed although it breaks a rule.
struct Left {
    impls: &'static [(
        &'static str,
        &'static str,
        &'static str,
        usize,
        &'static str,
    )],
    cycles: &'static [(&'static str, &'static [&'static str], &'static str)],
}

pub(super) fn check(sources: &[Code], documents: &[(String, String)]) -> Vec<Finding> {
    let document = document(documents);
    CRATES
        .iter()
        .flat_map(|krate| Layers::of(krate, sources, document).findings(&LEFT_NOW))
        .collect()
}

/// The tables, and each edge that goes up, each block and each cycle.
pub(super) fn report(sources: &[Code], documents: &[(String, String)]) -> String {
    let document = document(documents);
    CRATES
        .iter()
        .map(|krate| Layers::of(krate, sources, document).report())
        .collect()
}

const LEFT_NOW: Left = Left {
    impls: left::IMPLS,
    cycles: left::CYCLES,
};

fn document(documents: &[(String, String)]) -> &str {
    documents
        .iter()
        .find(|(path, _)| path == DOCUMENT)
        .map_or("", |(_, text)| text)
}

/// One crate.
struct Layers<'a> {
    krate: &'a str,
    source: String,
    modules: Modules<'a>,
    /// The line of the heading of its table, or 0.
    line: usize,
    rows: Vec<table::Row>,
}

/// The number of pairs of files, by their folders.
type Counts = BTreeMap<(String, String), usize>;

impl<'a> Layers<'a> {
    fn of(krate: &'a str, sources: &'a [Code], document: &str) -> Self {
        let source = format!("crates/{krate}/src");
        let (line, rows) = table::read(document, krate).unwrap_or_default();
        Layers {
            krate,
            modules: Modules::of(&source, sources),
            source,
            line,
            rows,
        }
    }

    /// Edges between folders. The root is the map of the crate and may import everything.
    fn between(&self) -> Vec<Edge> {
        let mut edges = self.modules.edges();
        edges.retain(|edge| edge.from != 0 && self.folders(edge).0 != self.folders(edge).1);
        edges
    }

    fn folders(&self, edge: &Edge) -> (&'a str, &'a str) {
        (self.modules.folder(edge.from), self.modules.folder(edge.to))
    }

    fn counts(&self, edges: &[Edge]) -> Counts {
        let mut counts = Counts::new();
        for edge in edges {
            let (from, to) = self.folders(edge);
            *counts.entry((from.into(), to.into())).or_default() += 1;
        }
        counts
    }

    /// Edges to a folder above, or to one without a row.
    fn upward(&self) -> Vec<Edge> {
        let row = |name: &str| self.rows.iter().position(|row| row.folder == name);
        let mut edges = self.between();
        edges.retain(|edge| {
            let (from, to) = self.folders(edge);
            match (row(from), row(to)) {
                // Everything is below the root.
                (Some(_), None) => edge.to == 0,
                (Some(from), Some(to)) => to < from,
                _ => false,
            }
        });
        edges
    }

    fn foreign_impls(&self) -> Vec<Edge> {
        let mut edges = self.modules.impls();
        edges.retain(|edge| self.folders(edge).0 != self.folders(edge).1);
        edges
    }

    /// Files of a folder that reach each other, as paths below the source.
    fn cycles(&self) -> Vec<Vec<&'a str>> {
        let within: Vec<(usize, usize)> = self
            .modules
            .edges()
            .iter()
            .filter(|edge| self.folders(edge).0 == self.folders(edge).1)
            .map(|edge| (edge.from, edge.to))
            .collect();
        let mut cycles: Vec<Vec<&str>> = graph::cycles(self.modules.files.len(), &within)
            .into_iter()
            .map(|cycle| {
                let mut files: Vec<&str> = cycle.into_iter().map(|file| self.name(file)).collect();
                files.sort_unstable();
                files
            })
            .collect();
        cycles.sort();
        cycles
    }

    fn name(&self, file: usize) -> &'a str {
        &self.modules.files[file].path[self.source.len() + 1..]
    }

    fn findings(&self, left: &Left) -> Vec<Finding> {
        let mut findings = self.of_table();
        findings.extend(self.modules.unread.iter().cloned());
        findings.extend(self.upward().iter().map(|edge| {
            let path = &self.modules.files[edge.from].path;
            let target = self.name(edge.to);
            let what = format!("an import of a layer above: `{}` is in {target}", edge.path);
            Finding::new(path, edge.line, what)
        }));
        let impls: Vec<_> = left
            .impls
            .iter()
            .filter(|(krate, ..)| *krate == self.krate)
            .map(|(_, from, to, count, _)| (*from, *to, *count))
            .collect();
        findings.extend(self.beyond(&self.foreign_impls(), &impls));
        findings.extend(self.of_cycles(left));
        findings
    }

    /// The edges between two folders of which there are more or fewer than `left` has.
    fn beyond(&self, edges: &[Edge], left: &[(&str, &str, usize)]) -> Vec<Finding> {
        let what = "an `impl` of another folder's type";
        let mut findings = Vec::new();
        let mut counts = self.counts(edges);
        for (from, to, allowed) in left {
            let found = counts
                .remove(&((*from).into(), (*to).into()))
                .unwrap_or_default();
            if found < *allowed {
                let what = format!(
                    "{from} → {to}: {found} times {what}, {LEFT} has {allowed}: lower that"
                );
                findings.push(Finding::new(&self.source, 0, what));
            } else if found > *allowed {
                counts.insert(((*from).into(), (*to).into()), found);
            }
        }
        for edge in edges {
            let (from, to) = self.folders(edge);
            if counts.contains_key(&(from.into(), to.into())) {
                let path = &self.modules.files[edge.from].path;
                let what = format!("{what}: `{}` is in {}", edge.path, self.name(edge.to));
                findings.push(Finding::new(path, edge.line, what));
            }
        }
        findings
    }

    fn of_table(&self) -> Vec<Finding> {
        let finding = |what: String| Finding::new(DOCUMENT, self.line, what);
        if self.modules.files.is_empty() {
            return vec![finding(format!("{} has no root", self.source))];
        }
        let folders: BTreeSet<&str> = (1..self.modules.files.len())
            .map(|file| self.modules.folder(file))
            .collect();
        let rows: BTreeSet<&str> = self.rows.iter().map(|row| row.folder.as_str()).collect();
        let mut findings: Vec<Finding> = folders
            .symmetric_difference(&rows)
            .map(|name| {
                finding(format!(
                    "layers of {}: `{name}` is not in both, folders and table",
                    self.krate
                ))
            })
            .collect();
        if table::drawn(&self.rows, &self.counts(&self.between())) != self.rows {
            let what = "has other imports than the code: `cargo xtask tidy --layers` prints them";
            findings.push(finding(format!(
                "the table of layers of {} {what}",
                self.krate
            )));
        }
        findings
    }

    fn of_cycles(&self, left: &Left) -> Vec<Finding> {
        let finding = |what: String| Finding::new(&self.source, 0, what);
        let cycles = self.cycles();
        let listed: Vec<&[&str]> = left
            .cycles
            .iter()
            .filter(|(krate, ..)| *krate == self.krate)
            .map(|(_, files, _)| *files)
            .collect();
        let mut findings = Vec::new();
        for cycle in &cycles {
            let files = cycle.join(" ");
            if cycle.len() > CYCLE_FILES_MAX {
                let count = cycle.len();
                findings.push(finding(format!(
                    "a cycle of {count} files, {CYCLE_FILES_MAX} at most: {files}"
                )));
            } else if !listed.contains(&cycle.as_slice()) {
                findings.push(finding(format!(
                    "a cycle of files without a reason in {LEFT}: {files}"
                )));
            }
        }
        for files in listed {
            if !cycles.iter().any(|cycle| cycle.as_slice() == files) {
                let files = files.join(" ");
                findings.push(finding(format!(
                    "a cycle in {LEFT} that is not in the code: {files}"
                )));
            }
        }
        findings
    }

    fn report(&self) -> String {
        let rows = table::drawn(&self.rows, &self.counts(&self.between()));
        let mut text = format!("### Layers of `{}`\n\n{}\n", self.krate, table::text(&rows));
        for (title, edges) in [("upward", self.upward()), ("impl", self.foreign_impls())] {
            for ((from, to), count) in self.counts(&edges) {
                let krate = self.krate;
                let _ = writeln!(text, "{title} (\"{krate}\", \"{from}\", \"{to}\", {count})");
                for edge in edges
                    .iter()
                    .filter(|edge| self.folders(edge) == (&from, &to))
                {
                    let (file, target) = (self.name(edge.from), self.name(edge.to));
                    let _ = writeln!(text, "    {file}:{} {} ({target})", edge.line, edge.path);
                }
            }
        }
        for cycle in self.cycles() {
            let _ = writeln!(text, "cycle of {} files: {}", cycle.len(), cycle.join(" "));
        }
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests;
