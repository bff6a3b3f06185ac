//! The report for a terminal.

use super::Outcome;
use crate::race::Race;
use example_load::{Table, readable};
use std::fmt;
use std::time::Duration;

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome {
            plan,
            settings,
            sent,
            audit,
            system,
            ..
        } = self;
        writeln!(
            f,
            "{} instruments, {} traders, {} readers, {} workers; {} orders/s for {:?}, seed {}",
            settings.symbols,
            settings.traders,
            settings.readers,
            system.workers,
            plan.rate,
            plan.duration,
            plan.seed,
        )?;
        writeln!(
            f,
            "answered {} orders in {:.1} s; latency counts from when an order was due\n",
            sent.answers,
            sent.took.as_secs_f64(),
        )?;
        writeln!(f, "{}", self.table())?;
        writeln!(
            f,
            "\n{} trades, {} orders rest; {} versions published, read {} times with {} look-ups",
            audit.trades, audit.resting, audit.versions, audit.read, audit.look_ups,
        )?;
        let most = audit.hand_overs.iter().max_by_key(|it| it.resting);
        writeln!(
            f,
            "{} shards; {} instruments handed over, the largest with {} orders in it; from turn to turn {} in the middle, {} at most",
            audit.shards,
            audit.hand_overs.len(),
            most.map_or(0, |it| it.resting),
            readable(ns(self.hand_over_median())),
            readable(ns(self.hand_over_longest())),
        )?;
        writeln!(
            f,
            "{} collections of actors' heaps, {} together, the longest {}",
            system.collections,
            readable(ns(system.collecting)),
            readable(ns(system.longest)),
        )?;
        write!(
            f,
            "audit: {} orders, {} trades, {} versions: {}",
            audit.orders,
            audit.trades,
            audit.versions,
            if audit.holds() { "holds" } else { "FAILED" },
        )?;
        if let Some(race) = &self.race {
            write!(f, "\n\n{race}")?;
        }
        Ok(())
    }
}

impl Outcome {
    /// Latencies.
    pub(super) fn table(&self) -> Table {
        let summaries = self.latencies().map(|(name, it)| (name, it.summary()));
        Table::of_latencies("latency", summaries)
    }

    /// The median time of an instrument's hand-over.
    #[must_use]
    pub fn hand_over_median(&self) -> Duration {
        let mut took: Vec<Duration> = self.audit.hand_overs.iter().map(|it| it.took).collect();
        took.sort_unstable();
        took.get(took.len() / 2).copied().unwrap_or_default()
    }

    /// The longest time of an instrument's hand-over.
    #[must_use]
    pub fn hand_over_longest(&self) -> Duration {
        let took = self.audit.hand_overs.iter().map(|it| it.took);
        took.max().unwrap_or_default()
    }
}

pub(super) fn ns(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Race {
            course,
            resting,
            trades,
            digest,
            ..
        } = self;
        writeln!(
            f,
            "one book, one thread: {} orders of seed {}, {trades} trades, {resting} orders rest; {} runs of each, in turn",
            course.orders, course.seed, course.rounds,
        )?;
        write!(f, "{}\nstate of all: {digest}", self.table())
    }
}

impl Race {
    /// Times by book.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(&["book", "ns/order", "fastest", "to drop it"]);
        for it in &self.times {
            table.row(vec![
                it.entrant.name().to_owned(),
                format!("{:.1}", it.median_ns),
                format!("{:.1}", it.least_ns),
                readable(ns(it.dropped)),
            ]);
        }
        table
    }
}
