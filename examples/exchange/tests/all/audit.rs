//! Self-tests of the audit: consistent records, and the findings after one injected fault.

use crate::support::{open, send};
use exchange::audit::{Finding, Ledgers};
use exchange::gateway::Balance;
use exchange::order::{Answer, OrderId, Side};
use exchange::reader::Fault;
use exchange::shard::ListingLedger;
use vivant::simulation::Simulation;

/// The records of all actors after some orders, without a hand-over.
fn ledgers() -> Ledgers {
    let simulation = Simulation::new(1);
    let balance = Balance {
        every: 0,
        shards_max: 1,
    };
    let exchange = open(simulation.system(), balance);
    send(&simulation, exchange.gateway(), 200);
    simulation.run();
    let gateway = exchange.gateway().ledger().ask_blocking();
    Ledgers::gather(gateway.expect("it lives"), exchange.audience()).expect("all live")
}

/// The first instrument's, which has the most.
fn listing(ledgers: &mut Ledgers) -> &mut ListingLedger {
    &mut ledgers.shards[0].listings[0]
}

/// What is found after a change.
fn found(change: impl FnOnce(&mut Ledgers)) -> Vec<Finding> {
    let mut ledgers = ledgers();
    change(&mut ledgers);
    ledgers.audit().findings
}

fn has(findings: &[Finding], is: impl Fn(&Finding) -> bool) {
    assert!(findings.iter().any(is), "{findings:?}");
}

/// The last answer to trader 0 that matters to quantities.
fn taken(ledgers: &mut Ledgers) -> (usize, OrderId) {
    let answers = ledgers.traders[0].answers.iter().enumerate();
    let taken = answers.rev().find_map(|(at, (order, answer))| {
        matches!(answer, Answer::Taken { .. }).then_some((at, *order))
    });
    taken.expect("it had an order taken")
}

#[test]
fn a_true_story_holds() {
    let audit = ledgers().audit();
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!(audit.orders, 200);
    assert!(audit.trades > 20 && audit.versions > 20 && audit.look_ups > 100);
}

#[test]
fn canary_an_answer_that_is_missing_doubled_or_unasked_is_found() {
    let mut lost = 0;
    let findings = found(|ledgers| {
        let (at, order) = taken(ledgers);
        ledgers.traders[0].answers.remove(at);
        lost = order;
    });
    has(&findings, |it| *it == Finding::Unanswered { order: lost });
    let findings = found(|ledgers| {
        let answer = ledgers.traders[0].answers[0];
        ledgers.traders[1].answers.push(answer);
        lost = answer.0;
    });
    assert_eq!(findings, [Finding::AnsweredTwice { order: lost }]);
    let findings = found(|ledgers| ledgers.traders[0].answers.push((999, Answer::NotThere)));
    assert_eq!(findings, [Finding::Unasked { order: 999 }]);
}

#[test]
fn canary_shares_that_vanish_are_found() {
    let mut order = 0;
    let findings = found(|ledgers| {
        let rest = &mut listing(ledgers).resting[0];
        rest.left -= 1;
        order = rest.id;
    });
    has(&findings, |it| {
        *it == Finding::Quantity { order, missing: 1 }
    });
    has(&findings, |it| matches!(it, Finding::Resting { symbol: 0 }));
    has(&findings, |it| {
        matches!(it, Finding::Published { symbol: 0, .. })
    });
}

#[test]
fn canary_money_that_vanishes_is_found() {
    let findings = found(|ledgers| ledgers.traders[2].cash -= 5);
    assert_eq!(
        findings,
        [Finding::Account { trader: 2 }, Finding::Cash { sum: -5 }]
    );
    let findings = found(|ledgers| *ledgers.traders[1].shares.entry(0).or_default() += 3);
    assert_eq!(
        findings,
        [
            Finding::Account { trader: 1 },
            Finding::Shares { symbol: 0, sum: 3 }
        ]
    );
    // One trader has too much money and another too little, by the same sum: the sums are right,
    // the accounts are not.
    let findings = found(|ledgers| {
        ledgers.traders[0].cash += 7;
        ledgers.traders[1].cash -= 7;
    });
    let account = |trader| Finding::Account { trader };
    assert_eq!(findings, [account(0), account(1)]);
}

#[test]
fn canary_who_is_served_before_his_time_is_found() {
    // The same trades in another order: no share and no money is missing.
    let findings = found(|ledgers| listing(ledgers).trades.swap(3, 4));
    assert_eq!(
        findings,
        [Finding::Trade {
            symbol: 0,
            number: 3
        }]
    );
    // Two orders of one trader and price that have changed places in the queue.
    let findings = found(|ledgers| {
        let resting = &mut listing(ledgers).resting;
        let at = (1..resting.len()).find(|at| resting[*at].place == resting[at - 1].place);
        let at = at.expect("some level has two orders");
        resting.swap(at, at - 1);
    });
    assert_eq!(findings, [Finding::Resting { symbol: 0 }]);
    // An answer of another kind than the executed action.
    let findings = found(|ledgers| {
        let (at, _) = taken(ledgers);
        ledgers.traders[0].answers[at].1 = Answer::NotThere;
    });
    has(&findings, |it| {
        matches!(
            it,
            Finding::Answer {
                got: Answer::NotThere,
                ..
            }
        )
    });
}

#[test]
fn canary_orders_that_overtook_each_other_are_found() {
    // The gateway sent two orders of one instrument, and the shard had them the other way round.
    let findings = found(|ledgers| ledgers.gateway.passed_on[0].reverse());
    has(&findings, |it| {
        matches!(it, Finding::Trade { symbol: 0, .. })
    });
}

#[test]
fn canary_a_crossed_book_is_found() {
    let findings = found(|ledgers| {
        let resting = &mut listing(ledgers).resting;
        let best = resting[0].place.price;
        let ask = resting.iter_mut().find(|it| it.place.side == Side::Sell);
        ask.expect("a seller's order rests").place.price = best;
    });
    has(&findings, |it| *it == Finding::Crossed { symbol: 0 });
}

#[test]
fn canary_what_readers_miss_is_found() {
    let fault = Fault::Gap {
        symbol: 1,
        after: 3,
        came: 5,
    };
    let findings = found(|ledgers| ledgers.readers[2].faults.push(fault));
    assert_eq!(findings, [Finding::Reader { reader: 2, fault }]);
    let findings = found(|ledgers| *ledgers.readers[1].last.entry(0).or_default() -= 1);
    has(
        &findings,
        |it| matches!(it, Finding::Behind { reader: 1, symbol: 0, read, published } if read + 1 == *published),
    );
    assert_eq!(findings.len(), 1);
    let findings = found(|ledgers| ledgers.meter.open = 2);
    assert_eq!(findings, [Finding::Unread { versions: 2 }]);
    let findings = found(|ledgers| listing(ledgers).levels[0].1 += 1);
    has(&findings, |it| {
        matches!(it, Finding::Published { symbol: 0, .. })
    });
}

#[test]
fn canary_an_instrument_that_is_lost_or_copied_is_found() {
    let findings = found(|ledgers| {
        let _lost = ledgers.shards[0].listings.remove(3);
    });
    let shards = |shards| Finding::Shards { symbol: 3, shards };
    has(&findings, |it| *it == shards(0));
    let findings = found(|ledgers| {
        let copy = ledgers.shards[0].listings[3].clone();
        ledgers.shards[0].listings.push(copy);
    });
    has(&findings, |it| *it == shards(2));
    let findings = found(|ledgers| ledgers.shards[0].waiting.push(17));
    assert_eq!(findings, [Finding::Waiting { order: 17 }]);
}
