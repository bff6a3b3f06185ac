//! The numbers in each chart, and their order.

use super::peers::Peers;
use super::rounds::Samples;
use super::sample::Sample;
use crate::BENCHES;
use crate::bench::{Bench, Group};

/// Bars that are compared with each other.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) bars: Vec<Bar>,
}

/// One figure.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) sample: Sample,
    pub(super) platform: Platform,
}

/// The platform that was measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Platform {
    Vivant,
    Peer,
}

/// Waiting times, as rows name them and as people read them.
const WAITING: [(&str, &str); 5] = [
    ("p50_us", "median"),
    ("p99_us", "99 %"),
    ("p999_us", "99.9 %"),
    ("p9999_us", "99.99 %"),
    ("max_us", "longest"),
];

/// Figures that one bench alone has: bench, field, title.
const ITS_OWN: [(&str, &str, &str); 2] = [
    (
        "spawn",
        "bytes_per_actor",
        "bytes of an actor that has nothing to do",
    ),
    (
        "spawn",
        "exit_ms",
        "ms from the last message to the end of the process",
    ),
];

/// The chart of a group.
pub(super) fn sections(group: Group, samples: &Samples, peers: &Peers) -> Vec<Section> {
    match group {
        Group::Latency => waiting_times(samples),
        _ => times(group, samples, peers),
    }
}

/// A section for each bench that peers have too; one section for all others; then what only one
/// bench has.
fn times(group: Group, samples: &Samples, peers: &Peers) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut alone = Vec::new();
    for bench in BENCHES.iter().filter(|bench| bench.group == group) {
        let Some(ours) = sample(samples, bench.name, "ns_per_op") else {
            continue;
        };
        let others = peers.ns_per_op(bench);
        if others.is_empty() {
            alone.push(bar(bench.name, ours, Platform::Vivant));
        } else {
            sections.push(compared(bench, ours, others));
        }
    }
    if !alone.is_empty() {
        sections.push(Section {
            title: "ns per operation".to_owned(),
            bars: alone,
        });
    }
    let in_group = |name: &str| Bench::named(name).is_some_and(|bench| bench.group == group);
    for (bench, field, title) in ITS_OWN.iter().filter(|it| in_group(it.0)) {
        if let Some(ours) = sample(samples, bench, field) {
            sections.push(Section {
                title: format!("{bench}: {title}"),
                bars: vec![bar(bench, ours, Platform::Vivant)],
            });
        }
    }
    sections
}

/// The fastest first.
fn compared(bench: &Bench, ours: Sample, others: Vec<(String, Sample)>) -> Section {
    let mut bars = vec![bar("vivant", ours, Platform::Vivant)];
    bars.extend(
        others
            .into_iter()
            .map(|(label, it)| bar(&label, it, Platform::Peer)),
    );
    bars.sort_by(|a, b| a.sample.median().total_cmp(&b.sample.median()));
    Section {
        title: format!("{}: ns per operation", bench.name),
        bars,
    }
}

fn waiting_times(samples: &Samples) -> Vec<Section> {
    let of_group = |name: &str| {
        let bench = name.split(' ').next().and_then(Bench::named);
        bench.is_some_and(|bench| bench.group == Group::Latency)
    };
    let section = |name: &String| {
        let bars = WAITING.iter().filter_map(|(field, label)| {
            Some(bar(label, sample(samples, name, field)?, Platform::Vivant))
        });
        Section {
            title: format!("{name}: µs"),
            bars: bars.collect(),
        }
    };
    samples
        .keys()
        .filter(|name| of_group(name))
        .map(section)
        .collect()
}

fn sample(samples: &Samples, bench: &str, field: &str) -> Option<Sample> {
    Some(samples.get(bench)?.get(field)?.counted().clone())
}

fn bar(label: &str, sample: Sample, platform: Platform) -> Bar {
    Bar {
        label: label.to_owned(),
        sample,
        platform,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_comes_first() {
        let ours: Sample = [2.0].into_iter().collect();
        let others = vec![
            ("slow".to_owned(), ours.times(2.0)),
            ("fast".to_owned(), ours.times(0.5)),
        ];
        let section = compared(Bench::named("fib").unwrap(), ours, others);
        let labels: Vec<_> = section.bars.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!(labels, ["fast", "vivant", "slow"]);
    }
}
