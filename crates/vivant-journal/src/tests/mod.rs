//! Tests of the whole crate over simulated files: crashes, failures, damage; the page of the
//! format; fixtures.

mod crashes;
mod damage;
mod failures;
mod fixtures;
mod format_page;
mod limits;
mod needed;
mod races;

use crate::store::simulated_files::{Contents, Plan, SimulatedFiles};
use crate::{Catalog, DirectoryStore, Error, Image, Journal, Published, Retention, Settings};
use std::collections::BTreeMap;

/// Records: kind and value by id.
type Records = BTreeMap<u64, (u16, Vec<u8>)>;

/// Blocks of 64 bytes, and the last image kept.
fn small() -> Settings {
    Settings::default()
        .block_bytes(64)
        .retention(Retention::last(1))
}

fn open(files: &SimulatedFiles, settings: Settings) -> Result<Journal, Error> {
    Journal::open(DirectoryStore::of(files.clone()), settings)
}

/// The records of a small image, which differ for each `tag`: an empty one, some in one block, and
/// a value of three blocks, of which one shrinks.
fn records(tag: u8) -> Records {
    let mut noise = fastrand::Rng::with_seed(tag.into());
    let mut long: Vec<u8> = (0..70).map(|_| noise.u8(..)).collect();
    long.extend([tag; 80]);
    let values = [
        Vec::new(),
        vec![tag; 5],
        b"second".to_vec(),
        long,
        vec![tag, 0, tag],
    ];
    (10 * u64::from(tag)..).zip((0..).zip(values)).collect()
}

/// Writes the records of `tag` into two segments that grow in turns, and publishes the image.
fn publish(journal: &Journal, tag: u8) -> Result<Published, Error> {
    let image = journal.begin()?;
    let mut segments = [image.segment()?, image.segment()?];
    for (index, (id, (kind, value))) in records(tag).into_iter().enumerate() {
        segments[index % 2].append(id, kind, &value)?;
    }
    for segment in segments {
        segment.finish()?;
    }
    image.publish(&[tag])
}

/// Reads all records, in order and by id, and compares both.
fn read(image: &Image) -> Result<Records, Error> {
    let mut records = Records::new();
    for record in image.reader().values() {
        let record = record?;
        records.insert(record.id, (record.kind, record.value));
    }
    assert_eq!(records.len(), image.records().len());
    let mut reader = image.reader();
    for (info, (id, (kind, value))) in image.records().zip(&records) {
        assert_eq!(
            (info.id, info.kind, info.length),
            (*id, *kind, value.len() as u64)
        );
        assert_eq!(reader.value(*id)?, *value);
    }
    Ok(records)
}

/// The tag of the latest image of a store without damage. The image has the records of its tag.
fn latest_tag(catalog: &Catalog) -> Option<u8> {
    let images = catalog.images().unwrap();
    assert!(images.unreadable.is_empty(), "{:?}", images.unreadable);
    let latest = catalog.latest().unwrap();
    assert!(latest.damaged.is_empty(), "{:?}", latest.damaged);
    let image = latest.image?;
    let tag = image.metadata()[0];
    assert_eq!(read(&image).unwrap(), records(tag));
    Some(tag)
}

/// The files of one small image.
fn small_image() -> Contents {
    let files = SimulatedFiles::new(Plan::Nothing);
    publish(&open(&files, small()).unwrap(), 1).unwrap();
    files.visible()
}

/// A catalog of these files.
fn catalog(contents: &Contents) -> Catalog {
    Catalog::new(DirectoryStore::of(SimulatedFiles::of(
        contents,
        Plan::Nothing,
    )))
}
