//! The auditor: compares the records of all actors, one instrument a step.

use super::{Audit, Finding, Ledgers};
use crate::order::Symbol;
use std::mem;
use vivant::prelude::*;

/// Limit of the findings that are kept.
const FINDINGS_MAX: usize = 100;

/// An auditor. It stops after its audit.
#[derive(Actor, Debug)]
pub struct Auditor {
    ledgers: Ledgers,
    findings: Vec<Finding>,
}

impl Auditor {
    /// An auditor of these records.
    #[must_use]
    pub fn new(ledgers: Ledgers) -> Auditor {
        Auditor {
            findings: ledgers.whole(),
            ledgers,
        }
    }
}

#[behaviours]
impl Auditor {
    /// Compares the records; other actors run between two instruments.
    pub fn audit(&mut self, t: &Turn<Self>, #[locals] symbol: Symbol) -> Step<Symbol, Audit> {
        if self.ledgers.symbols().contains(&symbol) {
            self.findings.extend(self.ledgers.instrument(symbol));
            return Step::Again(symbol + 1);
        }
        t.stop();
        let mut findings = mem::take(&mut self.findings);
        findings.truncate(FINDINGS_MAX);
        Step::Done(self.ledgers.result(findings))
    }
}
