//! [`MissedValues`]: values that a subscription has missed one after the other, and where the line
//! of a cut runs through them.

use crate::actor::{Changed, Entry, Table};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Pass, Phase};

/// The values that a gap has missed. Two phases count at a time (L1): code before the line and
/// behind it, in any order.
pub(super) struct MissedValues {
    /// The number of the system of the phases.
    system: u64,
    missed: u64,
    /// The number of those that older code than that of `counted_in` has counted.
    missed_before: u64,
    /// The newest phase in which a value was missed. `None`: before each line.
    counted_in: Option<Phase>,
    /// The oldest phase in which it was closed. `None`: it is open.
    closed_in: Option<Phase>,
    /// The phase in which it was opened. `None`: before each line.
    opened_in: Option<Phase>,
    notice: Notice,
}

/// Where the notice of a gap is.
#[derive(PartialEq, Eq)]
enum Notice {
    /// Its publisher clones arguments, and will post it.
    Unposted,
    Posted,
}

/// Whether a gap counts further misses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GapEnd {
    Open,
    Closed,
}

impl MissedValues {
    /// The first miss of a new gap.
    pub(super) fn first(system: u64, code: Phase) -> MissedValues {
        MissedValues {
            system,
            missed: 1,
            missed_before: 0,
            counted_in: Some(code),
            closed_in: None,
            opened_in: Some(code),
            notice: Notice::Unposted,
        }
    }

    /// Those of a gap in an image.
    pub(super) fn restored(system: u64, missed: u64, end: GapEnd) -> MissedValues {
        MissedValues {
            system,
            missed,
            missed_before: missed,
            counted_in: None,
            closed_in: match end {
                GapEnd::Open => None,
                GapEnd::Closed => Some(Pass::FIRST.phase()),
            },
            opened_in: None,
            notice: Notice::Posted,
        }
    }

    /// Whether code of this phase counts here: the notice of a newer gap is behind the line.
    pub(super) fn counts_for(&self, code: Phase) -> bool {
        self.opened_in <= Some(code)
    }

    /// Code of this phase misses one more.
    pub(super) fn count(&mut self, code: Phase) {
        if Some(code) < self.counted_in {
            self.missed_before = self.missed_before.saturating_add(1);
        } else if self.counted_in < Some(code) {
            self.counted_in = Some(code);
            self.missed_before = self.missed;
        }
        self.missed = self.missed.saturating_add(1);
    }

    /// Code of this phase has posted a value: the gap counts no more, if it did.
    pub(super) fn close(&mut self, code: Phase) {
        let before = self.closed_in.unwrap_or(code);
        self.closed_in = Some(before.min(code));
    }

    pub(super) fn posted(&mut self) {
        self.notice = Notice::Posted;
    }

    pub(super) fn missed(&self) -> u64 {
        self.missed
    }

    /// The number of values that were missed before the line that begins this phase.
    pub(super) fn at_line(&self, line: Phase) -> u64 {
        #[cfg(test)]
        if is_planted(InjectedFault::GapAcrossLine) {
            return self.missed;
        }
        match self.counted_in == Some(line) {
            true => self.missed_before,
            false => self.missed,
        }
    }

    /// Whether it counted further misses at that line.
    pub(super) fn end_at(&self, line: Phase) -> GapEnd {
        match self.closed_in {
            Some(closed) if closed < line => GapEnd::Closed,
            _ => GapEnd::Open,
        }
    }

    /// Whether its notice is on its way.
    pub(super) fn is_unposted(&self) -> bool {
        self.notice == Notice::Unposted
    }

    /// Whether its notice is on its way, and was on its way at that line.
    pub(super) fn is_unposted_at(&self, line: Phase) -> bool {
        self.is_unposted() && self.opened_in < Some(line)
    }
}

impl Entry for MissedValues {
    fn table(&self) -> Table {
        Table::Topic
    }

    fn changed(&self) -> Changed {
        match self.counted_in {
            None => Changed::Never,
            Some(phase) => Changed::In(self.system, phase),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_at_the_line_has_the_misses_of_before_it() {
        let (before, behind) = (Pass::new(2).phase(), Pass::new(3).phase());
        let mut missed = MissedValues::first(0, before);
        missed.count(behind);
        missed.count(before);
        missed.count(behind);
        assert_eq!((missed.missed(), missed.at_line(behind)), (4, 2));
        missed.close(behind);
        assert_eq!(missed.end_at(behind), GapEnd::Open);
        missed.close(before);
        assert_eq!(missed.end_at(behind), GapEnd::Closed);
        assert!(missed.is_unposted_at(behind));
        missed.posted();
        assert!(!missed.is_unposted_at(behind));
    }

    #[test]
    fn code_of_before_the_line_counts_in_no_gap_of_behind_it() {
        let (before, behind) = (Pass::new(2).phase(), Pass::new(3).phase());
        let missed = MissedValues::first(0, behind);
        assert!(missed.counts_for(behind) && !missed.counts_for(before));
        assert!(MissedValues::restored(0, 3, GapEnd::Open).counts_for(before));
    }
}
