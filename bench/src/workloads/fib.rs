//! An actor for each call of a recursive function: the cost of making an actor, getting one message
//! from it, and ending it.
//!
//! Protocol: fib of Savina, in the peers' form: below 2 an actor answers its parent and ends;
//! otherwise it makes two, adds their answers, answers and ends. fib(25) makes 242,785 actors.
//!
//! Timed: from the making of the root to its answer. An operation is an actor.

use crate::prelude::*;
use std::sync::mpsc::{self, Sender};
use vivant::prelude::*;

pub(super) const FIB: Bench = Bench::new(
    Group::Creation,
    "fib",
    "an actor for each call of a recursive function",
    &[
        Param::count("n", 25, 10, "the argument of the function"),
        FAIR,
    ],
    run,
)
.peer_ops(242_785);

/// The receiver of the answer.
enum Parent {
    Main(Sender<u64>),
    Actor(Address<Fib>),
}

#[derive(Actor)]
struct Fib {
    parent: Parent,
    sum: u64,
    missing: u8,
}

#[behaviours]
impl Fib {
    #[start]
    fn new(t: &Turn<Self>, n: u64, parent: Parent) -> Fib {
        let is_leaf = n < 2;
        let fib = Fib {
            parent,
            sum: if is_leaf { n } else { 0 },
            missing: if is_leaf { 0 } else { 2 },
        };
        if is_leaf {
            fib.answer(t);
        } else {
            Fib::spawn(t, n - 1, Parent::Actor(t.me()));
            Fib::spawn(t, n - 2, Parent::Actor(t.me()));
        }
        fib
    }

    fn add(&mut self, t: &Turn<Self>, value: u64) {
        self.sum += value;
        self.missing -= 1;
        if self.missing == 0 {
            self.answer(t);
        }
    }

    #[local]
    fn answer(&self, t: &Turn<Self>) {
        match &self.parent {
            Parent::Actor(parent) => t.send(parent.add(self.sum)),
            // The receiver is gone only after the bench has failed.
            Parent::Main(main) => drop(main.send(self.sum)),
        }
        t.stop();
    }
}

/// fib(n), and the number of its calls.
fn fib(n: u64) -> (u64, u64) {
    let (mut this, mut next) = ((0, 1), (1, 1));
    for _ in 0..n {
        (this, next) = (next, (this.0 + next.0, this.1 + next.1 + 1));
    }
    this
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let n = run.count("n");
    let (value, actors) = fib(n);
    let system = run.system();
    let (answer, answered) = mpsc::channel();
    let meter = Meter::start();
    Fib::spawn(&system, n, Parent::Main(answer));
    let got = answered.recv().unwrap_or(u64::MAX);
    let spent = meter.stop();
    run.row(spent, actors, ("fib", value, got))
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_and_calls() {
        assert_eq!(super::fib(25), (75_025, 242_785));
        assert_eq!(
            (super::fib(0), super::fib(1), super::fib(2)),
            ((0, 1), (1, 1), (1, 3))
        );
    }
}
