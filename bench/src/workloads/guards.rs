//! Messages that wait for their guard, in great numbers: their cost for messages that do not wait,
//! and the cost of letting them pass one by one.
//!
//! Protocol: our own. Messages wait at a gate. In `guard_closed` the gate's guard stays closed, and
//! the gate takes a million other turns, each begun by a message of the turn before. In
//! `guard_released` the gate admits one message; that message makes the gate admit another, so the
//! guard opens and closes for each. A guard reads the state alone or, with `--guard argument`, a
//! number in the message too, so that the result for one message does not decide for the next.
//!
//! Timed: all other turns; or from the first admission to the last message's passing. The messages
//! wait already. An operation is an other turn; or a message that passes, two turns. Linear means:
//! the time of an operation does not depend on the number of waiting messages.

use crate::prelude::*;
use vivant::prelude::*;

const GUARD: Param = Param::choice("guard", &["state", "argument"], "what the guards read");

pub(super) const GUARD_CLOSED: Bench = Bench::new(
    Group::Uncharted,
    "guard_closed",
    "turns of an actor in which messages wait for their guard",
    &[
        Param::count("waiting", 1_000_000, 50, "messages that wait").at_least(0),
        Param::count("turns", 1_000_000, 200, "turns of other messages"),
        GUARD,
    ],
    closed,
);

pub(super) const GUARD_RELEASED: Bench = Bench {
    name: "guard_released",
    about: "messages that wait for their guard are let through one by one",
    params: &[
        Param::count("waiting", 1_000_000, 100, "messages that wait"),
        GUARD,
    ],
    run: released,
    ..GUARD_CLOSED
};

#[derive(Actor)]
struct Gate {
    admitted: u64,
    passed: u64,
    /// The number of messages that are to pass.
    all: u64,
    turns: u64,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Gate {
    #[when(self.passed < self.admitted)]
    fn pass(&mut self, t: &Turn<Self>) {
        self.count(t);
    }

    #[when(number < self.admitted)]
    fn pass_as(&mut self, t: &Turn<Self>, number: u64) {
        // A message that passes out of order is not counted, and the check finds it.
        if number == self.passed {
            self.count(t);
        }
    }

    #[local]
    fn count(&mut self, t: &Turn<Self>) {
        self.passed += 1;
        if self.passed < self.all {
            t.send(t.me().admit());
        } else {
            self.answer(self.passed);
        }
    }

    fn admit(&mut self) {
        self.admitted += 1;
    }

    /// Admits the first; answers, when all have passed, with their number.
    fn release(&mut self, t: &Turn<Self>) -> Promise<u64> {
        self.admitted += 1;
        self.promise(t)
    }

    /// Takes a number of turns; then answers with the number it has taken in all.
    fn take_turns(&mut self, t: &Turn<Self>, turns: u64) -> Promise<u64> {
        t.send(t.me().turn(turns));
        self.promise(t)
    }

    fn turn(&mut self, t: &Turn<Self>, left: u64) {
        self.turns += 1;
        if left > 1 {
            t.send(t.me().turn(left - 1));
        } else {
            self.answer(self.turns);
        }
    }

    #[local]
    fn promise(&mut self, t: &Turn<Self>) -> Promise<u64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        promise
    }

    #[local]
    fn answer(&mut self, with: u64) {
        if let Some(done) = self.done.take() {
            done.resolve(with);
        }
    }
}

/// A gate at which all wait that are to pass.
fn gate(run: &Run, system: &System) -> Result<Address<Gate>, Failure> {
    let all = run.count("waiting");
    let gate = system.spawn(Gate {
        admitted: 0,
        passed: 0,
        all,
        turns: 0,
        done: None,
    });
    for number in 0..all {
        match run.choice(GUARD.name) {
            "argument" => gate.pass_as(number).send(),
            _ => gate.pass().send(),
        }
    }
    // It has evaluated the guard of all messages before it answers this.
    gate.take_turns(1).ask_blocking()?;
    run.check("messages that wait", all, waiting(system))?;
    Ok(gate)
}

/// The number of messages that wait for their guard.
pub(super) fn waiting(system: &System) -> u64 {
    let actors = system.inspect().actors;
    actors.iter().map(|actor| actor.deferred as u64).sum()
}

fn closed(run: &Run) -> Result<Vec<Figures>, Failure> {
    let turns = run.count("turns");
    let system = run.system();
    let gate = gate(run, &system)?;
    let meter = Meter::start();
    let taken = gate.take_turns(turns).ask_blocking()?;
    let spent = meter.stop();
    run.check(
        "messages that still wait",
        run.count("waiting"),
        waiting(&system),
    )?;
    run.row(spent, turns, ("turns", turns + 1, taken))
}

fn released(run: &Run) -> Result<Vec<Figures>, Failure> {
    let all = run.count("waiting");
    let system = run.system();
    let gate = gate(run, &system)?;
    let meter = Meter::start();
    let passed = gate.release().ask_blocking()?;
    let spent = meter.stop();
    run.row(
        spent,
        all,
        ("messages that passed, in their order", all, passed),
    )
}
