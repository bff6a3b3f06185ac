//! Images of every version of the format, kept in `fixtures`: intact ones are read, damaged ones
//! are refused. They are read where they are, by a catalog, which changes nothing.
//!
//! `VIVANT_FIXTURES=overwrite cargo test -p vivant-journal --all-features fixtures` writes the
//! files of the current version anew. That is right only before the version is published.

use crate::{
    Catalog, Compression, Damage, DirectoryStore, Error, Image, Journal, Retention, Settings,
};
use std::fs;
use std::path::{Path, PathBuf};

/// The numbers of the fixtures of version 1.
const LZ4: u64 = 1;
const UNCOMPRESSED: u64 = 2;
const ZSTD: u64 = 3;
const DAMAGED_VALUE: u64 = 4;
const DAMAGED_MANIFEST: u64 = 5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1")
}

/// The records of every fixture: id, kind, value.
fn records() -> [(u64, u16, Vec<u8>); 4] {
    [
        (u64::MAX, u16::MAX, b"the greatest id and kind".to_vec()),
        (0, 0, Vec::new()),
        (7, 1, (0..=255).collect()),
        (8, 2, b"a longer value, ".repeat(18_000)),
    ]
}

/// The long value would make the file without compression too large.
fn is_in(image: u64, value: &[u8]) -> bool {
    image != UNCOMPRESSED || value.len() < 1_000
}

fn write(journal: &Journal) -> Result<(), Error> {
    let image = journal.begin()?;
    let number = image.number();
    let mut segments = [image.segment()?, image.segment()?];
    for (index, (id, kind, value)) in records().iter().enumerate() {
        if is_in(number, value) {
            segments[index % 2].append(*id, *kind, value)?;
        }
    }
    for segment in segments {
        segment.finish()?;
    }
    image.publish(format!("fixture {number}").as_bytes())?;
    Ok(())
}

fn settings(compression: Compression) -> Settings {
    Settings::default()
        .retention(Retention::All)
        .compression(compression)
}

#[cfg(feature = "zstd")]
const THIRD: Compression = Compression::Zstd { level: 3 };
#[cfg(not(feature = "zstd"))]
const THIRD: Compression = Compression::Lz4;

/// Writes all fixtures into `folder`.
fn write_all(folder: &Path) {
    for compression in [
        Compression::Lz4,
        Compression::None,
        THIRD,
        Compression::Lz4,
        Compression::Lz4,
    ] {
        let store = DirectoryStore::new(folder);
        write(&Journal::open(store, settings(compression)).unwrap()).unwrap();
    }
    fs::remove_file(folder.join("lock")).ok();
    change(
        &folder.join(format!("{DAMAGED_VALUE:020}-00000.segment")),
        60,
    );
    change(
        &folder.join(format!("{DAMAGED_MANIFEST:020}.manifest")),
        100,
    );
}

fn change(path: &Path, offset: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[offset] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

fn check(image: &Image) -> Result<(), Error> {
    let number = image.number();
    assert_eq!(image.metadata(), format!("fixture {number}").as_bytes());
    image.verify()?;
    let mut expected: Vec<_> = records()
        .into_iter()
        .filter(|(.., value)| is_in(number, value))
        .collect();
    expected.sort();
    assert_eq!(image.records().len(), expected.len());
    let mut reader = image.reader();
    for (info, (id, kind, value)) in image.records().zip(expected) {
        assert_eq!((info.id, info.kind), (id, kind));
        assert_eq!(reader.value(id)?, value);
    }
    Ok(())
}

#[test]
fn images_of_version_1_are_read() {
    if std::env::var_os("VIVANT_FIXTURES").is_some_and(|how| how == "overwrite") {
        if cfg!(not(feature = "zstd")) {
            panic!("one fixture is compressed with zstd: use --all-features");
        }
        fs::remove_dir_all(folder()).ok();
        write_all(&folder());
    }
    let catalog = Catalog::new(DirectoryStore::new(folder()));
    for number in [LZ4, UNCOMPRESSED] {
        check(&catalog.image(number).unwrap()).unwrap();
    }
    let zstd = catalog.image(ZSTD).and_then(|image| check(&image));
    match cfg!(feature = "zstd") {
        true => zstd.unwrap(),
        false => assert!(
            matches!(
                zstd,
                Err(Error::CompressionNotBuilt {
                    compression: "zstd",
                    ..
                })
            ),
            "{zstd:?}"
        ),
    }
}

#[test]
fn damaged_images_of_version_1_are_refused() {
    let catalog = Catalog::new(DirectoryStore::new(folder()));
    let error = catalog.image(DAMAGED_VALUE).unwrap().verify().unwrap_err();
    assert!(
        matches!(
            error,
            Error::Damaged {
                damage: Damage::Checksum { .. },
                ..
            }
        ),
        "{error}"
    );
    let error = catalog.image(DAMAGED_MANIFEST).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Damaged {
                damage: Damage::Hash,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn the_writer_of_today_writes_the_bytes_of_the_fixtures() {
    let folder = tempfile::tempdir().unwrap();
    write_all(folder.path());
    // Another compressor may compress otherwise: only what is not compressed must stay the same.
    let name = |end: &str| format!("{UNCOMPRESSED:020}{end}");
    for name in [
        name(".manifest"),
        name("-00000.segment"),
        name("-00001.segment"),
    ] {
        let now = fs::read(folder.path().join(&name)).unwrap();
        assert_eq!(
            now,
            fs::read(super::fixtures::folder().join(&name)).unwrap(),
            "{name}"
        );
    }
}
