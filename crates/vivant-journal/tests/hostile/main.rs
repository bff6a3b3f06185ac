//! Images with checksums that agree, and contents that a writer does not write: the answer is a
//! typed error or a whole image, and memory stays within the limit that the caller gave.
//!
//! One test, in a process of its own, because it counts the allocations of the process. What it
//! does not check: that changed *values* are noticed. Behind checksums that agree, they are
//! another image.

mod forge;
mod memory_store;
mod mutate;

use forge::{Files, Image, Segment};
use mutate::Change;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::collections::BTreeMap;
use vivant_journal::{Catalog, Damage, Error, Journal, Settings};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The limit that the caller gives.
const LIMIT: u64 = 200_000;

/// Two blocks, and names, rows of lists and other small things.
const BESIDE: u64 = 2 * 256 * 1024 + 50_000;

type Records = BTreeMap<u64, (u16, Vec<u8>)>;

/// Records of each kind: empty, small, sharing a block, spanning blocks, shrinking or not.
fn records(segment: u64) -> Vec<(u64, u16, Vec<u8>)> {
    let mut noise = fastrand::Rng::with_seed(segment);
    (0..9)
        .map(|index: u64| {
            let length = [0, 3, 20, 70, 150][index as usize % 5];
            let value = (0..length)
                .map(|_| if index < 5 { noise.u8(..) } else { 7 })
                .collect();
            (100 * segment + index, index as u16, value)
        })
        .collect()
}

fn image() -> Image {
    let segments = (0..3).map(|segment| Segment::of(segment, 1, 64, &records(segment.into())));
    Image::of(1, 64, b"metadata", segments.collect())
}

fn expected() -> Records {
    (0..3)
        .flat_map(records)
        .map(|(id, kind, value)| (id, (kind, value)))
        .collect()
}

/// Opens image 1 and reads all of it, each step within its memory.
fn read(files: Files) -> Result<Records, Error> {
    let catalog = Catalog::new(memory_store::MemoryStore::of(files)).memory_bytes_max(LIMIT);
    let within = |region: &Region<'_, System>, bytes: u64| {
        let allocated = region.change().bytes_allocated as u64;
        assert!(
            allocated <= bytes,
            "{allocated} bytes allocated, at most {bytes} allowed"
        );
    };
    let opening = Region::new(COUNTED);
    let image = catalog.image(1);
    // The manifest, its table.
    within(&opening, 2 * LIMIT + BESIDE);
    let image = image?;
    let verifying = Region::new(COUNTED);
    let verified = image.verify();
    within(&verifying, BESIDE + 200 * image.summary().stored_bytes);
    verified?;
    let infos: Vec<_> = image.records().collect();
    let mut records = Records::new();
    let mut reader = image.reader();
    for info in infos {
        let reading = Region::new(COUNTED);
        let value = reader.value(info.id);
        within(&reading, LIMIT + BESIDE);
        let value = value?;
        assert_eq!(value.len() as u64, info.length);
        records.insert(info.id, (info.kind, value));
    }
    for record in image.reader().values() {
        let record = record?;
        assert_eq!(records[&record.id], (record.kind, record.value));
    }
    Ok(records)
}

fn seeds() -> u64 {
    let seeds = std::env::var("VIVANT_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok());
    seeds.unwrap_or(100) * 50
}

#[test]
fn seeded_forged_images_are_errors_or_whole_in_bounded_memory() {
    assert_eq!(
        read(image().files()).unwrap(),
        expected(),
        "the forge writes the format"
    );
    is_the_writer_s_image();
    ids_are_unique();
    small_files_do_not_become_large();

    let (mut errors, mut whole) = (0, 0);
    for seed in 0..seeds() {
        let mut random = fastrand::Rng::with_seed(seed);
        let (files, change) = mutate::mutated(image(), &mut random);
        match (read(files), change) {
            (Ok(records), Change::Frame) => {
                assert_eq!(records, expected(), "seed {seed}");
                whole += 1;
            }
            (Ok(_), Change::Contents) => whole += 1,
            (Err(Error::Damaged { .. } | Error::NewerVersion { .. }), _) => errors += 1,
            (Err(Error::OverLimit { .. } | Error::CompressionNotBuilt { .. }), _) => errors += 1,
            (Err(error), _) => panic!("seed {seed}: {error:?}"),
        }
    }
    assert!(
        errors > seeds() / 2 && whole > seeds() / 50,
        "{errors} errors, {whole} whole"
    );
}

/// An id in two segments, and twice in one.
fn ids_are_unique() {
    let segment = |number, records: &[_]| Segment::of(number, 1, 64, records);
    let twice = [(7, 0, vec![1]), (8, 0, vec![2]), (7, 0, vec![3])];
    for segments in [
        vec![segment(0, &twice[..2]), segment(1, &twice[2..])],
        vec![segment(0, &twice)],
    ] {
        let error = read(Image::of(1, 64, b"", segments).files()).unwrap_err();
        let Error::Damaged { damage, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(damage, Damage::DuplicateId { id: 7 });
    }
}

/// Images of some kilobytes, with a value and with a table of some megabytes.
fn small_files_do_not_become_large() {
    let block_bytes = 256 * 1024;
    let large_value = vec![(1, 0, vec![0; 8_000_000])];
    let large_table = vec![(0, 0, Vec::new()); 150_000];
    for (records, over) in [(large_value, "value"), (large_table, "table")] {
        let segment = Segment::of(0, 1, block_bytes, &records);
        let files = Image::of(1, block_bytes, b"", vec![segment]).files();
        assert!(files.values().map(Vec::len).sum::<usize>() < 40_000);
        let error = read(files).unwrap_err();
        assert!(
            matches!(error, Error::OverLimit { what, .. } if what == over),
            "{error}"
        );
    }
}

/// The forge and the crate write the same bytes.
fn is_the_writer_s_image() {
    let store = memory_store::MemoryStore::of(Files::new());
    let journal = Journal::open(store.clone(), Settings::default()).unwrap();
    let writer = journal.begin().unwrap();
    let block_bytes = 256 * 1024;
    let mut segments = Vec::new();
    for number in 0..2 {
        let mut records = records(number.into());
        records.push((1_000 + u64::from(number), 9, vec![number as u8; 600_000]));
        let mut segment = writer.segment().unwrap();
        for (id, kind, value) in &records {
            segment.append(*id, *kind, value).unwrap();
        }
        segment.finish().unwrap();
        segments.push(Segment::of(number, 1, block_bytes, &records));
    }
    writer.publish(b"metadata").unwrap();
    let forged = Image::of(1, block_bytes, b"metadata", segments);
    assert_eq!(store.files(), forged.files());
}
