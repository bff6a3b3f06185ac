//! Versions: what they share, which are kept, and when they are garbage.

use crate::memory_disk::MemoryDisk;
use crate::writer::insert;
use documents::commit::{Commit, Edit, Refusal};
use documents::store::{HISTORY_LIMIT, Store};
use documents::tree::Tree;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

fn open(simulation: &Simulation) -> Tree {
    Tree::open(simulation.system(), Arc::new(MemoryDisk::sound()))
}

fn commit(
    store: &Address<Store>,
    base: u64,
    reads: &[&str],
    edits: Vec<Edit>,
) -> Result<u64, Refusal> {
    let reads = reads.iter().map(|name| (*name).to_owned()).collect();
    store.commit(Commit { base, reads, edits }).ask_blocking()?
}

#[test]
fn a_commit_changes_all_its_documents_or_none() {
    let simulation = Simulation::new(1);
    let tree = open(&simulation);
    let store = &tree.store;
    assert_eq!(
        commit(
            store,
            0,
            &[],
            vec![insert("a", 0, "one"), insert("b", 0, "two")]
        ),
        Ok(1)
    );
    let conflict = Refusal::Conflict {
        document: "a".into(),
        changed: 1,
    };
    // The edit of another document is not made either.
    assert_eq!(
        commit(
            store,
            0,
            &[],
            vec![insert("c", 0, "x"), insert("a", 0, "x")]
        ),
        Err(conflict.clone())
    );
    assert_eq!(
        commit(store, 0, &["a"], vec![insert("c", 0, "x")]),
        Err(conflict)
    );
    let beyond = insert("b", 9, "x");
    let refused = commit(store, 1, &[], vec![insert("c", 0, "x"), beyond.clone()]);
    assert_eq!(refused, Err(Refusal::OutOfBounds(beyond)));
    assert_eq!(
        commit(store, 7, &[], Vec::new()),
        Err(Refusal::NoSuchVersion(7))
    );
    // An old base is good for documents that have not changed.
    assert_eq!(commit(store, 0, &[], vec![insert("c", 0, "three")]), Ok(2));
    assert_eq!(store.versions().ask_blocking(), Ok(vec![0, 1, 2]));
}

#[test]
fn versions_share_what_they_have_in_common() {
    let simulation = Simulation::new(1);
    let tree = open(&simulation);
    let store = &tree.store;
    assert_eq!(
        commit(
            store,
            0,
            &[],
            vec![insert("a", 0, "one"), insert("b", 0, "two")]
        ),
        Ok(1)
    );
    assert_eq!(commit(store, 1, &[], vec![insert("a", 0, "more")]), Ok(2));
    let texts = |number| {
        let version = store.version(number).ask_blocking().expect("an answer");
        version.look(|it| {
            let documents = it.as_ref().expect("it is there").documents;
            ["a", "b"].map(|name| documents[name].text.chunks().next().map(str::as_ptr))
        })
    };
    let ([old_a, old_b], [new_a, new_b]) = (texts(1), texts(2));
    assert_ne!(old_a, new_a);
    assert_eq!(old_b, new_b);
}

fn live_bytes(system: &System) -> u64 {
    let facts = system.inspect();
    facts
        .actors
        .iter()
        .filter_map(|it| it.heap)
        .map(|heap| heap.live)
        .sum()
}

/// Live bytes after many versions of one document, each with a text of its own.
fn after_versions(many: u64, named: bool) -> u64 {
    let simulation = Simulation::new(1);
    let tree = open(&simulation);
    let store = &tree.store;
    for version in 0..many {
        let edit = Edit {
            document: "a".into(),
            at: 0,
            remove: if version == 0 { 0 } else { 20_000 },
            insert: format!("{version:020}").repeat(1_000),
        };
        assert_eq!(commit(store, version, &[], vec![edit]), Ok(version + 1));
        if named {
            let name = store.name(version.to_string(), version + 1);
            assert_eq!(name.ask_blocking(), Ok(true));
        }
    }
    let kept = store.versions().ask_blocking().expect("an answer");
    assert_eq!(
        kept.len(),
        if named { many as usize } else { HISTORY_LIMIT }
    );
    simulation.run_for(Duration::from_secs(600));
    live_bytes(simulation.system())
}

#[test]
fn old_versions_are_garbage_unless_they_have_a_name() {
    let (pruned, named) = (after_versions(300, false), after_versions(300, true));
    assert!(pruned < 80 * 22_000, "{pruned}");
    assert!(named > 300 * 20_000, "{named}");
}

/// A reader's version outlives its place in the history.
#[test]
fn a_version_that_a_reader_has_stays_as_it_is() {
    let simulation = Simulation::new(1);
    let tree = open(&simulation);
    let store = &tree.store;
    assert_eq!(commit(store, 0, &[], vec![insert("a", 0, "one")]), Ok(1));
    let read = store.head().ask_blocking().expect("an answer");
    for base in 1..100 {
        assert_eq!(
            commit(store, base, &[], vec![insert("a", 0, "more")]),
            Ok(base + 1)
        );
    }
    let there = store.version(1).ask_blocking().expect("an answer");
    assert!(there.look(|it| it.is_none()));
    simulation.run_for(Duration::from_secs(600));
    let text: String = read.look(|it| it.documents["a"].text.chunks().collect());
    assert_eq!(text, "one ");
}
