//! All books do the same: each is compared with the reference after every order, over random
//! orders, and the graph under collections at bad times.

use exchange::books::{CountedBook, Digest, OrderBook, ReferenceBook, RegionBook, SlabBook};
use exchange::flow::{Flow, Market};
use exchange::order::{Action, Answer, Order, Place, Side, Trade};
use std::sync::Arc;
use vivant::Pacing;
use vivant::heap::{PageSource, Stress, When};

const ORDERS: usize = 3_000;
/// A heap that looks after itself after every order takes its time.
const ORDERS_UNDER_STRESS: usize = 400;
const SEEDS: u64 = 20;

fn orders(seed: u64) -> impl Iterator<Item = Order> {
    let market = Market {
        symbols: 1,
        traders: 3,
        // From nearly empty books, where levels come and go, to full ones.
        resting: [2, 20, 200][seed as usize % 3],
    };
    Flow::new(market, seed).take(ORDERS)
}

/// Compares a book with the reference, order by order.
fn agrees(book: &mut impl OrderBook, seed: u64, count: usize) {
    let mut reference = ReferenceBook::default();
    let (mut trades, mut expected) = (Vec::new(), Vec::new());
    for (number, order) in orders(seed).take(count).enumerate() {
        let answer = book.apply(&order, &mut trades);
        assert_eq!(
            answer,
            reference.apply(&order, &mut expected),
            "seed {seed}, {order:?}"
        );
        assert_eq!(trades, expected, "seed {seed}, {order:?}");
        trades.clear();
        expected.clear();
        if number % 50 == 0 {
            assert_eq!(book.resting(), reference.resting(), "seed {seed}");
        }
    }
    assert_eq!(book.resting(), reference.resting(), "seed {seed}");
    assert!(!book.resting().is_empty());
}

#[test]
fn a_graph_agrees_with_the_reference_whenever_it_is_collected() {
    let source = Arc::new(PageSource::new());
    for seed in 0..SEEDS {
        let when = [When::Young, When::All, When::Chance, When::Paced][seed as usize % 4];
        let pacing = Pacing::new().stressed(Stress::new(when, seed));
        agrees(
            &mut RegionBook::paced(&source, pacing),
            seed,
            ORDERS_UNDER_STRESS,
        );
    }
}

#[test]
fn counted_references_agree_with_the_reference() {
    (0..SEEDS).for_each(|seed| agrees(&mut CountedBook::default(), seed, ORDERS));
}

#[test]
fn slabs_agree_with_the_reference() {
    (0..SEEDS).for_each(|seed| agrees(&mut SlabBook::default(), seed, ORDERS));
}

/// The one state that all books come to, as one number.
#[test]
fn all_books_have_one_digest() {
    let source = Arc::new(PageSource::new());
    let digest = |book: &mut dyn OrderBook| {
        let (mut digest, mut trades) = (Digest::default(), Vec::new());
        for order in orders(5) {
            digest.add(&book.apply(&order, &mut trades));
        }
        trades.iter().for_each(|trade| digest.add(trade));
        book.resting().iter().for_each(|rest| digest.add(rest));
        digest
    };
    let expected = digest(&mut ReferenceBook::default());
    assert_eq!(digest(&mut RegionBook::new(&source)), expected);
    assert_eq!(digest(&mut CountedBook::default()), expected);
    assert_eq!(digest(&mut SlabBook::default()), expected);
}

fn limit(id: u64, trader: u32, side: Side, price: u64, quantity: u64) -> Order {
    Order {
        id,
        trader,
        symbol: 7,
        action: Action::Limit {
            side,
            price,
            quantity,
        },
    }
}

fn with(id: u64, trader: u32, action: Action) -> Order {
    Order {
        id,
        trader,
        symbol: 7,
        action,
    }
}

fn taken(traded: u64, resting: u64, given_up: u64) -> Answer {
    Answer::Taken {
        traded,
        resting,
        given_up,
    }
}

/// Checked by hand, once: the reference could be wrong too.
fn tells_the_story(book: &mut dyn OrderBook) {
    use Side::{Buy, Sell};
    let mut trades = Vec::new();
    let mut apply = |order: Order| {
        trades.clear();
        let answer = book.apply(&order, &mut trades);
        let met = |it: &Trade| (it.maker, it.taker, it.price, it.quantity);
        (answer, trades.iter().map(met).collect::<Vec<_>>())
    };
    assert_eq!(apply(limit(1, 1, Sell, 105, 10)), (taken(0, 10, 0), vec![]));
    assert_eq!(apply(limit(2, 2, Sell, 103, 10)), (taken(0, 10, 0), vec![]));
    assert_eq!(apply(limit(3, 3, Sell, 103, 10)), (taken(0, 10, 0), vec![]));
    assert_eq!(apply(limit(4, 4, Buy, 102, 5)), (taken(0, 5, 0), vec![]));
    // K1, K2: the best price first, then the earlier order; at the price of the resting one.
    assert_eq!(
        apply(limit(5, 5, Buy, 104, 15)),
        (taken(15, 0, 0), vec![(2, 5, 103, 10), (3, 5, 103, 5)])
    );
    // K3: the rest of the order rests, and the next seller meets it before the lower bid.
    assert_eq!(
        apply(limit(6, 5, Buy, 103, 8)),
        (taken(5, 3, 0), vec![(3, 6, 103, 5)])
    );
    let market = Action::Market {
        side: Sell,
        quantity: 20,
    };
    assert_eq!(
        apply(with(7, 6, market)),
        (taken(8, 0, 12), vec![(6, 7, 103, 3), (4, 7, 102, 5)])
    );
    // Only its own trader cancels an order, and only once.
    let cancel = Action::Cancel { order: 1 };
    assert_eq!(apply(with(8, 2, cancel)), (Answer::NotThere, vec![]));
    let place = Place {
        side: Sell,
        price: 105,
    };
    let cancelled = Answer::Cancelled {
        place,
        quantity: 10,
    };
    assert_eq!(apply(with(9, 1, cancel)), (cancelled, vec![]));
    assert_eq!(apply(with(10, 1, cancel)), (Answer::NotThere, vec![]));
    assert_eq!(book.resting(), []);
}

#[test]
fn all_books_tell_the_story() {
    let source = Arc::new(PageSource::new());
    tells_the_story(&mut ReferenceBook::default());
    tells_the_story(&mut RegionBook::new(&source));
    tells_the_story(&mut CountedBook::default());
    tells_the_story(&mut SlabBook::default());
}

/// Self-test: a book that serves the latest order first is found out.
struct LastComeFirstServed(ReferenceBook);

impl OrderBook for LastComeFirstServed {
    fn apply(&mut self, order: &Order, trades: &mut Vec<Trade>) -> Answer {
        let before = trades.len();
        let answer = self.0.apply(order, trades);
        trades[before..].reverse();
        answer
    }

    fn resting(&mut self) -> Vec<exchange::order::Rest> {
        self.0.resting()
    }
}

#[test]
#[should_panic(expected = "seed 2")]
fn canary_trades_in_another_order_are_found() {
    agrees(
        &mut LastComeFirstServed(ReferenceBook::default()),
        2,
        ORDERS,
    );
}
