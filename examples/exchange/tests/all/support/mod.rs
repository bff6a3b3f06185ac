//! A small exchange, and orders for it.

use exchange::exchange::{Exchange, Settings};
use exchange::flow::{Flow, Market};
use exchange::gateway::{Balance, Gateway, Incoming};
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

pub(crate) const MARKET: Market = Market {
    symbols: 6,
    traders: 4,
    resting: 20,
};

/// An exchange with that market and three readers.
pub(crate) fn open(system: &System, balance: Balance) -> Exchange {
    let settings = Settings {
        symbols: MARKET.symbols,
        traders: MARKET.traders,
        readers: 3,
        balance,
    };
    Exchange::open(system, settings)
}

/// The orders of a seed, all due at once.
pub(crate) fn orders(seed: u64) -> impl Iterator<Item = Incoming> {
    let due = Duration::ZERO;
    Flow::new(MARKET, seed).map(move |order| Incoming { order, due })
}

/// Sends orders of the simulation's seed to a gateway, a few at a time, so that some find the
/// exchange busy and some idle.
pub(crate) fn send(simulation: &Simulation, gateway: &Address<Gateway>, count: usize) {
    let orders: Vec<Incoming> = orders(simulation.seed()).take(count).collect();
    for some in orders.chunks(40) {
        some.iter().for_each(|order| gateway.order(*order).send());
        simulation.run_for(Duration::from_millis(simulation.seed() % 40));
    }
}
