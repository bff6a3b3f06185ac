//! The smallest actor: state, two messages, a request from `main`.
#![allow(clippy::print_stdout, reason = "the example prints what it does")]

use vivant::prelude::*;

#[derive(Actor)]
struct Counter {
    count: u64,
}

#[behaviours]
impl Counter {
    /// Adds `n`.
    fn add(&mut self, n: u64) {
        self.count += n;
    }

    /// The sum so far.
    fn sum(&mut self) -> u64 {
        self.count
    }
}

fn main() -> Result<(), AskError> {
    let system = System::new();
    let counter = system.spawn(Counter { count: 0 });
    for n in 1..=100 {
        counter.add(n).send();
    }
    // Messages of one sender arrive in order: the request comes last.
    let sum = counter.sum().ask_blocking()?;
    println!("the sum of 1 to 100 is {sum}");
    assert_eq!(sum, 5050);
    Ok(())
}
