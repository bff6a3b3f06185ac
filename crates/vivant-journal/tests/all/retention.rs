//! Which images stay.

use crate::{latest, names, open, publish};
use std::fs;
use vivant_journal::{Journal, Retention, Settings};

fn keep(retention: Retention) -> Settings {
    Settings::default().retention(retention)
}

fn numbers(journal: &Journal) -> Vec<u64> {
    journal
        .catalog()
        .images()
        .unwrap()
        .intact
        .iter()
        .map(|summary| summary.number)
        .collect()
}

#[test]
fn the_newest_images_stay_with_all_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), keep(Retention::last(3)));
    for value in 0..10 {
        let published = publish(&journal, &[value]).unwrap();
        assert!(published.not_removed.is_none());
    }
    assert_eq!(numbers(&journal), [10, 9, 8]);
    assert_eq!(names(folder.path()).len(), 6);
    assert_eq!(latest(&journal).unwrap(), [9]);
}

#[test]
fn all_images_stay() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), keep(Retention::All));
    for value in 0..10 {
        publish(&journal, &[value]).unwrap();
    }
    assert_eq!(numbers(&journal).len(), 10);
}

#[test]
fn at_least_one_image_stays() {
    assert_eq!(Retention::last(0), Retention::last(1));
}

#[test]
fn a_damaged_image_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), keep(Retention::last(2)));
    for value in 0..2 {
        publish(&journal, &[value]).unwrap();
    }
    fs::write(
        folder.path().join("00000000000000000002.manifest"),
        b"damage",
    )
    .unwrap();
    publish(&journal, &[2]).unwrap();
    assert_eq!(numbers(&journal), [3, 1], "the last two intact ones");
    publish(&journal, &[3]).unwrap();
    assert_eq!(numbers(&journal), [4, 3]);
    assert_eq!(
        names(folder.path()).len(),
        4,
        "the damaged one is removed with those around it"
    );
}

#[test]
fn images_in_progress_are_spared_and_images_given_up_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), keep(Retention::last(1)));
    let slow = journal.begin().unwrap();
    let mut slow_segment = slow.segment().unwrap();
    let given_up = journal.begin().unwrap();
    given_up.segment().unwrap().finish().unwrap();
    let given_up_segment = given_up.segment().unwrap();
    drop(given_up);
    publish(&journal, b"fast").unwrap();
    assert_eq!(
        names(folder.path()).len(),
        5,
        "a segment of the image given up is still open"
    );
    drop(given_up_segment);
    publish(&journal, b"faster").unwrap();
    assert_eq!(
        names(folder.path()).len(),
        3,
        "the slow segment, and one image"
    );

    slow_segment.append(1, 2, b"slow").unwrap();
    slow_segment.finish().unwrap();
    let published = slow.publish(b"").unwrap();
    assert_eq!(published.summary.number, 1);
    assert_eq!(latest(&journal).unwrap(), b"faster", "it began later");
}
