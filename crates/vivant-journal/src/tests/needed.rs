//! Images that need earlier ones: they are kept together, and no other image takes the place of the
//! needed one.

use super::{catalog, open, publish, small};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::store::simulated_files::{Plan, SimulatedFiles};
use crate::{
    Catalog, Compression, Damage, DirectoryStore, Error, Image, Journal, Retention, Settings,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Publishes an image with one record, which needs these.
fn publish_needing(journal: &Journal, needed: &[u64]) -> Result<u64, Error> {
    let mut image = journal.begin()?;
    needed.iter().for_each(|&number| image.need(number));
    let mut segment = image.segment()?;
    segment.append(1, 1, b"refers to others")?;
    segment.finish()?;
    Ok(image.publish(b"needs others")?.summary.number)
}

fn needed_images_are_kept() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).expect("it opens");
    for tag in 1..=2 {
        publish(&journal, tag).expect("it is published");
    }
    // One image is kept, and here another, which it needs.
    assert_eq!(publish_needing(&journal, &[2]).expect("it is there"), 3);
    let catalog = journal.catalog();
    let intact = || {
        let images = catalog.images().expect("it is listed");
        let numbers = images.intact.iter().map(|image| image.number);
        numbers.collect::<Vec<u64>>()
    };
    assert_eq!(intact(), [3, 2]);
    let image = catalog.latest().expect("it is read").image;
    let image = image.expect("there is one");
    assert_eq!(image.summary().needed, [2]);
    let needed: Vec<u64> = image.needed().iter().map(Image::number).collect();
    assert_eq!(needed, [2]);
    assert_eq!(
        super::read(&image.needed()[0]).expect("it is read"),
        super::records(2)
    );
    // What a removed image needed is not kept.
    publish(&journal, 4).expect("it is published");
    assert_eq!(intact(), [4]);
}

#[test]
fn an_image_is_kept_while_another_one_needs_it() {
    needed_images_are_kept();
}

#[test]
fn canary_a_retention_that_forgets_needed_images_is_caught() {
    must_catch(InjectedFault::NeededNotKept, needed_images_are_kept);
}

#[test]
fn an_image_is_kept_while_a_writer_holds_it() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).expect("it opens");
    publish(&journal, 1).expect("it is published");
    let image = journal.begin().expect("it begins");
    image.hold(&[1]).expect("it is there");
    publish(&journal, 3).expect("it is published");
    assert!(journal.catalog().image(1).is_ok());
    // The image is given up: nothing needs the first one.
    drop(image);
    publish(&journal, 4).expect("it is published");
    assert!(journal.catalog().image(1).is_err());
}

/// A reader that needs an image longer than retention keeps it.
#[test]
fn an_image_is_kept_while_it_is_held() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).expect("it opens");
    publish(&journal, 1).expect("it is published");
    let weak = journal.catalog().downgrade();
    let catalog = weak.upgrade().expect("the store is open");
    let held = [catalog.hold(1), journal.catalog().hold(1)];
    publish(&journal, 2).expect("it is published");
    let image = catalog.image(1).expect("it is held");
    assert!(Catalog::of(&image).image(1).is_ok());
    let [first, second] = held;
    drop(first);
    publish(&journal, 3).expect("it is published");
    assert!(catalog.image(1).is_ok());
    drop(second);
    publish(&journal, 4).expect("it is published");
    assert!(catalog.image(1).is_err());
    drop((journal, catalog, image));
    assert!(weak.upgrade().is_none());
}

#[test]
fn an_image_needs_no_more_than_it_may() {
    let settings = Settings::default().needed_max(1);
    let journal = open(&SimulatedFiles::new(Plan::Nothing), settings).expect("it opens");
    for tag in 1..=2 {
        publish(&journal, tag).expect("it is published");
    }
    let error = publish_needing(&journal, &[1, 2]).unwrap_err();
    assert!(
        matches!(error, Error::TooManyNeeded { limit: 1, .. }),
        "{error}"
    );
}

/// All needed images together have the memory of one.
#[test]
fn needed_images_are_bounded_together() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, Settings::default().retention(Retention::All)).expect("it opens");
    for _ in 0..2 {
        let image = journal.begin().expect("it begins");
        let mut segment = image.segment().expect("it begins");
        for id in 0..150 {
            segment.append(id, 1, b"").expect("it is written");
        }
        segment.finish().expect("it is written");
        image.publish(b"").expect("it is published");
    }
    publish_needing(&journal, &[1]).expect("it is there");
    publish_needing(&journal, &[1, 2]).expect("both are there");
    let store = DirectoryStore::of(SimulatedFiles::of(&files.visible(), Plan::Nothing));
    let catalog = Catalog::new(store).memory_bytes_max(10_000);
    assert!(catalog.image(3).is_ok());
    let error = catalog.image(4).unwrap_err();
    let what = "needed images";
    assert!(
        matches!(error, Error::OverLimit { what: found, .. } if found == what),
        "{error}"
    );
}

