//! Runs with snapshots beside runs without.

use example_load::{Table, readable};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// The part of a run's line of JSON that is compared.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    good: bool,
    rate: f64,
    seconds: f64,
    answered: u64,
    all: Requests,
    snapshots: Option<Snapshots>,
}

/// The latencies of all requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Requests {
    mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    p99_9_us: f64,
    p99_99_us: f64,
    max_us: f64,
    over_100_ms: u64,
}

/// The snapshots of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Snapshots {
    requested: u64,
    completed: u64,
    p50_us: f64,
    max_us: f64,
    bytes_max: u64,
    stored_bytes_max: u64,
}

/// A run without snapshots, and one with them.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The run without.
    pub without: Measured,
    /// The run with them.
    pub with: Measured,
}

/// All pairs.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// In their order.
    pub pairs: Vec<Pair>,
}

impl Measured {
    /// The run in one line for people.
    pub fn sentence(&self) -> String {
        let Requests {
            mean_us,
            p99_us,
            p99_99_us,
            over_100_ms,
            ..
        } = self.all;
        let [mean, p99, p99_99] = [mean_us, p99_us, p99_99_us].map(time);
        let what = match &self.snapshots {
            None => "without".to_owned(),
            Some(it) => format!("with {} of {} snapshots", it.completed, it.requested),
        };
        format!("{what}: mean {mean}, p99 {p99}, p99.99 {p99_99}, {over_100_ms} over 100 ms")
    }

    fn snapshots(&self) -> Snapshots {
        self.snapshots.clone().unwrap_or_default()
    }

    /// Whether each requested snapshot was completed, and nothing was wrong.
    fn is_good(&self) -> bool {
        let Snapshots {
            requested,
            completed,
            ..
        } = self.snapshots();
        self.good && requested == completed
    }
}

/// A time that comes in microseconds.
fn time(us: f64) -> String {
    readable((us * 1e3) as u64)
}

impl Comparison {
    /// The medians of both sides, and the median of the pairs' ratios.
    fn medians(&self, of: impl Fn(&Measured) -> f64) -> [f64; 3] {
        let without = self.pairs.iter().map(|it| of(&it.without));
        let with = self.pairs.iter().map(|it| of(&it.with));
        let ratios = with.clone().zip(without.clone()).map(|(a, b)| a / b);
        [median(without), median(with), median(ratios)]
    }

    /// The ratios of means, in ascending order.
    fn mean_ratios(&self) -> Vec<f64> {
        let ratio = |it: &Pair| it.with.all.mean_us / it.without.all.mean_us;
        sorted(self.pairs.iter().map(ratio))
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&["", "without", "with", "ratio"]);
        let mut times = |name: &str, of: fn(&Requests) -> f64| {
            let [without, with, ratio] = self.medians(|it| of(&it.all));
            let cells = [time(without), time(with), format!("{ratio:.3}")];
            table.row([vec![name.to_owned()], cells.to_vec()].concat());
        };
        times("mean", |it| it.mean_us);
        times("p50", |it| it.p50_us);
        times("p99", |it| it.p99_us);
        times("p99.9", |it| it.p99_9_us);
        times("p99.99", |it| it.p99_99_us);
        times("max", |it| it.max_us);
        type Sum = fn(&Measured) -> u64;
        let counts: [(&str, Sum); 4] = [
            ("answered, of all rounds", |it| it.answered),
            (">100 ms, of all rounds", |it| it.all.over_100_ms),
            ("snapshots requested", |it| it.snapshots().requested),
            ("snapshots completed", |it| it.snapshots().completed),
        ];
        for (name, of) in counts {
            let without: u64 = self.pairs.iter().map(|it| of(&it.without)).sum();
            let with: u64 = self.pairs.iter().map(|it| of(&it.with)).sum();
            let cells = [name.to_owned(), without.to_string(), with.to_string()];
            table.row([cells.to_vec(), vec![String::new()]].concat());
        }
        let mut of_snapshots = |name: &str, text: fn(f64) -> String, of: fn(&Snapshots) -> f64| {
            let [_, with, _] = self.medians(|it| of(&it.snapshots()));
            let cells = [name.to_owned(), String::new(), text(with), String::new()];
            table.row(cells.to_vec());
        };
        let number: fn(f64) -> String = |it| format!("{it:.0}");
        of_snapshots("a snapshot's time, p50", time, |it| it.p50_us);
        of_snapshots("a snapshot's time, max", time, |it| it.max_us);
        of_snapshots("its bytes, at most", number, |it| it.bytes_max as f64);
        of_snapshots("its bytes in the folder", number, |it| {
            it.stored_bytes_max as f64
        });
        table
    }

    /// The rounds in which a run was not good or lacks a snapshot.
    pub fn complaints(&self) -> Vec<String> {
        let bad = |(number, it): (usize, &Pair)| {
            let is_good = it.without.is_good() && it.with.is_good();
            (!is_good).then(|| format!("round {}: a run went wrong", number + 1))
        };
        self.pairs.iter().enumerate().filter_map(bad).collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "mean_ratio": median(self.mean_ratios().into_iter()),
            "pairs": self.pairs,
        })
    }
}

