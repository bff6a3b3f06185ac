//! The statistics of a server.

use crate::store::{Kind, Ledger};
use cpu_time::ProcessTime;
use example_load::Summary;
use serde::{Deserialize, Serialize};
use std::array;
use std::fs;
use vivant::{HeapFacts, PauseKind, Pauses, System};

/// The answer of `/_stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// How the cache is built.
    pub store: Kind,
    /// The number of stripes.
    pub stripes: usize,
    /// The capacity.
    pub capacity: u64,
    /// The number of entries.
    pub entries: u64,
    /// The bytes of their pages.
    pub page_bytes: u64,
    /// Requested pages that were in the cache.
    pub hits: u64,
    /// Requested pages that were rendered.
    pub misses: u64,
    /// Evicted entries, including those evicted while the cache was filled.
    pub evicted: u64,
    /// From the time at which the handler requested a page to the time at which the actor's turn
    /// began.
    pub waited: Summary,
    /// The turn.
    pub turn: Summary,
    /// The statistics of its heaps; zero for a cache without heaps.
    pub heap: Heap,
    /// The peak resident memory of the process, in bytes; 0 where the system does not report it.
    pub rss_peak_bytes: u64,
    /// The CPU time of the process.
    pub cpu_ns: u64,
    /// Workers of the actor system.
    pub workers: usize,
    /// Turns that panicked.
    pub panics: u64,
    /// Dead letters: messages that no actor took.
    pub dead_letters: u64,
}

/// Sizes and pauses of heaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// Bytes of old objects, including dead ones that no mark has found yet.
    pub live_bytes: u64,
    /// Bytes of their pages.
    pub pages_bytes: u64,
    /// Times in which an actor could have run a turn, and did not because of its heap: by
    /// [kind](PauseKind), in the order of [`PauseKind::ALL`]; in JSON by its name.
    #[serde(with = "by_name")]
    pub pauses: [Pause; PauseKind::ALL.len()],
}

/// Collections of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Their number.
    pub count: u64,
    /// All of them together.
    pub total_ns: u64,
    /// The longest; of a part of them, an upper bound of the longest.
    pub longest_ns: u64,
}

impl Stats {
    /// Collects the statistics of a system and its stores.
    #[must_use]
    pub fn of(system: &System, store: Kind, stripes: usize, ledger: &Ledger) -> Stats {
        let facts = system.inspect();
        let heaps = facts.actors.iter().filter_map(|it| it.heap);
        Stats {
            store,
            stripes,
            capacity: ledger.capacity as u64,
            entries: ledger.entries as u64,
            page_bytes: ledger.page_bytes,
            hits: ledger.counts.hits,
            misses: ledger.counts.misses,
            evicted: ledger.evicted,
            waited: ledger.counts.waited.summary(),
            turn: ledger.counts.turn.summary(),
            heap: heaps.fold(Heap::default(), Heap::and),
            rss_peak_bytes: rss_peak_bytes(),
            cpu_ns: cpu_ns(),
            workers: facts.workers,
            panics: facts.panics,
            dead_letters: facts.dead_letters.iter().map(|it| it.count).sum(),
        }
    }
}

/// Pauses in JSON: each by the name of its kind. A missing kind had no pauses.
mod by_name {
    use super::{Pause, PauseKind};
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::HashMap;

    type Each = [Pause; PauseKind::ALL.len()];

    pub(super) fn serialize<S: Serializer>(pauses: &Each, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(PauseKind::ALL.map(PauseKind::name).iter().zip(pauses))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Each, D::Error> {
        let named = HashMap::<String, Pause>::deserialize(from)?;
        Ok(PauseKind::ALL.map(|kind| named.get(kind.name()).copied().unwrap_or_default()))
    }
}

/// For each kind of pauses, by its place.
fn each(of: impl FnMut(usize) -> Pause) -> [Pause; PauseKind::ALL.len()] {
    array::from_fn(of)
}

impl Heap {
    /// The difference to `before`. Sizes are the current ones.
    #[must_use]
    pub fn since(self, before: Heap) -> Heap {
        Heap {
            pauses: each(|kind| self.pauses[kind].since(before.pauses[kind])),
            ..self
        }
    }

    /// The sum of the pauses of both. Sizes are the later ones.
    #[must_use]
    pub fn then(self, later: Heap) -> Heap {
        Heap {
            pauses: each(|kind| self.pauses[kind].then(later.pauses[kind])),
            ..later
        }
    }

    fn and(self, more: HeapFacts) -> Heap {
        Heap {
            live_bytes: self.live_bytes + more.live,
            pages_bytes: self.pages_bytes + more.pages,
            pauses: each(|kind| self.pauses[kind].and(more.pauses[PauseKind::ALL[kind]])),
        }
    }
}

impl Pause {
    fn since(self, before: Pause) -> Pause {
        let total_ns = self.total_ns - before.total_ns;
        Pause {
            count: self.count - before.count,
            total_ns,
            // The longest pause may have been before: then this is an upper bound.
            longest_ns: self.longest_ns.min(total_ns),
        }
    }

    fn then(self, later: Pause) -> Pause {
        Pause {
            count: self.count + later.count,
            total_ns: self.total_ns + later.total_ns,
            longest_ns: self.longest_ns.max(later.longest_ns),
        }
    }

    fn and(self, more: Pauses) -> Pause {
        self.then(Pause {
            count: more.count,
            total_ns: more.total.as_nanos() as u64,
            longest_ns: more.longest.as_nanos() as u64,
        })
    }
}

/// As Linux reports it.
fn rss_peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.trim().parse::<u64>().ok())
        .map_or(0, |kib| kib * 1024)
}

fn cpu_ns() -> u64 {
    ProcessTime::now().as_duration().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_of_memory_and_time() {
        assert!(rss_peak_bytes() > 1 << 20);
        let (before, mut sum) = (cpu_ns(), 0_u64);
        while cpu_ns() == before {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(cpu_ns() < 100 * 3600 * 1_000_000_000);
    }

    #[test]
    fn pauses_are_told_by_name() {
        let mut heap = Heap::default();
        heap.pauses[PauseKind::MarkEnd as usize].count = 2;
        let observed = serde_json::to_value(heap).unwrap();
        let names = observed["pauses"].as_object().unwrap();
        assert_eq!(names.len(), PauseKind::ALL.len());
        assert_eq!(names["mark_end"]["count"], 2);
        assert_eq!(serde_json::from_value::<Heap>(observed).unwrap(), heap);
    }

    #[test]
    fn pauses_of_a_round_are_told_from_those_before() {
        let pause = |count, total_ns, longest_ns| Pause {
            count,
            total_ns,
            longest_ns,
        };
        let before = pause(2, 100, 70);
        assert_eq!(pause(3, 200, 100).since(before), pause(1, 100, 100));
        assert_eq!(pause(4, 190, 70).since(before), pause(2, 90, 70));
        assert_eq!(pause(3, 120, 70).since(before), pause(1, 20, 20));
        assert_eq!(before.since(before), Pause::default());
        assert_eq!(before.then(pause(1, 9, 9)), pause(3, 109, 70));
    }
}
