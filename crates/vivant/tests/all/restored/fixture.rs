//! Images of each version of the format, kept in `fixtures`: they are restored, and their program
//! goes on as if it was never saved. They are read where they are, by a catalog, which changes
//! nothing.
//!
//! `VIVANT_FIXTURES=overwrite cargo test -p vivant --all-features --test all restored::fixture`
//! writes those of the current version anew. That is right only before the version is published.

use super::inn::{begin, builder, end, step};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;
use vivant::journal::{Catalog, DirectoryStore, Image, Journal, Retention, Settings};
use vivant::simulation::{Faults, Simulation};

/// The version of the format: the first number of an image's metadata.
const FORMAT: u8 = 2;

/// What the program has done before each of the two images: in the first, a behaviour has a step to
/// run and a stop hook waits; in the second, a supervised actor is down, and its order to start
/// waits. Both have promises, messages, alarms, a group and topics.
const STEPS: [usize; 2] = [65, 83];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/image_{FORMAT}"))
}

/// Writes the fixture into `folder`.
fn write(folder: &Path) {
    let settings = Settings::default().retention(Retention::All);
    let journal = Journal::open(DirectoryStore::new(folder), settings);
    let journal = journal.expect("no other journal is open");
    for steps in STEPS {
        let simulation = begin();
        assert!(step(&simulation, steps));
        let report = simulation.system().snapshot(&journal);
        report.expect("all of it is saved");
    }
    drop(journal);
    fs::remove_file(folder.join("lock")).ok();
}

fn fixtures() -> Vec<Image> {
    static OVERWRITTEN: Once = Once::new();
    OVERWRITTEN.call_once(|| {
        if std::env::var_os("VIVANT_FIXTURES").is_some_and(|how| how == "overwrite") {
            fs::remove_dir_all(folder()).ok();
            write(&folder());
        }
    });
    images_in(&folder())
}

fn images_in(folder: &Path) -> Vec<Image> {
    let catalog = Catalog::new(DirectoryStore::new(folder));
    let numbers = 1..=STEPS.len() as u64;
    let images = numbers.map(|number| catalog.image(number).expect("it is intact"));
    images.collect()
}

#[test]
fn images_of_version_2_are_restored() {
    let expected = end(&begin());
    for image in fixtures() {
        assert_eq!(image.metadata()[0], FORMAT);
        let restored = Simulation::restore(5, Faults::none(), builder(), &image);
        let (simulation, actors, report) = restored.expect("this version is read");
        assert!(report.messages > 0);
        drop(actors);
        assert_eq!(end(&simulation), expected);
    }
}

/// Records with their ids, kinds and values, in the order in which they were written.
fn records(image: &Image) -> Vec<(u64, u16, Vec<u8>)> {
    let values = image.reader().values();
    let records = values.map(|record| {
        let record = record.expect("it is intact");
        (record.id, record.kind, record.value)
    });
    records.collect()
}

/// The bytes that `vivant` writes. How they are compressed is a matter of the journal, which has
/// fixtures of its own.
#[test]
fn the_writer_of_today_writes_the_records_of_the_fixtures() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path());
    for (now, then) in images_in(folder.path()).iter().zip(fixtures()) {
        assert_eq!(now.metadata(), then.metadata());
        let (now, then) = (records(now), records(&then));
        assert_eq!(now.len(), then.len());
        for (now, then) in now.into_iter().zip(then) {
            assert_eq!(now, then);
        }
    }
}
