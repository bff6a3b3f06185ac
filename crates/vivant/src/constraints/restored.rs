//! Synchronizers of an image are declared again; what a cut asks of the table.

use super::content::Content;
use super::declared::{Declaration, Declared};
use super::offer::Hopeless;
use super::{Constrain, Constraints, MEMBERS};
use crate::actor::{AddressRef, Envelope, Lasts, Pattern, Shared, WaitsAs};
use crate::failures::catch;
use crate::phase::Phase;
use crate::services::ExitAction;
use crate::sync::{Arc, lock};
use std::ops::Bound;

/// A synchronizer of an image.
pub(crate) struct RestoredSynchronizer<'a> {
    pub(crate) number: u64,
    pub(crate) lasts: Lasts,
    /// Why it dispatches nothing any more.
    pub(crate) broken: Option<&'a str>,
    pub(crate) declaration: Declaration,
}

/// The patterns of members, by their ids.
pub(crate) type MemberPatterns = Vec<(u64, Vec<Pattern>)>;

/// Whether the message brings its actor patterns. No image has it: a member of a restored
/// synchronizer has its patterns from the beginning.
pub(crate) fn brings_patterns(message: &Envelope) -> bool {
    message.kind().is_of::<Constrain>()
}

impl Constraints {
    /// The number that the next synchronizer gets.
    pub(crate) fn next_number(&self) -> u64 {
        lock(&self.0).table.next_number()
    }

    /// The next synchronizer gets this number.
    pub(crate) fn set_next_number(&self, number: u64) {
        lock(&self.0).table.set_next_number(number);
    }

    /// No new offer gets one of the ranks up to this one.
    pub(crate) fn ranks_behind(&self, rank: u64) {
        lock(&self.0).table.ranks_behind(rank);
    }

    /// What the deferred message with this number waits as, in the cut with this line.
    pub(crate) fn waits_as(&self, actor: u64, message: u64, line: Phase) -> WaitsAs {
        lock(&self.0).table.waits_as(actor, message, line)
    }

    /// L10: records the synchronizer that follows the one with this number, if it is older than the
    /// phase of the system. Returns its number; `None` if none follows.
    pub(crate) fn record_older(&self, behind: Option<u64>, system: &Arc<Shared>) -> Option<u64> {
        let declared = {
            let inner = lock(&self.0);
            let from = behind.map_or(Bound::Unbounded, Bound::Excluded);
            let (_, declared) = inner.declared.range((from, Bound::Unbounded)).next()?;
            declared.clone()
        };
        // Outside of the lock: it runs code of users.
        declared.record_older(system);
        Some(declared.number)
    }

    /// Enters a synchronizer of an image into the table of a system in which no actor runs yet.
    /// Returns the patterns that its members are to have.
    ///
    /// # Errors
    ///
    /// The message of a condition that panicked.
    pub(crate) fn restore(
        &self,
        system: &Arc<Shared>,
        restored: RestoredSynchronizer<'_>,
    ) -> Result<MemberPatterns, String> {
        let RestoredSynchronizer {
            number,
            lasts,
            broken,
            declaration,
        } = restored;
        let Declaration {
            members,
            sets,
            conditions,
            state,
            place,
            saved,
        } = declaration;
        let mut content = Content::new(state, system.passes.now().phase());
        content.lasts = lasts;
        content.broken = broken.map(Hopeless::from);
        let cells = members.values().map(|(to, _)| to.cell()).collect();
        let declared = Declared::new(number, cells, conditions, (place, saved), content);
        let gates = catch(|| declared.gates()).map_err(|caught| caught.message)?;
        let ids = members.keys().copied().collect();
        self.change(|inner| {
            inner.table.declare(number, sets, gates, ids);
            inner.declared.insert(number, Arc::new(declared));
            if let Some(why) = broken {
                inner.table.break_down(number, why.into());
            }
        });
        members.values().for_each(|(to, _)| self.enter_member(to));
        let patterns = members.into_iter().map(|(id, (_, mut patterns))| {
            for pattern in &mut patterns {
                pattern.synchronizer = number;
            }
            (id, patterns)
        });
        Ok(patterns.collect())
    }

    /// The actor is a member, until it ends. It may have ended.
    fn enter_member(&self, to: &AddressRef) {
        let cell = to.cell();
        let is_new = self.change(|inner| inner.cells.insert(cell.id, cell.clone()).is_none());
        let hook = || ExitAction::Forget(&MEMBERS, Box::default());
        if (is_new && cell.system.when_ended(&cell, hook()).is_none()) || to.ended().is_some() {
            self.member_ended(cell.id);
        }
    }
}
