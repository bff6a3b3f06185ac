//! Names without meaning, and marks of unfinished work.

use super::{Code, Finding};

/// Modules with these names collect unrelated items. Each item in them is a concept and has a
/// better name.
const NAMES: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// Macros that compile and then fail at run time.
const MACROS: &[&str] = &["todo!", "unimplemented!"];

pub(super) fn check(source: &Code) -> Vec<Finding> {
    let mut findings = Vec::new();
    let stem = source.path.strip_suffix(".rs").unwrap_or(&source.path);
    for part in stem.split('/').filter(|part| NAMES.contains(part)) {
        findings.push(Finding::new(
            &source.path,
            0,
            format!("`{part}` says nothing: name it after what it holds"),
        ));
    }
    for name in NAMES {
        let item = format!("mod {name}");
        let what = format!("`{item}` says nothing: name it after what it holds");
        findings.extend(
            source
                .lines_with(&item)
                .map(|line| Finding::new(&source.path, line, what.as_str())),
        );
    }
    for name in MACROS {
        let what = format!("`{name}`: finish it, or return an error");
        findings.extend(
            source
                .lines_with(name)
                .map(|line| Finding::new(&source.path, line, what.as_str())),
        );
    }
    for line in source.lines_with("#[ignore").collect::<Vec<_>>() {
        findings.push(Finding::new(
            &source.path,
            line,
            "`#[ignore]`: a test that does not run proves nothing",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Code::new(path, text.into()))
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn canary_a_name_that_says_nothing_is_flagged() {
        assert_eq!(lines("crates/vivant/src/utils.rs", ""), [0]);
        assert_eq!(lines("crates/vivant/tests/common/mod.rs", ""), [0]);
        assert_eq!(lines("a.rs", "\npub(crate) mod helpers {}"), [2]);
        assert_eq!(
            lines("crates/vivant/src/commons.rs", "mod common_case;"),
            [0; 0]
        );
    }

    #[test]
    fn canary_undone_work_is_flagged() {
        assert_eq!(lines("a.rs", "fn f() { todo!() }"), [1]);
        assert_eq!(
            lines("a.rs", "fn f() {\n    unimplemented!(\"later\")\n}"),
            [2]
        );
        assert_eq!(lines("a.rs", "#[test]\n#[ignore]\nfn f() {}"), [2]);
        assert_eq!(
            lines("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}"),
            [2]
        );
        assert_eq!(
            lines(
                "a.rs",
                "// todo!() #[ignore]\n#[cfg_attr(miri, ignore)]\nfn f() {}"
            ),
            [0; 0]
        );
    }
}
