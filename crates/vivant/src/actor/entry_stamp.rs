//! [`EntryStamp`]: where the line of a cut runs through the entries of a table (L10).

#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::{Passes, Phase};

/// The phase of the code that made an entry of a table. All its functions are called under the lock
/// of the table, and so is `Shared::change_table`, which has the phase of that code: a thread
/// outside that finds what was done behind the line is then behind it too.
///
/// The whole number of the phase: a cut does not visit the entries of a table that it has not
/// found, so an entry may be older than the phases that a few bits tell apart (L1).
#[derive(Clone, Copy)]
pub(crate) struct EntryStamp(Phase);

impl EntryStamp {
    /// Of an entry that code of this phase makes.
    pub(crate) fn made_by(code: Phase) -> EntryStamp {
        EntryStamp(code)
    }

    /// Whether code of this phase has to record the entry before it takes it out or changes it: the
    /// entry is in the cut that is being taken.
    pub(crate) fn is_recorded_by(self, code: Phase, passes: &Passes) -> bool {
        #[cfg(test)]
        if is_planted(InjectedFault::EntryTakenUnrecorded) {
            return false;
        }
        self.is_older(code, passes)
    }

    /// Whether code of behind the line has made or changed the entry, and the code of this phase is
    /// before it.
    pub(crate) fn is_newer_than(self, code: Phase, passes: &Passes) -> bool {
        let now = passes.now().phase();
        code != now && self.0 == now
    }

    /// Code of this phase has made the entry again, as it is. It stays in the cut.
    pub(crate) fn made_again_by(&mut self, code: Phase, passes: &Passes) {
        if !self.is_older(code, passes) {
            self.0 = code;
        }
    }

    /// The coordinator has found the entry: whether it has to record it. The entry has the stamp of
    /// the present phase from here on.
    pub(crate) fn is_recorded_at_end(&mut self, passes: &Passes) -> bool {
        let now = passes.now().phase();
        let before = std::mem::replace(&mut self.0, now);
        #[cfg(test)]
        if is_planted(InjectedFault::NewerEntryRecorded) {
            return true;
        }
        before != now
    }

    fn is_older(self, code: Phase, passes: &Passes) -> bool {
        self.0 != code && code == passes.now().phase()
    }
}
