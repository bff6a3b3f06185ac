//! The glossary defines the terms of the code, and names code that exists.
//!
//! - A path in backticks is a file or folder. A name in backticks is one of the code: a type is
//!   defined there, another name stands there. The column *source* is exempt: it has the words of
//!   papers.
//! - Each row has a sentence, a source or a dash, and a place in the code.
//! - A document beside the code of a protocol begins with a term of the glossary: its title or its
//!   first paragraph has one.

use super::markdown::{cells, spans};
use super::{Code, Finding};
use std::collections::BTreeSet;

const DOCUMENT: &str = "docs/glossary.md";

/// The columns of a row with a source: term, sentence, source, code.
const COLUMNS: usize = 4;
const SOURCE: usize = 2;

/// Words before the name of a type.
const KINDS: &[&str] = &["struct", "enum", "trait", "type", "union"];

/// Names in backticks that are the field's and no code.
const WORDS: &[&str] = &["ActorCell"];

pub(super) fn check(
    sources: &[Code],
    documents: &[(String, String)],
    paths: &BTreeSet<String>,
) -> Vec<Finding> {
    let Some((_, text)) = documents.iter().find(|(path, _)| path == DOCUMENT) else {
        return vec![Finding::new(DOCUMENT, 0, "is missing")];
    };
    let mut findings = rows(text);
    findings.extend(names(text, &Names::of(sources), paths));
    let terms = terms(text);
    let protocols = documents.iter().filter(|(path, _)| is_of_protocol(path));
    findings.extend(protocols.filter_map(|(path, text)| beginning(path, text, &terms)));
    findings
}

/// Rows with an empty cell.
fn rows(text: &str) -> Vec<Finding> {
    let has_gap = |cells: &[&str]| cells.len() == COLUMNS && cells[1..SOURCE + 1].contains(&"");
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| has_gap(&cells(line)))
        .map(|(number, _)| Finding::new(DOCUMENT, number, "a term without a sentence or a source"))
        .collect()
}

/// Paths and names that are not there.
fn names(text: &str, known: &Names<'_>, paths: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let source = match cells(line)[..] {
            [_, _, source, _] => source,
            _ => "",
        };
        for span in spans(&line.replace(source, "")) {
            let is_there = match span.contains('/') {
                true => super::links::is_there(span, paths),
                false => known.has(span),
            };
            if !is_there {
                let what = format!("`{span}` is not in the code");
                findings.push(Finding::new(DOCUMENT, number, what));
            }
        }
    }
    findings
}

/// The words of the crates' code.
struct Names<'a> {
    types: BTreeSet<&'a str>,
    words: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(sources: &'a [Code]) -> Self {
        let (mut types, mut words) = (BTreeSet::new(), BTreeSet::new());
        for source in sources
            .iter()
            .filter(|source| source.path.starts_with("crates/"))
        {
            let mut before = "";
            let all = source
                .code
                .split(|c: char| !c.is_alphanumeric() && c != '_');
            for word in all.filter(|word| !word.is_empty()) {
                if KINDS.contains(&before) {
                    types.insert(word);
                }
                words.insert(word);
                before = word;
            }
        }
        Self { types, words }
    }

    /// Whether each part of a path is there: one with a capital as a type. A lifetime, a crate and
    /// a variable of the environment are no such names.
    fn has(&self, span: &str) -> bool {
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_there = |name: &str| match name.starts_with(char::is_uppercase) {
            true => self.types.contains(name) || WORDS.contains(&name),
            false => self.words.contains(name),
        };
        span.split("::")
            .all(|name| !is_name(name) || is_there(name))
    }
}

/// The terms of the first column, in small letters.
fn terms(text: &str) -> BTreeSet<String> {
    let rows = text.lines().map(cells).filter(|cells| cells.len() > 2);
    let first = rows.flat_map(|cells| cells[0].split([',', '(']).map(clean).collect::<Vec<_>>());
    first
        .filter(|term| !["", "term", "word"].contains(&&**term))
        .collect()
}

fn clean(term: &str) -> String {
    term.replace(['`', ')'], "").trim().to_lowercase()
}

/// A document in a folder of a crate's source.
fn is_of_protocol(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && path.ends_with("/README.md")
}

/// A document that begins without any of the terms.
fn beginning(path: &str, text: &str, terms: &BTreeSet<String>) -> Option<Finding> {
    let mut paragraphs = text.split("\n\n").filter(|part| !part.trim().is_empty());
    let head = [paragraphs.next()?, paragraphs.next().unwrap_or_default()].join("\n");
    let head = head.to_lowercase();
    let has = |term: &String| {
        let mut forms = [term.clone(), format!("{term}s")].into_iter();
        forms.any(|form| super::code::words_at(&head, &form).next().is_some())
    };
    let what = "neither title nor first paragraph has a term that docs/glossary.md defines";
    (!terms.iter().any(has)).then(|| Finding::new(path, 1, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Glossary\n\nA `Type`, `Type::method`, `'gc`, `ActorCell`.\n\n\
        | term | in one sentence | source | where in the code |\n|---|---|---|---|\n\
        | count inbox, `Val` | a `field` | BRC (`Gone`) | `crates/a/src` |\n";

    fn whats(text: &str, readme: &str) -> Vec<String> {
        let code = "struct Type; struct Val; fn f() { method(field) }";
        let sources = [Code::new("crates/a/src/a.rs", code.into())];
        let page = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let readme = page("crates/a/src/b/README.md", readme);
        let documents = [page(DOCUMENT, text), readme];
        let paths = BTreeSet::from(["crates/a/src/a.rs".to_owned()]);
        let found = check(&sources, &documents, &paths);
        found.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn canary_a_name_that_is_not_in_the_code_is_flagged() {
        assert_eq!(whats(TEXT, "# Of count inboxes, val\n"), [""; 0]);
        for (from, to) in [
            ("`Type`", "`Kind`"),
            ("`Type::method`", "`Type::other`"),
            ("`field`", "`other`"),
            ("`crates/a/src`", "`crates/b/src`"),
            ("`Val`", "`method`, `Method`"),
        ] {
            let found = whats(&TEXT.replace(from, to), "# A count inbox\n");
            assert_eq!(found.len(), 1, "{to}: {found:?}");
            assert!(found[0].ends_with("is not in the code"), "{found:?}");
        }
    }

    #[test]
    fn canary_a_term_without_sentence_or_source_is_flagged() {
        for cell in ["a `field`", "BRC (`Gone`)"] {
            let found = whats(&TEXT.replace(cell, ""), "# A count inbox\n");
            assert_eq!(found, ["a term without a sentence or a source"]);
        }
    }

    #[test]
    fn canary_a_protocol_without_a_term_is_flagged() {
        assert_eq!(whats(TEXT, "# Title\n\nOf the count inbox.\n"), [""; 0]);
        assert_eq!(whats(TEXT, "# Vals\n\nThey are many.\n"), [""; 0]);
        for text in [
            "# Title\n\nA paragraph.\n\nA `Val`.\n",
            "# Title\n\nAn interval.\n",
        ] {
            assert_eq!(whats(TEXT, text).len(), 1, "{text}");
        }
    }
}
