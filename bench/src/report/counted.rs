//! The charts of counted pointers: one bar for each variant or pointer.

use super::figure::{Bar, Platform, Section};
use super::rounds::{Figures, Samples};
use crate::BENCHES;
use crate::bench::Group;

/// For `refcount`, the bars: a field of the row and its label.
const OPERATIONS: [(&str, &str); 2] = [
    ("increment_ns", "increment: ns"),
    ("ns_per_op", "clone and drop: ns"),
];

/// For a program.
const RELATIVE: [(&str, &str); 2] = [
    ("relative_time", "time, arc is 1"),
    ("relative_memory", "peak memory, arc is 1"),
];

/// The variants of ours begin so.
const OURS: &str = "brc";

pub(super) fn sections(group: Group, samples: &Samples) -> Vec<Section> {
    let fields = match group {
        Group::Counts => OPERATIONS,
        _ => RELATIVE,
    };
    let benches = BENCHES.iter().filter(|bench| bench.group == group);
    benches
        .flat_map(|bench| fields.map(|(field, title)| section(samples, bench.name, field, title)))
        .collect()
}

/// The smallest first.
fn section(samples: &Samples, bench: &str, field: &str, title: &str) -> Section {
    let bar = |(name, figures): (&String, &Figures)| {
        let label = name.strip_prefix(bench)?.strip_prefix(' ')?;
        let platform = if label.starts_with(OURS) {
            Platform::Vivant
        } else {
            Platform::Peer
        };
        Some(Bar {
            label: label.to_owned(),
            sample: figures.get(field)?.counted().clone(),
            platform,
        })
    };
    let mut bars: Vec<_> = samples.iter().filter_map(bar).collect();
    bars.sort_by(|a, b| a.sample.median().total_cmp(&b.sample.median()));
    Section {
        title: format!("{bench}: {title}"),
        bars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::Runs;

    #[test]
    fn bars_are_those_of_the_bench_and_the_smallest_comes_first() {
        let mut samples = Samples::new();
        for (name, value) in [("json arc", 1.0), ("json brc", 0.8), ("jsons rc", 0.1)] {
            let mut runs = Runs::default();
            runs.push(value, None);
            let figures = samples.entry(name.to_owned()).or_default();
            figures.insert("relative_time".to_owned(), runs);
        }
        let section = section(&samples, "json", "relative_time", "time");
        let bars: Vec<_> = section
            .bars
            .iter()
            .map(|it| (it.label.as_str(), it.platform))
            .collect();
        assert_eq!(bars, [("brc", Platform::Vivant), ("arc", Platform::Peer)]);
    }
}
