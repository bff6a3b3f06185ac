//! Mailboxes with a bound of three, and what happens to messages that find them full. A gauge needs
//! the newest values: `drop_oldest`. A desk reports refusals to the sender: `reject`. There
//! `try_send` returns the message, `send` makes a dead letter, a request gets an error, and
//! `offer().await` waits for room. Look at the counts at the end: each lost message is there, with
//! its cause and the line that made it. Nothing runs between the sends, because this is a
//! simulation, so the numbers are exact. Try `drop_newest(3)` at the gauge.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;
use vivant::simulation::Simulation;
use vivant::{Cause, NotSent};

#[derive(Actor, Default)]
#[actor(mailbox = drop_oldest(3))]
struct Gauge {
    shown: Vec<u64>,
}

#[behaviours]
impl Gauge {
    fn show(&mut self, value: u64) {
        self.shown.push(value);
    }

    fn shown(&self) -> Vec<u64> {
        self.shown.clone()
    }
}

#[derive(Actor, Default)]
#[actor(mailbox = reject(3))]
struct Desk {
    visitors: u64,
}

#[behaviours]
impl Desk {
    fn visit(&mut self) -> u64 {
        self.visitors += 1;
        self.visitors
    }

    fn visitors(&self) -> u64 {
        self.visitors
    }
}

fn main() -> Result<(), AskError> {
    let simulation = Simulation::new(1);
    let system = simulation.system();

    let gauge = system.spawn(Gauge::default());
    (1..=10).for_each(|value| gauge.show(value).send());
    simulation.run();
    let shown = gauge.shown().ask_blocking()?;
    println!("drop_oldest(3): of 1 to 10 the gauge shows {shown:?}");
    assert_eq!(shown, [8, 9, 10]);

    let desk = system.spawn(Desk::default());
    let full = (0..5).filter(|_| desk.visit().try_send().is_err()).count();
    println!("reject(3): {full} of 5 come back");
    assert_eq!(full, 2);
    let error = desk.visit().try_send().expect_err("it is full");
    println!("  try_send: {error}");
    assert!(matches!(error.why, NotSent::Full(_)));
    desk.visit().send();
    let error = desk.visit().ask_blocking().expect_err("it is full");
    println!("  ask: {error}");
    assert!(matches!(error, AskError::Overloaded(_)));

    // The returned message can be offered: it waits for room. So do a hundred others.
    system.block_on(async {
        for _ in 0..100 {
            desk.visit().offer().await.expect("the desk is open");
        }
    });
    simulation.run();
    let visitors = desk.visitors().ask_blocking()?;
    println!("  after a hundred offers there were {visitors} visitors");
    assert_eq!(visitors, 3 + 100);

    let lost = system.dead_letters().counts();
    for line in &lost {
        println!(
            "{} of {} lost, made at {}: {}",
            line.count, line.behaviour, line.place, line.cause
        );
    }
    let of = |cause| {
        lost.iter()
            .filter(|line| line.cause == cause)
            .map(|line| line.count)
            .sum::<u64>()
    };
    assert_eq!(of(Cause::DroppedOldest), 7);
    assert_eq!(of(Cause::Rejected), 2, "what came back is not lost");
    Ok(())
}
