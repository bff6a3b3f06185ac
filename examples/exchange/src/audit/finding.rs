//! Findings: what an audit can find wrong.

use crate::order::{Answer, OrderId, Place, Quantity, Symbol, TraderId};
use crate::reader::Fault;
use thiserror::Error;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Finding {
    /// X1: nobody answered.
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
    /// X1: somebody was answered who had not asked.
    #[error("order {order} was answered and never passed on")]
    Unasked {
        /// The order.
        order: OrderId,
    },
    /// X2: of an order's quantity so much is missing, or, below zero, too much.
    #[error("{missing} shares of order {order} are missing")]
    Quantity {
        /// The order.
        order: OrderId,
        /// How much.
        missing: i128,
    },
    /// X3: a trader's account is not what its trades come to.
    #[error("the account of trader {trader} is not that of its trades")]
    Account {
        /// Whose.
        trader: TraderId,
    },
    /// X3: shares of an instrument came from nowhere, or went there.
    #[error("bought and sold shares of instrument {symbol} differ by {sum}")]
    Shares {
        /// The instrument.
        symbol: Symbol,
        /// How many more there are.
        sum: i64,
    },
    /// X3: money came from nowhere, or went there.
    #[error("money paid and received differ by {sum}")]
    Cash {
        /// How much more there is.
        sum: i128,
    },
    /// X4: this trade should not have been made, or another one in its place.
    #[error("trade {number} of instrument {symbol} is not the one that price and time demand")]
    Trade {
        /// The instrument.
        symbol: Symbol,
        /// Which of its trades.
        number: usize,
    },
    /// X4: an order was answered otherwise.
    #[error("order {order} was answered {got:?}, not {expected:?}")]
    Answer {
        /// The order.
        order: OrderId,
        /// What should have been the answer.
        expected: Answer,
        /// What was.
        got: Answer,
    },
    /// X4: other orders rest, or in another order.
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
    /// X5, X6: what a reader met.
    #[error("reader {reader} {fault}")]
    Reader {
        /// Which.
        reader: u32,
        /// What it met.
        fault: Fault,
    },
    /// X6: a reader has not read the last version.
    #[error("reader {reader} has read version {read} of instrument {symbol}, of {published}")]
    Behind {
        /// Which.
        reader: u32,
        /// The instrument.
        symbol: Symbol,
        /// The last version that it has read.
        read: u64,
        /// The last one that was published.
        published: u64,
    },
    /// X6: what was published last is not what is in the book.
    #[error("of instrument {symbol}, {said} were published at {place:?}, where {there} are")]
    Published {
        /// The instrument.
        symbol: Symbol,
        /// Where.
        place: Place,
        /// How much the version says.
        said: Quantity,
        /// How much there is.
        there: Quantity,
    },
    /// X6: versions of which it is not known that all readers have read them.
    #[error("{versions} versions were not read by all readers")]
    Unread {
        /// How many.
        versions: u64,
    },
    /// X7: an instrument is at none, or at more than one.
    #[error("instrument {symbol} is at {shards} shards")]
    Shards {
        /// The instrument.
        symbol: Symbol,
        /// At how many it is.
        shards: usize,
    },
    /// X7: an order waits for an instrument that does not come.
    #[error("order {order} waits for an instrument that does not come")]
    Waiting {
        /// The order.
        order: OrderId,
    },
    /// Somebody did not answer.
    #[error("somebody did not answer: {error}")]
    Silent {
        /// The runtime's words.
        error: String,
    },
}
