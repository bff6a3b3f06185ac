//! Documentation for users names no rule of the design by its number: not on the pages of users,
//! and not in the docs of a public item. A number means something to readers of the code alone.
//!
//! Text in backticks is code. An item is public if it is declared with `pub`; what its module makes
//! of that is not examined.

use super::safety_rules::{is_number, words};
use super::{Code, Finding};

/// The pages of users.
const PAGES: &[&str] = &[
    "README.md",
    "docs/coming-from.md",
    "docs/encapsulation.md",
    "docs/faq.md",
    "docs/guide.md",
    "docs/observing.md",
    "docs/semantics.md",
];

/// The crates of users.
const CRATES: &[&str] = &[
    "crates/vivant/src/",
    "crates/vivant-brc/src/",
    "crates/vivant-codec/src/",
    "crates/vivant-collections/src/",
    "crates/vivant-heap/src/",
    "crates/vivant-macros/src/",
];

/// Files with public items that report which rule is broken.
const OF_RULES: &[&str] = &[
    "crates/vivant-heap/src/check/count_verifier.rs",
    "crates/vivant-heap/src/orca/count_audit.rs",
];

pub(super) fn check(sources: &[Code], documents: &[(String, String)]) -> Vec<Finding> {
    let pages = documents
        .iter()
        .filter(|(path, _)| PAGES.contains(&&**path) || is_included(path));
    let in_pages = pages.flat_map(|(path, text)| {
        let lines = (1..).zip(text.lines());
        numbers(path, lines)
    });
    let of_users = sources.iter().filter(|source| {
        let path = &*source.path;
        CRATES.iter().any(|of| path.starts_with(of)) && !OF_RULES.contains(&path)
    });
    let in_docs =
        of_users.flat_map(|source| numbers(&source.path, public_docs(&source.text).into_iter()));
    in_pages.chain(in_docs).collect()
}

/// A page that is the documentation of an item: `#[doc = include_str!("../docs/item.md")]`.
fn is_included(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/docs/")
}

/// The numbers in these lines.
fn numbers<'a>(path: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in lines {
        let prose: String = text.split('`').step_by(2).collect();
        for number in words(&prose).filter(|word| is_number(word)) {
            let what = format!("users do not know the rule {number}: say what it says");
            findings.push(Finding::new(path, line, what));
        }
    }
    findings
}

/// The lines of docs above public items.
fn public_docs(text: &str) -> Vec<(usize, &str)> {
    let (mut docs, mut block, mut depth) = (Vec::new(), Vec::new(), 0);
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        if code.starts_with("///") {
            block.push((number, line));
        } else if depth > 0 || code.starts_with("#[") {
            depth += code.matches('[').count();
            depth -= code.matches(']').count().min(depth);
        } else if !code.starts_with("//") {
            if code.starts_with("pub ") {
                docs.append(&mut block);
            }
            block.clear();
        }
    }
    docs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let (source, document) = match path.ends_with(".rs") {
            true => (vec![Code::new(path, text.into())], Vec::new()),
            false => (Vec::new(), vec![(path.to_owned(), text.to_owned())]),
        };
        let found = check(&source, &document).into_iter();
        found.map(|finding| finding.line).collect()
    }

    #[test]
    fn canary_a_number_before_users_is_flagged() {
        assert_eq!(lines("docs/faq.md", "fine\nheld by T3\n"), [2]);
        assert_eq!(lines("crates/vivant/docs/val.md", "held by T3\n"), [1]);
        let docs = "/// Never waits (T5).\n#[must_use = \"a [b]\"]\n#[expect(\n    x,\n)]\npub fn f() {}\n";
        assert_eq!(lines("crates/vivant/src/a.rs", docs), [1]);
    }

    #[test]
    fn what_users_do_not_read_may_have_numbers() {
        for text in [
            "/// H5.\nfn f() {}\npub fn g() {}\n",
            "/// H5.\npub(crate) fn f() {}\n",
            "// H5\npub fn f() {}\n",
            "/// `H5` is code.\npub fn f() {}\n",
        ] {
            assert_eq!(lines("crates/vivant/src/a.rs", text), [0; 0], "{text}");
        }
        assert_eq!(lines("docs/unsafe.md", "X1\n"), [0; 0]);
    }
}
