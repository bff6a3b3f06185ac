//! One instrument, with all its state that is handed over.

use super::{Shard, Version};
use crate::books::Book;
use crate::gateway::Incoming;
use crate::order::{Action, Answer, Place, Price, Quantity, Rest, Side, Symbol, Trade};
use std::mem;
use std::time::Duration;
use vivant::heap::Iso;
use vivant::prelude::*;

/// An instrument. It may be sent: the book in it is a region, the version that was published last a
/// shared object, the rest plain.
#[derive(Object, Debug)]
pub struct Listing<'gc> {
    symbol: Symbol,
    book: Iso<Book<'static>>,
    latest: Val<'gc, Version<'gc>>,
    /// The changed levels since then; some more than once.
    changed: Vec<Place>,
    /// The due times of the orders that have come since then.
    dues: Vec<Duration>,
    /// All trades, for the audit.
    trades: Vec<Trade>,
}

/// An instrument's record for the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingLedger {
    /// The instrument.
    pub symbol: Symbol,
    /// All trades, in their order.
    pub trades: Vec<Trade>,
    /// The resting orders: bids from the best on, then asks from the best on.
    pub resting: Vec<Rest>,
    /// The number of the version that was published last.
    pub published: u64,
    /// The levels of this version, ordered as [`ListingLedger::resting`].
    pub levels: Vec<(Place, Quantity)>,
}

impl<'gc> Listing<'gc> {
    pub(super) fn new(t: &Turn<'gc, Shard>, symbol: Symbol) -> Self {
        Listing {
            symbol,
            book: t.iso(|_| Book::new()),
            latest: t.val(Version::empty(symbol)),
            changed: Vec::new(),
            dues: Vec::new(),
            trades: Vec::new(),
        }
    }

    pub(super) fn symbol(&self) -> Symbol {
        self.symbol
    }

    pub(super) fn resting_count(&mut self) -> usize {
        self.book.open(|_, book| book.len())
    }

    /// Carries an order out, and adds its trades.
    pub(super) fn apply(&mut self, incoming: &Incoming, trades: &mut Vec<Trade>) -> Answer {
        let Incoming { order, due } = incoming;
        let answer = self.book.open(|r, book| book.apply(r, order, trades));
        self.dues.push(*due);
        self.trades.extend_from_slice(trades);
        let other = |it: &Trade| Place {
            side: it.taker_side.other(),
            price: it.price,
        };
        self.changed.extend(trades.iter().map(other));
        match (order.action, answer) {
            (Action::Limit { side, price, .. }, Answer::Taken { resting, .. }) if resting > 0 => {
                self.changed.push(Place { side, price });
            }
            (_, Answer::Cancelled { place, .. }) => self.changed.push(place),
            _ => {}
        }
        answer
    }

    /// The version after the latest, and when the orders were due that it is the first to show;
    /// none if no order has come.
    pub(super) fn next_version(
        &mut self,
        t: &Turn<'gc, Shard>,
    ) -> Option<(Val<'gc, Version<'gc>>, Vec<Duration>)> {
        if self.dues.is_empty() {
            return None;
        }
        let mut changed = mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let levels: Vec<(Place, Quantity)> = self.book.open(|_, book| {
            let quantity = |place| (place, book.quantity_at(place));
            changed.drain(..).map(quantity).collect()
        });
        // To be used again, without what it was filled with.
        self.changed = changed;
        self.latest = t.val(self.latest.next(t, &levels));
        Some((self.latest, mem::take(&mut self.dues)))
    }

    pub(super) fn ledger(&mut self) -> ListingLedger {
        let side = |side| {
            move |(price, quantity): (&Price, &Quantity)| {
                (
                    Place {
                        side,
                        price: *price,
                    },
                    *quantity,
                )
            }
        };
        let bids = self.latest.bids.iter().rev().map(side(Side::Buy));
        let asks = self.latest.asks.iter().map(side(Side::Sell));
        ListingLedger {
            symbol: self.symbol,
            trades: self.trades.clone(),
            resting: self.book.open(|_, book| book.resting()),
            published: self.latest.number,
            levels: bids.chain(asks).collect(),
        }
    }
}
