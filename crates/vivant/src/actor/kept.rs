//! The actors that a system keeps alive, and the line of a cut (L10).

use super::entry_stamp::EntryStamp;
use super::recorder::record;
use super::reference::AddressRef;
use super::shared::{KeptActor, Shared};
use super::table_entry::TableEntry;
use crate::sync::lock;

impl Shared {
    pub(crate) fn keep(&self, address: AddressRef) {
        let mut kept = lock(&self.kept);
        let not_needed = self.change_table(|code| {
            // Under the lock, so that `forget_kept` finds what was kept before it.
            if self.is_closing() {
                return Some(address);
            }
            if let Some(kept) = kept.get_mut(&address.id) {
                kept.stamp.made_again_by(code, &self.passes);
                return Some(address);
            }
            let stamp = EntryStamp::made_by(code);
            kept.insert(address.id, KeptActor { address, stamp });
            None
        });
        drop(kept);
        drop(not_needed);
    }

    pub(crate) fn release(&self, id: u64) -> bool {
        let mut all = lock(&self.kept);
        let kept = self.change_table(|code| {
            let kept = all.remove(&id)?;
            if kept.stamp.is_recorded_by(code, &self.passes) {
                record(self, |cut| cut.entry(TableEntry::Kept(&kept.address)));
            }
            Some(kept)
        });
        drop(all);
        kept.is_some()
    }

    /// L10: records the kept actors that are older entries than the phase of the system.
    pub(crate) fn record_older_kept(&self) {
        for kept in lock(&self.kept).values_mut() {
            if kept.stamp.is_recorded_at_end(&self.passes) {
                record(self, |cut| cut.entry(TableEntry::Kept(&kept.address)));
            }
        }
    }
}
