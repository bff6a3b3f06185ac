//! The shared table, which has one entry.

use super::Model;
use super::actor::Message;
use super::defect::Defect;
use crate::phase::history::{Kind, Taken};

impl Model {
    /// L10: replaces the entry by another one.
    pub(in crate::phase) fn write_entry(&mut self, actor: usize) {
        let made = self.event(actor);
        let phase = self.pass_of(actor).phase();
        let news = self.learns(Kind::Entry, made);
        let stamp = phase.stamp();
        let Some(before) = self.entry.replace(Message { news, stamp }) else {
            return;
        };
        match before.stamp == stamp {
            true => {}
            false if phase != self.pass.phase() => self.is_void = true,
            false if self.has(Defect::EntryTakenUnrecorded) => {}
            false => self.entries.push(before.news),
        }
    }

    /// L10: the mailbox pass is over.
    pub(in crate::phase) fn record_table(&mut self) {
        let stamp = self.pass.phase().stamp();
        let records_newer = self.has(Defect::NewerEntryRecorded);
        if let Some(entry) = &mut self.entry
            && (entry.stamp != stamp || records_newer)
        {
            entry.stamp = stamp;
            self.entries.push(entry.news);
        }
    }

    /// L8.
    pub(in crate::phase) fn read_entry(&mut self, actor: usize) {
        let Some(entry) = self.entry else { return };
        let seen = self.learns(Kind::Entry, self.news[entry.news].made);
        self.news[seen].taken = Taken::At(self.event(actor));
        let is_older = self.pass_of(actor).phase() != self.pass.phase();
        self.is_void |= is_older && !self.has(Defect::NameSeenAcrossLine);
    }
}
