//! A ratchet: what older text still breaks, counted by path. A count that is too high or too low is
//! a finding, so it can only fall.

use super::Finding;
use std::collections::BTreeMap;

/// The findings below paths that are more or fewer than `left` has. The longest path that fits a
/// file counts it. `table` is the file of this folder that has the counts.
pub(super) fn judged(findings: Vec<Finding>, left: &[(&str, usize)], table: &str) -> Vec<Finding> {
    let mut by_path: BTreeMap<&str, Vec<Finding>> = BTreeMap::new();
    let mut beyond = Vec::new();
    for finding in findings {
        let path = left
            .iter()
            .map(|(path, _)| *path)
            .filter(|path| finding.path.starts_with(path))
            .max_by_key(|path| path.len());
        match path {
            Some(path) => by_path.entry(path).or_default().push(finding),
            None => beyond.push(finding),
        }
    }
    for (path, allowed) in left {
        let found = by_path.remove(path).unwrap_or_default();
        if found.len() < *allowed {
            let what = format!(
                "{} findings, {allowed} are counted in xtask/src/tidy/{table}: lower that",
                found.len()
            );
            beyond.push(Finding::new(path, 0, what));
        } else if found.len() > *allowed {
            beyond.extend(found);
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canary_what_is_left_only_falls() {
        let findings = || {
            vec![
                Finding::new("a/b.rs", 1, "x"),
                Finding::new("a/c/d.rs", 1, "x"),
            ]
        };
        let count = |left: &[(&str, usize)]| judged(findings(), left, "table.rs").len();
        assert_eq!(count(&[]), 2);
        assert_eq!(count(&[("a/", 2)]), 0);
        assert_eq!(
            count(&[("a/", 1), ("a/c/", 1)]),
            0,
            "the longest path counts"
        );
        assert_eq!(count(&[("a/", 1)]), 2, "one more");
        assert_eq!(count(&[("a/", 3)]), 1, "one less: the count is to fall");
    }
}
