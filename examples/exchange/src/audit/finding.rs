//! The findings of an audit.

use crate::order::{Answer, OrderId, Place, Quantity, Symbol, TraderId};
use crate::reader::Fault;
use thiserror::Error;

/// An error in the records.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Finding {
    /// X1: there was no answer.
    #[error("order {order} was never answered")]
    Unanswered {
        /// The order.
        order: OrderId,
    },
    /// X1: it was answered more than once.
    #[error("order {order} was answered twice")]
    AnsweredTwice {
        /// The order.
        order: OrderId,
    },
    /// X1: there was an answer without an order.
    #[error("order {order} was answered and never passed on")]
    Unasked {
        /// The order.
        order: OrderId,
    },
    /// X2: the shares missing from an order's quantity; negative if there are too many.
    #[error("{missing} shares of order {order} are missing")]
    Quantity {
        /// The order.
        order: OrderId,
        /// The number of shares.
        missing: i128,
    },
    /// X3: a trader's account is not the sum of its trades.
    #[error("the account of trader {trader} is not that of its trades")]
    Account {
        /// The trader.
        trader: TraderId,
    },
    /// X3: the shares of an instrument do not sum up to zero.
    #[error("bought and sold shares of instrument {symbol} differ by {sum}")]
    Shares {
        /// The instrument.
        symbol: Symbol,
        /// The surplus.
        sum: i64,
    },
    /// X3: the money does not sum up to zero.
    #[error("money paid and received differ by {sum}")]
    Cash {
        /// The surplus.
        sum: i128,
    },
    /// X4: this trade is not that of the reference.
    #[error("trade {number} of instrument {symbol} is not the one that price and time demand")]
    Trade {
        /// The instrument.
        symbol: Symbol,
        /// The number of the trade, among its trades.
        number: usize,
    },
    /// X4: an order's answer is not that of the reference.
    #[error("order {order} was answered {got:?}, not {expected:?}")]
    Answer {
        /// The order.
        order: OrderId,
        /// The reference's answer.
        expected: Answer,
        /// The exchange's answer.
        got: Answer,
    },
    /// X4: the resting orders, or their order, are not those of the reference.
    #[error("the orders that rest in the book of instrument {symbol} are not those that should")]
    Resting {
        /// The instrument.
        symbol: Symbol,
    },
    /// X5: the highest bid is not below the lowest ask.
    #[error("the book of instrument {symbol} is crossed")]
    Crossed {
        /// The instrument.
        symbol: Symbol,
    },
    /// X5, X6: a reader's finding.
    #[error("reader {reader} {fault}")]
    Reader {
        /// The reader.
        reader: u32,
        /// The finding.
        fault: Fault,
    },
    /// X6: a reader has not read the last version.
    #[error("reader {reader} has read version {read} of instrument {symbol}, of {published}")]
    Behind {
        /// The reader.
        reader: u32,
        /// The instrument.
        symbol: Symbol,
        /// The last version that it has read.
        read: u64,
        /// The last published version.
        published: u64,
    },
    /// X6: the last published version is not the state of the book.
    #[error("of instrument {symbol}, {published} were published at {place:?}, where {there} are")]
    Published {
        /// The instrument.
        symbol: Symbol,
        /// The side and price.
        place: Place,
        /// The quantity in the version.
        published: Quantity,
        /// The quantity in the book.
        there: Quantity,
    },
    /// X6: versions that may not have been read by all readers.
    #[error("{versions} versions were not read by all readers")]
    Unread {
        /// Their number.
        versions: u64,
    },
    /// X7: an instrument is at none, or at more than one.
    #[error("instrument {symbol} is at {shards} shards")]
    Shards {
        /// The instrument.
        symbol: Symbol,
        /// The number of shards that have it.
        shards: usize,
    },
    /// X7: an order waits for an instrument that does not come.
    #[error("order {order} waits for an instrument that does not come")]
    Waiting {
        /// The order.
        order: OrderId,
    },
    /// An actor did not answer.
    #[error("an actor did not answer: {error}")]
    Silent {
        /// The runtime's words.
        error: String,
    },
}
