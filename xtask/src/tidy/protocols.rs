//! A folder that holds a protocol between threads or actors explains it in a `README.md`. No
//! README, no merge.

use super::Finding;
use std::collections::BTreeSet;

/// The folders. A renamed folder is renamed here too: a missing folder has no README either.
const FOLDERS: &[&str] = &[
    "crates/vivant-brc/src/bias",
    "crates/vivant-codec/src/saved",
    "crates/vivant-collections/src/gc",
    "crates/vivant-collections/src/val",
    "crates/vivant-heap/src/gc",
    "crates/vivant-heap/src/pages",
    "crates/vivant-heap/src/types",
    "crates/vivant/src/actor",
    "crates/vivant/src/message",
    "crates/vivant/src/mute",
    "crates/vivant/src/oracle",
    "crates/vivant/src/api/promise",
    "crates/vivant/src/sched",
    "crates/vivant/src/simulation",
    "crates/vivant/src/gc_state",
];

pub(super) fn check(paths: &BTreeSet<String>) -> Vec<Finding> {
    FOLDERS
        .iter()
        .map(|folder| format!("{folder}/README.md"))
        .filter(|readme| !paths.contains(readme))
        .map(|readme| {
            Finding::new(
                &readme,
                0,
                "is missing: states, steps, the race we fear, why it cannot happen",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canary_a_protocol_without_readme_is_flagged() {
        let mut paths: BTreeSet<String> = FOLDERS
            .iter()
            .map(|folder| format!("{folder}/README.md"))
            .collect();
        assert_eq!(check(&paths), []);
        paths.remove("crates/vivant/src/actor/README.md");
        paths.insert("crates/vivant/src/actor/header.rs".into());
        assert_eq!(check(&paths).len(), 1);
    }
}
