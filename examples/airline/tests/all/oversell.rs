//! The self-test of the seeded tests: a flight that checks for a free seat in one message and takes
//! it in the next sells seats twice under some seed, and the audit finds it.

use airline::audit::{Finding, Ledgers};
use airline::customer::CustomerLedger;
use airline::flight::FlightLedger;
use airline::id::Id;
use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;

const SEATS: u32 = 3;
const BUYERS: u32 = 6;
const SEEDS: u64 = 100;

/// Stamps tickets: the actor to which the careless flight sends a request between checking and
/// taking.
#[derive(Actor)]
struct Stamp;

#[behaviours]
impl Stamp {
    fn stamp(&mut self) {}
}

/// The injected fault.
#[derive(Actor)]
struct CarelessFlight {
    stamp: Address<Stamp>,
    taken: Vec<(Id, u32)>,
}

#[behaviours]
impl CarelessFlight {
    fn reserve(&mut self, t: &Turn<Self>, booking: Id, customer: u32) -> Promise<bool> {
        if self.taken.len() >= SEATS as usize {
            return Promise::ready(false);
        }
        // Between this message and the continuation, other messages check the same seat.
        t.ask(self.stamp.stamp())
            .then(t.me().stamped(booking, customer))
    }

    #[then]
    fn stamped(&mut self, _stamp: Result<(), AskError>, booking: Id, customer: u32) -> bool {
        self.taken.push((booking, customer));
        true
    }

    fn ledger(&mut self, flight: Id) -> FlightLedger {
        FlightLedger {
            flight,
            seats: SEATS,
            taken: self.taken.clone(),
        }
    }
}

/// Requests one seat, at a time of its own.
#[derive(Actor)]
struct Buyer {
    number: u32,
    flight: Address<CarelessFlight>,
    booked: Vec<Id>,
}

#[behaviours]
impl Buyer {
    /// Turns take no virtual time: buyers compete only if they come at the same millisecond.
    fn begin(&mut self, t: &Turn<Self>) {
        t.after(Duration::from_millis(t.random_below(4)), t.me().buy());
    }

    fn buy(&mut self, t: &Turn<Self>) {
        let booking = Id::drawn(|| t.random());
        let seat = t.ask(self.flight.reserve(booking, self.number));
        seat.then_send(t.me().bought(booking));
    }

    #[then]
    fn bought(&mut self, seat: Result<bool, AskError>, booking: Id) {
        if seat == Ok(true) {
            self.booked.push(booking);
        }
    }

    fn ledger(&mut self, flight: Id) -> CustomerLedger {
        CustomerLedger {
            customer: self.number,
            bookings: self.booked.iter().map(|it| (*it, flight)).collect(),
        }
    }
}

fn findings(seed: u64) -> Vec<Finding> {
    let simulation = Simulation::new(seed);
    let system = simulation.system();
    let flight = system.spawn(CarelessFlight {
        stamp: system.spawn(Stamp),
        taken: Vec::new(),
    });
    let buyers: Vec<_> = (0..BUYERS)
        .map(|number| {
            system.spawn(Buyer {
                number,
                flight: flight.clone(),
                booked: Vec::new(),
            })
        })
        .collect();
    for buyer in &buyers {
        buyer.begin().send();
    }
    simulation.run();
    let id = Id::drawn(|| 1);
    let ledgers = Ledgers {
        flights: vec![flight.ledger(id).ask_blocking().unwrap()],
        customers: (buyers.iter())
            .map(|buyer| buyer.ledger(id).ask_blocking().unwrap())
            .collect(),
    };
    ledgers.audit(None).findings
}

#[test]
fn canary_a_flight_that_looks_before_it_sells_is_found() {
    let all: Vec<_> = (0..SEEDS).map(findings).collect();
    let oversold = |findings: &Vec<Finding>| {
        (findings.iter()).any(|it| matches!(it, Finding::Oversold { seats: SEATS, .. }))
    };
    let found = all.iter().filter(|it| oversold(it)).count();
    assert!(found > 0, "no seed of {SEEDS} found the mistake");
    // The fault is one of timing: a few seeds might not find it.
    assert!(
        all.iter().any(Vec::is_empty),
        "every seed found it: the canary is too big"
    );
    assert!(
        all.iter()
            .flatten()
            .all(|it| matches!(it, Finding::Oversold { .. }))
    );
}
