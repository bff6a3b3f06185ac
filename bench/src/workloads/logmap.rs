//! Series with terms that another actor computes one after the other, while requests for more wait:
//! messages that must wait for an answer.
//!
//! Protocol: logistic map of Savina, with its sizes. The master sends each of 10 series 25,000
//! requests to compute its next term and then requests the last one. A series has a computer of its
//! own, from which it requests `rate * x * (1 - x)`; while it waits for the answer it takes no
//! request. Savina stashes requests meanwhile; here a guard decides when they run.
//!
//! Timed: from the master's first message to its last answer. An operation is a term.

use super::savina::Halves;
use crate::prelude::*;
use vivant::Saved;
use vivant::prelude::*;

const FIRST_RATE: f64 = 3.46;
const STEP: f64 = 0.0025;

pub(super) const LOGMAP: Bench = Bench::new(
    Group::Messages,
    "logmap",
    "requests wait in an actor that waits for an answer",
    &[
        Param::count("terms", 25_000, 100, "terms of each series"),
        Param::count("series", 10, 3, "series").at_least(2),
    ],
    run,
)
.saved::<(Computer, Series, Master)>();

#[derive(Actor)]
#[actor(saved)]
struct Computer {
    rate: f64,
}

#[behaviours]
impl Computer {
    fn compute(&mut self, term: f64) -> f64 {
        next(self.rate, term)
    }
}

/// What a series does.
#[derive(Saved, Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    /// Its computer has the last term.
    Waits,
}

#[derive(Actor)]
#[actor(saved)]
struct Series {
    computer: Address<Computer>,
    term: f64,
    state: State,
}

#[behaviours]
impl Series {
    #[when(self.state == State::Ready)]
    fn next_term(&mut self, t: &Turn<Self>) {
        self.state = State::Waits;
        drop(
            t.ask(self.computer.compute(self.term))
                .then(t.me().computed()),
        );
    }

    #[then]
    fn computed(&mut self, term: Result<f64, AskError>) {
        // The check sees what is not a number.
        self.term = term.unwrap_or(f64::NAN);
        self.state = State::Ready;
    }

    #[when(self.state == State::Ready)]
    fn term(&mut self) -> f64 {
        self.term
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Master {
    series: Vec<Address<Series>>,
    results: Halves,
}

#[behaviours]
impl Master {
    /// Answers with the last terms, in the order of the series.
    fn last_terms(&mut self, t: &Turn<Self>, terms: u64) -> Promise<Vec<f64>> {
        for _ in 0..terms {
            for series in &self.series {
                t.send(series.next_term());
            }
        }
        let me = t.me();
        t.all(
            self.series
                .iter()
                .map(|series| t.ask(series.term()).then(me.ended())),
        )
    }

    #[then]
    fn ended(&mut self, t: &Turn<Self>, term: Result<f64, AskError>) -> f64 {
        self.results.step(t);
        term.unwrap_or(f64::NAN)
    }
}

fn next(rate: f64, term: f64) -> f64 {
    rate * term * (1.0 - term)
}

/// The rate of a series, and its first term.
fn beginning(series: u64) -> (f64, f64) {
    let offset = series as f64 * STEP;
    (FIRST_RATE + offset, offset)
}

/// The sum of the last terms.
fn sum(series: u64, terms: u64) -> f64 {
    let last = |series| {
        let (rate, first) = beginning(series);
        (0..terms).fold(first, |term, _| next(rate, term))
    };
    (0..series).map(last).sum()
}

/// As the checks compare it.
fn trillionths(sum: f64) -> u64 {
    (sum * 1e12).round() as u64
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (series, terms) = (run.count("series"), run.count("terms"));
    let system = run.system();
    let of = |number| {
        let (rate, term) = beginning(number);
        system.spawn(Series {
            computer: system.spawn(Computer { rate }),
            term,
            state: State::Ready,
        })
    };
    let master = system.spawn(Master {
        series: (0..series).map(of).collect(),
        results: Halves::of(series),
    });
    let meter = Meter::start();
    let last = master.last_terms(terms).ask_blocking()?;
    let spent = meter.stop();
    let got = trillionths(last.iter().sum());
    let expected = trillionths(sum(series, terms));
    run.row(
        spent,
        series * terms,
        ("sum of the last terms, in 1e-12", expected, got),
    )
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn the_sum_is_savinas() {
        assert!((sum(10, 25_000) - 6.387_835_144_604_12).abs() < 1e-12);
        assert!((sum(20, 25_000) - 11.022_424_487_482_32).abs() < 1e-12);
    }
}
