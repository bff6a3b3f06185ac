//! Each `SAFETY:` comment names the rule that it rests on by its number, such as X2 or C1, and a
//! document defines that rule. `docs/unsafe.md` has the general rules and lists the other pages.
//!
//! A number is defined where it begins an item of a list (`- **H10** …`, `- **O3, O4** …`) or fills
//! the first cell of a table's row (`| X1 | …`). Decisions define nothing. The rules of containers
//! stand in the head of [`CONTAINERS`], as `//! - **D1** …`. A letter has one meaning in a crate:
//! if a crate defines rules with it, a comment there does not mean those of another crate.
//!
//! [`LEFT`] counts the comments of each crate that name no rule; it can only fall.

use super::ratchet::judged;
use super::{Code, Finding};
use std::collections::BTreeSet;

/// The one file of Rust that defines rules.
const CONTAINERS: &str = "crates/vivant-heap/src/raw.rs";

/// Documents that tell the history of rules.
const HISTORY: &str = "docs/decisions/";

/// Comments that name no rule, of each crate.
const LEFT: &[(&str, usize)] = &[
    ("crates/vivant-brc/", 101),
    ("crates/vivant-collections/", 173),
    ("crates/vivant-heap/", 452),
    ("crates/vivant-macros/", 8),
    ("verify/loom/", 30),
];

pub(super) fn check(sources: &[Code], documents: &[(String, String)]) -> Vec<Finding> {
    let defined = defined(sources, documents);
    let (mut nameless, mut findings) = (Vec::new(), Vec::new());
    for source in sources {
        for (line, reason) in reasons(source) {
            // Names in backticks are code.
            let reason: String = reason.split('`').step_by(2).collect();
            let mut named = words(&reason).filter(|word| is_number(word)).peekable();
            if named.peek().is_none() {
                let what = "this SAFETY comment names no rule by its number: see docs/unsafe.md";
                nameless.push(Finding::new(&source.path, line, what));
            }
            for number in named.filter(|number| !is_defined(number, &source.path, &defined)) {
                let what = format!("no document defines the rule {number}");
                findings.push(Finding::new(&source.path, line, what));
            }
        }
    }
    findings.extend(judged(nameless, LEFT, "safety_rules.rs"));
    findings
}

/// The numbers of all rules, each with the crate of its page.
type Defined<'a> = BTreeSet<(&'a str, &'a str)>;

fn defined<'a>(sources: &'a [Code], documents: &'a [(String, String)]) -> Defined<'a> {
    let mut defined = Defined::new();
    let mut read = |path: &'a str, line: &'a str| {
        defined.extend(definitions(line).map(|number| (crate_of(path), number)));
    };
    for (path, text) in documents {
        if !path.starts_with(HISTORY) {
            text.lines().for_each(|line| read(path, line));
        }
    }
    for source in sources.iter().filter(|source| source.path == CONTAINERS) {
        for (_, comment) in source.comments() {
            read(CONTAINERS, comment.trim_start_matches("//!"));
        }
    }
    defined
}

/// The numbers that a line of a document defines.
fn definitions(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let cell = line.strip_prefix('|').and_then(|row| row.split('|').next());
    let cell = cell.filter(|cell| words(cell).all(is_number));
    let text = line.strip_prefix("- ").or(cell).unwrap_or_default();
    words(text).take_while(|word| is_number(word))
}

/// Whether a comment of the file `path` may rest on this rule.
fn is_defined(number: &str, path: &str, defined: &Defined<'_>) -> bool {
    let home = crate_of(path);
    let same_letter = |other: &str| other[..1] == number[..1];
    let is_own = |(page, other): &(&str, &str)| *page == home && same_letter(other);
    let has_own = defined.iter().any(is_own);
    let may_mean = |page: &str| !has_own || page == home || page == "docs";
    let mut pages = defined.iter().filter(|(_, other)| *other == number);
    pages.any(|(page, _)| may_mean(page))
}

/// `docs`, or a folder below another one: `crates/vivant`.
pub(super) fn crate_of(path: &str) -> &str {
    let depth = usize::from(!path.starts_with("docs/"));
    let end = path.match_indices('/').nth(depth);
    end.map_or(path, |(end, _)| &path[..end])
}

/// Each `SAFETY:` comment with its line. It ends where the comment does, or where another label
/// begins a line of it (`Relaxed: …`). Documentation, which speaks about such comments, has none.
fn reasons(source: &Code) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut reasons: Vec<(usize, String)> = Vec::new();
    // The line after the reason, as long as it may continue.
    let mut next = None;
    for (line, comment) in source.comments() {
        let continues = next.take() == Some(line) && lines[line - 1].trim_start().starts_with("//");
        let text = comment.trim_start_matches(['/', '*', ' ']);
        let reason = text.split_once("SAFETY:");
        let is_about = |before: &str| before.ends_with('`') || is_documentation(comment);
        if let Some((_, reason)) = reason.filter(|(before, _)| !is_about(before)) {
            reasons.push((line, reason.to_owned()));
            next = Some(line + 1);
        } else if let Some((_, reason)) = reasons.last_mut()
            && continues
            && !is_documentation(comment)
            && !has_label(text)
        {
            reason.push('\n');
            reason.push_str(text);
            next = Some(line + 1);
        }
    }
    reasons
}

fn is_documentation(comment: &str) -> bool {
    let mut marks = ["///", "//!", "/**"].iter();
    marks.any(|mark| comment.starts_with(mark))
}

