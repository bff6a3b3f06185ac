//! Reports: what a run met, what the audit found, and how the book compares with others.
//!
//! - [`Outcome`]: everything there is to report of a run; `table`: for a terminal, its `Display` and that of [`Race`].
//! - [`html`]: a page with a chart for each latency, drawn by `chart`.
//! - [`json`]: one line for programs.

mod chart;
mod html;
mod json;
mod table;

use table::SHARES;

pub use html::html;
pub use json::json;

use crate::audit::Audit;
use crate::exchange::Settings;
use crate::latency::Latency;
use crate::load::{Plan, Sent};
use crate::race::Race;
use std::time::Duration;
use vivant::{HeapFacts, Pauses, System};

/// What happened in a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was to be done.
    pub plan: Plan,
    /// Who took part.
    pub settings: Settings,
    /// What became of it.
    pub sent: Sent,
    /// What the audit found.
    pub audit: Audit,
    /// What the system says.
    pub system: Facts,
    /// The race, if there was one.
    pub race: Option<Race>,
}

/// What the system says after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Workers.
    pub workers: usize,
    /// Turns that panicked.
    pub panics: u64,
    /// Messages that nobody took.
    pub dead_letters: u64,
    /// Collections of the actors' heaps. Those of books, which are regions, are not among them.
    pub collections: u64,
    /// All of them together.
    pub collecting: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Facts {
    /// Looks at a system.
    #[must_use]
    pub fn of(system: &System) -> Facts {
        let facts = system.inspect();
        let heaps: Vec<HeapFacts> = facts.actors.iter().filter_map(|it| it.heap).collect();
        let pauses = heaps.iter().map(|it| it.pauses.all());
        let pauses = pauses.fold(Pauses::default(), Pauses::and);
        Facts {
            workers: facts.workers,
            panics: facts.panics,
            dead_letters: facts.dead_letters.iter().map(|it| it.count).sum(),
            collections: pauses.count,
            collecting: pauses.total,
            longest: pauses.longest,
        }
    }
}

impl Outcome {
    /// The latencies that are reported, with their names.
    #[must_use]
    pub fn latencies(&self) -> [(&'static str, &Latency); 3] {
        [
            ("due to sent", &self.sent.late),
            ("due to answered", &self.audit.answered),
            ("due to last reader", &self.audit.seen),
        ]
    }

    /// Whether every order was answered and the audit holds.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.complaints().is_empty()
    }

    /// What is wrong, in sentences.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let findings = self.audit.findings.iter();
        let mut complaints: Vec<String> = findings.map(|it| format!("audit: {it}")).collect();
        let Sent {
            orders, answers, ..
        } = self.sent;
        if answers != orders {
            complaints.push(format!("{orders} orders were sent and {answers} answered"));
        }
        if self.audit.refused > 0 {
            complaints.push(format!("{} orders were refused", self.audit.refused));
        }
        if self.system.panics > 0 {
            complaints.push(format!("{} turns panicked", self.system.panics));
        }
        if self.system.dead_letters > 0 {
            let count = self.system.dead_letters;
            complaints.push(format!("{count} messages were taken by nobody"));
        }
        if orders == 0 {
            complaints.push("no order was sent".to_owned());
        }
        complaints
    }
}

/// A latency as people read it.
fn readable(ns: u64) -> String {
    let us = ns as f64 / 1e3;
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..10_000 => format!("{us:.2} µs"),
        10_000..100_000 => format!("{us:.1} µs"),
        100_000..1_000_000 => format!("{us:.0} µs"),
        1_000_000..10_000_000 => format!("{:.2} ms", us / 1e3),
        10_000_000..100_000_000 => format!("{:.1} ms", us / 1e3),
        100_000_000..1_000_000_000 => format!("{:.0} ms", us / 1e3),
        _ => format!("{:.2} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_readable() {
        let written = [
            0,
            999,
            1_000,
            12_345,
            123_456,
            1_234_567,
            12_345_678,
            123_456_789,
            1_234_567_890,
        ]
        .map(readable);
        assert_eq!(
            written,
            [
                "0 ns", "999 ns", "1.00 µs", "12.3 µs", "123 µs", "1.23 ms", "12.3 ms", "123 ms",
                "1.23 s"
            ]
        );
    }
}
