//! The exchange: its addresses for callers outside.

use crate::audience::Audience;
use crate::audit::{Audit, Auditor, Finding, Ledgers};
use crate::gateway::{Balance, Gateway};
use crate::shard::Shard;
use std::sync::Arc;
use vivant::prelude::*;

/// The parameters of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Instruments.
    pub symbols: u32,
    /// Traders.
    pub traders: u32,
    /// Readers of market data.
    pub readers: u32,
    /// The condition for a hand-over.
    pub balance: Balance,
}

/// The addresses of an exchange.
#[derive(Clone, Debug)]
pub struct Exchange {
    gateway: Address<Gateway>,
    audience: Arc<Audience>,
}

impl Exchange {
    /// Opens an exchange. One shard has all instruments.
    #[must_use]
    pub fn open(system: &System, settings: Settings) -> Exchange {
        let audience = Arc::new(Audience::gather(system, settings.traders, settings.readers));
        let shard = Shard::spawn(system, audience.clone());
        for symbol in 0..settings.symbols {
            shard.list(symbol).send();
        }
        let gateway = Gateway::new(audience.clone(), shard, settings.symbols, settings.balance);
        Exchange {
            gateway: system.spawn(gateway),
            audience,
        }
    }

    /// The receiver of orders.
    #[must_use]
    pub fn gateway(&self) -> &Address<Gateway> {
        &self.gateway
    }

    /// The receivers of answers and market data.
    #[must_use]
    pub fn audience(&self) -> &Arc<Audience> {
        &self.audience
    }

    /// The number of answers that traders have got.
    ///
    /// # Errors
    ///
    /// A trader has ended.
    pub fn answers(&self) -> Result<u64, AskError> {
        let traders = self.audience.traders.iter();
        let answers = traders.map(|trader| trader.answers().ask_blocking());
        answers.map(|count| count.map(|count| count as u64)).sum()
    }

    /// Audits. No order should be in progress: it will be found as unanswered.
    ///
    /// # Errors
    ///
    /// The auditor has ended: it panicked, or the system was shut down.
    pub fn audit(&self, system: &System) -> Result<Audit, AskError> {
        let gateway = self.gateway.ledger().ask_blocking();
        match gateway.and_then(|gateway| Ledgers::gather(gateway, &self.audience)) {
            Ok(ledgers) => system.spawn(Auditor::new(ledgers)).audit().ask_blocking(),
            Err(error) => Ok(Audit {
                findings: vec![Finding::Silent {
                    error: error.to_string(),
                }],
                ..Audit::default()
            }),
        }
    }
}
