//! Compares sides: runs each in a process of its own, so that none inherits another's heap, and so
//! that each has its own peak of memory. The sides take turns, for some rounds; the round with the
//! median time counts.

use crate::child;
use crate::prelude::*;
use crate::process;

pub(super) const ROUNDS: Param = Param::count("rounds", 3, 1, "rounds, of which the median counts");

/// What differs from the run's parameters.
pub(super) type Side = Vec<(&'static str, Value)>;

/// The result of a side, and its figures without a check.
pub(super) type Outcome = (u64, Figures);

/// Times `work`, which gives a result.
pub(super) fn timed(work: impl FnOnce() -> u64) -> Outcome {
    let meter = Meter::start();
    let result = work();
    (result, Figures::new(meter.stop(), 0, String::new()))
}

/// In the child: prints what a side has found out.
pub(super) fn print((result, mut figures): Outcome) -> Result<(), Failure> {
    figures.peak_rss = Some(process::peak_rss());
    child::print(&(result, figures))
}

/// The words that the run chooses: all of them, unless it names one.
pub(super) fn chosen(
    run: &Run,
    param: &str,
    words: impl IntoIterator<Item = &'static str>,
) -> Vec<&'static str> {
    let words: Vec<_> = words.into_iter().collect();
    match run.choice(param) {
        word if words.contains(&word) => vec![word],
        _ => words,
    }
}

/// Runs children of `bench`, one for each side in each round, after `prepare`. All must have this
/// result.
pub(super) fn compare(
    run: &Run,
    bench: &Bench,
    sides: Vec<Side>,
    (what, expected): (&'static str, u64),
    prepare: fn(&mut Run) -> Result<(), Failure>,
) -> Result<Vec<Figures>, Failure> {
    let has_rounds = bench.params.iter().any(|it| it.name == ROUNDS.name);
    let rounds = if has_rounds {
        run.count(ROUNDS.name)
    } else {
        1
    };
    let mut output: Vec<Vec<Figures>> = sides.iter().map(|_| Vec::new()).collect();
    let mut check = String::new();
    for _ in 0..rounds {
        for (side, output) in sides.iter().zip(&mut output) {
            let mut run = run.clone();
            for (param, value) in side {
                run.params.set(param, *value);
            }
            prepare(&mut run)?;
            let (result, figures): Outcome = child::run(&run, bench.name)?.output;
            check = run.check(what, expected, result)?;
            output.push(figures);
        }
    }
    let rows = sides.into_iter().zip(output).map(|(side, output)| {
        let mut figures = middle(output);
        (figures.check, figures.params) = (check.clone(), side);
        figures
    });
    Ok(rows.collect())
}

/// The round with the median time.
fn middle(mut output: Vec<Figures>) -> Figures {
    output.sort_by_key(|it| it.spent.wall);
    let middle = output.len() / 2;
    output.swap_remove(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_median_round_counts() {
        let rounds = [3, 1, 2].map(|seconds| {
            let (wall, cpu) = (Duration::from_secs(seconds), Duration::ZERO);
            let mut figures = Figures::new(Spent { wall, cpu }, 1, String::new());
            figures.peak_rss = Some(10 - seconds);
            figures
        });
        let middle = middle(rounds.into());
        assert_eq!(middle.spent.wall, Duration::from_secs(2));
        assert_eq!(middle.peak_rss, Some(8));
    }
}
