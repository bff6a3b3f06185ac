//! One actor hands out parts of a long computation and adds up the results: few messages, much
//! arithmetic.
//!
//! Protocol: trapezoidal approximation of Savina, with its sizes. The integral from 1 to 5 of
//! `sin(x³ - 1) / (x + 1) * sqrt(1 + exp(sqrt(2x)))` is approximated by 10,000,000 trapezoids. The
//! master sends each of 100 workers a part of the interval, and each answers with its area.
//!
//! Timed: from the master's start to the sum. An operation is a trapezoid.

use super::Halves;
use crate::prelude::*;
use std::ops::Range;
use vivant::Saved;
use vivant::prelude::*;

pub(in super::super) const TRAPEZOID: Bench = Bench::new(
    Group::Savina,
    "trapezoid",
    "workers approximate an integral",
    &[
        Param::count("pieces", 10_000_000, 2_500, "trapezoids"),
        Param::count("workers", 100, 7, "workers"),
        Param::count("left", 1, 1, "the beginning of the interval").at_least(0),
        Param::count("right", 5, 5, "the end of the interval"),
    ],
    run,
)
.saved::<(Master, Worker)>();

/// An interval, in pieces of the same width.
#[derive(Saved, Clone, Copy)]
struct Interval {
    left: f64,
    width: f64,
}

impl Interval {
    fn of(run: &Run) -> Interval {
        let (left, right) = (run.count("left") as f64, run.count("right") as f64);
        Interval {
            left,
            width: (right - left) / run.count("pieces") as f64,
        }
    }

    fn area(self, pieces: Range<u64>) -> f64 {
        let at = |piece| self.left + piece as f64 * self.width;
        let area = |piece| 0.5 * (curve(at(piece)) + curve(at(piece + 1))) * self.width;
        pieces.map(area).sum()
    }
}

fn curve(x: f64) -> f64 {
    (x.powi(3) - 1.0).sin() / (x + 1.0) * (1.0 + (2.0 * x).sqrt().exp()).sqrt()
}

/// The pieces of each worker.
fn parts(pieces: u64, workers: u64) -> impl Iterator<Item = Range<u64>> {
    (0..workers).map(move |at| pieces * at / workers..pieces * (at + 1) / workers)
}

#[derive(Actor)]
#[actor(saved)]
struct Worker;

#[behaviours]
impl Worker {
    fn area(&mut self, interval: Interval, pieces: Range<u64>) -> f64 {
        interval.area(pieces)
    }
}

#[derive(Actor)]
#[actor(saved)]
struct Master {
    workers: Vec<Address<Worker>>,
    /// In the order of the workers, so that the sum does not depend on that of the results.
    areas: Vec<f64>,
    results: Halves,
    missing: u64,
    done: Option<Resolver<f64>>,
}

#[behaviours]
impl Master {
    /// Answers with the area of an interval of so many pieces.
    fn approximate(&mut self, t: &Turn<Self>, interval: Interval, pieces: u64) -> Promise<f64> {
        let (promise, done) = t.promise();
        self.done = Some(done);
        let parts = parts(pieces, self.workers.len() as u64);
        for ((at, worker), part) in self.workers.iter().enumerate().zip(parts) {
            t.ask(worker.area(interval, part))
                .then_send(t.me().computed(at));
        }
        promise
    }

    #[then]
    fn computed(&mut self, t: &Turn<Self>, area: Result<f64, AskError>, at: usize) {
        self.results.step(t);
        // The check sees what is not a number.
        self.areas[at] = area.unwrap_or(f64::NAN);
        self.missing -= 1;
        if self.missing == 0
            && let Some(done) = self.done.take()
        {
            done.resolve(self.areas.iter().sum());
        }
    }
}

/// The sum of all parts, one after the other.
fn sum(run: &Run) -> f64 {
    let parts = parts(run.count("pieces"), run.count("workers"));
    parts.map(|part| Interval::of(run).area(part)).sum()
}

/// As the checks compare it.
fn trillionths(area: f64) -> u64 {
    (area * 1e12).round() as i64 as u64
}

fn run(run: &Run) -> Result<Vec<Figures>, Failure> {
    let (pieces, workers) = (run.count("pieces"), run.count("workers"));
    let system = run.system();
    let master = system.spawn(Master {
        workers: (0..workers).map(|_| system.spawn(Worker)).collect(),
        areas: vec![f64::NAN; workers as usize],
        results: Halves::of(workers),
        missing: workers,
        done: None,
    });
    let meter = Meter::start();
    let area = master
        .approximate(Interval::of(run), pieces)
        .ask_blocking()?;
    let spent = meter.stop();
    let expected = trillionths(sum(run));
    run.row(
        spent,
        pieces,
        ("area, in 1e-12", expected, trillionths(area)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::savina::with;

    #[test]
    fn the_area_is_savinas() {
        for (pieces, area, digits) in [
            (2_500, 0.271_078_80, 1e-8),
            (10_000, 0.271_080_63, 1e-8),
            (100_000, 0.271_080_750_735, 1e-12),
        ] {
            let got = sum(&with(&TRAPEZOID, &[("pieces", pieces)]));
            assert!((got - area).abs() < digits, "{pieces}: {got}");
        }
    }

    #[test]
    fn parts_are_all_pieces() {
        assert!(parts(11, 4).flatten().eq(0..11));
        assert!(parts(1, 3).flatten().eq(0..1));
    }
}
