//! A ratchet on `unsafe`: how many blocks and impls each folder holds.
//!
//! `vivant-heap` and `vivant-brc` are unsafe crates. In `vivant` and `vivant-collections` the
//! module-level `#[allow(unsafe_code)]` is the truth, because the workspace denies the lint. This
//! rule keeps the amount in view: a folder with more than [`COUNTS`] says is a finding, and so is
//! one with less, until its count is lowered.

use super::Code;
use super::Finding;
use super::code::words_at;
use std::collections::BTreeMap;

/// Blocks and impls of each folder that has any. The longest path that fits a file counts it.
const COUNTS: &[(&str, usize)] = &[
    ("crates/vivant-brc/src/", 21),
    ("crates/vivant-brc/src/bias/", 11),
    ("crates/vivant-brc/src/brc/", 56),
    ("crates/vivant-brc/tests/", 13),
    ("crates/vivant-collections/src/gc/", 221),
    ("crates/vivant-collections/src/val/", 4),
    ("crates/vivant-heap/src/", 8),
    ("crates/vivant-heap/src/alloc/", 67),
    ("crates/vivant-heap/src/check/", 37),
    ("crates/vivant-heap/src/gc/", 64),
    ("crates/vivant-heap/src/group/", 16),
    ("crates/vivant-heap/src/image/", 131),
    ("crates/vivant-heap/src/mark/", 23),
    ("crates/vivant-heap/src/object/", 80),
    ("crates/vivant-heap/src/orca/", 37),
    ("crates/vivant-heap/src/pages/", 65),
    ("crates/vivant-heap/src/region/", 14),
    ("crates/vivant-heap/src/share/", 24),
    ("crates/vivant-heap/src/tags/", 18),
    ("crates/vivant-heap/src/types/", 63),
    ("crates/vivant-heap/src/weak/", 20),
    ("crates/vivant-heap/tests/", 6),
    ("crates/vivant-macros/src/", 9),
    ("crates/vivant/src/actor/", 127),
    ("crates/vivant/src/api/", 9),
    ("crates/vivant/src/api/promise/", 52),
    ("crates/vivant/src/cycles/", 1),
    ("crates/vivant/src/gc_state/", 5),
    ("crates/vivant/src/message/", 41),
    ("crates/vivant/src/queues/", 2),
    ("crates/vivant/src/run/", 12),
    ("crates/vivant/src/sched/", 2),
    ("crates/vivant/src/services/", 2),
    ("verify/loom/", 46),
];

pub(super) fn check(sources: &[Code]) -> Vec<Finding> {
    judged(sources, COUNTS)
}

fn judged(sources: &[Code], counts: &[(&'static str, usize)]) -> Vec<Finding> {
    let mut found: BTreeMap<&str, usize> = counts.iter().map(|(folder, _)| (*folder, 0)).collect();
    let mut findings = Vec::new();
    for source in sources {
        let blocks = blocks(&source.code);
        let folder = counts
            .iter()
            .map(|(folder, _)| *folder)
            .filter(|folder| source.path.starts_with(folder))
            .max_by_key(|folder| folder.len());
        match folder {
            _ if blocks == 0 => {}
            Some(folder) => *found.entry(folder).or_default() += blocks,
            None => {
                let what = format!("{blocks} unsafe blocks or impls in a folder that has none");
                findings.push(Finding::new(&source.path, 0, what));
            }
        }
    }
    for (folder, allowed) in counts {
        let found = found[folder];
        let advice = match found.cmp(allowed) {
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Less => "lower the count",
            std::cmp::Ordering::Greater => "do without, or raise the count and say why",
        };
        let what = format!(
            "{found} unsafe blocks or impls, xtask/src/tidy/unsafe_counts.rs has {allowed}: {advice}"
        );
        findings.push(Finding::new(folder, 0, what));
    }
    findings
}

/// The number of `unsafe { … }` and `unsafe impl` in `code`.
fn blocks(code: &str) -> usize {
    words_at(code, "unsafe")
        .filter(|at| {
            let next = code[at + "unsafe".len()..].trim_start();
            next.starts_with('{') || next.starts_with("impl")
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canary_one_more_or_one_less_is_flagged() {
        let text = "unsafe impl Send for A {}\nfn f() { unsafe { g() } }\nunsafe fn g() {}";
        let sources = [
            Code::new("a/b.rs", text.into()),
            Code::new("a/c/d.rs", text.into()),
        ];
        let count = |counts| judged(&sources, counts).len();
        assert_eq!(count(&[("a/", 4)]), 0);
        assert_eq!(
            count(&[("a/", 2), ("a/c/", 2)]),
            0,
            "the longest path counts"
        );
        assert_eq!(count(&[("a/", 3)]), 1, "one more");
        assert_eq!(count(&[("a/", 5)]), 1, "one less");
        assert_eq!(count(&[("a/c/", 2)]), 1, "a folder without a count");
    }

    #[test]
    fn prose_and_literals_are_no_code() {
        let text = "#![forbid(unsafe_code)] // unsafe {\nconst WORD: &str = \"unsafe {\";";
        assert_eq!(blocks(&Code::new("a.rs", text.into()).code), 0);
    }
}
