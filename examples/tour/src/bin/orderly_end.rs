//! An end that loses nothing: a start function and a stop hook that take their time, and a shutdown
//! after the queues.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use std::time::Duration;
use vivant::prelude::*;
use vivant::{Clock, Shutdown};

#[derive(Actor)]
struct Ledger {
    lines: u64,
}

#[behaviours]
impl Ledger {
    /// The state comes later: messages wait for it.
    #[start]
    fn open(t: &Turn<Self>) -> Promise<Self> {
        let clock = t.clock();
        t.spawn(async move {
            let lines = load(&clock).await;
            Ledger { lines }
        })
    }

    fn append(&mut self) {
        self.lines += 1;
    }

    /// The actor ends when its lines are saved.
    #[stop]
    fn close(&mut self, t: &Turn<Self>) -> Promise<()> {
        let (clock, lines) = (t.clock(), self.lines);
        t.spawn(async move { save(&clock, lines).await })
    }
}

/// Stands for a read of a database.
async fn load(clock: &Clock) -> u64 {
    clock.sleep(Duration::from_millis(20)).await;
    println!("loaded 1000 lines");
    1000
}

/// Stands for a write to it.
async fn save(clock: &Clock, lines: u64) {
    clock.sleep(Duration::from_millis(20)).await;
    println!("saved {lines} lines");
}

fn main() {
    let system = System::new();
    let ledger = Ledger::spawn(&system);
    (0..500).for_each(|_| ledger.append().send());
    // In a service: upon SIGTERM, when no request comes in any more.
    let report = system.shutdown_by(Shutdown::after_queues().within(Duration::from_secs(10)));
    println!("{report}");
    assert_eq!(report.unprocessed, 0);
}
