//! A file of Rust has at most [`LINES_MAX`] lines, or a reason.

use super::{Code, Finding};

/// Good files of a runtime have 100 to 250 lines. At twice that a reader loses the overview.
const LINES_MAX: usize = 500;

/// Files that may be longer, each with its reason. A file that is short again must leave the list.
const EXCEPTIONS: &[(&str, &str)] = &[];

pub(super) fn check(source: &Code) -> Option<Finding> {
    let lines = source.text.lines().count();
    let excepted = EXCEPTIONS.iter().any(|(path, _)| *path == source.path);
    (lines > LINES_MAX && !excepted).then(|| {
        let what = format!("{lines} lines, {LINES_MAX} are allowed: split it by nouns");
        Finding::new(&source.path, 0, what)
    })
}

/// Exceptions that are no longer needed.
pub(super) fn check_exceptions(sources: &[Code]) -> Vec<Finding> {
    idle_exceptions(EXCEPTIONS, sources)
}

fn idle_exceptions(exceptions: &[(&str, &str)], sources: &[Code]) -> Vec<Finding> {
    let needed = |path: &str| {
        sources
            .iter()
            .any(|source| source.path == path && source.text.lines().count() > LINES_MAX)
    };
    exceptions
        .iter()
        .filter(|(path, _)| !needed(path))
        .map(|(path, _)| {
            Finding::new(
                path,
                0,
                "needs no exception in xtask/src/tidy/length.rs: remove it",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, count: usize) -> Code {
        Code::new(path, "// line\n".repeat(count))
    }

    #[test]
    fn canary_a_long_file_is_flagged() {
        assert!(check(&lines("a.rs", LINES_MAX + 1)).is_some());
        assert_eq!(check(&lines("a.rs", LINES_MAX)), None);
    }

    #[test]
    fn canary_an_idle_exception_is_flagged() {
        let exceptions = [
            ("short.rs", "it was long"),
            ("gone.rs", "it was here"),
            ("long.rs", "a table"),
        ];
        let sources = [lines("short.rs", 10), lines("long.rs", LINES_MAX + 1)];
        let findings = idle_exceptions(&exceptions, &sources);
        assert_eq!(
            findings
                .iter()
                .map(|finding| finding.path.as_str())
                .collect::<Vec<_>>(),
            ["short.rs", "gone.rs"]
        );
    }
}
