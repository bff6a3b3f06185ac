//! Instruments are handed over while orders arrive, under seeds: no order is lost or overtaken, and
//! no reader misses a version.

use crate::support::{open, send};
use exchange::audit::Audit;
use exchange::gateway::Balance;
use std::time::Duration;
use vivant::Pacing;
use vivant::System;
use vivant::heap::{Stress, When};
use vivant::simulation::{Faults, Simulation};

/// Hands over all the time.
const RESTLESS: Balance = Balance {
    every: 13,
    shards_max: 4,
};

fn audited(simulation: &Simulation, orders: usize, balance: Balance) -> Audit {
    let system = simulation.system();
    let exchange = open(system, balance);
    send(simulation, exchange.gateway(), orders);
    simulation.run();
    exchange.audit(system).expect("the audit ends")
}

fn holds(simulation: &Simulation, orders: usize) {
    let audit = audited(simulation, orders, RESTLESS);
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!(audit.orders, orders as u64);
    assert_eq!(
        (audit.answered.count(), audit.seen.count()),
        (audit.orders, audit.orders)
    );
    assert_eq!(audit.shards, RESTLESS.shards_max);
    assert!(audit.trades > 0 && audit.resting > 0);
    assert!(audit.hand_overs.len() >= orders / 13);
}

#[vivant::test(seeds = 30)]
fn seeded_nothing_is_lost_at_hand_over(simulation: &Simulation) {
    holds(simulation, 400);
}

#[vivant::test(seeds = 30, faults = Faults::none()
    .delays(100_000, Duration::from_millis(50))
    .slow_turns(100_000, Duration::from_millis(20)))]
fn seeded_nothing_is_lost_by_slow_shards(simulation: &Simulation) {
    holds(simulation, 400);
}

#[vivant::test(seeds = 20, faults = Faults::none().full_mailboxes())]
fn seeded_nothing_is_lost_when_mailboxes_are_full(simulation: &Simulation) {
    holds(simulation, 400);
}

/// With heaps that collect everything after each turn, and verify themselves.
#[vivant::test(seeds = 6)]
fn seeded_nothing_is_lost_under_collections(simulation: &Simulation) {
    let stress = Stress::new(When::All, simulation.seed());
    let builder = System::builder().pacing(Pacing::new().stressed(stress));
    let simulation = Simulation::with(simulation.seed(), Faults::none(), builder);
    holds(&simulation, 150);
}

/// Both cases occur: under some seed an instrument arrives after an order for it, and under some
/// seed it is given on before it has arrived.
#[test]
fn some_orders_come_before_their_instrument() {
    let early = (0..50).map(|seed| {
        let audit = audited(&Simulation::new(seed), 400, RESTLESS);
        audit.hand_overs.iter().map(|it| it.early).max()
    });
    let most = early.flatten().max();
    assert!(most > Some(1), "{most:?}");
}

#[test]
fn one_seed_gives_one_run() {
    let run = |seed| {
        let simulation = Simulation::new(seed);
        let audit = audited(&simulation, 300, RESTLESS);
        (simulation.signature(), simulation.now(), audit)
    };
    let (one, other) = (run(7), run(7));
    assert_eq!((one.0, one.1), (other.0, other.1));
    assert!(one.2 == other.2, "two audits of one seed differ");
    assert_ne!(run(8).0, one.0);
}

/// On threads, without a rate limit.
#[test]
fn nothing_is_lost_on_threads() {
    let system = System::builder().workers(2).build();
    let balance = Balance {
        every: 200,
        shards_max: 3,
    };
    let exchange = open(&system, balance);
    let orders = crate::support::orders(1).take(20_000);
    let mut sent = 0;
    for order in orders {
        exchange.gateway().order(order).send();
        sent += 1;
    }
    while exchange.answers() != Ok(sent) {
        assert_eq!(system.inspect().panics, 0);
        std::thread::sleep(Duration::from_millis(1));
    }
    let audit = exchange.audit(&system).expect("the audit ends");
    assert!(audit.holds(), "{:?}", audit.findings);
    assert_eq!(audit.orders, sent);
    assert!(audit.hand_overs.len() >= 100, "{}", audit.hand_overs.len());
    assert!(system.shutdown().is_complete());
}
