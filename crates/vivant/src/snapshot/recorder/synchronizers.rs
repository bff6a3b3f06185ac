//! Synchronizers that a cut records.

use super::super::ended::EndedRecord;
use super::super::message_record::Encoded;
use super::super::synchronizers::{RecordedSynchronizer, SynchronizerRecord};
use super::super::unsaved::Unsaved;
use super::ImageRecorder;
use crate::actor::{CellRef, SynchronizerEntry};
use crate::sync::lock;

impl ImageRecorder {
    /// Called under the lock of the synchronizer. One without a saved member that is alive in the
    /// cut is outside: it dispatches nothing any more.
    pub(super) fn synchronizer(&self, entry: &SynchronizerEntry<'_>) {
        let is_alive = |member: &CellRef| {
            let line = member.system.passes.now().phase();
            member.ended_in().is_none_or(|ended_in| ended_in >= line)
        };
        let mut members = entry.members.iter();
        let member = members.find(|member| self.scope.is_saved(member) && is_alive(member));
        let Some(member) = member else {
            return;
        };
        let declared = entry.declared;
        let Some(content) = &entry.content else {
            return self.lacks(
                member,
                format!(
                    "the synchronizer declared at {declared}, which is made of closures: declare it by \
                     `Synchronizer::saved`"
                ),
            );
        };
        let (type_id, name) = content.kind;
        let listed = self.kinds.synchronizer(name);
        if listed.is_none_or(|listed| listed.type_id != type_id) {
            let what = format!("the synchronizer `{name}` declared at {declared}");
            return self.is_not_listed(member, what);
        }
        let (shape, args) = content.args;
        let args = match args {
            Ok(args) => args.to_vec(),
            Err(error) => {
                let (actor, error) = (member.path(), error.clone());
                return self.fails(Unsaved::Value { actor, error });
            }
        };
        let (state, mut noted) =
            self.encoded_noting(member, content.state.shape, content.state.save);
        let line = member.system.passes.now().phase();
        for member in entry.members {
            if member.ended().is_some() || !self.scope.is_saved(member) {
                // Its arguments have its address.
                noted.ended.push(EndedRecord::of(member, line));
            }
        }
        let record = SynchronizerRecord {
            number: entry.number,
            kind: name.to_owned(),
            declared,
            lasts: entry.lasts,
            broken: entry.broken.map(str::to_owned),
            state,
            args: Encoded {
                shape: self.shape(shape),
                bytes: args,
            },
        };
        let recorded = RecordedSynchronizer { record, noted };
        lock(&self.recorded).memberships.add_synchronizer(recorded);
    }
}
