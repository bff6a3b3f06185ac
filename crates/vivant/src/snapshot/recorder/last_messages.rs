//! The last messages of actors that an image lacks, and all messages that were collected, as
//! records.

use super::{Record, Recorded};
use crate::actor::{WaitingPlace, WaitsAs};

impl Recorded {
    /// Behind the news of a child that wait, or the child itself on its way: its supervisor hears
    /// that it is gone. Behind the items of a stream that wait: its reader hears that it is lost.
    pub(super) fn add_last_messages(&mut self) {
        self.ids.sort_unstable();
        let gone = std::mem::take(&mut self.gone).into_values();
        let gone = gone.map(|news| (WaitingPlace::Inbox, news));
        let streams = std::mem::take(&mut self.streams).into_values();
        for (place, last) in gone.chain(streams) {
            if self.ids.binary_search(&last.actor).is_err() {
                continue;
            }
            self.census.messages += 1;
            let message = (last.message.kind, WaitsAs::Message, &last.message.bytes[..]);
            let records = &mut self.records;
            let full = |messages| records.push(Record::Waiting(messages));
            self.mailboxes.add((last.actor, place), message, full);
        }
    }

    /// The messages that are collected become records.
    pub(super) fn collect_messages(&mut self) {
        let records = &mut self.records;
        let each = |messages| records.push(Record::Waiting(messages));
        self.mailboxes.take_records(each);
    }
}
