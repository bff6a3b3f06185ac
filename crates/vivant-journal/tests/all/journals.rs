//! Publishing, opening and reading.

use crate::{latest, names, open, publish};
use std::fs;
use vivant_journal::{Catalog, Compression, DirectoryStore, Error, Journal, Operation, Settings};

#[test]
fn an_image_is_read_after_the_store_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("made/when/needed");
    let journal = open(&folder, Settings::default());
    assert!(latest(&journal).is_none());
    let published = publish(&journal, b"state").unwrap();
    assert_eq!(
        (published.summary.number, published.summary.records),
        (1, 1)
    );
    drop(journal);

    let journal = open(&folder, Settings::default());
    assert_eq!(latest(&journal).unwrap(), b"state");
    publish(&journal, b"later").unwrap();
    assert_eq!(latest(&journal).unwrap(), b"later");
    let images = journal.catalog().images().unwrap();
    assert_eq!(images.intact.len(), 2);
    assert!(images.unreadable.is_empty());
}

#[test]
fn records_have_their_ids_kinds_and_values() {
    let folder = tempfile::tempdir().unwrap();
    for compression in [Compression::None, Compression::Lz4] {
        let journal = open(folder.path(), Settings::default().compression(compression));
        let image = journal.begin().unwrap();
        let mut segment = image.segment().unwrap();
        // Empty; over many blocks; beginning and ending in the middle of one.
        let lengths = [0, 1, 262_144, 5, 262_143, 1_000_000, 0, 17];
        let value = |id: usize| -> Vec<u8> {
            (0..lengths[id])
                .map(|byte| ((byte * (id + 3)) >> 4) as u8)
                .collect()
        };
        for id in (0..lengths.len()).rev() {
            segment
                .append(id as u64, 100 + id as u16, &value(id))
                .unwrap();
        }
        segment.finish().unwrap();
        image.publish(b"meta").unwrap();

        let image = journal.catalog().latest().unwrap().image.unwrap();
        assert_eq!(image.metadata(), b"meta");
        let ids: Vec<u64> = image.records().map(|record| record.id).collect();
        assert_eq!(ids, (0..lengths.len() as u64).collect::<Vec<_>>());
        let mut reader = image.reader();
        for id in [5, 0, 7, 2, 2, 4, 1, 3, 6] {
            assert_eq!(
                reader.value(id as u64).unwrap(),
                value(id),
                "{compression:?}, {id}"
            );
            let info = image.record(id as u64).unwrap();
            assert_eq!(
                (info.kind, info.length),
                (100 + id as u16, lengths[id] as u64)
            );
        }
        let appended: Vec<u64> = image
            .reader()
            .values()
            .map(|record| record.unwrap().id)
            .collect();
        assert_eq!(
            appended,
            (0..lengths.len() as u64).rev().collect::<Vec<_>>()
        );
        assert!(matches!(
            reader.value(99),
            Err(Error::NoSuchRecord { id: 99, .. })
        ));
        assert!(image.record(99).is_none());
    }
}

#[test]
fn an_image_without_records_or_segments_is_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    journal.begin().unwrap().publish(b"none").unwrap();
    let image = journal.begin().unwrap();
    image.segment().unwrap().finish().unwrap();
    image.publish(b"an empty segment").unwrap();
    for number in [1, 2] {
        let image = journal.catalog().image(number).unwrap();
        image.verify().unwrap();
        assert_eq!(image.records().len(), 0);
        assert_eq!(image.reader().values().count(), 0);
    }
}

#[test]
fn an_opening_removes_what_a_crash_has_left_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    publish(&journal, b"state").unwrap();
    let before = names(folder.path());
    // The program ends in the middle of the next image.
    let image = journal.begin().unwrap();
    let mut segment = image.segment().unwrap();
    segment.append(1, 1, &[0; 1_000_000]).unwrap();
    drop((image, segment, journal));
    fs::write(
        folder.path().join("00000000000000000002.manifest.new"),
        b"half",
    )
    .unwrap();
    fs::write(folder.path().join("notes.txt"), b"of a person").unwrap();
    fs::create_dir(folder.path().join("00000000000000000003.manifest")).unwrap();

    // A catalog removes nothing.
    let catalog = Catalog::new(DirectoryStore::new(folder.path()));
    assert_eq!(catalog.latest().unwrap().image.unwrap().number(), 1);
    assert_eq!(names(folder.path()).len(), before.len() + 4);

    open(folder.path(), Settings::default());
    let mut expected = before;
    expected.extend([
        "00000000000000000003.manifest".to_owned(),
        "notes.txt".to_owned(),
    ]);
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn a_directory_has_one_journal_at_a_time_and_any_number_of_catalogs() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let store = || DirectoryStore::new(folder.path());
    let error = Journal::open(store(), Settings::default()).unwrap_err();
    assert!(matches!(
        error,
        Error::Store {
            operation: Operation::Lock,
            ..
        }
    ));
    let says = error.to_string();
    assert!(
        says.ends_with("let one program at a time write to the store"),
        "{says}"
    );
    publish(&journal, b"state").unwrap();
    assert!(Catalog::new(store()).latest().unwrap().image.is_some());
    // As long as something may be written.
    let image = journal.begin().unwrap();
    drop(journal);
    assert!(Journal::open(store(), Settings::default()).is_err());
    drop(image);
    assert!(Journal::open(store(), Settings::default()).is_ok());
}

#[test]
fn an_image_that_does_not_exist_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let error = journal.catalog().image(3).unwrap_err();
    assert!(matches!(error, Error::NoSuchImage { number: 3 }));
    assert_eq!(
        error.to_string(),
        "there is no image 3; `Catalog::images` lists those that exist"
    );
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    fs::write(&file, b"").unwrap();
    let store = DirectoryStore::new(file.join("below"));
    let error = Journal::open(store, Settings::default()).unwrap_err();
    let says = error.to_string();
    assert!(says.starts_with("cannot lock the store: "), "{says}");
    assert!(says.contains("a file/below: "), "{says}");
}

#[test]
fn a_catalog_of_a_directory_that_does_not_exist_is_an_error_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let error = Catalog::new(DirectoryStore::new(&nowhere))
        .images()
        .unwrap_err();
    let says = error.to_string();
    assert!(says.starts_with("cannot list the store: "), "{says}");
    assert!(
        says.ends_with("give the directory in which a journal was opened"),
        "{says}"
    );
    assert!(!nowhere.exists());
}

#[test]
fn a_file_with_the_greatest_number_is_an_error_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join(format!("{}.manifest", u64::MAX)),
        b"by hand",
    )
    .unwrap();
    let journal = open(folder.path(), Settings::default());
    assert!(matches!(publish(&journal, b""), Err(Error::NoNumberLeft)));
    assert!(journal.catalog().latest().unwrap().image.is_none());
}
