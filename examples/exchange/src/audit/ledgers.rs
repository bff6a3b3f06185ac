//! Ledgers: the records of all actors, and the checks of the exchange as a whole.

use super::story::Story;
use super::{Audit, Finding};
use crate::audience::Audience;
use crate::gateway::GatewayLedger;
use crate::meter::MeterLedger;
use crate::order::{Answer, OrderId, Symbol, TraderId};
use crate::reader::ReaderLedger;
use crate::shard::{ListingLedger, ShardLedger};
use crate::trader::{TraderLedger, worth};
use example_load::Latency;
use std::collections::{BTreeMap, BTreeSet};
use vivant::AskError;

/// The answers of all actors.
#[derive(Clone, Debug, Default)]
pub struct Ledgers {
    /// The gateway.
    pub gateway: GatewayLedger,
    /// The shards.
    pub shards: Vec<ShardLedger>,
    /// The readers.
    pub readers: Vec<ReaderLedger>,
    /// The traders.
    pub traders: Vec<TraderLedger>,
    /// The meter.
    pub meter: MeterLedger,
}

/// All answers to an order.
pub(super) type Answers = BTreeMap<OrderId, Vec<Answer>>;

impl Ledgers {
    /// Requests the records of all actors but the gateway, in the order in which they send to each
    /// other: a shard has published, and a reader has reported to the meter, before it answers.
    ///
    /// # Errors
    ///
    /// An actor did not answer.
    pub fn gather(gateway: GatewayLedger, audience: &Audience) -> Result<Ledgers, AskError> {
        let shards = gateway.shards.iter().map(|it| it.ledger().ask_blocking());
        let shards = shards.collect::<Result<_, _>>()?;
        let readers = audience.readers.iter().map(|it| it.ledger().ask_blocking());
        let readers = readers.collect::<Result<_, _>>()?;
        let traders = audience.traders.iter().map(|it| it.ledger().ask_blocking());
        Ok(Ledgers {
            gateway,
            shards,
            readers,
            traders: traders.collect::<Result<_, _>>()?,
            meter: audience.meter.ledger().ask_blocking()?,
        })
    }

    /// All findings.
    #[must_use]
    pub fn audit(&self) -> Audit {
        let mut findings = self.whole();
        for symbol in self.symbols() {
            findings.extend(self.instrument(symbol));
        }
        self.result(findings)
    }

    /// The result with these findings.
    pub(super) fn result(&self, findings: Vec<Finding>) -> Audit {
        let mut answered = Latency::default();
        for trader in &self.traders {
            answered.add(&trader.latency);
        }
        let listings = || self.shards.iter().flat_map(|shard| &shard.listings);
        let orders = self.gateway.passed_on.iter().map(|it| it.len() as u64);
        let hand_overs = self.shards.iter().flat_map(|shard| &shard.hand_overs);
        Audit {
            orders: orders.sum(),
            refused: self.gateway.refused,
            trades: listings().map(|it| it.trades.len() as u64).sum(),
            resting: listings().map(|it| it.resting.len() as u64).sum(),
            shards: self.shards.len(),
            versions: listings().map(|it| it.published).sum(),
            read: self.readers.iter().map(|it| it.versions).sum(),
            look_ups: self.readers.iter().map(|it| it.look_ups).sum(),
            hand_overs: hand_overs.copied().collect(),
            answered,
            seen: self.meter.latency.clone(),
            findings,
        }
    }

    /// All instruments.
    #[must_use]
    pub fn symbols(&self) -> std::ops::Range<Symbol> {
        0..self.gateway.passed_on.len() as Symbol
    }

