//! Pauses: times when its heap kept an actor from running a turn. By kind, and by clock.

use crate::oracle::Oracle;
use crate::sync::{AtomicU64, Ordering};
use std::fmt;
use std::ops::{Index, IndexMut};
use std::time::Duration;
use vivant_heap::HeapStats;

/// The kind of work that an actor's heap did between two turns. Pauses of several kinds may follow
/// each other without a turn in between: each is counted on its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum PauseKind {
    /// Minor collection: the nursery was emptied; a sweep step may have come with it.
    Minor,
    /// A concurrent mark has begun: the nursery was emptied, and the roots were put into the mark
    /// queue.
    MarkBegin,
    /// A step of a running concurrent mark: the SATB buffer of the last turn was flushed; the actor
    /// may also have done a mutator assist, and emptied its nursery. When everything is marked: a
    /// termination step, which updates weak references, watches, tags and the counts of imports for
    /// the dead objects.
    MarkSlice,
    /// A concurrent mark has ended, with the last termination step.
    MarkEnd,
    /// A stop-the-world mark of this heap, after the nursery was emptied.
    Major,
    /// A sweep step that came alone, or the whole sweep; or the heap had pages prefaulted for its
    /// next turns.
    Sweep,
    /// Changes of counts that other heaps had put into the count inbox were applied, all or a batch
    /// of them: for an idle check, or before a mark begins.
    Heed,
    /// The actor is idle: its nursery was emptied and given back.
    Rest,
}

impl PauseKind {
    /// Number of kinds.
    const COUNT: usize = PauseKind::ALL.len();

    /// All kinds, in the order in which figures list them.
    pub const ALL: [PauseKind; 8] = [
        PauseKind::Minor,
        PauseKind::MarkBegin,
        PauseKind::MarkSlice,
        PauseKind::MarkEnd,
        PauseKind::Major,
        PauseKind::Sweep,
        PauseKind::Heed,
        PauseKind::Rest,
    ];

    /// Its name: in metrics, and wherever figures are printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PauseKind::Minor => "minor",
            PauseKind::MarkBegin => "mark_begin",
            PauseKind::MarkSlice => "mark_slice",
            PauseKind::MarkEnd => "mark_end",
            PauseKind::Major => "major",
            PauseKind::Sweep => "sweep",
            PauseKind::Heed => "heed",
            PauseKind::Rest => "rest",
        }
    }

    /// The kind of the costliest work done between two readings of a heap's statistics.
    pub(crate) fn of(before: &HeapStats, after: &HeapStats) -> PauseKind {
        let runs = before.begun > before.ended + before.aborted;
        if after.ended > before.ended {
            PauseKind::MarkEnd
        } else if after.major > before.major {
            PauseKind::Major
        } else if after.begun > before.begun {
            PauseKind::MarkBegin
        } else if runs {
            PauseKind::MarkSlice
        } else if after.minor > before.minor {
            PauseKind::Minor
        } else if after.drains > before.drains {
            PauseKind::Heed
        } else {
            PauseKind::Sweep
        }
    }
}

const _: () = {
    let mut place = 0;
    while place < PauseKind::COUNT {
        assert!(
            PauseKind::ALL[place] as usize == place,
            "a kind is a place in a table"
        );
        place += 1;
    }
};

impl fmt::Display for PauseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The clock that measures pauses:
/// [`SystemBuilder::pause_clock`](crate::SystemBuilder::pause_clock). In a simulation both stand
/// still.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum PauseClock {
    /// Wall-clock time: how long a message to the actor waits, including everything else that the
    /// machine did meanwhile.
    #[default]
    Wall,
    /// CPU time of the worker: the heap's own cost, on a machine with other load. Time that the
    /// worker slept or was preempted is left out. Two more system calls for each pause, of some 200
    /// ns each. Only on Linux; elsewhere it is wall-clock time.
    ThreadCpu,
}

impl PauseClock {
    /// Nanoseconds; only differences are meaningful.
    pub(crate) fn read(self, oracle: &Oracle, now_ns: u64) -> u64 {
        match self {
            PauseClock::Wall => now_ns,
            PauseClock::ThreadCpu => oracle.thread_cpu_ns(),
        }
    }
}

/// Something of each kind of pauses.
///
/// ```
/// use vivant::PauseKind;
/// use vivant::prelude::*;
///
/// # let simulation = vivant::simulation::Simulation::new(1);
/// # let system = simulation.system();
/// let pauses = system.inspect().pauses;
/// assert_eq!(pauses[PauseKind::Minor].count, 0);
/// for (kind, these) in pauses.iter() {
///     println!("{kind}: {} pauses, the longest {:?}", these.count, these.longest);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByPauseKind<T>([T; PauseKind::COUNT]);

impl<T> ByPauseKind<T> {
    pub(crate) fn each(of: impl FnMut(PauseKind) -> T) -> ByPauseKind<T> {
        ByPauseKind(PauseKind::ALL.map(of))
    }

