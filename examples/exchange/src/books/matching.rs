//! Matching: the execution of an order, for every implementation of the graph.

use crate::order::{
    Action, Answer, Limit, Order, OrderId, Place, Price, Quantity, Side, Trade, TraderId,
};

/// A book of levels with queues of orders. `M` is the parameter that changes need: a mutator, or
/// nothing.
pub(super) trait Matching<M: Copy> {
    /// Refers to a level.
    type Level;

    /// The level with the best price of a side.
    fn best(&self, side: Side) -> Option<(Price, Self::Level)>;

    /// Trades with the orders of a level, from the first on; returns the remaining quantity.
    fn fill_at(
        &mut self,
        m: M,
        level: &Self::Level,
        order: &Order,
        side: Side,
        left: Quantity,
        trades: &mut Vec<Trade>,
    ) -> Quantity;

    /// Removes a level that has no order any more.
    fn remove_if_empty(&mut self, m: M, level: &Self::Level);

    /// Puts the rest of an order behind all others of its price.
    fn rest(&mut self, m: M, order: &Order, place: Place, left: Quantity);

    /// Takes a trader's order out.
    fn cancel(&mut self, m: M, id: OrderId, trader: TraderId) -> Answer;

    /// Trades while the best price is within the limit (K1, K2); returns the remaining quantity.
    fn fill(
        &mut self,
        m: M,
        order: &Order,
        side: Side,
        limit: Limit,
        trades: &mut Vec<Trade>,
    ) -> Quantity {
        let mut left = order.action.quantity();
        while left > 0
            && let Some((price, level)) = self.best(side.other())
            && side.accepts(limit, price)
        {
            left = self.fill_at(m, &level, order, side, left, trades);
            self.remove_if_empty(m, &level);
        }
        left
    }

    /// Executes an order.
    fn carry_out(&mut self, m: M, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        match order.action {
            Action::Limit {
                side,
                price,
                quantity,
            } => {
                let left = self.fill(m, order, side, Limit::At(price), trades);
                if left > 0 {
                    self.rest(m, order, Place { side, price }, left);
                }
                Answer::Taken {
                    traded: quantity - left,
                    resting: left,
                    given_up: 0,
                }
            }
            Action::Market { side, quantity } => {
                let left = self.fill(m, order, side, Limit::Any, trades);
                Answer::Taken {
                    traded: quantity - left,
                    resting: 0,
                    given_up: left,
                }
            }
            Action::Cancel { order: earlier } => self.cancel(m, earlier, order.trader),
        }
    }
}