    /// X1, X2, X4 to X7 of one instrument.
    #[must_use]
    pub fn instrument(&self, symbol: Symbol) -> Vec<Finding> {
        let at: Vec<&ListingLedger> = self.listings(symbol).collect();
        let [listing] = at[..] else {
            let shards = at.len();
            return vec![Finding::Shards { symbol, shards }];
        };
        let passed_on = &self.gateway.passed_on[symbol as usize];
        let own: BTreeSet<OrderId> = passed_on.iter().map(|order| order.id).collect();
        let mut answers = Answers::new();
        for (order, answer) in self.traders.iter().flat_map(|trader| &trader.answers) {
            // A refusal is for another order with this number, which reached no book.
            if own.contains(order) && !matches!(answer, Answer::Refused(_)) {
                answers.entry(*order).or_default().push(*answer);
            }
        }
        let mut findings = Story {
            passed_on,
            listing,
            answers,
        }
        .findings();
        for reader in &self.readers {
            let read = reader.last.get(&symbol).copied().unwrap_or(0);
            if read != listing.published {
                findings.push(Finding::Behind {
                    reader: reader.reader,
                    symbol,
                    read,
                    published: listing.published,
                });
            }
        }
        findings
    }

    fn listings(&self, symbol: Symbol) -> impl Iterator<Item = &ListingLedger> {
        let all = self.shards.iter().flat_map(|shard| &shard.listings);
        all.filter(move |listing| listing.symbol == symbol)
    }

    /// X3, and the parts of X1, X5, X6 and X7 that are not about one instrument.
    #[must_use]
    pub fn whole(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.accounts(&mut findings);
        let waiting = self.shards.iter().flat_map(|shard| &shard.waiting);
        findings.extend(waiting.map(|order| Finding::Waiting { order: *order }));
        for reader in &self.readers {
            let (reader, faults) = (reader.reader, reader.faults.iter());
            findings.extend(faults.map(|fault| Finding::Reader {
                reader,
                fault: *fault,
            }));
        }
        if self.meter.open > 0 {
            let versions = self.meter.open;
            findings.push(Finding::Unread { versions });
        }
        self.unasked(&mut findings);
        findings
    }

    fn unasked(&self, findings: &mut Vec<Finding>) {
        let passed_on = self.gateway.passed_on.iter().flatten();
        let known: BTreeSet<OrderId> = passed_on.map(|order| order.id).collect();
        for (order, answer) in self.traders.iter().flat_map(|trader| &trader.answers) {
            if !known.contains(order) && !matches!(answer, Answer::Refused(_)) {
                findings.push(Finding::Unasked { order: *order });
            }
        }
    }

    fn accounts(&self, findings: &mut Vec<Finding>) {
        let mut accounts: BTreeMap<TraderId, TraderLedger> = BTreeMap::new();
        let trades = self.shards.iter().flat_map(|shard| &shard.listings);
        for trade in trades.flat_map(|listing| &listing.trades) {
            let parts = [
                (trade.maker_trader, trade.taker_side.other()),
                (trade.taker_trader, trade.taker_side),
            ];
            for (trader, side) in parts {
                let (shares, cash) = worth(side, trade.quantity, trade.price);
                let account = accounts.entry(trader).or_default();
                *account.shares.entry(trade.symbol).or_default() += shares;
                account.cash += cash;
                account.trades += 1;
            }
        }
        let (mut cash, mut shares) = (0, BTreeMap::<Symbol, i64>::new());
        for ledger in &self.traders {
            let account = accounts.remove(&ledger.trader).unwrap_or_default();
            let of_trades = (&account.shares, account.cash, account.trades);
            if (&ledger.shares, ledger.cash, ledger.trades) != of_trades {
                let trader = ledger.trader;
                findings.push(Finding::Account { trader });
            }
            cash += ledger.cash;
            for (symbol, count) in &ledger.shares {
                *shares.entry(*symbol).or_default() += count;
            }
        }
        if cash != 0 {
            findings.push(Finding::Cash { sum: cash });
        }
        for (symbol, sum) in shares.into_iter().filter(|(_, sum)| *sum != 0) {
            findings.push(Finding::Shares { symbol, sum });
        }
    }
}
