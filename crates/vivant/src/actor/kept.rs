//! The actors that a system keeps alive, and the line of a cut (L10).

use super::recorder::record;
use super::reference::AddressRef;
use super::shared::{KeptActor, Shared};
use super::table_entry::TableEntry;
use crate::sync::lock;

impl Shared {
    pub(crate) fn keep(&self, address: AddressRef) {
        let not_needed = self.change_table(|code| {
            let mut kept = lock(&self.kept);
            // Under the lock, so that `forget_kept` finds what was kept before it.
            if self.is_closing() {
                return Some(address);
            }
            let stamp = code.stamp();
            if let Some(kept) = kept.get_mut(&address.id) {
                if !self.is_older(kept.stamp, code) {
                    kept.stamp = stamp;
                }
                return Some(address);
            }
            kept.insert(address.id, KeptActor { address, stamp });
            None
        });
        drop(not_needed);
    }

    pub(crate) fn release(&self, id: u64) -> bool {
        let kept = self.change_table(|code| {
            let kept = lock(&self.kept).remove(&id)?;
            if self.is_older(kept.stamp, code) {
                record(self, |cut| cut.entry(TableEntry::Kept(&kept.address)));
            }
            Some(kept)
        });
        kept.is_some()
    }

    /// L10: records the kept actors that are older entries than the phase of the system.
    pub(crate) fn record_older_kept(&self) {
        let stamp = self.passes.now().phase().stamp();
        let mut kept = lock(&self.kept);
        for kept in kept.values_mut().filter(|kept| kept.stamp != stamp) {
            record(self, |cut| cut.entry(TableEntry::Kept(&kept.address)));
            kept.stamp = stamp;
        }
    }
}
