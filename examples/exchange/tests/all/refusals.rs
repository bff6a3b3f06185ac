//! Orders that are refused before they reach a book.

use crate::support::{MARKET, open};
use exchange::audit::Audit;
use exchange::gateway::{Balance, Incoming};
use exchange::order::{
    AMOUNT_MAX, Action, Answer, Order, OrderId, Refusal, Side, Symbol, TraderId,
};
use std::time::Duration;
use vivant::simulation::Simulation;

const NEVER: Balance = Balance {
    every: 0,
    shards_max: 1,
};

fn limit(id: OrderId, trader: TraderId, symbol: Symbol, price: u64, quantity: u64) -> Incoming {
    let side = Side::Buy;
    Incoming {
        order: Order {
            id,
            trader,
            symbol,
            action: Action::Limit {
                side,
                price,
                quantity,
            },
        },
        due: Duration::ZERO,
    }
}

/// The answers that trader 0 gets to some orders, and the audit.
fn answers_to(orders: &[Incoming]) -> (Vec<(OrderId, Answer)>, Audit) {
    let simulation = Simulation::new(1);
    let exchange = open(simulation.system(), NEVER);
    for order in orders {
        exchange.gateway().order(*order).send();
        simulation.run();
    }
    let ledger = exchange.audience().traders[0].ledger().ask_blocking();
    let audit = exchange.audit(simulation.system());
    (ledger.unwrap().answers, audit.unwrap())
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let refused = |id, why| (id, Answer::Refused(why));
    let (answers, audit) = answers_to(&[
        limit(5, 0, 0, 100, 10),
        limit(5, 0, 0, 100, 10),
        limit(4, 0, 0, 100, 10),
        limit(6, 0, MARKET.symbols, 100, 10),
        limit(7, 0, 0, 0, 10),
        limit(8, 0, 0, 100, 0),
        limit(9, 0, 0, AMOUNT_MAX + 1, 10),
        limit(10, 0, 0, 100, AMOUNT_MAX + 1),
        limit(11, MARKET.traders, 0, 100, 10),
        limit(12, 0, 0, AMOUNT_MAX, AMOUNT_MAX),
    ]);
    let resting = |quantity| Answer::Taken {
        traded: 0,
        resting: quantity,
        given_up: 0,
    };
    assert_eq!(
        answers,
        [
            (5, resting(10)),
            refused(5, Refusal::OldNumber),
            refused(4, Refusal::OldNumber),
            refused(6, Refusal::UnknownSymbol),
            refused(7, Refusal::NoPrice),
            refused(8, Refusal::NoQuantity),
            refused(9, Refusal::TooMuch),
            refused(10, Refusal::TooMuch),
            (12, resting(AMOUNT_MAX)),
        ]
    );
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!((audit.orders, audit.refused), (2, 8));
}

#[test]
fn an_exchange_without_orders_is_in_order() {
    let (answers, audit) = answers_to(&[]);
    assert_eq!(answers, []);
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!((audit.orders, audit.versions), (0, 0));
}
