//! The records of one instrument: its orders, its book, its answers.

use super::Finding;
use super::ledgers::Answers;
use crate::books::{OrderBook, ReferenceBook};
use crate::order::{Action, Answer, Order, OrderId, Place, Quantity, Side};
use crate::shard::ListingLedger;
use std::collections::BTreeMap;

/// The records of one instrument.
pub(super) struct Story<'a> {
    /// Its orders, as the gateway passed them on.
    pub(super) passed_on: &'a [Order],
    /// The shard's record.
    pub(super) listing: &'a ListingLedger,
    /// The answers that traders got.
    pub(super) answers: Answers,
}

impl Story<'_> {
    /// X1, X2, X4, X5, and the last published version of X6.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.answers(&mut findings);
        self.quantities(&mut findings);
        self.replay(&mut findings);
        self.levels(&mut findings);
        findings
    }

    /// X1.
    fn answers(&self, findings: &mut Vec<Finding>) {
        for order in self.passed_on {
            let order = order.id;
            match self.answers.get(&order).map_or(0, Vec::len) {
                0 => findings.push(Finding::Unanswered { order }),
                1 => {}
                _ => findings.push(Finding::AnsweredTwice { order }),
            }
        }
    }

    fn answer(&self, order: OrderId) -> Option<Answer> {
        self.answers.get(&order)?.first().copied()
    }

    /// X2, from the traders' answers and the shard's record, without a book.
    fn quantities(&self, findings: &mut Vec<Finding>) {
        let orders = self.passed_on.iter();
        let mut missing: BTreeMap<OrderId, i128> = orders
            .map(|order| (order.id, i128::from(order.action.quantity())))
            .collect();
        let mut is_there = |order, quantity: Quantity| {
            *missing.entry(order).or_default() -= i128::from(quantity);
        };
        for trade in &self.listing.trades {
            is_there(trade.maker, trade.quantity);
            is_there(trade.taker, trade.quantity);
        }
        for rest in &self.listing.resting {
            is_there(rest.id, rest.left);
        }
        for order in self.passed_on {
            match (order.action, self.answer(order.id)) {
                (Action::Cancel { order }, Some(Answer::Cancelled { quantity, .. })) => {
                    is_there(order, quantity);
                }
                (_, Some(Answer::Taken { given_up, .. })) => is_there(order.id, given_up),
                // Another check finds this error.
                _ => {}
            }
        }
        for (order, missing) in missing.into_iter().filter(|(_, missing)| *missing != 0) {
            findings.push(Finding::Quantity { order, missing });
        }
    }

    /// X4: the first trade, answer and resting order that are not those of the reference.
    fn replay(&self, findings: &mut Vec<Finding>) {
        let symbol = self.listing.symbol;
        let (mut book, mut trades) = (ReferenceBook::default(), Vec::new());
        let mut wrong = None;
        for order in self.passed_on {
            let expected = book.apply(order, &mut trades);
            if let Some(got) = self.answer(order.id)
                && got != expected
            {
                let order = order.id;
                wrong = wrong.or(Some(Finding::Answer {
                    order,
                    expected,
                    got,
                }));
            }
        }
        findings.extend(wrong);
        if trades != self.listing.trades {
            let pairs = trades.iter().zip(&self.listing.trades);
            let number = pairs.take_while(|(one, other)| one == other).count();
            findings.push(Finding::Trade { symbol, number });
        }
        if book.resting() != self.listing.resting {
            findings.push(Finding::Resting { symbol });
        }
    }

    /// X5, and whether the last version is the state of the book.
    fn levels(&self, findings: &mut Vec<Finding>) {
        let symbol = self.listing.symbol;
        let mut there: BTreeMap<Place, (Quantity, Quantity)> = BTreeMap::new();
        for rest in &self.listing.resting {
            there.entry(rest.place).or_default().0 += rest.left;
        }
        let best_bid = there.keys().rev().find(|it| it.side == Side::Buy);
        let best_ask = there.keys().find(|it| it.side == Side::Sell);
        if let (Some(bid), Some(ask)) = (best_bid, best_ask)
            && bid.price >= ask.price
        {
            findings.push(Finding::Crossed { symbol });
        }
        for (place, quantity) in &self.listing.levels {
            there.entry(*place).or_default().1 += quantity;
        }
        let wrong = there
            .into_iter()
            .find(|(_, (there, published))| there != published);
        findings.extend(wrong.map(|(place, (there, published))| Finding::Published {
            symbol,
            place,
            published,
            there,
        }));
    }
}