#[test]
fn an_image_cannot_need_one_that_is_not_there() {
    let journal = open(&SimulatedFiles::new(Plan::Nothing), small()).expect("it opens");
    let error = publish_needing(&journal, &[7]).unwrap_err();
    assert!(matches!(error, Error::NoSuchImage { number: 7 }), "{error}");
}

#[test]
fn without_the_needed_image_an_image_is_damaged() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, Settings::default()).expect("it opens");
    publish(&journal, 1).expect("it is published");
    publish_needing(&journal, &[1]).expect("it is there");
    let contents = files.visible();
    let without = contents
        .iter()
        .filter(|(name, _)| !name.contains("0001.manifest"));
    let without = without
        .map(|(name, bytes)| (name.clone(), bytes.clone()))
        .collect();
    let images = catalog(&without).images().expect("it is listed");
    assert!(images.intact.is_empty(), "{:?}", images.intact);
    assert_eq!(images.unreadable[0].number, 2);
    let error = catalog(&without).image(2).unwrap_err();
    let damage = Damage::NeededMissing { image: 1 };
    assert!(
        matches!(&error, Error::Damaged { damage: found, .. } if *found == damage),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("it needs the image 1, which is missing")
    );

    // Another image of the same number does not take its place.
    let other = SimulatedFiles::new(Plan::Nothing);
    publish(&open(&other, small()).expect("it opens"), 9).expect("it is published");
    let mut replaced = contents.clone();
    replaced.retain(|name, _| !name.contains("0000000001"));
    replaced.extend(other.visible());
    let error = catalog(&replaced).image(2).unwrap_err();
    let damage = Damage::NeededDiffers { image: 1 };
    assert!(
        matches!(&error, Error::Damaged { damage: found, .. } if *found == damage),
        "{error}"
    );
    // The newest image that can be read is found.
    let latest = catalog(&replaced).latest().expect("one can be read");
    assert_eq!(latest.image.map(|image| image.number()), Some(1));
    assert_eq!(latest.damaged.len(), 1);
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v2")
}

/// Image 2 needs image 1.
fn write_fixtures(folder: &Path) {
    let settings = Settings::default().compression(Compression::None);
    let journal = Journal::open(DirectoryStore::new(folder), settings).expect("it opens");
    publish(&journal, 1).expect("it is published");
    publish_needing(&journal, &[1]).expect("it is there");
}

#[test]
fn images_of_version_2_are_read_and_written_as_they_were() {
    if std::env::var_os("VIVANT_FIXTURES").is_some_and(|how| how == "overwrite") {
        fs::remove_dir_all(fixtures()).ok();
        write_fixtures(&fixtures());
    }
    let catalog = Catalog::new(DirectoryStore::new(fixtures()));
    let image = catalog.image(2).expect("it is read");
    image.verify().expect("it is whole");
    assert_eq!(
        image.reader().value(1).expect("it is read"),
        b"refers to others"
    );
    assert_eq!(image.summary().needed, [1]);

    let folder = tempfile::tempdir().expect("a folder");
    write_fixtures(folder.path());
    for image in 1..=2 {
        let name = format!("{image:020}.manifest");
        let [before, now] = [&fixtures(), folder.path()].map(|at| fs::read(at.join(&name)));
        assert_eq!(
            before.expect("it is kept"),
            now.expect("it is written"),
            "{name}"
        );
    }
}

/// An image that is held is kept with those that it needs.
#[test]
fn a_held_image_can_be_read() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small()).expect("it opens");
    for tag in 1..=2 {
        publish(&journal, tag).expect("it is published");
    }
    assert_eq!(publish_needing(&journal, &[2]).expect("it is there"), 3);
    let held = journal.catalog().hold(3);
    publish(&journal, 4).expect("it is published");
    let image = journal.catalog().image(3).expect("it is held");
    // A needed image knows what is held too.
    let needed = Catalog::of(&image.needed()[0]).hold(2);
    drop(held);
    publish(&journal, 5).expect("it is published");
    assert!(journal.catalog().image(2).is_ok());
    drop(needed);
    publish(&journal, 6).expect("it is published");
    assert!(journal.catalog().image(2).is_err());
}
