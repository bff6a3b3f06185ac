//! One actor lets others work by chance, one at a time: messages to unpredictable receivers that
//! have been idle for long.
//!
//! Protocol: cigarette smokers of Savina, with its sizes. The arbiter lets a random one of 200
//! smokers smoke. The smoker says that it has begun, and then smokes, which is a busy wait of
//! random length; meanwhile the arbiter chooses the next one, 1,000 times in all.
//!
//! Timed: from the arbiter's first choice to the last smoker's end. An operation is a round.

use super::random::work;
use super::{Halves, Random};
use crate::prelude::*;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const CIGSMOK: Bench = Bench::new(
    Group::Savina,
    "cigsmok",
    "one actor lets others work by chance",
    &[
        Param::count("rounds", 1_000, 50, "rounds"),
        Param::count("smokers", 200, 10, "smokers"),
    ],
    run,
)
.saved::<(Arbiter, Smoker)>();

#[derive(Actor)]
#[actor(saved)]
struct Smoker {
    arbiter: Address<Arbiter>,
    smoked: u64,
}

#[behaviours]
impl Smoker {
    fn smoke(&mut self, t: &Turn<Self>, duration: u64) {
        t.send(self.arbiter.started_smoking());
        work(duration);
        self.smoked += 1;
    }

    fn smoked(&mut self) -> u64 {
        self.smoked
    }
}

/// The random choices of an arbiter.
#[derive(Saved, Clone, Copy)]
struct Choices {
    random: Random,
    smokers: u64,
}

impl Choices {
    fn among(smokers: u64) -> Choices {
        Choices {
            random: Random::seeded(Random::SEED),
            smokers,
        }
    }

    /// A smoker, and the duration of its smoking.
    fn draw(&mut self) -> (usize, u64) {
        let smoker = self.random.below(self.smokers) as usize;
        (smoker, self.random.below(1_000) + 10)
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Arbiter {
    smokers: Vec<Address<Smoker>>,
    choices: Choices,
    rounds: Halves,
    done: Option<Resolver<u64>>,
}

#[behaviours]
impl Arbiter {
    /// Answers, when the last smoker has begun, with the number that the generator has next.
    fn choose_all(&mut self, t: &Turn<Self>, rounds: u64) -> Promise<u64> {
        let smoker = |_| {
            t.spawn_actor(Smoker {
                arbiter: t.me(),
                smoked: 0,
            })
        };
        self.smokers = (0..self.choices.smokers).map(smoker).collect();
        self.rounds = Halves::of(rounds);
        let (promise, done) = t.promise();
        self.done = Some(done);
        self.started_smoking(t);
        promise
    }

    fn started_smoking(&mut self, t: &Turn<Self>) {
        if self.rounds.step(t) {
            let (smoker, duration) = self.choices.draw();
            t.send(self.smokers[smoker].smoke(duration));
        } else if let Some(done) = self.done.take() {
            done.resolve(self.choices.random.draw());
        }
    }

    /// Answers with the number of times that smokers have smoked.
    fn smoked(&mut self, t: &Turn<Self>) -> Promise<Vec<u64>> {
        t.all(self.smokers.iter().map(|smoker| t.ask(smoker.smoked())))
    }
}

/// The number that the generator has after all rounds.
fn next_random(rounds: u64, smokers: u64) -> u64 {
    let mut choices = Choices::among(smokers);
    for _ in 0..rounds {
        choices.draw();
    }
    choices.random.draw()
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (rounds, smokers) = (run.count("rounds"), run.count("smokers"));
    let system = run.system();
    let arbiter = system.spawn(Arbiter {
        smokers: Vec::new(),
        choices: Choices::among(smokers),
        rounds: Halves::of(0),
        done: None,
    });
    let meter = Meter::start();
    let next = arbiter.choose_all(rounds).ask_blocking()?;
    let smoked = arbiter.smoked().ask_blocking()?;
    let spent = meter.stop();
    run.check("rounds", rounds, smoked.iter().sum())?;
    let expected = next_random(rounds, smokers);
    run.row(
        spent,
        rounds,
        ("the arbiter's next random number", expected, next),
    )
}

#[cfg(test)]
mod tests {
    use super::next_random;

    #[test]
    fn the_next_number_is_savinas() {
        for (rounds, next) in [(1_000, 50_272), (2_000, 11_088), (10_000, 53_968)] {
            assert_eq!(next_random(rounds, 200), next);
        }
    }
}
