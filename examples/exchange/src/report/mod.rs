//! Reports: the results of a run, the audit's findings, and the comparison of books.
//!
//! - [`Outcome`]: all results of a run; `table`: for a terminal, its `Display` and that of
//!   [`Race`].
//! - [`html`]: a page with a chart for each latency.
//! - [`json`]: one line for programs.

mod html;
mod json;
mod table;

pub use html::html;
pub use json::json;

use crate::audit::Audit;
use crate::exchange::Settings;
use crate::load::{Plan, Sent};
use crate::race::Race;
use example_load::Latency;
use std::time::Duration;
use vivant::{HeapFacts, Pauses, System};

/// All results of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan.
    pub plan: Plan,
    /// The numbers of actors and instruments.
    pub settings: Settings,
    /// The load generator's results.
    pub sent: Sent,
    /// The audit's result.
    pub audit: Audit,
    /// The system's statistics.
    pub system: Facts,
    /// The race, if there was one.
    pub race: Option<Race>,
}

/// The system's statistics after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Workers.
    pub workers: usize,
    /// Turns that panicked.
    pub panics: u64,
    /// Dead letters: messages that no actor took.
    pub dead_letters: u64,
    /// Collections of the actors' heaps. Those of books, which are regions, are not among them.
    pub collections: u64,
    /// Their total time.
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

    /// Returns true if every order was answered and the audit has no finding.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.complaints().is_empty()
    }

    /// The errors, as sentences.
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
            complaints.push(format!("{count} messages became dead letters"));
        }
        if orders == 0 {
            complaints.push("no order was sent".to_owned());
        }
        complaints
    }
}