fn has_label(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.ends_with(':') && word.starts_with(char::is_uppercase)
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// A letter and up to two digits.
pub(super) fn is_number(word: &str) -> bool {
    let mut chars = word.chars();
    let letter = chars.next().is_some_and(|c| c.is_ascii_uppercase());
    letter && matches!(word.len(), 2 | 3) && chars.all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Vec<(String, String)> {
        let page = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        vec![
            page(
                "docs/unsafe.md",
                "| rule | name |\n|---|---|\n| X1 | contract |\n| O5, O6 | x |",
            ),
            page(
                "crates/a/README.md",
                "- **C1** One holder, unlike C9.\n  - **O3, O4** Alive.\n- H10 No drop.",
            ),
            page(
                "crates/a/tests.md",
                "| Y1 values that leave | x |\n\nC8 is prose. - C7 too",
            ),
            page("docs/decisions/1.md", "- **Z1** Was a rule."),
            page("crates/b/src/x/README.md", "- **C2** Of chunks."),
        ]
    }

    fn containers() -> Code {
        let text = "//! # Contract\n//!\n//! - **D1** **Turn.** Of a turn.\n// - **D2** no head\n";
        Code::new(CONTAINERS, text.into())
    }

    /// The lines of `text` with a finding, where it is the file `path`.
    fn lines_in(path: &str, text: &str) -> Vec<usize> {
        let sources = [containers(), Code::new(path, text.into())];
        let findings = check(&sources, &documents());
        // A count of `LEFT` that is too high here is none of this text's.
        let here = findings.iter().filter(|finding| finding.path == path);
        here.map(|finding| finding.line).collect()
    }

    fn lines(text: &str) -> Vec<usize> {
        lines_in("crates/a/src/a.rs", text)
    }

    #[test]
    fn rules_are_defined_by_items_and_cells() {
        let (sources, documents) = ([containers()], documents());
        let defined = defined(&sources, &documents);
        let numbers = |home| -> Vec<&str> {
            let of_home = defined.iter().filter(|(page, _)| *page == home);
            of_home.map(|(_, number)| *number).collect()
        };
        assert_eq!(numbers("crates/a"), ["C1", "H10", "O3", "O4"]);
        assert_eq!(numbers("crates/b"), ["C2"]);
        assert_eq!(numbers("crates/vivant-heap"), ["D1"]);
        assert_eq!(numbers("docs"), ["O5", "O6", "X1"]);
        assert_eq!(defined.len(), 9);
    }

    #[test]
    fn canary_a_comment_without_a_rule_is_flagged() {
        assert_eq!(lines("// SAFETY: the holder has it (C1).\nf();"), [0; 0]);
        assert_eq!(
            lines("// SAFETY: the holder has it alone,\n// and no other (C1, D1).\nf();"),
            [0; 0]
        );
        assert_eq!(lines("\n// SAFETY: the holder has it.\nf();"), [2]);
        assert_eq!(
            lines("f(); // SAFETY: it has it.\ng(); // C1"),
            [1],
            "another comment"
        );
        assert_eq!(
            lines("// SAFETY: it has it.\nf();\n// C1\n"),
            [1],
            "code between them"
        );
        assert_eq!(
            lines("// SAFETY: it has it.\n// Relaxed: by C1.\nf();"),
            [1],
            "another label"
        );
        assert_eq!(
            lines("// SAFETY: it has `C1`, X1a, AX1 and X123.\nf();"),
            [1],
            "no numbers"
        );
        assert_eq!(
            lines("// SAFETY: it (C1).\n// SAFETY: has it.\nf();"),
            [2],
            "two comments"
        );
        assert_eq!(
            lines("// C1: the inbox. SAFETY: it has it.\nf();"),
            [1],
            "before the label"
        );
        assert_eq!(lines("/* SAFETY: it has it. */ f();"), [1]);
        assert_eq!(
            lines("// SAFETY: `a\n// C1 b` has it.\nf();"),
            [1],
            "code over two lines"
        );
    }

    #[test]
    fn canary_a_rule_that_is_not_defined_is_flagged() {
        assert_eq!(lines("// SAFETY: it has it (C2).\nf();"), [1]);
        assert_eq!(lines("// SAFETY: it has it (C1,\n// C2).\nf();"), [1]);
        assert_eq!(lines("// SAFETY: it was so (Z1).\nf();"), [1], "a decision");
        assert_eq!(lines("// SAFETY: it is in prose (C8, C9).\nf();"), [1, 1]);
        assert_eq!(lines("// SAFETY: a test lists it (Y1).\nf();"), [1]);
        assert_eq!(lines("// SAFETY: no head of a module (D2).\nf();"), [1]);
    }

    #[test]
    fn canary_a_letter_with_another_meaning_is_flagged() {
        let text = "// SAFETY: it has it (C2).\nf();";
        assert_eq!(lines_in("crates/a/src/a.rs", text), [1], "C is its own");
        assert_eq!(lines_in("crates/b/src/a.rs", text), [0; 0]);
        assert_eq!(
            lines_in("verify/loom/src/a.rs", text),
            [0; 0],
            "C is of others alone"
        );
        let text = "// SAFETY: it has it (O5).\nf();";
        assert_eq!(
            lines_in("crates/a/src/a.rs", text),
            [0; 0],
            "docs are of all"
        );
    }

    #[test]
    fn documentation_and_literals_are_no_comments_of_this_kind() {
        assert_eq!(
            lines("/// A `SAFETY:` comment. SAFETY: none.\nfn f() {}"),
            [0; 0]
        );
        assert_eq!(
            lines("// Of a `SAFETY:` comment.\nfn f() { \"// SAFETY: x\"; }"),
            [0; 0]
        );
    }
}
