//! The book as a graph in a collected heap.
//!
//! Orders refer to their neighbours and their level, levels to their first and last order: the
//! graph is cyclic throughout. The removal of an order relinks its neighbours and drops the order;
//! there are no reference counts, and no code frees an order.

use super::matching::Matching;
use crate::order::{Answer, Order, OrderId, Place, Price, Quantity, Rest, Side, Trade, TraderId};
use vivant::heap::Mutator;
use vivant::{Gc, Mut, Object, gc};

/// A resting order.
#[derive(Object)]
struct Resting<'gc> {
    id: OrderId,
    trader: TraderId,
    left: Quantity,
    level: LevelRef<'gc>,
    ahead: Option<RestingRef<'gc>>,
    behind: Option<RestingRef<'gc>>,
}

/// A price level: a queue of orders.
#[derive(Object)]
pub(super) struct Level<'gc> {
    place: Place,
    quantity: Quantity,
    first: Option<RestingRef<'gc>>,
    last: Option<RestingRef<'gc>>,
}

type RestingRef<'gc> = Gc<'gc, Mut<Resting<'gc>>>;
type LevelRef<'gc> = Gc<'gc, Mut<Level<'gc>>>;

/// A book. It is the root of a region ([`vivant::heap::Iso`]), or a part of any state.
#[derive(Object)]
pub struct Book<'gc> {
    bids: gc::BTreeMap<'gc, Price, LevelRef<'gc>>,
    asks: gc::BTreeMap<'gc, Price, LevelRef<'gc>>,
    orders: gc::HashMap<'gc, OrderId, RestingRef<'gc>>,
}

impl<'gc> Book<'gc> {
    /// An empty book.
    #[must_use]
    pub fn new() -> Self {
        Book {
            bids: gc::BTreeMap::new(),
            asks: gc::BTreeMap::new(),
            orders: gc::HashMap::new(),
        }
    }

    /// Executes an order; see [`OrderBook::apply`](super::OrderBook::apply).
    pub fn apply(&mut self, m: &Mutator<'gc>, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        self.carry_out(m, order, trades)
    }

    /// The number of resting orders.
    #[must_use]
    pub fn len(&self) -> usize {
        self.orders.len()
    }

    /// Returns true if no order rests.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.orders.is_empty()
    }

    /// The quantity at this side and price.
    #[must_use]
    pub fn quantity_at(&self, place: Place) -> Quantity {
        let level = self.side(place.side).get(&place.price);
        level.map_or(0, |level| level.borrow().quantity)
    }

    /// All resting orders; see [`OrderBook::resting`](super::OrderBook::resting).
    #[must_use]
    pub fn resting(&self) -> Vec<Rest> {
        let levels = self.bids.values().rev().chain(self.asks.values());
        let mut resting = Vec::with_capacity(self.len());
        for level in levels {
            let level = level.borrow();
            let mut at = level.first;
            while let Some(order) = at {
                let order = order.borrow();
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

    fn side(&self, side: Side) -> &gc::BTreeMap<'gc, Price, LevelRef<'gc>> {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut gc::BTreeMap<'gc, Price, LevelRef<'gc>> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

impl<'gc> Matching<&Mutator<'gc>> for Book<'gc> {
    type Level = LevelRef<'gc>;

    fn best(&self, side: Side) -> Option<(Price, LevelRef<'gc>)> {
        let best = match side {
            Side::Buy => self.bids.last_key_value(),
            Side::Sell => self.asks.first_key_value(),
        };
        best.map(|(price, level)| (*price, *level))
    }

    fn fill_at(
        &mut self,
        m: &Mutator<'gc>,
        &level: &LevelRef<'gc>,
        order: &Order,
        side: Side,
        mut left: Quantity,
        trades: &mut Vec<Trade>,
    ) -> Quantity {
        while left > 0
            && let Some(first) = first_of(level)
        {
            let mut maker = first.borrow_mut(m);
            let quantity = left.min(maker.left);
            maker.left -= quantity;
            left -= quantity;
            let mut there = level.borrow_mut(m);
            there.quantity -= quantity;
            let met = (maker.id, maker.trader, there.place.price);
            trades.push(order.trade(side, met, quantity));
            if maker.left == 0 {
                self.orders.remove(m, &maker.id);
                drop((maker, there));
                unlink(m, first);
            }
        }
        left
    }

    fn remove_if_empty(&mut self, m: &Mutator<'gc>, level: &LevelRef<'gc>) {
        let place = level.borrow().place;
        if level.borrow().first.is_none() {
            self.side_mut(place.side).remove(m, &place.price);
        }
    }

    fn rest(&mut self, m: &Mutator<'gc>, order: &Order, place: Place, left: Quantity) {
        let levels = self.side_mut(place.side);
        let level = *levels.get_or_insert_with(m, place.price, |m| {
            m.alloc(Mut::new(Level {
                place,
                quantity: 0,
                first: None,
                last: None,
            }))
        });
        let mut there = level.borrow_mut(m);
        let resting = m.alloc(Mut::new(Resting {
            id: order.id,
            trader: order.trader,
            left,
            level,
            ahead: there.last,
            behind: None,
        }));
        match there.last {
            Some(last) => last.borrow_mut(m).behind = Some(resting),
            None => there.first = Some(resting),
        }
        there.last = Some(resting);
        there.quantity += left;
        self.orders.insert(m, order.id, resting);
    }

    fn cancel(&mut self, m: &Mutator<'gc>, id: OrderId, trader: TraderId) -> Answer {
        let own = |order: &&RestingRef<'gc>| order.borrow().trader == trader;
        let Some(&order) = self.orders.get(&id).filter(own) else {
            return Answer::NotThere;
        };
        self.orders.remove(m, &id);
        let (level, quantity) = (order.borrow().level, order.borrow().left);
        level.borrow_mut(m).quantity -= quantity;
        unlink(m, order);
        let place = level.borrow().place;
        self.remove_if_empty(m, &level);
        Answer::Cancelled { place, quantity }
    }
}

impl Default for Book<'_> {
    fn default() -> Self {
        Book::new()
    }
}

impl std::fmt::Debug for Book<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Book({} orders)", self.len())
    }
}

/// A function, so that the borrow of the level is short.
fn first_of<'gc>(level: LevelRef<'gc>) -> Option<RestingRef<'gc>> {
    level.borrow().first
}

/// Takes an order out of its level: links its neighbours, or the level's ends, to each other.
fn unlink<'gc>(m: &Mutator<'gc>, order: RestingRef<'gc>) {
    let order = order.borrow();
    match order.ahead {
        Some(ahead) => ahead.borrow_mut(m).behind = order.behind,
        None => order.level.borrow_mut(m).first = order.behind,
    }
    match order.behind {
        Some(behind) => behind.borrow_mut(m).ahead = order.ahead,
        None => order.level.borrow_mut(m).last = order.ahead,
    }
}
