//! The load generator: orders are due at a constant rate, independent of earlier orders.
//!
//! The load is open: a latency counts from the time at which the order was due, not from the time
//! at which it was sent. If the exchange, or this thread, stalls, the orders that were due
//! meanwhile have waited, and the latencies include this wait (they are free of coordinated
//! omission).

use crate::exchange::Exchange;
use crate::flow::{Flow, Market};
use crate::gateway::Incoming;
use example_load::Latency;
use std::thread;
use std::time::{Duration, Instant};
use vivant::prelude::*;

/// Limit of the wait for the last answers.
const GRACE: Duration = Duration::from_secs(10);
/// The interval at which they are counted.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Number of orders between two calls of the progress callback.
const PROGRESS_EVERY: u64 = 1 << 10;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Duration of the load.
    pub duration: Duration,
    /// Rate, per second.
    pub rate: f64,
    /// The instruments and traders.
    pub market: Market,
    /// The seed.
    pub seed: u64,
}

impl Plan {
    /// The number of orders that will be due.
    #[must_use]
    pub fn orders(&self) -> u64 {
        (self.rate * self.duration.as_secs_f64()).round() as u64
    }
}

/// The results of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// Orders that were sent.
    pub orders: u64,
    /// Those that were answered.
    pub answers: u64,
    /// From the first order's due time to the last answer.
    pub took: Duration,
    /// From the moment at which an order was due to the one at which it was sent: this thread wakes
    /// late. It is part of the other latencies.
    pub late: Latency,
}

/// Sends a plan's orders from this thread, waits for the answers, and calls `progress` with the
/// number of orders now and then.
///
/// # Errors
///
/// A trader has ended.
pub fn run(
    plan: &Plan,
    system: &System,
    exchange: &Exchange,
    progress: impl Fn(u64),
) -> Result<Sent, AskError> {
    let (gateway, clock) = (exchange.gateway(), system.clock());
    let (begin, start) = (clock.now(), Instant::now());
    let mut sent = Sent::default();
    for order in Flow::new(plan.market, plan.seed).take(plan.orders() as usize) {
        let after = Duration::from_secs_f64(sent.orders as f64 / plan.rate);
        let wait = after.saturating_sub(start.elapsed());
        if !wait.is_zero() {
            thread::sleep(wait);
        }
        let due = begin + after;
        sent.late.record(start.elapsed().saturating_sub(after));
        gateway.order(Incoming { order, due }).send();
        sent.orders += 1;
        if sent.orders % PROGRESS_EVERY == 0 {
            progress(sent.orders);
        }
    }
    let given_up = Instant::now() + GRACE;
    loop {
        sent.answers = exchange.answers()?;
        sent.took = start.elapsed();
        if sent.answers >= sent.orders || Instant::now() > given_up {
            return Ok(sent);
        }
        thread::sleep(LOOK_EVERY);
    }
}
