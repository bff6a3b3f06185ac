//! The report for a terminal.

use super::{Outcome, readable};
use crate::load::{Kind, KindTally, SLOW_MS};
use std::fmt;

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
        head(f)?;
        for kind in Kind::ALL {
            line(f, kind.name(), tally.kind(kind))?;
        }
        line(f, "All", &tally.total())?;
        writeln!(
            f,
            "\nbooked {} flights ({} trips out and back), cancelled {}, refused {} because the flight was full",
            tally.told.booked.len(),
            tally.round_trips,
            tally.told.cancelled.len(),
            tally.sold_out,
        )?;
        write!(
            f,
            "audit: {} flights, {} customers, {} seats taken, {} bookings: {}",
            audit.flights,
            audit.customers,
            audit.seats_taken,
            audit.bookings,
            if audit.holds() { "holds" } else { "FAILED" },
        )
    }
}

fn head(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:<16}{:>9}", "request", "count")?;
    for name in ["p50", "p99", "p99.9", "max"] {
        write!(f, "{name:>10}")?;
    }
    for limit in SLOW_MS {
        write!(f, "{:>9}", format!(">{limit} ms"))?;
    }
    writeln!(f)
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, tally: &KindTally) -> fmt::Result {
    write!(f, "{name:<16}{:>9}", tally.count())?;
    for share in [0.5, 0.99, 0.999] {
        write!(f, "{:>10}", readable(tally.quantile_us(share)))?;
    }
    write!(f, "{:>10}", readable(tally.max_us()))?;
    for count in tally.slow() {
        write!(f, "{count:>9}")?;
    }
    writeln!(f)
}
