//! The self-test of the seeded tests: a gateway that makes a shard give an instrument away in one
//! message, and sends orders to the new shard only from the next one on. It loses orders under some
//! seed, and the audit finds it.

use crate::support::{MARKET, orders};
use exchange::audience::Audience;
use exchange::audit::{Audit, Finding, Ledgers};
use exchange::gateway::{GatewayLedger, Incoming};
use exchange::order::{Order, Symbol};
use exchange::shard::Shard;
use std::sync::Arc;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const SEEDS: u64 = 60;
const ORDERS: usize = 120;

/// The injected fault.
#[derive(Actor)]
struct CarelessGateway {
    shards: [Address<Shard>; 2],
    /// By instrument: where its orders go, and those that went.
    routes: Vec<(usize, Vec<Order>)>,
}

#[behaviours]
impl CarelessGateway {
    fn order(&mut self, t: &Turn<Self>, incoming: Incoming) {
        let (shard, passed_on) = &mut self.routes[incoming.order.symbol as usize];
        passed_on.push(incoming.order);
        t.send(self.shards[*shard].submit(incoming));
    }

    fn hand_over(&mut self, t: &Turn<Self>, symbol: Symbol) {
        let [from, to] = &self.shards;
        t.send(from.give(symbol, to.clone()));
        // Between this message and the next, orders go to the shard that no longer has the
        // instrument.
        t.after(Duration::from_millis(2), t.me().handed_over(symbol));
    }

    fn handed_over(&mut self, symbol: Symbol) {
        self.routes[symbol as usize].0 = 1;
    }

    fn ledger(&self) -> GatewayLedger {
        GatewayLedger {
            passed_on: self
                .routes
                .iter()
                .map(|(_, orders)| orders.clone())
                .collect(),
            shards: self.shards.to_vec(),
            ..GatewayLedger::default()
        }
    }
}

fn audited(seed: u64) -> Audit {
    let simulation = Simulation::new(seed);
    let system = simulation.system();
    let audience = Arc::new(Audience::gather(system, MARKET.traders, 3));
    let shards = [(); 2].map(|()| Shard::spawn(system, audience.clone()));
    for symbol in 0..MARKET.symbols {
        shards[0].list(symbol).send();
    }
    let gateway = system.spawn(CarelessGateway {
        shards,
        routes: vec![(0, Vec::new()); MARKET.symbols as usize],
    });
    let handed_over = seed % ORDERS as u64;
    for (number, order) in (0..).zip(orders(seed).take(ORDERS)) {
        gateway.order(order).send();
        if number == handed_over {
            // The least popular one: orders for it are rare.
            gateway.hand_over(MARKET.symbols - 1).send();
        }
        simulation.run_for(Duration::from_micros(500));
    }
    simulation.run();
    let gateway = gateway.ledger().ask_blocking().expect("it lives");
    let ledgers = Ledgers::gather(gateway, &audience).expect("all live");
    ledgers.audit()
}

#[test]
fn canary_orders_that_went_to_the_wrong_shard_are_found() {
    let all: Vec<Audit> = (0..SEEDS).map(audited).collect();
    let lost = |audit: &Audit| {
        let mut findings = audit.findings.iter();
        findings.any(|it| matches!(it, Finding::Waiting { .. }))
    };
    let found = all.iter().filter(|audit| lost(audit)).count();
    assert!(found > 0, "no seed of {SEEDS} found the mistake");
    // The fault is one of timing: a few seeds might not find it.
    assert!(
        all.iter().any(Audit::holds),
        "every seed found it: the canary is too big"
    );
    // An audit that finds it finds all its effects: the order was not answered either, and later
    // orders met another book.
    for audit in all.iter().filter(|audit| lost(audit)) {
        let unanswered = |it: &&Finding| matches!(it, Finding::Unanswered { .. });
        let waiting = |it: &&Finding| matches!(it, Finding::Waiting { .. });
        let count = |is: &dyn Fn(&&Finding) -> bool| audit.findings.iter().filter(is).count();
        assert_eq!(count(&unanswered), count(&waiting), "{:?}", audit.findings);
    }
    assert!(all.iter().all(|audit| audit.holds() || lost(audit)));
}
