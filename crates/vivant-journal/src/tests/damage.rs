//! Damage of a small image, exhaustively: every bit flipped, every length, blocks and files
//! exchanged. The answer is a typed error or the same records; an older image is found.
//!
//! Damage behind checksums that agree is in `tests/hostile`.

use super::{Contents, catalog, open, publish, read, records, small, small_image};
use crate::format::layout::{HASH_BYTES, block_head, manifest_head, segment_head};
use crate::injected_fault::{InjectedFault, must_catch};
use crate::store::simulated_files::{Plan, SimulatedFiles};
use crate::{Damage, Error, Retention};

/// Reads image 1 of these files: an error of damage, or its records. Returns whether it was damage.
fn is_damaged(contents: &Contents) -> bool {
    let image = catalog(contents).image(1);
    let outcome = image.and_then(|image| {
        let verified = image.verify();
        let read = read(&image);
        assert_eq!(
            verified.is_ok(),
            read.is_ok(),
            "a verification is as strict as reading"
        );
        read
    });
    match outcome {
        Ok(found) => {
            assert_eq!(found, records(1));
            false
        }
        Err(Error::Damaged { .. } | Error::NewerVersion { .. } | Error::NoSuchImage { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

/// Files with one of them changed.
fn changed(contents: &Contents, name: &str, bytes: Vec<u8>) -> Contents {
    let mut changed = contents.clone();
    changed.insert(name.to_owned(), bytes);
    changed
}

#[test]
fn every_flipped_bit_is_found() {
    let contents = small_image();
    let mut flips = 0;
    for (name, bytes) in &contents {
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(
                is_damaged(&changed(&contents, name, bytes)),
                "{name}, bit {bit}"
            );
            flips += 1;
        }
    }
    assert!(flips > 5_000, "{flips}");
}

#[test]
fn every_other_length_is_found() {
    let contents = small_image();
    for (name, bytes) in &contents {
        for length in (0..bytes.len() + 100).filter(|&length| length != bytes.len()) {
            let mut bytes = bytes.clone();
            bytes.resize(length, 0);
            assert!(
                is_damaged(&changed(&contents, name, bytes)),
                "{name}, {length} bytes"
            );
        }
        let mut without = contents.clone();
        without.remove(name);
        assert!(is_damaged(&without), "without {name}");
    }
}

/// Exchanges each two blocks of each segment, whatever their lengths.
fn exchange_blocks() {
    let contents = small_image();
    let mut exchanges = 0;
    for (name, bytes) in contents
        .iter()
        .filter(|(name, _)| name.ends_with(".segment"))
    {
        let mut blocks = Vec::new();
        let mut rest = &bytes[segment_head::BYTES..];
        while !rest.is_empty() {
            let length = block_head::BYTES + block_head::STORED.get(rest) as usize;
            blocks.push(rest[..length].to_vec());
            rest = &rest[length..];
        }
        for first in 0..blocks.len() {
            for second in 0..first {
                let mut blocks = blocks.clone();
                blocks.swap(first, second);
                let bytes = [&bytes[..segment_head::BYTES], &blocks.concat()].concat();
                assert!(
                    is_damaged(&changed(&contents, name, bytes)),
                    "{name}, {first}, {second}"
                );
                exchanges += 1;
            }
        }
    }
    assert!(exchanges > 5, "{exchanges}");
}

#[test]
fn exchanged_blocks_are_found() {
    exchange_blocks();
}

/// A block of an image of equal shape stands in the place of another.
fn block_of_another_image() {
    let contents = small_image();
    let files = SimulatedFiles::new(Plan::Nothing);
    publish(&open(&files, small()).unwrap(), 2).unwrap();
    let mut replaced = 0;
    for (name, other) in files.visible() {
        if name.ends_with(".segment") && contents[&name].len() == other.len() {
            assert!(is_damaged(&changed(&contents, &name, other)), "{name}");
            replaced += 1;
        }
    }
    assert!(replaced > 0);
}

#[test]
fn a_segment_of_another_image_is_found() {
    block_of_another_image();
}

#[test]
fn canary_a_hash_that_is_not_compared_is_caught() {
    must_catch(InjectedFault::HashNotChecked, block_of_another_image);
}

#[test]
fn files_of_one_image_under_the_names_of_another_are_found() {
    let contents = small_image();
    let image = |name: &String| name.replace("0001", "0002");
    let renamed: Contents = contents
        .iter()
        .map(|(name, bytes)| (image(name), bytes.clone()))
        .collect();
    let error = catalog(&renamed).image(2).unwrap_err();
    let Error::Damaged {
        damage:
            Damage::Field {
                field,
                found,
                expected,
            },
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((field, found, expected), ("image", 1, 2));
}

#[test]
fn a_newer_version_is_no_damage() {
    let mut contents = small_image();
    let manifest = contents.get_mut("00000000000000000001.manifest").unwrap();
    let body = manifest.len() - HASH_BYTES;
    manifest_head::VERSION.put(manifest, 3u8);
    let hash = *blake3::hash(&manifest[..body]).as_bytes();
    manifest[body..].copy_from_slice(&hash);
    let error = catalog(&contents).latest().unwrap_err();
    assert!(
        matches!(
            error,
            Error::NewerVersion {
                found: 3,
                known: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn the_newest_intact_image_is_the_latest_and_the_damage_is_reported() {
    let files = SimulatedFiles::new(Plan::Nothing);
    let journal = open(&files, small().retention(Retention::All)).unwrap();
    for tag in 1..=3 {
        publish(&journal, tag).unwrap();
    }
    let mut contents = files.visible();
    // In a value, so that the image opens, and is found to be damaged when it is verified.
    let name = "00000000000000000003-00001.segment";
    contents.get_mut(name).unwrap()[segment_head::BYTES + block_head::BYTES + 3] ^= 1;
    contents
        .get_mut("00000000000000000002.manifest")
        .unwrap()
        .pop();
    let catalog = catalog(&contents);

    let images = catalog.images().unwrap();
    let intact: Vec<u64> = images.intact.iter().map(|summary| summary.number).collect();
    assert_eq!(intact, [3, 1], "no segment was read");
    assert_eq!(images.unreadable[0].number, 2);

    let latest = catalog.latest().unwrap();
    assert_eq!(latest.image.unwrap().number(), 1);
    let numbers: Vec<u64> = latest
        .damaged
        .iter()
        .map(|damaged| damaged.number)
        .collect();
    assert_eq!(numbers, [3, 2]);
    let error = latest.damaged[0].error.to_string();
    assert!(
        error.starts_with(&format!("`{name}` is damaged at block 0, offset 24: ")),
        "{error}"
    );

    // What is intact of a damaged image can still be read.
    let image = catalog.image(3).unwrap();
    let outcomes: Vec<bool> = image.reader().values().map(|value| value.is_ok()).collect();
    assert!(outcomes.contains(&true) && outcomes.contains(&false));
}

#[test]
fn a_store_that_fails_is_no_damage() {
    let contents = small_image();
    for at in 0.. {
        let plan = Plan::FailAt(at, crate::store::simulated_files::Failure::Broken);
        let files = SimulatedFiles::of(&contents, plan);
        let catalog = crate::Catalog::new(crate::DirectoryStore::of(files.clone()));
        match catalog.latest() {
            Ok(latest) => {
                assert!(latest.image.is_some());
                assert!(files.operations() <= at);
                break;
            }
            Err(error) => assert!(matches!(error, Error::Store { .. }), "{error}"),
        }
    }
}
