//! Versions of a large map, published to many readers that look things up in them: reading without
//! locks, and the reclamation of old versions.
//!
//! Protocol: our own. A writer has a `val::Map` of 1,000,000 entries. Every 10 ms it changes 100 of
//! them and sends the new version to 64 readers. A reader keeps its last 16 versions; it looks up
//! 16 keys in the newest, and sends itself a message to look up more. After 300 versions the
//! readers stop, and then drop all versions.
//!
//! Timed: from the first version to the stop. An operation is a look-up. `publish…_us`: the time of
//! the writer's turns, changes and sends; `writer_…`: the time of its heap between turns. `p50_us`
//! to `max_us`: a reader's wait from the end of its look-ups to its next ones, including the runs
//! of other readers ahead of it. `gap_…_us`: the time between two look-ups, of any reader, on a
//! worker: messages, the writer, collections, and other load of the machine. `reader_pause_max_us`:
//! the longest collection of a reader's heap. `reclaimed_ms`: from the request to drop all versions
//! to the time when the writer's heap is as large as it was before the first version, and no reader
//! has counts left.

use super::reader::{Reader, Seen};
use super::writer::Writer;
use crate::prelude::*;
use std::thread;
use std::time::{Duration, Instant};
use vivant::prelude::*;
use vivant::{HeapFacts, PauseKind};

pub(in crate::workloads) const FANOUT_VAL: Bench = Bench::new(
    Group::Sharing,
    "fanout_val",
    "one publishes versions of a large map, many look things up in them",
    &[
        Param::count("entries", 1_000_000, 2_000, "entries of the map"),
        Param::count("readers", 64, 4, "readers"),
        Param::count("versions", 300, 20, "versions that are published"),
        Param::count("changes", 100, 10, "entries that differ in a version"),
        Param::count("period", 10, 1, "milliseconds between two versions"),
        Param::count(
            "idle",
            1_000,
            20,
            "milliseconds after which an actor is idle",
        ),
    ],
    run,
);

/// Longer than any garbage should stay.
const PATIENCE: Duration = Duration::from_secs(30);

/// The writer's heap, and those of all readers together.
fn heaps(system: &System) -> (HeapFacts, HeapFacts) {
    let (mut writer, mut readers) = (HeapFacts::default(), HeapFacts::default());
    for actor in system.inspect().actors {
        let Some(heap) = actor.heap else { continue };
        if actor.type_name.ends_with("Writer") {
            writer = heap;
        } else {
            readers.imports += heap.imports;
            readers.pauses = readers.pauses.and(&heap.pauses);
        }
    }
    (writer, readers)
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (count, versions) = (run.count("readers"), run.count("versions"));
    let (entries, changes) = (run.count("entries"), run.count("changes"));
    let system = run.system_resting_after(Duration::from_millis(run.count("idle")));
    let readers: Vec<_> = (0..count).map(|_| Reader::spawn(&system)).collect();
    let writer = Writer::spawn(&system, entries, readers.clone());
    let _begun = writer.took().ask_blocking()?;
    // Its first collection is over when it answers again.
    let (_, base) = writer.took().ask_blocking()?;

    let meter = Meter::start();
    let began = Instant::now();
    for version in 0..versions {
        let due = Duration::from_millis(run.count("period") * version);
        thread::sleep(due.saturating_sub(began.elapsed()));
        writer.publish(changes).send();
    }
    let (took, live) = writer.took().ask_blocking()?;
    let took = took.quantiles();
    let mut seen = Seen::default();
    for reader in &readers {
        seen.add(&reader.stop().ask_blocking()?);
    }
    let spent = meter.stop();
    let (of_writer, _) = heaps(&system);
    let check = run.check("look-ups that found their entry", seen.looked, seen.found)?;
    run.check("versions that came", versions * count, seen.versions)?;

    let began = Instant::now();
    for reader in &readers {
        reader.forget().send();
    }
    let reclaimed = loop {
        let (writer, readers) = heaps(&system);
        // What is published may be old: the writer must have marked since.
        let knows = writer.marks() > of_writer.marks();
        if knows && readers.imports == 0 && writer.exports == 0 && writer.live <= base + base / 100
        {
            break began.elapsed();
        }
        if began.elapsed() > PATIENCE {
            return Err(Failure::Wrong {
                what: "bytes of the writer's heap when all versions are dropped",
                expected: base,
                got: writer.live,
            });
        }
        thread::sleep(Duration::from_millis(1));
    };
    let (_, of_readers) = heaps(&system);

    let mut figures = Figures::new(spent, seen.looked, check);
    figures.latency = Some(seen.waits.quantiles());
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    let gaps = seen.gaps.quantiles();
    figures.add("gap_p999_us", gaps.p999_us);
    figures.add("gap_p9999_us", gaps.p9999_us);
    figures.add("gap_max_us", gaps.max_us);
    let per_s = seen.looked as f64 / spent.wall.as_secs_f64();
    figures.add("lookups_per_s", per_s);
    figures.add("publish_us", took.p50_us);
    figures.add("publish_p99_us", took.p99_us);
    figures.add("publish_max_us", took.max_us);
    let collections = of_writer.pauses.all().total;
    figures.add("writer_pauses_us", us(collections / versions as u32));
    figures.add("writer_major", of_writer.marks());
    let longest = of_writer.pauses[PauseKind::Major].longest;
    figures.add("writer_major_max_us", us(longest));
    figures.add("reader_pause_max_us", us(of_readers.pauses.all().longest));
    figures.add("live_of_one_bytes", base);
    figures.add("live_at_stop_bytes", live);
    figures.add("reclaimed_ms", reclaimed.as_secs_f64() * 1e3);
    figures.params = vec![("side", Value::Choice("val"))];
    Ok(vec![figures])
}
