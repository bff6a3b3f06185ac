//! Reports: the results of the load generator, and of the audit.
//!
//! - [`Outcome`]: everything there is to report.
//! - `table`: for a terminal, [`Outcome`]'s `Display`.
//! - [`html`]: a page with a chart for each kind of request.
//! - [`json`]: one line for programs.
//! - [`Comparison`]: pairs of runs, without snapshots and with them.

mod comparison;
mod html;
mod json;
mod table;

pub use comparison::{Comparison, Measured, Pair};
pub use html::html;
pub use json::json;

use crate::audit::Audit;
use crate::load::{Plan, Tally};
use crate::manager::Loaded;
use crate::snapshots::{Figures, Restored};

/// All results of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan.
    pub plan: Plan,
    /// Workers of the actor system.
    pub workers: usize,
    /// Data that were loaded.
    pub loaded: Loaded,
    /// The load generator's results.
    pub tally: Tally,
    /// The audit's result.
    pub audit: Audit,
    /// Turns of actors that panicked.
    pub panics: u64,
    /// The image from which the airline went on.
    pub restored: Option<Restored>,
    /// The snapshots, if there were to be any.
    pub snapshots: Option<Figures>,
}

impl Outcome {
    /// Returns true if every answer was correct and the audit has no finding.
    pub fn is_good(&self) -> bool {
        self.complaints().is_empty()
    }

    /// The errors, as sentences.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints = self.audit.complaints();
        let Tally {
            unexpected,
            unexpected_first,
            unsent,
            ..
        } = &self.tally;
        if *unexpected > 0 {
            complaints.push(format!(
                "{unexpected} requests were not answered as they should be"
            ));
            complaints.extend(unexpected_first.iter().map(|it| format!("- {it}")));
        }
        if *unsent > 0 {
            complaints.push(format!(
                "{unsent} requests could not be sent: the rate is more than this machine can serve, lower it with --rate"
            ));
        }
        if self.panics > 0 {
            complaints.push(format!("{} turns of actors panicked", self.panics));
        }
        complaints.extend(self.snapshots.iter().flat_map(Figures::complaints));
        if self.tally.count() == 0 {
            complaints.push("no request was answered".to_owned());
        }
        complaints
    }
}
