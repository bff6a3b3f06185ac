//! The graph with counted references: `Rc<RefCell<…>>`, and `Weak` for the references back, because
//! cycles would never be freed.

use super::OrderBook;
use super::matching::Matching;
use crate::order::{Answer, Order, OrderId, Place, Price, Quantity, Rest, Side, Trade, TraderId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::{Rc, Weak};
use vivant::gc;

/// As [`Book`](super::Book), without a collector. Its maps are those of `std`, with the hash
/// function of `gc::HashMap`.
#[derive(Debug, Default)]
pub struct CountedBook {
    bids: BTreeMap<Price, Rc<RefCell<Level>>>,
    asks: BTreeMap<Price, Rc<RefCell<Level>>>,
    orders: HashMap<OrderId, Rc<RefCell<Resting>>, gc::FixedState>,
}

#[derive(Debug)]
struct Resting {
    id: OrderId,
    trader: TraderId,
    left: Quantity,
    level: Weak<RefCell<Level>>,
    ahead: Weak<RefCell<Resting>>,
    behind: Option<Rc<RefCell<Resting>>>,
}

#[derive(Debug)]
pub(super) struct Level {
    place: Place,
    quantity: Quantity,
    first: Option<Rc<RefCell<Resting>>>,
    last: Weak<RefCell<Resting>>,
}

impl CountedBook {
    fn side_mut(&mut self, side: Side) -> &mut BTreeMap<Price, Rc<RefCell<Level>>> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

impl Matching<()> for CountedBook {
    type Level = Rc<RefCell<Level>>;

    fn best(&self, side: Side) -> Option<(Price, Rc<RefCell<Level>>)> {
        let best = match side {
            Side::Buy => self.bids.last_key_value(),
            Side::Sell => self.asks.first_key_value(),
        };
        best.map(|(price, level)| (*price, level.clone()))
    }

    fn fill_at(
        &mut self,
        (): (),
        level: &Self::Level,
        order: &Order,
        side: Side,
        mut left: Quantity,
        trades: &mut Vec<Trade>,
    ) -> Quantity {
        while left > 0 {
            let Some(first) = level.borrow().first.clone() else {
                break;
            };
            let mut maker = first.borrow_mut();
            let quantity = left.min(maker.left);
            maker.left -= quantity;
            left -= quantity;
            let mut there = level.borrow_mut();
            there.quantity -= quantity;
            let met = (maker.id, maker.trader, there.place.price);
            trades.push(order.trade(side, met, quantity));
            if maker.left == 0 {
                self.orders.remove(&maker.id);
                drop((maker, there));
                unlink(&first, level);
            }
        }
        left
    }

    fn remove_if_empty(&mut self, (): (), level: &Self::Level) {
        let place = level.borrow().place;
        if level.borrow().first.is_none() {
            self.side_mut(place.side).remove(&place.price);
        }
    }

    fn rest(&mut self, (): (), order: &Order, place: Place, left: Quantity) {
        let level = self.side_mut(place.side).entry(place.price);
        let level = level.or_insert_with(|| {
            Rc::new(RefCell::new(Level {
                place,
                quantity: 0,
                first: None,
                last: Weak::new(),
            }))
        });
        let mut there = level.borrow_mut();
        let resting = Rc::new(RefCell::new(Resting {
            id: order.id,
            trader: order.trader,
            left,
            level: Rc::downgrade(level),
            ahead: there.last.clone(),
            behind: None,
        }));
        match there.last.upgrade() {
            Some(last) => last.borrow_mut().behind = Some(resting.clone()),
            None => there.first = Some(resting.clone()),
        }
        there.last = Rc::downgrade(&resting);
        there.quantity += left;
        drop(there);
        self.orders.insert(order.id, resting);
    }

    fn cancel(&mut self, (): (), id: OrderId, trader: TraderId) -> Answer {
        let own = |order: &&Rc<RefCell<Resting>>| order.borrow().trader == trader;
        if self.orders.get(&id).filter(own).is_none() {
            return Answer::NotThere;
        }
        let order = self.orders.remove(&id).expect("it was just there");
        let (level, quantity) = (order.borrow().level.upgrade(), order.borrow().left);
        let level = level.expect("a level lasts as long as its orders");
        level.borrow_mut().quantity -= quantity;
        unlink(&order, &level);
        let place = level.borrow().place;
        self.remove_if_empty((), &level);
        Answer::Cancelled { place, quantity }
    }
}

impl OrderBook for CountedBook {
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        self.carry_out((), order, trades)
    }

    fn resting(&mut self) -> Vec<Rest> {
        let levels = self.bids.values().rev().chain(self.asks.values());
        let mut resting = Vec::new();
        for level in levels {
            let mut at = level.borrow().first.clone();
            while let Some(order) = at {
                let order = order.borrow();
                resting.push(Rest {
                    id: order.id,
                    trader: order.trader,
                    place: level.borrow().place,
                    left: order.left,
                });
                at = order.behind.clone();
            }
        }
        resting
    }
}

/// Takes an order out of its level.
fn unlink(order: &RefCell<Resting>, level: &RefCell<Level>) {
    let order = &mut *order.borrow_mut();
    let behind = order.behind.take();
    match &behind {
        Some(behind) => behind.borrow_mut().ahead = order.ahead.clone(),
        None => level.borrow_mut().last = order.ahead.clone(),
    }
    match order.ahead.upgrade() {
        Some(ahead) => ahead.borrow_mut().behind = behind,
        None => level.borrow_mut().first = behind,
    }
}