/// Times are medians of the rounds, and so are their ratios.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratios = self.mean_ratios();
        let (rounds, middle) = (ratios.len(), median(ratios.iter().copied()));
        writeln!(f, "medians of {rounds} rounds:\n{}", self.table())?;
        write!(f, "\nthe means' ratio: {middle:.4}, the median; ")?;
        let [least, .., most] = ratios[..] else {
            return write!(f, "of one round");
        };
        write!(f, "{least:.4} to {most:.4} in the rounds")
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The middle value; 0 if there is none.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let values = sorted(values);
    match values.len() {
        0 => 0.0,
        len => f64::midpoint(values[(len - 1) / 2], values[len / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(mean_us: f64, over_100_ms: u64, snapshots: Option<[u64; 2]>) -> Measured {
        let snapshots = snapshots.map(|[requested, completed]| Snapshots {
            requested,
            completed,
            bytes_max: 4_321,
            ..Snapshots::default()
        });
        Measured {
            good: true,
            rate: 2_000.0,
            seconds: 0.5,
            answered: 1_000,
            all: Requests {
                mean_us,
                p50_us: 1.0,
                p99_us: 2.0,
                p99_9_us: 3.0,
                p99_99_us: 4.0,
                max_us: 5.0,
                over_100_ms,
            },
            snapshots,
        }
    }

    fn pair([without, with]: [f64; 2], completed: u64) -> Pair {
        Pair {
            without: measured(without, 1, None),
            with: measured(with, 20, Some([3, completed])),
        }
    }

    /// The cells of a row.
    fn row(comparison: &Comparison, name: &str) -> Vec<String> {
        let text = comparison.to_string();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let cells = line.unwrap_or_else(|| panic!("{name} is not in\n{text}"));
        let cells = cells.split("  ").map(str::trim);
        let cells = cells.filter(|it| !it.is_empty());
        cells.map(ToOwned::to_owned).collect()
    }

    #[test]
    fn canary_a_slower_run_with_snapshots_is_shown() {
        // The ratio of the medians would be 1.
        let pairs = [[100.0, 110.0], [200.0, 240.0], [400.0, 200.0]];
        let pairs = Vec::from(pairs.map(|means| pair(means, 3)));
        let comparison = Comparison { pairs };
        assert_eq!(row(&comparison, "mean "), ["200 µs", "200 µs", "1.100"]);
        assert_eq!(row(&comparison, ">100 ms, of all rounds"), ["3", "60"]);
        assert_eq!(row(&comparison, "snapshots requested"), ["0", "9"]);
        assert_eq!(row(&comparison, "its bytes, at most"), ["4321"]);
        let ratio = "the means' ratio: 1.1000, the median; 0.5000 to 1.2000 in the rounds";
        assert!(comparison.to_string().ends_with(ratio), "{comparison}");
        assert_eq!(comparison.complaints(), [""; 0]);
    }

    #[test]
    fn canary_a_run_without_all_of_its_snapshots_is_a_complaint() {
        let pairs = vec![pair([1.0, 1.0], 3), pair([1.0, 1.0], 2)];
        let comparison = Comparison { pairs };
        assert_eq!(comparison.complaints(), ["round 2: a run went wrong"]);
        assert_eq!(row(&comparison, "snapshots completed"), ["0", "5"]);
    }
}
