//! Statistics: what a server tells of itself.

use crate::store::{Kind, Ledger};
use cpu_time::ProcessTime;
use example_load::Summary;
use serde::{Deserialize, Serialize};
use std::array;
use std::fs;
use vivant::{HeapFacts, PauseKind, Pauses, System};

/// What `/_stats` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// How the cache is built.
    pub store: Kind,
    /// How many stripes there are.
    pub stripes: usize,
    /// How many entries it may have.
    pub capacity: u64,
    /// How many it has.
    pub entries: u64,
    /// The bytes of their pages.
    pub page_bytes: u64,
    /// Pages that were asked for and there.
    pub hits: u64,
    /// Pages that were asked for and rendered.
    pub misses: u64,
    /// Entries that went out, those included that went out while it was filled.
    pub evicted: u64,
    /// From the moment at which a page was asked for by the handler to the one at which the actor
    /// took the question up.
    pub waited: Summary,
    /// The turn.
    pub turn: Summary,
    /// What its heaps did; zero of a cache that has none.
    pub heap: Heap,
    /// The most memory that the process had, in bytes; 0 where the system does not tell.
    pub rss_peak_bytes: u64,
    /// The processors' time that the process has had.
    pub cpu_ns: u64,
    /// Workers of the actor system.
    pub workers: usize,
    /// Turns that panicked.
    pub panics: u64,
    /// Messages that nobody took.
    pub dead_letters: u64,
}

/// What heaps did, and have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// Bytes of old objects, those included that are dead and not found so yet.
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
    /// How many.
    pub count: u64,
    /// All of them together.
    pub total_ns: u64,
    /// The longest; of some of them, no less than the longest of these.
    pub longest_ns: u64,
}

impl Stats {
    /// Looks at a system and what its stores have told.
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

/// How JSON has pauses: each by the name of its kind. What is missing did not come.
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
    /// What was done since `before`. Sizes are those of now.
    #[must_use]
    pub fn since(self, before: Heap) -> Heap {
        Heap {
            pauses: each(|kind| self.pauses[kind].since(before.pauses[kind])),
            ..self
        }
    }

    /// The pauses of both. Sizes are those of the later one.
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
            // It may have been before: then this is a bound.
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

/// As Linux tells it.
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
        let told = serde_json::to_value(heap).unwrap();
        let names = told["pauses"].as_object().unwrap();
        assert_eq!(names.len(), PauseKind::ALL.len());
        assert_eq!(names["mark_end"]["count"], 2);
        assert_eq!(serde_json::from_value::<Heap>(told).unwrap(), heap);
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
