//! Behaviour of journals, on real directories and in a bucket.

mod journals;
mod killed;
#[cfg(feature = "object-store")]
mod object_store;
mod retention;
mod writers;

use std::fs;
use std::path::Path;
use vivant_journal::{DirectoryStore, Error, Journal, Published, Settings};

fn open(folder: &Path, settings: Settings) -> Journal {
    Journal::open(DirectoryStore::new(folder), settings).unwrap()
}

/// Publishes an image with one record: this value, with the id 1 and the kind 2.
fn publish(journal: &Journal, value: &[u8]) -> Result<Published, Error> {
    let image = journal.begin()?;
    let mut segment = image.segment()?;
    segment.append(1, 2, value)?;
    segment.finish()?;
    image.publish(b"")
}

/// The value of the latest image.
fn latest(journal: &Journal) -> Option<Vec<u8>> {
    let latest = journal.catalog().latest().unwrap();
    assert!(latest.damaged.is_empty());
    Some(latest.image?.reader().value(1).unwrap())
}

/// The names of the files in a folder, in order, without the lock.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != "lock");
    names.sort();
    names
}
