//! Orders, and their results. Plain values: prices are whole ticks, quantities whole shares.

use vivant::Object;

/// The number of an instrument.
pub type Symbol = u32;
/// The number of a trader.
pub type TraderId = u32;
/// The number of an order. Numbers increase.
pub type OrderId = u64;
/// In ticks.
pub type Price = u64;
/// In shares.
pub type Quantity = u64;

/// The greatest price, and the greatest quantity: what one order is worth fits into 64 bits.
pub const AMOUNT_MAX: u64 = 1 << 31;

/// Buyer or seller.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[object(leaf)]
pub enum Side {
    /// Bids.
    Buy,
    /// Asks.
    Sell,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Buy, Side::Sell];

    /// The side that it trades with.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Buy => Side::Sell,
            Side::Sell => Side::Buy,
        }
    }

    /// Whether an order of this side with such a limit trades at a price.
    #[must_use]
    pub fn accepts(self, limit: Limit, price: Price) -> bool {
        match (self, limit) {
            (_, Limit::Any) => true,
            (Side::Buy, Limit::At(limit)) => price <= limit,
            (Side::Sell, Limit::At(limit)) => price >= limit,
        }
    }
}

/// The worst price at which an order trades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Whatever there is: a market order.
    Any,
    /// This one.
    At(Price),
}

/// An order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Order {
    /// Its number.
    pub id: OrderId,
    /// Its trader.
    pub trader: TraderId,
    /// Its instrument.
    pub symbol: Symbol,
    /// The action.
    pub action: Action,
}

/// The action of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Trade at this price or a better one; what is left rests in the book.
    Limit {
        /// Buy or sell.
        side: Side,
        /// The worst price.
        price: Price,
        /// The quantity.
        quantity: Quantity,
    },
    /// Trade at any price; the rest is discarded.
    Market {
        /// Buy or sell.
        side: Side,
        /// The quantity.
        quantity: Quantity,
    },
    /// Take what is left of an earlier order of the same trader out of the book.
    Cancel {
        /// The earlier one.
        order: OrderId,
    },
}

impl Action {
    /// The quantity to be traded.
    #[must_use]
    pub fn quantity(self) -> Quantity {
        match self {
            Action::Limit { quantity, .. } | Action::Market { quantity, .. } => quantity,
            Action::Cancel { .. } => 0,
        }
    }
}

/// The answer to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It was a limit or market order.
    Taken {
        /// The quantity traded at once.
        traded: Quantity,
        /// The quantity that rests in the book.
        resting: Quantity,
        /// The discarded quantity.
        given_up: Quantity,
    },
    /// What was left of an order is out of the book.
    Cancelled {
        /// Where it was.
        place: Place,
        /// The remaining quantity.
        quantity: Quantity,
    },
    /// There was nothing to cancel: no such order of this trader rests in the book.
    NotThere,
    /// It never came to a book.
    Refused(Refusal),
}

/// Why an order is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// There is no trader with this number.
    UnknownTrader,
    /// There is no such instrument.
    UnknownSymbol,
    /// An order with this number, or a greater one, came before.
    OldNumber,
    /// It wants to trade nothing.
    NoQuantity,
    /// Its price is zero.
    NoPrice,
    /// Its price or quantity is above [`AMOUNT_MAX`].
    TooMuch,
}

/// A price level of one side.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[object(leaf)]
pub struct Place {
    /// Which side.
    pub side: Side,
    /// Which price.
    pub price: Price,
}

impl Order {
    /// The trade of an incoming order with a resting one: the resting order's id, trader and price.
    #[must_use]
    pub fn trade(
        &self,
        taker_side: Side,
        (maker, maker_trader, price): (OrderId, TraderId, Price),
        quantity: Quantity,
    ) -> Trade {
        Trade {
            symbol: self.symbol,
            maker,
            maker_trader,
            taker: self.id,
            taker_trader: self.trader,
            taker_side,
            price,
            quantity,
        }
    }
}

/// A trade of two orders. The price is that of the resting one.
#[derive(Object, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[object(leaf)]
pub struct Trade {
    /// The instrument.
    pub symbol: Symbol,
    /// The order that rested.
    pub maker: OrderId,
    /// The trader of the resting order.
    pub maker_trader: TraderId,
    /// The order that came.
    pub taker: OrderId,
    /// The trader of the incoming order.
    pub taker_trader: TraderId,
    /// The side of the incoming order.
    pub taker_side: Side,
    /// The price.
    pub price: Price,
    /// The quantity.
    pub quantity: Quantity,
}

/// An order that rests in a book, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rest {
    /// The order.
    pub id: OrderId,
    /// Its trader.
    pub trader: TraderId,
    /// Where it rests.
    pub place: Place,
    /// The remaining quantity.
    pub left: Quantity,
}