    /// All values with their kinds, in the order of [`PauseKind::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (PauseKind, &T)> {
        PauseKind::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<PauseKind> for ByPauseKind<T> {
    type Output = T;
    fn index(&self, kind: PauseKind) -> &T {
        &self.0[kind as usize]
    }
}

impl<T> IndexMut<PauseKind> for ByPauseKind<T> {
    fn index_mut(&mut self, kind: PauseKind) -> &mut T {
        &mut self.0[kind as usize]
    }
}

/// Pauses of one kind. In a simulation they take no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Pauses {
    /// Number of pauses.
    pub count: u64,
    /// Sum of their durations.
    pub total: Duration,
    /// The longest pause.
    pub longest: Duration,
}

impl Pauses {
    /// The sum of both; the longest is the maximum.
    #[must_use]
    pub fn and(self, those: Pauses) -> Pauses {
        Pauses {
            count: self.count + those.count,
            total: self.total + those.total,
            longest: self.longest.max(those.longest),
        }
    }
}

impl ByPauseKind<Pauses> {
    /// The sum of all kinds.
    #[must_use]
    pub fn all(&self) -> Pauses {
        self.0.into_iter().fold(Pauses::default(), Pauses::and)
    }

    /// The sum of both, kind by kind.
    #[must_use]
    pub fn and(&self, those: &ByPauseKind<Pauses>) -> ByPauseKind<Pauses> {
        ByPauseKind::each(|kind| self[kind].and(those[kind]))
    }
}

/// The pauses of one kind of one actor, published by its run guard. Relaxed throughout: the numbers
/// are independent of each other.
#[derive(Debug, Default)]
pub(crate) struct PauseCounts {
    count: AtomicU64,
    total_ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl PauseCounts {
    /// Only the run guard calls this.
    pub(crate) fn one_more(&self, ns: u64) {
        let add = |counter: &AtomicU64, more| {
            counter.store(counter.load(Ordering::Relaxed) + more, Ordering::Relaxed);
        };
        add(&self.count, 1);
        add(&self.total_ns, ns);
        let longest = self.longest_ns.load(Ordering::Relaxed).max(ns);
        self.longest_ns.store(longest, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Pauses {
        Pauses {
            count: self.count.load(Ordering::Relaxed),
            total: Duration::from_nanos(self.total_ns.load(Ordering::Relaxed)),
            longest: Duration::from_nanos(self.longest_ns.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(minor: u64, major: u64) -> HeapStats {
        let mut stats = HeapStats::default();
        (stats.minor, stats.major) = (minor, major);
        stats
    }

    #[test]
    fn the_parts_of_a_mark_beside_the_turns_are_kinds_of_their_own() {
        let [idle, mut begun, mut minor, mut ended, mut given_up] = [after(5, 2); 5];
        let mut heard = idle;
        heard.drains = 1;
        assert_eq!(PauseKind::of(&idle, &heard), PauseKind::Heed);
        heard.minor += 1;
        assert_eq!(
            PauseKind::of(&idle, &heard),
            PauseKind::Minor,
            "it costs more"
        );
        (begun.minor, begun.begun) = (6, 1);
        assert_eq!(PauseKind::of(&idle, &begun), PauseKind::MarkBegin);
        assert_eq!(PauseKind::of(&begun, &begun), PauseKind::MarkSlice);
        (minor.minor, minor.begun, minor.assists) = (7, 1, 1);
        assert_eq!(PauseKind::of(&begun, &minor), PauseKind::MarkSlice);
        (ended.minor, ended.begun, ended.ended, ended.major) = (6, 1, 1, 3);
        assert_eq!(PauseKind::of(&begun, &ended), PauseKind::MarkEnd);
        assert_eq!(PauseKind::of(&ended, &ended), PauseKind::Sweep);
        (
            given_up.minor,
            given_up.begun,
            given_up.aborted,
            given_up.major,
        ) = (7, 1, 1, 3);
        assert_eq!(PauseKind::of(&begun, &given_up), PauseKind::Major);
        assert_eq!(PauseKind::of(&given_up, &given_up), PauseKind::Sweep);
    }

    #[test]
    fn the_kind_is_the_costliest_that_was_done() {
        let before = after(5, 2);
        assert_eq!(PauseKind::of(&before, &after(5, 2)), PauseKind::Sweep);
        assert_eq!(PauseKind::of(&before, &after(6, 2)), PauseKind::Minor);
        assert_eq!(PauseKind::of(&before, &after(6, 3)), PauseKind::Major);
    }

    #[test]
    fn those_of_all_kinds_are_together() {
        let counts = ByPauseKind::<PauseCounts>::default();
        counts[PauseKind::Minor].one_more(10);
        counts[PauseKind::Minor].one_more(30);
        counts[PauseKind::Rest].one_more(20);
        let pauses = ByPauseKind::each(|kind| counts[kind].read());
        assert_eq!(pauses[PauseKind::Minor].count, 2);
        assert_eq!(pauses[PauseKind::Major], Pauses::default());
        let all = pauses.and(&pauses).all();
        assert_eq!(
            (all.count, all.total, all.longest),
            (6, Duration::from_nanos(120), Duration::from_nanos(30))
        );
    }
}
