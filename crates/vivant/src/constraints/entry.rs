//! A synchronizer as an entry of a table: where the line of a cut runs through its changes (L10 of
//! `phase/README.md`).

use super::content::Content;
use super::declared::Declared;
use crate::actor::{
    EntryStamp, SavedArguments, Shared, SynchronizerContent, SynchronizerEntry, TableEntry, record,
};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::Phase;
use crate::sync::{Arc, lock};

impl Declared {
    /// Code of this phase is about to change it. An entry of before the line is recorded first.
    pub(super) fn changes(&self, content: &mut Content, code: Phase, system: &Arc<Shared>) {
        if content.stamp.is_newer_than(code, &system.passes) {
            // L8: a change of before the line comes after one of behind it, which may be the lift.
            system.passes.void();
            return;
        }
        if content.is_lifted {
            return;
        }
        #[cfg(test)]
        if is_planted(InjectedFault::StateRecordedLate) {
            return;
        }
        if content.stamp.is_recorded_by(code, &system.passes) {
            match content.state {
                Some(_) => self.record(content, system),
                // L8: a commit of before the line changes it now.
                None => system.passes.void(),
            }
        }
        content.stamp = EntryStamp::made_by(code);
    }

    /// An injected fault: the state is recorded after the change.
    #[cfg(test)]
    pub(super) fn changed(&self, content: &mut Content, code: Phase, system: &Arc<Shared>) {
        if is_planted(InjectedFault::StateRecordedLate) {
            if content.stamp.is_recorded_by(code, &system.passes) {
                self.record(content, system);
            }
            content.stamp = EntryStamp::made_by(code);
        }
    }

    /// The coordinator has found it: no code before the line is left.
    pub(super) fn record_older(&self, system: &Arc<Shared>) {
        let mut content = lock(&self.content);
        if !content.is_lifted && content.stamp.is_recorded_at_end(&system.passes) {
            self.record(&content, system);
        }
    }

    /// Runs user code, which encodes the state, under the lock of this synchronizer alone.
    fn record(&self, content: &Content, system: &Arc<Shared>) {
        let saved = self.saved.as_ref().zip(content.state.as_deref());
        let save = |out: &mut vivant_codec::Encoder<'_>| {
            if let Some((saved, state)) = saved {
                (saved.kind.save)(state, out);
            }
        };
        let entry = SynchronizerEntry {
            number: self.number,
            declared: self.place,
            members: &self.members,
            lasts: content.lasts,
            broken: content.broken.as_deref(),
            content: saved.map(|(saved, _)| SynchronizerContent {
                kind: ((saved.kind.type_id)(), saved.kind.name),
                state: SavedArguments {
                    shape: saved.kind.shape,
                    save: &save,
                },
                args: (
                    saved.kind.args_shape,
                    saved.args.as_ref().map(Vec::as_slice),
                ),
            }),
        };
        record(system, |cut| cut.entry(TableEntry::Synchronizer(entry)));
    }
}
