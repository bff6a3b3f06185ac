//! Writes and reads an image of a million small records, or of as many as the first argument says,
//! and prints times and bytes for each compression. The directory is the second argument.
//!
//! `cargo run --release -p vivant-journal --all-features --example throughput`

use std::path::PathBuf;
use std::time::{Duration, Instant};
use vivant_journal::{Compression, DirectoryStore, Error, Journal, Settings};

/// A record like the state of a small actor: some counters, a name, and little chance.
fn value(id: u64, chance: u64) -> Vec<u8> {
    let mut value = Vec::with_capacity(100);
    for field in [id, id % 7, 3, 0, 1_000 + id % 13, chance] {
        value.extend(field.to_le_bytes());
    }
    value.extend(format!("passenger {id} of flight {}", id % 400).as_bytes());
    value
}

/// An xorshift step: chance that repeats.
fn next(chance: &mut u64) -> u64 {
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    *chance
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let records = arguments
        .next()
        .and_then(|records| records.parse().ok())
        .unwrap_or(1_000_000);
    let folder = arguments.next().map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("vivant-journal-throughput"));
    let mut chance = 1;
    let values: Vec<Vec<u8>> = (0..records)
        .map(|id| value(id, next(&mut chance)))
        .collect();
    for compression in [
        Compression::None,
        Compression::Lz4,
        #[cfg(feature = "zstd")]
        Compression::Zstd { level: 1 },
    ] {
        let settings = Settings::default().compression(compression);
        let journal = Journal::open(DirectoryStore::new(&folder), settings)?;
        let begin = Instant::now();
        let image = journal.begin()?;
        let mut segment = image.segment()?;
        for (id, value) in (0..).zip(&values) {
            segment.append(id, 0, value)?;
        }
        let appended = begin.elapsed();
        segment.finish()?;
        let summary = image.publish(b"")?.summary;
        let published = begin.elapsed();

        let begin = Instant::now();
        let image = journal.catalog().image(summary.number)?;
        let opened = begin.elapsed();
        image.verify()?;
        let verified = begin.elapsed();
        let mut bytes = 0;
        for record in image.reader().values() {
            bytes += record?.value.len() as u64;
        }
        let read = begin.elapsed();
        assert_eq!(bytes, summary.value_bytes);
        report(&format!("{compression:?}: append"), bytes, appended);
        report("  with syncs, published", bytes, published);
        report("  open (table)", bytes, opened);
        report("  verify", bytes, verified - opened);
        report("  read all values", bytes, read - verified);
        let stored = summary.stored_bytes as f64;
        let ratio = stored / (bytes + 18 * records) as f64;
        print(&format!(
            "  {:.1} MB stored, {ratio:.2} of table and values",
            stored / 1e6
        ));
    }
    Ok(())
}

fn report(what: &str, bytes: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    print(&format!(
        "{what}: {seconds:.3} s, {:.0} MB/s",
        bytes as f64 / 1e6 / seconds
    ));
}

#[expect(clippy::print_stdout, reason = "its report")]
fn print(line: &str) {
    println!("{line}");
}
