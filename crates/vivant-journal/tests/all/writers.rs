//! Several threads write one image; equal records give equal bytes.

use crate::{names, open};
use std::fs;
use std::path::Path;
use std::thread;
use vivant_journal::{Error, ImageWriter, Journal, Retention, Settings};

/// A value that shrinks by half or so.
fn value(id: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(id);
    let length = random.usize(0..3_000);
    (0..length)
        .map(|index| if index % 2 == 0 { 0 } else { random.u8(..) })
        .collect()
}

fn write(image: &ImageWriter, threads: u64) {
    thread::scope(|scope| {
        for thread in 0..threads {
            let mut segment = image.segment().unwrap();
            scope.spawn(move || {
                for id in (thread..1_000).step_by(threads as usize) {
                    segment.append(id, id as u16, &value(id)).unwrap();
                }
                segment.finish().unwrap();
            });
        }
    });
}

fn publish(journal: &Journal, threads: u64) -> u64 {
    let image = journal.begin().unwrap();
    write(&image, threads);
    image.publish(b"by threads").unwrap().summary.number
}

#[test]
fn the_records_do_not_depend_on_the_number_of_writers() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    for threads in [1, 4, 7] {
        let number = publish(&journal, threads);
        let image = journal.catalog().image(number).unwrap();
        image.verify().unwrap();
        assert_eq!(u64::from(image.summary().segments), threads);
        assert!(image.records().map(|record| record.id).eq(0..1_000));
        for record in image.reader().values() {
            let record = record.unwrap();
            assert_eq!(record.value, value(record.id));
        }
        let mut reader = image.reader();
        for id in [999, 0, 500] {
            assert_eq!(reader.value(id).unwrap(), value(id));
        }
    }
}

#[test]
fn threads_share_the_reading_of_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let number = publish(&journal, 3);
    let image = journal.catalog().image(number).unwrap();
    let read: u64 = thread::scope(|scope| {
        let readers: Vec<_> = (0..image.summary().segments)
            .map(|segment| {
                let values = image.reader().values_of_segment(segment);
                scope.spawn(move || {
                    let count = values.len() as u64;
                    for record in values {
                        let record = record.unwrap();
                        assert_eq!(record.value, value(record.id));
                    }
                    count
                })
            })
            .collect();
        readers
            .into_iter()
            .map(|reader| reader.join().unwrap())
            .sum()
    });
    assert_eq!(read, 1_000);
    for beyond in [3, u32::MAX] {
        assert_eq!(image.reader().values_of_segment(beyond).count(), 0);
    }
}

#[test]
fn several_images_are_published_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(
        folder.path(),
        Settings::default().retention(Retention::last(1)),
    );
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let image = journal.begin().unwrap();
                    let mut segment = image.segment().unwrap();
                    segment.append(1, 1, b"value").unwrap();
                    segment.finish().unwrap();
                    let published = image.publish(b"").unwrap();
                    assert!(
                        published.not_removed.is_none(),
                        "{:?}",
                        published.not_removed
                    );
                }
            });
        }
    });
    let images = journal.catalog().images().unwrap();
    assert!(images.unreadable.is_empty(), "{:?}", images.unreadable);
    assert_eq!(
        images.intact.iter().map(|image| image.number).max(),
        Some(40)
    );
    publish(&journal, 1);
    assert_eq!(names(folder.path()).len(), 2, "a manifest and a segment");
}

#[test]
fn equal_records_in_equal_order_give_equal_bytes() {
    let files = |threads| {
        let folder = tempfile::tempdir().unwrap();
        publish(&open(folder.path(), Settings::default()), threads);
        let read = |name: &String| fs::read(Path::new(folder.path()).join(name)).unwrap();
        names(folder.path())
            .iter()
            .map(|name| (name.clone(), read(name)))
            .collect::<Vec<_>>()
    };
    assert_eq!(files(3), files(3));
    assert_ne!(files(3), files(2));
}

#[test]
fn two_records_with_one_id_are_found_before_the_image_exists() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let image = journal.begin().unwrap();
    for _ in 0..2 {
        let mut segment = image.segment().unwrap();
        segment.append(7, 0, b"").unwrap();
        segment.finish().unwrap();
    }
    assert!(matches!(
        image.publish(b""),
        Err(Error::DuplicateRecord { image: 1, id: 7 })
    ));
    assert!(journal.catalog().latest().unwrap().image.is_none());
}

#[test]
fn an_image_with_an_open_segment_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let image = journal.begin().unwrap();
    let open = image.segment().unwrap();
    image.segment().unwrap().finish().unwrap();
    let error = image.publish(b"").unwrap_err();
    assert!(
        matches!(
            error,
            Error::SegmentsNotFinished {
                image: 1,
                unfinished: 1
            }
        ),
        "{error}"
    );
    open.finish().unwrap();
    assert!(journal.catalog().latest().unwrap().image.is_none());
}

#[test]
fn metadata_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), Settings::default());
    let limit = 64 * 1024;
    let outcome = journal.begin().unwrap().publish(&vec![0; limit + 1]);
    assert!(matches!(
        outcome,
        Err(Error::MetadataTooLong {
            bytes: 65_537,
            limit: 65_536
        })
    ));
    journal.begin().unwrap().publish(&vec![7; limit]).unwrap();
    assert_eq!(
        journal
            .catalog()
            .latest()
            .unwrap()
            .image
            .unwrap()
            .metadata(),
        vec![7; limit]
    );
}
