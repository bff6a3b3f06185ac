//! Findings: what an audit can find wrong.

use crate::order::{Answer, OrderId, Place, Quantity, Symbol, TraderId};
use crate::reader::Fault;
use std::fmt;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// X1: nobody answered.
    Unanswered {
        /// The order.
        order: OrderId,
    },
    /// X1: it was answered more than once.
    AnsweredTwice {
        /// The order.
        order: OrderId,
    },
    /// X1: somebody was answered who had not asked.
    Unasked {
        /// The order.
        order: OrderId,
    },
    /// X2: of an order's quantity so much is missing, or, below zero, too much.
    Quantity {
        /// The order.
        order: OrderId,
        /// How much.
        missing: i128,
    },
    /// X3: a trader's account is not what its trades come to.
    Account {
        /// Whose.
        trader: TraderId,
    },
    /// X3: shares of an instrument came from nowhere, or went there.
    Shares {
        /// The instrument.
        symbol: Symbol,
        /// How many more there are.
        sum: i64,
    },
    /// X3: money came from nowhere, or went there.
    Cash {
        /// How much more there is.
        sum: i128,
    },
    /// X4: this trade should not have been made, or another one in its place.
    Trade {
        /// The instrument.
        symbol: Symbol,
        /// Which of its trades.
        number: usize,
    },
    /// X4: an order was answered otherwise.
    Answer {
        /// The order.
        order: OrderId,
        /// What should have been the answer.
        expected: Answer,
        /// What was.
        got: Answer,
    },
    /// X4: other orders rest, or in another order.
    Resting {
        /// The instrument.
        symbol: Symbol,
    },
    /// X5: the highest bid is not below the lowest ask.
    Crossed {
        /// The instrument.
        symbol: Symbol,
    },
    /// X5, X6: what a reader met.
    Reader {
        /// Which.
        reader: u32,
        /// What it met.
        fault: Fault,
    },
    /// X6: a reader has not read the last version.
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
    Unread {
        /// How many.
        versions: u64,
    },
    /// X7: an instrument is at none, or at more than one.
    Shards {
        /// The instrument.
        symbol: Symbol,
        /// At how many it is.
        shards: usize,
    },
    /// X7: an order waits for an instrument that does not come.
    Waiting {
        /// The order.
        order: OrderId,
    },
    /// Somebody did not answer.
    Silent {
        /// The runtime's words.
        error: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Unanswered { order } => write!(f, "order {order} was never answered"),
            Finding::AnsweredTwice { order } => write!(f, "order {order} was answered twice"),
            Finding::Unasked { order } => {
                write!(f, "order {order} was answered and never passed on")
            }
            Finding::Quantity { order, missing } => {
                write!(f, "{missing} shares of order {order} are missing")
            }
            Finding::Account { trader } => {
                write!(
                    f,
                    "the account of trader {trader} is not that of its trades"
                )
            }
            Finding::Shares { symbol, sum } => write!(
                f,
                "bought and sold shares of instrument {symbol} differ by {sum}"
            ),
            Finding::Cash { sum } => write!(f, "money paid and received differ by {sum}"),
            Finding::Trade { symbol, number } => write!(
                f,
                "trade {number} of instrument {symbol} is not the one that price and time demand"
            ),
            Finding::Answer {
                order,
                expected,
                got,
            } => write!(f, "order {order} was answered {got:?}, not {expected:?}"),
            Finding::Resting { symbol } => write!(
                f,
                "the orders that rest in the book of instrument {symbol} are not those that should"
            ),
            Finding::Crossed { symbol } => write!(f, "the book of instrument {symbol} is crossed"),
            Finding::Reader { reader, fault } => match fault {
                Fault::Gap {
                    symbol,
                    after,
                    came,
                } => write!(
                    f,
                    "reader {reader} got version {came} of instrument {symbol} after version {after}"
                ),
                Fault::Crossed { symbol, number } => write!(
                    f,
                    "reader {reader} read a crossed version, {number} of instrument {symbol}"
                ),
                Fault::Changed { symbol, number } => write!(
                    f,
                    "version {number} of instrument {symbol} changed while reader {reader} had it"
                ),
            },
            Finding::Behind {
                reader,
                symbol,
                read,
                published,
            } => write!(
                f,
                "reader {reader} has read version {read} of instrument {symbol}, of {published}"
            ),
            Finding::Published {
                symbol,
                place,
                said,
                there,
            } => write!(
                f,
                "of instrument {symbol}, {said} were published at {place:?}, where {there} are"
            ),
            Finding::Unread { versions } => {
                write!(f, "{versions} versions were not read by all readers")
            }
            Finding::Shards { symbol, shards } => {
                write!(f, "instrument {symbol} is at {shards} shards")
            }
            Finding::Waiting { order } => {
                write!(
                    f,
                    "order {order} waits for an instrument that does not come"
                )
            }
            Finding::Silent { error } => write!(f, "somebody did not answer: {error}"),
        }
    }
}
