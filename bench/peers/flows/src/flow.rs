//! The flows: what each must answer, and what it must leave.

use crate::domain::Refused;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Debits one account, credits the other, writes a receipt.
    Transfer,
    /// The same; the other account refuses, and the first is credited again.
    Compensated,
    /// Asks suppliers, takes the best offer, writes it.
    Purchase,
    /// The same; the supplier with the best offer is silent for longer than the limit.
    LatePurchase,
}

pub const FLOWS: [Flow; 4] = [
    Flow::Transfer,
    Flow::Compensated,
    Flow::Purchase,
    Flow::LatePurchase,
];

/// The actors that a flow begins with.
#[derive(Clone)]
pub struct Parties {
    pub balance: u64,
    pub is_open: bool,
    /// The price and the delay of each supplier.
    pub suppliers: Vec<(u64, Duration)>,
}

const BALANCE: u64 = 1 << 40;
const AMOUNT: u64 = 3;
const SUPPLIERS: u64 = 8;
const PRICE: u64 = 100;
/// The limit of a purchase in which a supplier is silent.
const LATE_LIMIT: Duration = Duration::from_millis(20);

impl Flow {
    pub fn name(self) -> &'static str {
        match self {
            Flow::Transfer => "transfer",
            Flow::Compensated => "compensated",
            Flow::Purchase => "purchase",
            Flow::LatePurchase => "late_purchase",
        }
    }

    pub fn amount(self) -> u64 {
        AMOUNT
    }

    /// How many flows are measured in a round. A late one takes as long as the limit.
    pub fn count(self, flows: u64) -> u64 {
        match self {
            Flow::LatePurchase => (flows / 200).max(5),
            _ => flows,
        }
    }

    pub fn warm_up(self, count: u64) -> u64 {
        count / 10
    }

    pub fn parties(self) -> Parties {
        let late = |number| match (self, number) {
            (Flow::LatePurchase, 0) => 4 * LATE_LIMIT,
            _ => Duration::ZERO,
        };
        Parties {
            balance: BALANCE,
            is_open: self != Flow::Compensated,
            suppliers: (0..SUPPLIERS)
                .map(|number| (PRICE + number, late(number)))
                .collect(),
        }
    }

    /// For how long a purchase waits for offers. If none is late, on any machine it is enough.
    pub fn limit(self) -> Duration {
        match self {
            Flow::LatePurchase => LATE_LIMIT,
            _ => Duration::from_secs(10),
        }
    }

    /// Whether the flow with this number may answer so. On a busy machine more suppliers than the
    /// silent one may be late.
    pub fn is_right(self, outcome: Result<u64, Refused>, number: u64) -> bool {
        match self {
            Flow::Transfer => outcome == Ok(number),
            Flow::Compensated => outcome == Err(Refused::Closed),
            Flow::Purchase => outcome == Ok(PRICE),
            Flow::LatePurchase => outcome.is_ok_and(|price| price > PRICE),
        }
    }

    /// The balances of both accounts and the lines of the journal after so many flows.
    pub fn left(self, flows: u64) -> (u64, u64, u64) {
        match self {
            Flow::Transfer => (BALANCE - AMOUNT * flows, BALANCE + AMOUNT * flows, flows),
            Flow::Compensated => (BALANCE, BALANCE, 0),
            Flow::Purchase | Flow::LatePurchase => (BALANCE, BALANCE, flows),
        }
    }
}
