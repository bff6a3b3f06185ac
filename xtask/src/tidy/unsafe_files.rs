//! `unsafe` stands only in the files that [`LIST`] names between two markers, one path a line, in
//! backticks.
//!
//! The list is a promise to auditors of the runtime: these files hold all of its `unsafe`. A path
//! that names no file, or a file without `unsafe`, must leave the list.

use super::{Code, Finding};
use std::collections::BTreeMap;

/// The document that holds the list.
pub(super) const LIST: &str = "docs/ARCHITECTURE.md";

const BEGIN: &str = "<!-- unsafe-files -->";
const END: &str = "<!-- /unsafe-files -->";

pub(super) fn check(document: &str, sources: &[Code]) -> Vec<Finding> {
    let Some(listed) = listed(document) else {
        return vec![Finding::new(
            LIST,
            0,
            format!("no list of unsafe files between `{BEGIN}` and `{END}`"),
        )];
    };
    let mut findings = Vec::new();
    for (path, line) in &listed {
        match sources.iter().find(|source| source.path == *path) {
            None => findings.push(Finding::new(
                LIST,
                *line,
                format!("`{path}` is no Rust file of this workspace"),
            )),
            Some(source) if source.lines_with("unsafe").next().is_none() => {
                findings.push(Finding::new(
                    LIST,
                    *line,
                    format!("`{path}` holds no `unsafe`: take it off the list"),
                ));
            }
            Some(_) => {}
        }
    }
    for source in sources
        .iter()
        .filter(|source| !listed.contains_key(source.path.as_str()))
    {
        if let Some(line) = source.lines_with("unsafe").next() {
            findings.push(Finding::new(
                &source.path,
                line,
                format!("`unsafe`, but {LIST} does not list this file"),
            ));
        }
    }
    findings
}

/// The listed paths with their lines; `None` if the markers are not there.
fn listed(document: &str) -> Option<BTreeMap<&str, usize>> {
    let mut paths = None;
    for (index, line) in document.lines().enumerate() {
        match (line.trim(), &mut paths) {
            (BEGIN, None) => paths = Some(BTreeMap::new()),
            (END, Some(_)) => return paths,
            (line, Some(paths)) => {
                if let Some(path) = line.split('`').nth(1) {
                    paths.insert(path, index + 1);
                }
            }
            (_, None) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str =
        "# A\n<!-- unsafe-files -->\n- `a.rs`: why\n- `b.rs`\n<!-- /unsafe-files -->\n`c.rs`\n";

    fn sources(texts: &[(&str, &str)]) -> Vec<Code> {
        texts
            .iter()
            .map(|(path, text)| Code::new(path, (*text).into()))
            .collect()
    }

    #[test]
    fn listed_files_may_be_unsafe_and_others_may_speak_of_it() {
        let sources = sources(&[
            ("a.rs", "unsafe fn f() {}"),
            ("b.rs", "unsafe impl Send for X {}"),
            (
                "c.rs",
                "#![forbid(unsafe_code)] // unsafe\nconst WORD: &str = \"unsafe\";",
            ),
        ]);
        assert_eq!(check(DOCUMENT, &sources), []);
    }

    #[test]
    fn canary_an_unlisted_unsafe_is_flagged() {
        let sources = sources(&[
            ("a.rs", "unsafe fn f() {}"),
            ("b.rs", "unsafe fn f() {}"),
            ("c.rs", "fn f() {\n    unsafe { g() }\n}"),
        ]);
        let findings = check(DOCUMENT, &sources);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].path.as_str(), findings[0].line), ("c.rs", 2));
    }

    #[test]
    fn canary_a_listed_file_without_unsafe_or_gone_is_flagged() {
        let findings = check(DOCUMENT, &sources(&[("a.rs", "fn f() {}")]));
        assert_eq!(
            findings
                .iter()
                .map(|finding| finding.line)
                .collect::<Vec<_>>(),
            [3, 4]
        );
    }

    #[test]
    fn canary_a_missing_list_is_flagged() {
        assert_eq!(check("# A\n", &[]).len(), 1);
        assert_eq!(check("<!-- unsafe-files -->\n", &[]).len(), 1);
    }
}
