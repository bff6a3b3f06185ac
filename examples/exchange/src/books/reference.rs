//! The reference: a sorted list.

use super::OrderBook;
use crate::order::{Action, Answer, Limit, Order, OrderId, Place, Price, Rest, Side, Trade};
use std::collections::BTreeMap;

/// A book as one would write it to be right: each side is a list sorted by price and time.
#[derive(Clone, Debug, Default)]
pub struct ReferenceBook {
    bids: BTreeMap<Rank, Rest>,
    asks: BTreeMap<Rank, Rest>,
    ranks: BTreeMap<OrderId, (Side, Rank)>,
    came: u64,
}

/// First the price, so that the best has the least number; then when the order came.
type Rank = (Price, u64);

impl ReferenceBook {
    fn side(&mut self, side: Side) -> &mut BTreeMap<Rank, Rest> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

impl OrderBook for ReferenceBook {
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        let (side, limit) = match order.action {
            Action::Limit { side, price, .. } => (side, Limit::At(price)),
            Action::Market { side, .. } => (side, Limit::Any),
            Action::Cancel { order: earlier } => {
                let Some(&(side, rank)) = self.ranks.get(&earlier) else {
                    return Answer::NotThere;
                };
                let rest = self.side(side)[&rank];
                if rest.trader != order.trader {
                    return Answer::NotThere;
                }
                self.side(side).remove(&rank);
                self.ranks.remove(&earlier);
                return Answer::Cancelled {
                    place: rest.place,
                    quantity: rest.left,
                };
            }
        };
        let wanted = order.action.quantity();
        let mut left = wanted;
        while left > 0 {
            let Some(mut first) = self.side(side.other()).first_entry() else {
                break;
            };
            let maker = first.get_mut();
            if !side.accepts(limit, maker.place.price) {
                break;
            }
            let quantity = left.min(maker.left);
            maker.left -= quantity;
            left -= quantity;
            let met = (maker.id, maker.trader, maker.place.price);
            trades.push(order.trade(side, met, quantity));
            if maker.left == 0 {
                let gone = first.remove();
                self.ranks.remove(&gone.id);
            }
        }
        let traded = wanted - left;
        let Limit::At(price) = limit else {
            return Answer::Taken {
                traded,
                resting: 0,
                given_up: left,
            };
        };
        if left > 0 {
            self.came += 1;
            let rank = match side {
                Side::Buy => (Price::MAX - price, self.came),
                Side::Sell => (price, self.came),
            };
            let rest = Rest {
                id: order.id,
                trader: order.trader,
                place: Place { side, price },
                left,
            };
            self.side(side).insert(rank, rest);
            self.ranks.insert(order.id, (side, rank));
        }
        Answer::Taken {
            traded,
            resting: left,
            given_up: 0,
        }
    }

    fn resting(&mut self) -> Vec<Rest> {
        let sides = self.bids.values().chain(self.asks.values());
        sides.copied().collect()
    }
}
