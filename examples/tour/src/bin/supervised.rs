//! A supervision tree: a ledger, a till that depends on it, a sign that depends on the till.
//!
//! A sale of 13 makes the till panic. `rest_for_one` restarts the till and the sign, and leaves the
//! ledger alone; addresses stay valid. Look at the third of the three sales: it waited behind the
//! failed one, and the new till processes it. The back-off doubles, and at the fourth failure
//! within a minute the supervisor gives up and ends its tree, the last child first. Try
//! `one_for_one`, or `.messages(Messages::Returned)` at the till. All of it takes seven seconds of
//! virtual time; the panics print on stderr.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Child, Report, Supervisor};

#[derive(Actor)]
struct Ledger {
    sum: u64,
}

#[behaviours]
impl Ledger {
    fn book(&mut self, amount: u64) -> u64 {
        self.sum += amount;
        self.sum
    }
}

#[derive(Actor)]
struct Till {
    ledger: Address<Ledger>,
}

#[behaviours]
impl Till {
    /// Runs again at each restart, with the first arguments.
    #[start]
    fn new(t: &Turn<Self>, ledger: Address<Ledger>) -> Self {
        println!("  {:?}: the till opens", t.now());
        Till { ledger }
    }

    /// Answers the sum of all sales.
    fn sell(&mut self, t: &Turn<Self>, amount: u64) -> Promise<u64> {
        assert!(amount != 13, "bad luck");
        t.delegate(self.ledger.book(amount))
    }

    #[stop]
    fn close(&mut self, t: &Turn<Self>, reason: &StopReason) {
        println!("  {:?}: the till closes: {reason}", t.now());
    }
}

#[derive(Actor)]
struct Sign {
    till: Address<Till>,
}

#[behaviours]
impl Sign {
    #[start]
    fn new(till: Address<Till>) -> Self {
        Sign { till }
    }

    fn till(&self) -> String {
        Address::path(&self.till)
    }

    #[stop]
    fn goes_out(&mut self, reason: &StopReason) {
        println!("  the sign goes out: {reason}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulation = Simulation::new(1);
    let system = simulation.system();
    let tree = Supervisor::rest_for_one()
        .budget(3, Duration::from_secs(60))
        .back_off(Duration::from_secs(1), Duration::from_secs(8))
        .spawn(system);
    let ledger = tree.add(Child::new(|_| Ledger { sum: 0 }));
    let till = tree.add(Till::child(ledger));
    let sign = tree.add(Sign::child(till.clone()));
    tree.settled().ask_blocking()??;

    println!("three sales at once:");
    let sales = [5, 13, 7].map(|amount| till.sell(amount).ask());
    let answers = sales.map(|asked| system.block_on(asked));
    answers.iter().for_each(|answer| println!("  {answer:?}"));
    assert_eq!(answers[0], Ok(5));
    assert!(matches!(answers[1], Err(AskError::Panicked(_))));
    assert_eq!(answers[2], Ok(12), "by the new till, in the old ledger");
    println!("the sign shows {}", sign.till().ask_blocking()?);
    let restarts: Vec<_> = tree
        .children()
        .ask_blocking()?
        .iter()
        .map(|child| child.restarts)
        .collect();
    println!("restarts of ledger, till and sign: {restarts:?}");
    assert_eq!(restarts, [0, 1, 1]);

    println!("13 again, and again, and once too often:");
    let end = Address::ended(&tree);
    for _ in 0..3 {
        assert!(till.sell(13).ask_blocking().is_err());
    }
    let reason = system.block_on(end)?;
    println!("the supervisor has ended: {reason}");
    assert!(matches!(&reason, StopReason::GaveUp(why) if why.failures == 4));
    assert_eq!(simulation.now(), Duration::from_secs(1 + 2 + 4));
    let refused = till.sell(1).ask_blocking();
    assert!(matches!(refused, Err(AskError::Stopped(_))), "{refused:?}");
    let reports = system.inspect().reports;
    assert!(matches!(reports.last(), Some(Report::GaveUp { .. })));
    Ok(())
}
