//! Writers that add words to two documents at once, and what the documents must contain.

use documents::commit::{Commit, Edit, Refusal};
use documents::store::Store;
use documents::version::Version;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::time::Duration;
use vivant::prelude::*;

/// The documents; each commit changes two of them.
pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

/// What a writer knows of a word that it has tried to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The commit was acknowledged.
    Written,
    /// It was refused.
    Refused,
    /// No answer came.
    Unknown,
}

/// Each word with its documents and its fate.
pub(crate) type Words = BTreeMap<String, ([&'static str; 2], Fate)>;

/// An edit that adds a word at a position.
pub(crate) fn insert(document: &str, at: usize, word: &str) -> Edit {
    Edit {
        document: document.to_owned(),
        at,
        remove: 0,
        insert: format!("{word} "),
    }
}

/// Reads, edits and commits; again if another writer was faster.
pub(crate) async fn write(system: System, store: Address<Store>, writer: u64, words: u64) -> Words {
    let mut chance = Rng::with_seed(writer);
    let mut fates = Words::new();
    for number in 0..words {
        let word = format!("{writer}.{number}");
        let first = chance.usize(..NAMES.len());
        let documents = [NAMES[first], NAMES[(first + 1) % NAMES.len()]];
        let fate = loop {
            system
                .clock()
                .sleep(Duration::from_millis(chance.u64(..20)))
                .await;
            match attempt(&store, documents, &word).await {
                Ok(_) => break Fate::Written,
                Err(Refusal::Conflict { .. }) => {}
                Err(Refusal::NoAnswer(_)) => break Fate::Unknown,
                Err(_) => break Fate::Refused,
            }
        };
        fates.insert(word, (documents, fate));
    }
    fates
}

/// One word is added at the end of the first document and at the beginning of the second.
async fn attempt(
    store: &Address<Store>,
    [one, other]: [&str; 2],
    word: &str,
) -> Result<u64, Refusal> {
    let head = store.head().ask().await?;
    let (base, end) = head.look(|head| {
        let text = head.documents.get(one).map(|it| it.text);
        (head.number, text.map_or(0, |text| text.len()))
    });
    let edits = vec![insert(one, end, word), insert(other, 0, word)];
    let reads = Vec::new();
    store.commit(Commit { base, reads, edits }).ask().await?
}

/// The number of times that each word is in each document.
fn counts<'v>(version: &Version<'v>) -> BTreeMap<(&'static str, String), usize> {
    let mut counts = BTreeMap::new();
    for name in NAMES {
        let text: String = version
            .documents
            .get(name)
            .map_or_else(String::new, |it| it.text.chunks().collect());
        for word in text.split_whitespace() {
            *counts.entry((name, word.to_owned())).or_default() += 1;
        }
    }
    counts
}

/// A version has each acknowledged word in both its documents, each word with unknown fate in both
/// or in neither, and nothing else.
pub(crate) fn check(version: &Version<'_>, words: &Words) -> Result<(), String> {
    let mut counts = counts(version);
    for (word, (documents, fate)) in words {
        let found = documents.map(|name| counts.remove(&(name, word.clone())).unwrap_or(0));
        match (fate, found) {
            (Fate::Written | Fate::Unknown, [1, 1]) | (Fate::Refused | Fate::Unknown, [0, 0]) => {}
            _ => return Err(format!("{word}, {fate:?}, is there {found:?} times")),
        }
    }
    match counts.is_empty() {
        true => Ok(()),
        false => Err(format!("never written: {counts:?}")),
    }
}
