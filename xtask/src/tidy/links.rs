//! A relative link of a Markdown file leads to a file or folder of this repository.
//!
//! Links to the network are not followed: a check must not fail because another machine is down.
//! Anchors are not looked up either.

use super::Finding;
use std::collections::BTreeSet;

/// `paths` are the files of the repository.
pub(super) fn check(path: &str, text: &str, paths: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                for target in targets(&without_code(line)) {
                    if let Some(what) = problem(path, &target, paths) {
                        findings.push(Finding::new(path, index + 1, what));
                    }
                }
            }
        }
    }
    findings
}

/// The line without its code spans.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

/// The targets of a line's links and images.
fn targets(line: &str) -> Vec<String> {
    let mut targets: Vec<&str> = line.split("](").skip(1).map(until_close).collect();
    for attribute in ["href=\"", "src=\""] {
        targets.extend(
            line.split(attribute)
                .skip(1)
                .filter_map(|rest| rest.split('"').next()),
        );
    }
    if line.starts_with('[')
        && let Some((_, target)) = line.split_once("]: ")
    {
        targets.push(target);
    }
    targets.into_iter().map(plain).collect()
}

/// The text up to the bracket that closes a link; brackets within it come in pairs.
fn until_close(text: &str) -> &str {
    let mut depth = 1;
    let close = text.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    &text[..close.unwrap_or(text.len())]
}

/// The target without a title, angle brackets and coded spaces.
fn plain(target: &str) -> String {
    let target = target.trim();
    let target = match target
        .strip_prefix('<')
        .and_then(|target| target.split_once('>'))
    {
        Some((target, _)) => target,
        None => target.split_whitespace().next().unwrap_or_default(),
    };
    target.replace("%20", " ")
}

/// Why a link is wrong, or `None`.
fn problem(from: &str, target: &str, paths: &BTreeSet<String>) -> Option<String> {
    let file = target.split(['#', '?']).next().unwrap_or_default();
    let scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if scheme || target.starts_with("//") || (file.is_empty() && target.starts_with('#')) {
        return None;
    }
    if file.is_empty() {
        return Some("a link without a target".into());
    }
    match resolved(from, file) {
        None => Some(format!("the link to `{target}` leaves the repository")),
        Some(path) if is_there(&path, paths) => None,
        Some(path) => Some(format!(
            "the link to `{target}` leads to `{path}`, which is not there"
        )),
    }
}

/// The path from the root that `link` means in the file `from`.
fn resolved(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if !link.starts_with('/') {
        parts.extend(from.split('/'));
        parts.pop();
    }
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether `path` is a file, or a folder that holds one. The empty path is the root.
pub(super) fn is_there(path: &str, paths: &BTreeSet<String>) -> bool {
    let folder = format!("{path}/");
    path.is_empty()
        || paths.contains(path)
        || paths
            .range(folder.clone()..)
            .next()
            .is_some_and(|next| next.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(from: &str, text: &str) -> Vec<usize> {
        let paths = [
            "README.md",
            "docs/A.md",
            "docs/a b.md",
            "src/cell/mod.rs",
            "docs/x(1).svg",
        ];
        let paths = paths.into_iter().map(String::from).collect();
        check(from, text, &paths)
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn links_to_what_is_there_are_right() {
        let text = "[a](A.md) [b](../src/cell) [b](../src/cell/) [c](../README.md#part) [d](/docs/A.md \"title\")\n\
                    ![e](<a b.md>) [f](a%20b.md) [g](#here) [h](https://example.org/x) [i](mailto:a@b) [j](x(1).svg)\n\
                    [r]: ../README.md\n<img src=\"A.md\"> [root](..)\n";
        assert_eq!(lines("docs/A.md", text), [0; 0]);
    }

    #[test]
    fn canary_a_broken_link_is_flagged() {
        for text in [
            "[a](missing.md)",
            "[a](missing.md#part)",
            "[a](../docs/missing/)",
            "[a](/missing)",
            "[a](../../outside.md)",
            "[a]()",
            "[r]: missing.md",
            "[![badge](https://example.org/x.svg)](missing.md)",
            "<a href=\"missing.md\">a</a>",
            "[a](src/cel)",
        ] {
            assert_eq!(lines("docs/A.md", text), [1], "{text}");
        }
    }

    #[test]
    fn code_is_no_link() {
        assert_eq!(
            lines("README.md", "`[a](missing.md)` and `x` [b](missing.md)\n"),
            [1]
        );
        assert_eq!(
            lines(
                "README.md",
                "```text\n[a](missing.md)\n~~~\n```\n[b](missing.md)\n"
            ),
            [5]
        );
    }
}
