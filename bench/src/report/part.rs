//! The benches that run and are shown together.

use crate::BENCHES;
use crate::bench::{Bench, Group};

/// Benches, with their data and their charts.
pub(super) struct Part {
    /// As the command line says it.
    pub(super) name: &'static str,
    /// The file of the data.
    pub(super) data: &'static str,
    pub(super) charts: &'static [Chart],
    /// Groups that are in the data and in no chart.
    uncharted: &'static [Group],
}

/// A chart of a group.
pub(super) struct Chart {
    pub(super) group: Group,
    pub(super) file: &'static str,
    pub(super) title: &'static str,
}

const fn chart(group: Group, file: &'static str, title: &'static str) -> Chart {
    Chart { group, file, title }
}

pub(super) const PARTS: [Part; 6] = [
    Part {
        name: "actors",
        data: "runs.jsonl",
        charts: &[
            chart(Group::Messages, "messages.svg", "Messages"),
            chart(Group::Creation, "creation.svg", "Creation"),
            chart(Group::Latency, "latency.svg", "Latency"),
        ],
        uncharted: &[Group::Uncharted],
    },
    Part {
        name: "savina",
        data: "savina.jsonl",
        charts: &[],
        uncharted: &[Group::Savina],
    },
    Part {
        name: "counted",
        data: "counted.jsonl",
        charts: &[
            chart(Group::Counts, "counts.svg", "Operations on counts"),
            chart(
                Group::Programs,
                "programs.svg",
                "Programs with counted pointers",
            ),
            chart(
                Group::Queued,
                "queued.svg",
                "References that another thread drops",
            ),
        ],
        uncharted: &[Group::References],
    },
    Part {
        name: "heaps",
        data: "heaps.jsonl",
        charts: &[chart(Group::Graphs, "graphs.svg", "Actors with heaps")],
        uncharted: &[Group::Heaps],
    },
    Part {
        name: "large",
        data: "large.jsonl",
        charts: &[],
        uncharted: &[Group::Large],
    },
    Part {
        name: "sharing",
        data: "sharing.jsonl",
        charts: &[],
        uncharted: &[Group::Sharing],
    },
];

impl Part {
    /// Its benches, in their order.
    pub(super) fn benches(&self) -> impl Iterator<Item = &'static Bench> {
        let charted = self.charts.iter().map(|chart| chart.group);
        let groups: Vec<_> = charted.chain(self.uncharted.iter().copied()).collect();
        BENCHES
            .iter()
            .filter(move |bench| groups.contains(&bench.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_is_in_one_part_but_the_soak_in_none() {
        for bench in BENCHES {
            let of = |part: &&Part| part.benches().any(|it| it.name == bench.name);
            let parts = usize::from(bench.group != Group::Soak);
            assert_eq!(PARTS.iter().filter(of).count(), parts, "{bench:?}");
        }
    }
}
