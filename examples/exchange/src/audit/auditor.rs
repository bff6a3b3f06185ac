//! The auditor: requests the records of all actors, and compares them, one instrument a step.

use super::{Audit, Finding, Ledgers};
use crate::audience::Audience;
use crate::gateway::{Gateway, GatewayLedger};
use crate::meter::MeterLedger;
use crate::order::Symbol;
use crate::reader::ReaderLedger;
use crate::shard::ShardLedger;
use crate::trader::TraderLedger;
use std::mem;
use std::sync::Arc;
use vivant::prelude::*;

/// Limit of the findings that are kept.
const FINDINGS_MAX: usize = 100;

/// An auditor. It stops after its audit.
#[derive(Actor, Debug)]
pub struct Auditor {
    audience: Arc<Audience>,
    ledgers: Ledgers,
    findings: Vec<Finding>,
}

impl Auditor {
    /// An auditor of the whole exchange.
    #[must_use]
    pub fn new(audience: Arc<Audience>) -> Auditor {
        Auditor {
            audience,
            ledgers: Ledgers::default(),
            findings: Vec::new(),
        }
    }
}

/// An audit that failed.
fn silent(t: &Turn<Auditor>, error: &AskError) -> Promise<Audit> {
    t.stop();
    let error = error.to_string();
    Promise::ready(Audit {
        findings: vec![Finding::Silent { error }],
        ..Audit::default()
    })
}

/// Requests go to the actors in the order in which orders pass through the exchange. So the
/// messages that one actor has sent because of an order reach the next actor before the audit's
/// request (T2).
#[behaviours]
impl Auditor {
    /// Audits the whole exchange.
    pub fn audit_all(&mut self, t: &Turn<Self>, gateway: Address<Gateway>) -> Promise<Audit> {
        t.ask(gateway.ledger()).then(t.me().gateway_told())
    }

    #[then]
    fn gateway_told(
        &mut self,
        t: &Turn<Self>,
        told: Result<GatewayLedger, AskError>,
    ) -> Promise<Audit> {
        match told {
            Ok(told) => self.ledgers.gateway = told,
            Err(error) => return silent(t, &error),
        }
        let shards = self.ledgers.gateway.shards.iter();
        t.all(shards.map(|shard| t.ask(shard.ledger())))
            .then(t.me().shards_told())
    }

    #[then]
    fn shards_told(
        &mut self,
        t: &Turn<Self>,
        told: Result<Vec<ShardLedger>, AskError>,
    ) -> Promise<Audit> {
        match told {
            Ok(told) => self.ledgers.shards = told,
            Err(error) => return silent(t, &error),
        }
        let readers = self.audience.readers.iter();
        t.all(readers.map(|reader| t.ask(reader.ledger())))
            .then(t.me().readers_told())
    }

    #[then]
    fn readers_told(
        &mut self,
        t: &Turn<Self>,
        told: Result<Vec<ReaderLedger>, AskError>,
    ) -> Promise<Audit> {
        match told {
            Ok(told) => self.ledgers.readers = told,
            Err(error) => return silent(t, &error),
        }
        let traders = self.audience.traders.iter();
        t.all(traders.map(|trader| t.ask(trader.ledger())))
            .then(t.me().traders_told())
    }

    #[then]
    fn traders_told(
        &mut self,
        t: &Turn<Self>,
        told: Result<Vec<TraderLedger>, AskError>,
    ) -> Promise<Audit> {
        match told {
            Ok(told) => self.ledgers.traders = told,
            Err(error) => return silent(t, &error),
        }
        t.ask(self.audience.meter.ledger())
            .then(t.me().meter_told())
    }

    #[then]
    fn meter_told(
        &mut self,
        t: &Turn<Self>,
        told: Result<MeterLedger, AskError>,
    ) -> Promise<Audit> {
        match told {
            Ok(told) => self.ledgers.meter = told,
            Err(error) => return silent(t, &error),
        }
        self.findings = self.ledgers.whole();
        t.delegate(t.me().compare(0))
    }

    /// Compares the instruments from this one on.
    fn compare(&mut self, t: &Turn<Self>, symbol: Symbol) -> Step<Symbol, Audit> {
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
