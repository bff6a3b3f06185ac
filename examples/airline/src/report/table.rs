//! The report for a terminal.

use super::Outcome;
use crate::load::{Kind, SLOW_MS};
use example_load::{Latency, Table, readable};
use std::fmt;
use std::time::Duration;
use strum::VariantArray;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome {
            plan,
            loaded,
            tally,
            audit,
            ..
        } = self;
        writeln!(
            f,
            "{} customers, {} flights, {} workers; {} connections, {} requests/s for {:?}, seed {}",
            loaded.customers,
            loaded.flights,
            self.workers,
            plan.connections,
            plan.rate,
            plan.duration,
            plan.seed,
        )?;
        writeln!(
            f,
            "answered {} requests in {:.1} s ({:.0}/s), in {} whole loops; latency counts from when a request was due\n",
            tally.count(),
            tally.took.as_secs_f64(),
            tally.rate(),
            tally.loops,
        )?;
        writeln!(f, "{}", self.table())?;
        writeln!(
            f,
            "\nbooked {} flights ({} trips out and back), cancelled {}, refused {} because the flight was full",
            tally.confirmed.booked.len(),
            tally.round_trips,
            tally.confirmed.cancelled.len(),
            tally.sold_out,
        )?;
        if let Some(restored) = &self.restored {
            writeln!(f, "{restored}")?;
        }
        if let Some(snapshots) = &self.snapshots {
            writeln!(f, "{snapshots}")?;
        }
        write!(f, "{audit}")
    }
}

impl Outcome {
    /// Latencies by kind of request.
    pub(super) fn table(&self) -> Table {
        let total = self.tally.total();
        let kinds = Kind::VARIANTS
            .iter()
            .map(|it| (it.name(), self.tally.kind(*it)));
        let rows: Vec<(&str, &Latency)> = kinds.chain([("All", &total)]).collect();
        let summaries = rows.iter().map(|(name, it)| (*name, it.summary()));
        let mut table = Table::of_latencies("request", summaries);
        let means = rows.iter().map(|(_, it)| readable(it.mean_ns() as u64));
        table.column("mean".to_owned(), means);
        for ms in SLOW_MS {
            let over = |it: &Latency| it.over(Duration::from_millis(ms)).to_string();
            table.column(format!(">{ms} ms"), rows.iter().map(|(_, it)| over(it)));
        }
        table
    }
}
