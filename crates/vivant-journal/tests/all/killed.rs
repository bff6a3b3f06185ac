//! A real process on a real directory is killed at any moment. Its power is not lost: simulated
//! files do that (`src/tests/crashes.rs`).

use crate::{latest, names, open, publish};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use vivant_journal::{Retention, Settings};

/// Set for the child: the folder of its journal.
const FOLDER: &str = "VIVANT_JOURNAL_FOLDER";
const NAME: &str = "killed::the_latest_image_after_a_kill_is_an_acknowledged_one_or_the_next";
/// Before each number that the child acknowledges.
const ACKNOWLEDGED: &str = "acknowledged ";

fn settings() -> Settings {
    Settings::default().retention(Retention::last(1))
}

/// A value that says its number, and is long enough for several blocks.
fn value(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(100_000)
}

fn number(value: &[u8]) -> u64 {
    let (first, _) = value.split_first_chunk().unwrap();
    let number = u64::from_le_bytes(*first);
    assert!(value == self::value(number));
    number
}

/// Publishes one image after the other, for ever.
fn child(folder: &Path) -> ! {
    let journal = open(folder, settings());
    let next = latest(&journal).map_or(0, |value| number(&value) + 1);
    for number in next.. {
        publish(&journal, &value(number)).unwrap();
        let mut out = std::io::stdout();
        writeln!(out, "\n{ACKNOWLEDGED}{number}")
            .and_then(|()| out.flush())
            .unwrap();
    }
    unreachable!()
}

#[test]
fn the_latest_image_after_a_kill_is_an_acknowledged_one_or_the_next() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        child(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = None;
    for images in 1..=6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([NAME, "--exact", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let numbers =
            lines.filter_map(|line| line.unwrap().strip_prefix(ACKNOWLEDGED)?.parse().ok());
        acknowledged = numbers.take(images).last().or(acknowledged);
        child.kill().unwrap();
        child.wait().unwrap();
        let journal = open(folder.path(), settings());
        let found = latest(&journal).map(|value| number(&value));
        assert!(
            acknowledged.is_some() && found >= acknowledged,
            "{found:?}, {acknowledged:?}"
        );
        assert!(journal.catalog().images().unwrap().unreadable.is_empty());
        // Killed before or after its retention.
        assert!([2, 4].contains(&names(folder.path()).len()));
    }
}
