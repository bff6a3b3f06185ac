//! Pauses: times when its heap kept an actor from running a turn. Times are nanoseconds.

use super::durations::ns;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vivant::{ByPauseKind, PauseDistributions};

/// Pauses of one kind of one actor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pauses {
    /// Number of pauses.
    pub count: u64,
    /// Sum of their durations.
    pub total_ns: u64,
    /// The longest pause.
    pub longest_ns: u64,
}

/// How long pauses took. A quantile is never too low, and at most a sixteenth too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Distribution {
    /// Number of pauses.
    pub count: u64,
    /// Sum of their durations.
    pub total_ns: u64,
    /// Median.
    pub p50_ns: u64,
    /// 99 of 100 took no longer.
    pub p99_ns: u64,
    /// 999 of 1,000 took no longer.
    pub p999_ns: u64,
    /// 9,999 of 10,000 took no longer.
    pub p9999_ns: u64,
    /// The longest pause, exactly.
    pub longest_ns: u64,
}

/// The pauses of all actors of a system, ended ones included, since it began or since the program
/// called `System::forget_pauses`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemPauses {
    /// All kinds together.
    pub all: Distribution,
    /// By the name of the kind, such as `minor`; without kinds that have no pause.
    pub by_kind: BTreeMap<String, Distribution>,
}

impl SystemPauses {
    pub(super) fn of(pauses: &PauseDistributions) -> SystemPauses {
        let counted = pauses.iter().filter(|(_, these)| these.count > 0);
        SystemPauses {
            all: Distribution::of(&pauses.all),
            by_kind: counted
                .map(|(kind, these)| (kind.name().to_owned(), Distribution::of(these)))
                .collect(),
        }
    }
}

impl Distribution {
    fn of(distribution: &vivant::Distribution) -> Distribution {
        Distribution {
            count: distribution.count,
            total_ns: ns(distribution.total),
            p50_ns: ns(distribution.p50),
            p99_ns: ns(distribution.p99),
            p999_ns: ns(distribution.p999),
            p9999_ns: ns(distribution.p9999),
            longest_ns: ns(distribution.longest),
        }
    }
}

impl Pauses {
    fn of(pauses: &vivant::Pauses) -> Pauses {
        Pauses {
            count: pauses.count,
            total_ns: ns(pauses.total),
            longest_ns: ns(pauses.longest),
        }
    }

    /// By the name of the kind, without kinds that have no pause.
    pub(super) fn by_kind(pauses: &ByPauseKind<vivant::Pauses>) -> BTreeMap<String, Pauses> {
        let counted = pauses.iter().filter(|(_, these)| these.count > 0);
        counted
            .map(|(kind, these)| (kind.name().to_owned(), Pauses::of(these)))
            .collect()
    }
}
