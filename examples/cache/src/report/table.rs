//! The report for a terminal.

use super::{Observed, Outcome, Run};
use crate::load::Tally;
use crate::stats::Heap;
use example_load::{Table, readable};
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
        if let Some(Observed { after, .. }) = &self.observed {
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
        let mut rows = vec![
            ("due to sent", tally.sent.summary()),
            ("due to answered", tally.answered.summary()),
            ("  of misses", tally.missed.summary()),
        ];
        if let Some(Observed { after, .. }) = &self.observed {
            rows.extend([("asked to turn", after.waited), ("turn", after.turn)]);
        }
        writeln!(f, "{}", Table::of_latencies("", rows))?;
        write!(
            f,
            "{} hits, {} misses ({:.1} % hits), {} served",
            tally.hits,
            tally.misses,
            100.0 * tally.hits as f64 / tally.answers().max(1) as f64,
            bytes(tally.bytes),
        )?;
        match &self.observed {
            Some(observed) => write!(f, "\n{}", Beside { observed, tally }),
            None => Ok(()),
        }
    }
}

/// A server's own statistics, with the load generator's results.
struct Beside<'a> {
    observed: &'a Observed,
    tally: &'a Tally,
}

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Observed {
            under_load: Heap { pauses: under, .. },
            cpu_ns,
            after,
            audit,
            ..
        } = self.observed;
        let heap = &after.heap;
        if heap.pages_bytes > 0 {
            let under_load = ["pauses under load", "count", "together", "longest"];
            let mut table = Table::new(&[&under_load[..], &["in all", "longest"]].concat());
            for kind in PauseKind::ALL {
                let (one, all) = (under[kind as usize], heap.pauses[kind as usize]);
                if all.count > 0 {
                    table.row(vec![
                        kind.name().to_owned(),
                        one.count.to_string(),
                        readable(one.total_ns),
                        readable(one.longest_ns),
                        all.count.to_string(),
                        readable(all.longest_ns),
                    ]);
                }
            }
            writeln!(f, "\n{table}")?;
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
    fn sizes_are_readable() {
        assert_eq!(bytes(512), "0.5 KiB");
        assert_eq!(bytes(3 << 20), "3.0 MiB");
        assert_eq!(bytes(3 << 29), "1.50 GiB");
    }
}
