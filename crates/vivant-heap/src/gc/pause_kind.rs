//! [`PauseKind`]: the kind of work that a step did.

use crate::mark::stats::MarkTally;
use std::fmt;

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
    Drain,
    /// The actor is idle: its nursery was emptied and given back.
    ReturnNursery,
    /// A group mark, or the survey before it, visited the heap between two turns, for a cycle of
    /// references across heaps. It may have begun a mark, which empties the nursery. If the actor
    /// was in use, the pause includes work on other heaps.
    GroupMark,
    /// A slice of an image: objects were encoded.
    Image,
}

impl PauseKind {
    /// Number of kinds.
    pub const COUNT: usize = PauseKind::ALL.len();

    /// All kinds, in the order in which figures list them.
    pub const ALL: [PauseKind; 10] = [
        PauseKind::Minor,
        PauseKind::MarkBegin,
        PauseKind::MarkSlice,
        PauseKind::MarkEnd,
        PauseKind::Major,
        PauseKind::Sweep,
        PauseKind::Drain,
        PauseKind::ReturnNursery,
        PauseKind::GroupMark,
        PauseKind::Image,
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
            PauseKind::Drain => "drain",
            PauseKind::ReturnNursery => "return_nursery",
            PauseKind::GroupMark => "group_mark",
            PauseKind::Image => "image",
        }
    }

    /// The kind of the costliest work between two readings of a heap's counters.
    pub(crate) fn of(before: MarkTally, after: MarkTally) -> PauseKind {
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
            PauseKind::Drain
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

#[cfg(test)]
mod tests {
    use super::*;

    fn after(minor: u64, major: u64) -> MarkTally {
        MarkTally {
            minor,
            major,
            begun: 0,
            ended: 0,
            aborted: 0,
            drains: 0,
        }
    }

    #[test]
    fn each_part_of_a_concurrent_mark_has_a_pause_kind() {
        let [idle, mut begun, mut minor, mut ended, mut aborted] = [after(5, 2); 5];
        let mut drained = idle;
        drained.drains = 1;
        assert_eq!(PauseKind::of(idle, drained), PauseKind::Drain);
        drained.minor += 1;
        assert_eq!(
            PauseKind::of(idle, drained),
            PauseKind::Minor,
            "it costs more"
        );
        (begun.minor, begun.begun) = (6, 1);
        assert_eq!(PauseKind::of(idle, begun), PauseKind::MarkBegin);
        assert_eq!(PauseKind::of(begun, begun), PauseKind::MarkSlice);
        (minor.minor, minor.begun) = (7, 1);
        assert_eq!(PauseKind::of(begun, minor), PauseKind::MarkSlice);
        (ended.minor, ended.begun, ended.ended, ended.major) = (6, 1, 1, 3);
        assert_eq!(PauseKind::of(begun, ended), PauseKind::MarkEnd);
        assert_eq!(PauseKind::of(ended, ended), PauseKind::Sweep);
        (aborted.minor, aborted.begun, aborted.aborted, aborted.major) = (7, 1, 1, 3);
        assert_eq!(PauseKind::of(begun, aborted), PauseKind::Major);
        assert_eq!(PauseKind::of(aborted, aborted), PauseKind::Sweep);
    }

    #[test]
    fn the_pause_kind_is_that_of_the_costliest_work() {
        let before = after(5, 2);
        assert_eq!(PauseKind::of(before, after(5, 2)), PauseKind::Sweep);
        assert_eq!(PauseKind::of(before, after(6, 2)), PauseKind::Minor);
        assert_eq!(PauseKind::of(before, after(6, 3)), PauseKind::Major);
    }
}
