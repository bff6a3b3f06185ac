//! Death watches in an image, and what they send.

use super::alarms::Repeats;
use super::message_record::MessageRecord;
use super::not_restored::NotRestored;
use super::values::Values;
use crate::actor::{AddressRef, DelayedMessage, Delivery, RestoredNotice};
use crate::saving::saved_struct;
use vivant_heap::WatchRecord;

/// A death watch of a heap.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DeathWatchRecord {
    pub(super) watch: WatchRecord,
    /// `None`: nothing, or a message to an actor that the image lacks.
    pub(super) notice: Option<NoticeRecord>,
}

/// What is sent when an object is found dead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoticeRecord {
    /// Whether it keeps the receiver alive. It is sent once.
    pub(super) repeats: Repeats,
    pub(super) message: MessageRecord,
}

/// The notices of an actor, to be sent to the actors that `find` returns.
pub(super) fn restored_notices<'i>(
    records: &'i [DeathWatchRecord],
    values: &Values<'i>,
    find: impl Fn(u64) -> Option<AddressRef>,
) -> Result<Vec<RestoredNotice>, NotRestored> {
    let mut notices = Vec::new();
    for DeathWatchRecord { watch, notice } in records {
        let Some(notice) = notice else { continue };
        let id = notice.message.actor;
        let to = find(id).ok_or(NotRestored::NoActor(id))?;
        let envelope = values.message(&to, &notice.message.message)?;
        notices.push(RestoredNotice {
            token: watch.token,
            watch: watch.number,
            message: match notice.repeats {
                Repeats::OnceIfReferenced => DelayedMessage::Weak(to.cell(), envelope),
                _ => DelayedMessage::Strong(Delivery { to, envelope }),
            },
        });
    }
    Ok(notices)
}

saved_struct!(DeathWatchRecord as "vivant::DeathWatchRecord" {
    0 watch: WatchRecord,
    1 notice: Option<NoticeRecord>,
});

saved_struct!(NoticeRecord as "vivant::NoticeRecord" {
    0 repeats: Repeats,
    1 message: MessageRecord,
});
