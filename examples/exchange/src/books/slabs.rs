//! The graph by indices into slabs.

use super::OrderBook;
use super::matching::Matching;
use crate::order::{Answer, Order, OrderId, Place, Price, Quantity, Rest, Side, Trade, TraderId};
use slab::Slab;
use std::collections::{BTreeMap, HashMap};
use vivant::gc;

/// As [`Book`](super::Book), with an index in the place of each reference, and without a collector.
/// The removal of an order must also remove it from its slab, and a stale index refers to another
/// order. The maps are those of `std`, with the hash function of `gc::HashMap`.
#[derive(Debug, Default)]
pub struct SlabBook {
    bids: BTreeMap<Price, usize>,
    asks: BTreeMap<Price, usize>,
    orders: HashMap<OrderId, usize, gc::FixedState>,
    resting: Slab<Resting>,
    levels: Slab<Level>,
}

#[derive(Debug)]
struct Resting {
    id: OrderId,
    trader: TraderId,
    left: Quantity,
    level: usize,
    ahead: Option<usize>,
    behind: Option<usize>,
}

#[derive(Debug)]
struct Level {
    place: Place,
    quantity: Quantity,
    first: Option<usize>,
    last: Option<usize>,
}

impl SlabBook {
    fn side_mut(&mut self, side: Side) -> &mut BTreeMap<Price, usize> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// Takes an order out of its level and its slab.
    fn remove(&mut self, order: usize) {
        let order = self.resting.remove(order);
        match order.ahead {
            Some(ahead) => self.resting[ahead].behind = order.behind,
            None => self.levels[order.level].first = order.behind,
        }
        match order.behind {
            Some(behind) => self.resting[behind].ahead = order.ahead,
            None => self.levels[order.level].last = order.ahead,
        }
    }
}

impl Matching<()> for SlabBook {
    type Level = usize;

    fn best(&self, side: Side) -> Option<(Price, usize)> {
        let best = match side {
            Side::Buy => self.bids.last_key_value(),
            Side::Sell => self.asks.first_key_value(),
        };
        best.map(|(price, level)| (*price, *level))
    }

    fn fill_at(
        &mut self,
        (): (),
        &level: &usize,
        order: &Order,
        side: Side,
        mut left: Quantity,
        trades: &mut Vec<Trade>,
    ) -> Quantity {
        while left > 0
            && let Some(first) = self.levels[level].first
        {
            let maker = &mut self.resting[first];
            let quantity = left.min(maker.left);
            maker.left -= quantity;
            left -= quantity;
            let there = &mut self.levels[level];
            there.quantity -= quantity;
            let met = (maker.id, maker.trader, there.place.price);
            trades.push(order.trade(side, met, quantity));
            if maker.left == 0 {
                self.orders.remove(&maker.id);
                self.remove(first);
            }
        }
        left
    }

    fn rest(&mut self, (): (), order: &Order, place: Place, left: Quantity) {
        let known = self.side_mut(place.side).get(&place.price).copied();
        let level = known.unwrap_or_else(|| {
            let level = self.levels.insert(Level {
                place,
                quantity: 0,
                first: None,
                last: None,
            });
            self.side_mut(place.side).insert(place.price, level);
            level
        });
        let there = &mut self.levels[level];
        let resting = self.resting.insert(Resting {
            id: order.id,
            trader: order.trader,
            left,
            level,
            ahead: there.last,
            behind: None,
        });
        match there.last {
            Some(last) => self.resting[last].behind = Some(resting),
            None => there.first = Some(resting),
        }
        there.last = Some(resting);
        there.quantity += left;
        self.orders.insert(order.id, resting);
    }

    fn cancel(&mut self, (): (), id: OrderId, trader: TraderId) -> Answer {
        let own = |order: &usize| self.resting[*order].trader == trader;
        let Some(order) = self.orders.get(&id).copied().filter(own) else {
            return Answer::NotThere;
        };
        self.orders.remove(&id);
        let Resting {
            level,
            left: quantity,
            ..
        } = self.resting[order];
        self.levels[level].quantity -= quantity;
        self.remove(order);
        let place = self.levels[level].place;
        self.remove_if_empty((), &level);
        Answer::Cancelled { place, quantity }
    }

    fn remove_if_empty(&mut self, (): (), &level: &usize) {
        let Level { place, first, .. } = self.levels[level];
        if first.is_none() {
            self.levels.remove(level);
            self.side_mut(place.side).remove(&place.price);
        }
    }
}

impl OrderBook for SlabBook {
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        self.carry_out((), order, trades)
    }

    fn resting(&mut self) -> Vec<Rest> {
        let levels = self.bids.values().rev().chain(self.asks.values());
        let mut resting = Vec::new();
        for level in levels {
            let level = &self.levels[*level];
            let mut at = level.first;
            while let Some(order) = at {
                let order = &self.resting[order];
                resting.push(Rest {
                    id: order.id,
                    trader: order.trader,
                    place: level.place,
                    left: order.left,
                });
                at = order.behind;
            }
        }
        resting
    }
}
