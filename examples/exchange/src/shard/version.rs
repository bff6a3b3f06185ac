//! The published data: the quantities bid and asked at each price.

use crate::order::{Place, Price, Quantity, Side, Symbol};
use vivant::heap::{Mutator, val};
use vivant::prelude::*;

/// A version of an instrument's levels. It never changes, and shares with the versions before and
/// after it what is the same: a version costs the levels that have changed, and some nodes above
/// them.
#[derive(Object, Debug)]
pub struct Version<'gc> {
    /// The instrument.
    pub symbol: Symbol,
    /// Its number: 1, 2, 3 …
    pub number: u64,
    /// The quantity bid at each price.
    pub bids: val::OrdMap<'gc, Price, Quantity>,
    /// The quantity asked at each price.
    pub asks: val::OrdMap<'gc, Price, Quantity>,
}

impl<'gc> Version<'gc> {
    /// Before the first order.
    #[must_use]
    pub fn empty(symbol: Symbol) -> Self {
        Version {
            symbol,
            number: 0,
            bids: val::OrdMap::new(),
            asks: val::OrdMap::new(),
        }
    }

    /// The next one: with these levels as they are now. A level of nothing is gone.
    #[must_use]
    pub fn next(&self, m: &Mutator<'gc>, levels: &[(Place, Quantity)]) -> Self {
        let side = |before, side| {
            let of_side = levels.iter().filter(move |(place, _)| place.side == side);
            changed(
                m,
                before,
                of_side.map(|(place, quantity)| (place.price, *quantity)),
            )
        };
        Version {
            symbol: self.symbol,
            number: self.number + 1,
            bids: side(self.bids, Side::Buy),
            asks: side(self.asks, Side::Sell),
        }
    }

    /// The highest bid and the lowest ask.
    #[must_use]
    pub fn best(&self) -> (Option<Price>, Option<Price>) {
        let price = |(price, _): (&Price, &Quantity)| *price;
        (self.bids.last().map(price), self.asks.first().map(price))
    }

    /// Returns true if a bid is as high as an ask.
    #[must_use]
    pub fn is_crossed(&self) -> bool {
        matches!(self.best(), (Some(bid), Some(ask)) if bid >= ask)
    }
}

fn changed<'gc>(
    m: &Mutator<'gc>,
    before: val::OrdMap<'gc, Price, Quantity>,
    levels: impl Iterator<Item = (Price, Quantity)> + Clone,
) -> val::OrdMap<'gc, Price, Quantity> {
    let there = before.extend(m, levels.clone().filter(|(_, quantity)| *quantity > 0));
    let gone = levels.filter(|(_, quantity)| *quantity == 0);
    gone.fold(there, |map, (price, _)| map.remove(m, &price))
}
