//! Compares: runs each side in a process of its own, so that none inherits another's heap, and so
//! that each has its own peak of memory. The sides take turns, for some rounds; the median counts.

use super::pointers::BASE;
use crate::child;
use crate::prelude::*;
use crate::process;
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub(super) const ROUNDS: Param = Param::count("rounds", 3, 1, "rounds, of which the median counts");

/// The parameter that selects the pointer.
pub(super) const POINTER: &str = "pointer";

/// What differs from the run's parameters.
pub(super) type Side = Vec<(&'static str, Value)>;

/// One run of one side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Said {
    wall: Duration,
    cpu: Duration,
    peak_rss_bytes: u64,
    /// The result.
    pub(super) result: u64,
}

/// The middle of all runs of one side.
pub(super) struct Middle {
    pub(super) side: Side,
    pub(super) wall: Duration,
    cpu: Duration,
    peak_rss_bytes: u64,
    /// Of each run.
    pub(super) results: Vec<u64>,
}

/// In the child: runs `work` and prints its times.
pub(super) fn say(work: impl FnOnce() -> u64) -> Result<(), Failure> {
    let meter = Meter::start();
    let result = work();
    let Spent { wall, cpu } = meter.stop();
    child::say(&Said {
        wall,
        cpu,
        peak_rss_bytes: process::peak_rss(),
        result,
    })
}

/// Runs children of the bench `name`, one for each side in each round.
pub(super) fn compare(run: &Run, name: &str, sides: Vec<Side>) -> Result<Vec<Middle>, Failure> {
    let mut said = vec![Vec::new(); sides.len()];
    for _ in 0..run.count(ROUNDS.name) {
        for (side, said) in sides.iter().zip(&mut said) {
            let mut run = run.clone();
            for (param, value) in side {
                run.params.set(param, *value);
            }
            said.push(child::live::<Said>(&run, name)?.said);
        }
    }
    Ok(sides.into_iter().zip(said).map(Middle::of).collect())
}

impl Middle {
    fn of((side, said): (Side, Vec<Said>)) -> Middle {
        Middle {
            side,
            wall: middle(said.iter().map(|it| it.wall)),
            cpu: middle(said.iter().map(|it| it.cpu)),
            peak_rss_bytes: middle(said.iter().map(|it| it.peak_rss_bytes)),
            results: said.iter().map(|it| it.result).collect(),
        }
    }

    /// A row; beside `base`, the same with the pointer by which the others are divided, where that
    /// was run.
    pub(super) fn figures(&self, base: Option<&Middle>, ops: u64, check: String) -> Figures {
        let (wall, cpu) = (self.wall, self.cpu);
        let mut figures = Figures::new(Spent { wall, cpu }, ops, check);
        figures.peak_rss = Some(self.peak_rss_bytes);
        figures.params.clone_from(&self.side);
        if let Some(base) = base {
            let time = wall.as_secs_f64() / base.wall.as_secs_f64();
            figures.extra.insert("relative_time", time.into());
            let memory = self.peak_rss_bytes as f64 / base.peak_rss_bytes.max(1) as f64;
            figures.extra.insert("relative_memory", memory.into());
        }
        figures
    }

    /// Whether this is `other` with the pointer by which the others are divided.
    pub(super) fn is_base_of(&self, other: &Middle) -> bool {
        self.side.iter().zip(&other.side).all(|(mine, its)| {
            *mine == (POINTER, Value::Choice(BASE)) || (mine == its && mine.0 != POINTER)
        })
    }
}

fn middle<T: Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable();
    let middle = values.len() / 2;
    values.swap_remove(middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(pointer: &'static str, ratio: &'static str) -> Middle {
        let side = vec![
            (POINTER, Value::Choice(pointer)),
            ("ratio", Value::Choice(ratio)),
        ];
        let said = [3, 1, 2].map(|seconds| Said {
            wall: Duration::from_secs(seconds),
            cpu: Duration::ZERO,
            peak_rss_bytes: seconds,
            result: 5,
        });
        Middle::of((side, said.to_vec()))
    }

    #[test]
    fn the_median_counts() {
        let middle = side("rc", "0");
        assert_eq!(middle.wall, Duration::from_secs(2));
        assert_eq!((middle.peak_rss_bytes, middle.results.len()), (2, 3));
    }

    #[test]
    fn the_base_has_the_same_parameters_but_the_pointer() {
        let rc = side("rc", "1");
        assert!(side(BASE, "1").is_base_of(&rc));
        assert!(!side(BASE, "0").is_base_of(&rc));
        assert!(!side("rc", "1").is_base_of(&rc));
        assert!(side(BASE, "1").is_base_of(&side(BASE, "1")));
    }
}
