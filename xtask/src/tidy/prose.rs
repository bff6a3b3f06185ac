//! Plain English in comments and Markdown: what a tool can check of it.
//!
//! - A comment line has at most [`COMMENT_COLUMNS_MAX`] columns, a line of Markdown at most
//!   [`MARKDOWN_COLUMNS_MAX`]. Table rows and lines with an address of the web are exempt, because
//!   neither can be wrapped.
//! - The subject of a sentence is the code or a named role: none of [`PRONOUNS`] stands in prose.
//! - A `SAFETY:` comment gives its reason where it stands: none says only "as above".
//!
//! [`LEFT`] counts what older text still breaks; it can only fall.

use super::ratchet::judged;
use super::{Code, Finding};

const COMMENT_COLUMNS_MAX: usize = 100;
const MARKDOWN_COLUMNS_MAX: usize = 120;

/// Words that make a person of a mechanism, or hide the noun.
const PRONOUNS: &[&str] = &[
    "who",
    "whom",
    "whoever",
    "whose",
    "somebody",
    "nobody",
    "anybody",
    "everybody",
    "one that",
];

/// A `SAFETY:` comment that begins so has its reason elsewhere.
const ELSEWHERE: &[&str] = &[
    "SAFETY: as above",
    "SAFETY: as before",
    "SAFETY: as below",
    "SAFETY: as there",
    "SAFETY: as in ",
];

/// Findings that remain below each path. The longest path that fits a file counts it.
/// The programs for the compiler keep their lines, which its pinned messages name.
const LEFT: &[(&str, usize)] = &[
    ("crates/vivant-heap/tests/ui/", 27),
    ("crates/vivant/tests/ui/", 1),
];

/// What a comment of Rust or a line of Markdown breaks.
pub(super) fn check(sources: &[Code], documents: &[(String, String)]) -> Vec<Finding> {
    let rust = sources.iter().flat_map(rust);
    let markdown = documents
        .iter()
        .flat_map(|(path, text)| markdown(path, text));
    judged(rust.chain(markdown).collect(), LEFT, "prose.rs")
}

fn rust(source: &Code) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines: Vec<&str> = source.text.lines().collect();
    let mut fenced = false;
    let mut last = 0;
    for (line, comment) in source.comments() {
        let finding = |what: String| Finding::new(&source.path, line, what);
        // An example of the documentation is code.
        fenced = fenced && line == last + 1;
        last = line;
        if comment
            .trim_start_matches(['/', '!', ' '])
            .starts_with("```")
        {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        findings.extend(pronoun(comment).map(finding));
        let text = lines.get(line - 1).copied().unwrap_or_default();
        let alone = text.trim_start().starts_with("//");
        if alone && !is_table(comment) {
            findings.extend(too_long(text, COMMENT_COLUMNS_MAX).map(finding));
        }
        if ELSEWHERE.iter().any(|words| comment.contains(words)) {
            findings.push(finding(
                "the reason of a SAFETY comment stands with it".into(),
            ));
        }
    }
    findings
}

fn markdown(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let finding = |what: String| Finding::new(path, number + 1, what);
            findings.extend(pronoun(line).map(finding));
            if !is_table(line) {
                findings.extend(too_long(line, MARKDOWN_COLUMNS_MAX).map(finding));
            }
        }
    }
    findings
}

/// The first pronoun of a line. Names in backticks are code.
fn pronoun(line: &str) -> Option<String> {
    let prose: String = line.to_lowercase().split('`').step_by(2).collect();
    let word = PRONOUNS
        .iter()
        .find(|word| super::code::words_at(&prose, word).next().is_some())?;
    Some(format!("`{word}`: name the code or the role that acts"))
}

fn too_long(line: &str, columns_max: usize) -> Option<String> {
    let columns = line.chars().count();
    let wraps = !line.contains("://") && !is_reference(line);
    (columns > columns_max && wraps)
        .then(|| format!("{columns} columns of prose, {columns_max} are allowed"))
}

/// A row of a table, in Markdown or in a comment.
fn is_table(line: &str) -> bool {
    let line = line.trim_start();
    line.trim_start_matches(['/', '!'])
        .trim_start()
        .starts_with('|')
}

/// `[name]: target`
fn is_reference(line: &str) -> bool {
    line.starts_with('[') && line.contains("]: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        rust(&Code::new("a.rs", text.into()))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    fn lines_of_markdown(text: &str) -> Vec<usize> {
        markdown("a.md", text)
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn canary_a_pronoun_is_flagged() {
        assert_eq!(lines("// A heap whose owner has ended.\nfn f() {}"), [1]);
        assert_eq!(
            lines("fn f() {} // Nobody reads it.\n/* Who\nasks */"),
            [1, 2]
        );
        assert_eq!(lines("fn who() { \"who\"; } // The whole."), [0; 0]);
        assert_eq!(lines("// [`NOBODY`] is no owner."), [0; 0]);
        assert_eq!(lines_of_markdown("The owner.\nWhoever waits."), [2]);
        assert_eq!(lines_of_markdown("```text\nwho\n```\n"), [0; 0]);
    }

    #[test]
    fn canary_a_long_line_is_flagged() {
        let words = "long ".repeat(30);
        assert_eq!(lines(&format!("/// {words}")), [1]);
        assert_eq!(lines(&format!("/// | {words}|")), [0; 0]);
        assert_eq!(
            lines(&format!("/// ```\n/// {words}\n/// ```\nfn f() {{}}")),
            [0; 0]
        );
        assert_eq!(lines(&format!("/// ```\n/// ```\n/// {words}")), [3]);
        assert_eq!(
            lines(&format!("let a = 1; // {words}")),
            [0; 0],
            "fmt's own affair"
        );
        assert_eq!(lines_of_markdown(&words), [1]);
        assert_eq!(lines_of_markdown(&format!("| {words}|")), [0; 0]);
        assert_eq!(lines_of_markdown(&format!("[a]: {words}")), [0; 0]);
    }

    #[test]
    fn canary_a_reason_elsewhere_is_flagged() {
        assert_eq!(lines("// SAFETY: as above.\nlet a = 1;"), [1]);
        assert_eq!(lines("// SAFETY: the owner alone calls it.\n"), [0; 0]);
    }
}
