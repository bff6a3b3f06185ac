//! The flow of orders: the same for the same seed.
//!
//! Prices do a random walk. Limit orders come around the present price, a few of them beyond it, so
//! that they trade; one order in ten is a market order; cancellations keep the number of resting
//! orders near a target. The generator does not read the book: some orders that it cancels are gone
//! by then. The first instruments are the most popular ones.

use crate::order::{Action, Order, OrderId, Price, Quantity, Side, Symbol, TraderId};
use fastrand::Rng;

/// The first price.
const PRICE_FIRST: Price = 10_000;
/// Greatest distance of limit orders from the present price.
const SPREAD: Price = 100;
/// Greatest distance beyond the present price: these orders trade at once.
const BEYOND: Price = 3;
/// The most that an order wants.
const QUANTITY_MAX: Quantity = 100;

/// The market: the numbers of instruments, traders and resting orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Market {
    /// The number of instruments.
    pub symbols: u32,
    /// The number of traders.
    pub traders: u32,
    /// Approximate number of resting orders in each book.
    pub resting: usize,
}

/// Orders without end.
#[derive(Clone, Debug)]
pub struct Flow {
    market: Market,
    chance: Rng,
    last: OrderId,
    instruments: Vec<Instrument>,
}

#[derive(Clone, Debug)]
struct Instrument {
    price: Price,
    /// Limit orders that may rest.
    open: Vec<(OrderId, TraderId)>,
}

impl Flow {
    /// The flow of a seed.
    #[must_use]
    pub fn new(market: Market, seed: u64) -> Flow {
        let instrument = Instrument {
            price: PRICE_FIRST,
            open: Vec::new(),
        };
        Flow {
            market,
            chance: Rng::with_seed(seed),
            last: 0,
            instruments: vec![instrument; market.symbols as usize],
        }
    }

    fn order(&mut self) -> Order {
        let chance = &mut self.chance;
        // The lesser of two numbers: the first has twice the orders that the average one has.
        let symbol: Symbol = chance
            .u32(..self.market.symbols)
            .min(chance.u32(..self.market.symbols));
        let instrument = &mut self.instruments[symbol as usize];
        instrument.walk(chance);
        self.last += 1;
        let (id, target) = (self.last, self.market.resting);
        let trader = chance.u32(..self.market.traders);
        let side = *chance.choice(&Side::BOTH).expect("there are two");
        let quantity = chance.u64(1..=QUANTITY_MAX);
        let (trader, action) = if chance.u8(..10) == 0 {
            (trader, Action::Market { side, quantity })
        } else if chance.usize(..=2 * target) < instrument.open.len() {
            let (order, trader) = instrument
                .open
                .swap_remove(chance.usize(..instrument.open.len()));
            (trader, Action::Cancel { order })
        } else {
            let price = instrument.limit(chance, side);
            instrument.open.push((id, trader));
            let action = Action::Limit {
                side,
                price,
                quantity,
            };
            (trader, action)
        };
        Order {
            id,
            trader,
            symbol,
            action,
        }
    }
}

impl Iterator for Flow {
    type Item = Order;

    fn next(&mut self) -> Option<Order> {
        Some(self.order())
    }
}

impl Instrument {
    fn walk(&mut self, chance: &mut Rng) {
        let step = chance.u8(..64);
        self.price = match step {
            0 => self.price + 1,
            1 => self.price - 1,
            _ => self.price,
        };
        self.price = self.price.clamp(PRICE_FIRST / 2, PRICE_FIRST * 2);
    }

    /// Near the price more often than far from it.
    fn limit(&self, chance: &mut Rng, side: Side) -> Price {
        let away = chance.u64(..SPREAD).min(chance.u64(..SPREAD));
        match side {
            Side::Buy => self.price + BEYOND - away,
            Side::Sell => self.price - BEYOND + away,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKET: Market = Market {
        symbols: 4,
        traders: 8,
        resting: 100,
    };

    #[test]
    fn a_seed_has_one_flow() {
        let orders = |seed| Flow::new(MARKET, seed).take(1000).collect::<Vec<_>>();
        assert_eq!(orders(1), orders(1));
        assert_ne!(orders(1), orders(2));
    }

    #[test]
    fn all_kinds_of_orders_come_and_numbers_increase() {
        let orders: Vec<Order> = Flow::new(MARKET, 3).take(10_000).collect();
        let count = |is: fn(&Action) -> bool| orders.iter().filter(|it| is(&it.action)).count();
        assert!(count(|it| matches!(it, Action::Limit { .. })) > 3000);
        assert!(count(|it| matches!(it, Action::Market { .. })) > 500);
        assert!(count(|it| matches!(it, Action::Cancel { .. })) > 3000);
        assert!(orders.is_sorted_by(|one, next| one.id < next.id));
        let of = |symbol| orders.iter().filter(|it| it.symbol == symbol).count();
        assert!(of(0) > of(3) && of(3) > 0);
    }
}
