//! The report for a terminal.

use super::{Outcome, Run, Told};
use crate::latency::Summary;
use crate::load::Tally;
use std::fmt;
use vivant::PauseKind;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.plan;
        write!(
            f,
            "{} titles, pages of {} bytes; {} connections, {} requests/s, {} rounds of {:?}, seed {}\n\
             latency counts from when a request was due; what the actor did, from when the handler asked it",
            self.titles,
            plan.pages.mean_bytes,
            plan.connections,
            plan.rate,
            self.rounds,
            plan.duration,
            self.seed,
        )?;
        for run in &self.runs {
            write!(f, "\n\n{run}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        f.write_str(&self.name())?;
        if let Some(Told { after, .. }) = &self.told {
            write!(
                f,
                ": {} of {} entries, {} of pages; {} stripes, {} workers",
                after.entries,
                after.capacity,
                bytes(after.page_bytes),
                after.stripes,
                after.workers,
            )?;
        }
        if let Some(took) = self.filled_in {
            write!(f, "; filled in {:.1} s", took.as_secs_f64())?;
        }
        writeln!(f)?;
        write!(f, "{:<22}{:>9}", "", "count")?;
        for name in ["p50", "p99", "p99.9", "p99.99", "max"] {
            write!(f, "{name:>10}")?;
        }
        writeln!(f)?;
        line(f, "due to sent", &tally.sent.summary())?;
        line(f, "due to answered", &tally.answered.summary())?;
        line(f, "  of misses", &tally.missed.summary())?;
        if let Some(Told { after, .. }) = &self.told {
            line(f, "asked to turn", &after.waited)?;
            line(f, "turn", &after.turn)?;
        }
        write!(
            f,
            "{} hits, {} misses ({:.1} % hits), {} served",
            tally.hits,
            tally.misses,
            100.0 * tally.hits as f64 / tally.answers().max(1) as f64,
            bytes(tally.bytes),
        )?;
        match &self.told {
            Some(told) => write!(f, "\n{}", Beside { told, tally }),
            None => Ok(()),
        }
    }
}

/// What a server told of itself, beside what it was asked.
struct Beside<'a> {
    told: &'a Told,
    tally: &'a Tally,
}

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told {
            under_load,
            cpu_ns,
            after,
            audit,
            ..
        } = self.told;
        let heap = &after.heap;
        if heap.pages_bytes > 0 {
            let kinds = PauseKind::ALL
                .iter()
                .zip(under_load.pauses)
                .zip(heap.pauses);
            writeln!(
                f,
                "\n{:<22}{:>9}{:>10}{:>10}{:>20}{:>10}",
                "pauses under load", "count", "together", "longest", "in all", "longest"
            )?;
            for ((kind, one), all) in kinds.filter(|(_, all)| all.count > 0) {
                writeln!(
                    f,
                    "{:<22}{:>9}{:>10}{:>10}{:>20}{:>10}",
                    kind.name(),
                    one.count,
                    readable(one.total_ns),
                    readable(one.longest_ns),
                    all.count,
                    readable(all.longest_ns),
                )?;
            }
            writeln!(
                f,
                "heap: {} of objects, {} of pages",
                bytes(heap.live_bytes),
                bytes(heap.pages_bytes),
            )?;
        }
        writeln!(
            f,
            "process: {} at its peak; {} of the processors under load, {} a request",
            bytes(after.rss_peak_bytes),
            readable(*cpu_ns),
            readable(cpu_ns / self.tally.answers().max(1)),
        )?;
        write!(
            f,
            "audit: {} entries, {}",
            audit.entries,
            if audit.holds() { "holds" } else { "FAILED" },
        )
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, it: &Summary) -> fmt::Result {
    write!(f, "{name:<22}{:>9}", it.count)?;
    for ns in [it.p50_ns, it.p99_ns, it.p99_9_ns, it.p99_99_ns, it.max_ns] {
        write!(f, "{:>10}", readable(ns))?;
    }
    writeln!(f)
}

/// A time with three digits.
#[must_use]
pub(super) fn readable(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    let digits = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_readable() {
        assert_eq!(readable(999), "999 ns");
        assert_eq!(readable(1_234), "1.23 µs");
        assert_eq!(readable(45_600_000), "45.6 ms");
        assert_eq!(readable(7_000_000_000), "7.00 s");
        assert_eq!(bytes(512), "0.5 KiB");
        assert_eq!(bytes(3 << 20), "3.0 MiB");
        assert_eq!(bytes(3 << 29), "1.50 GiB");
    }
}
