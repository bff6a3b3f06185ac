//! Actors of which the stop hook waits for its promise.

use super::held::Held;
use super::not_restored::NotRestored;
use crate::actor::{AfterStop, StopWait, WaitPurpose};
use crate::failures::StopReason;
use crate::saving::saved_struct;
use std::collections::BTreeMap;

/// An actor of which the stop hook waits.
#[derive(Debug, PartialEq)]
pub(super) struct StoppingRecord {
    pub(super) actor: u64,
    /// Why it stops.
    pub(super) reason: StopReason,
    pub(super) then: AfterStop,
}

/// These actors stop, and no other one waits for the promise of a stop hook. The promises are
/// loaded, and the supervised actors are up or down.
pub(super) fn restore_stopping(
    records: &[StoppingRecord],
    has_supervisor: impl Fn(u64) -> bool,
    held: &mut Held,
) -> Result<(), NotRestored> {
    let records: BTreeMap<u64, &StoppingRecord> = records
        .iter()
        .map(|record| (record.actor, record))
        .collect();
    for id in records.keys() {
        // It is in the image.
        held.actor(*id)?;
    }
    for (id, idle) in held.each() {
        let record = records.get(&id);
        let goes_down = record.is_some_and(|it| it.then == AfterStop::GoesDown);
        let is_up = idle.is_up() || record.is_none();
        let waits = idle.is_waiting_for(WaitPurpose::Stop);
        if waits != record.is_some() || !is_up || (goes_down && !has_supervisor(id)) {
            return Err(NotRestored::StopHook { actor: idle.path() });
        }
        if let Some(StoppingRecord { reason, then, .. }) = record {
            let (reason, then) = (reason.clone(), *then);
            idle.is_stopping(StopWait { reason, then });
        }
    }
    Ok(())
}

saved_struct!(StoppingRecord as "vivant::StoppingRecord" {
    0 actor: u64,
    1 reason: StopReason,
    2 then: AfterStop,
});
