//! The open promises of an actor, as data, from their list alone.

use super::sink_data::{SinkData, SinkKind};
use super::slot::final_sink;
use crate::actor::StateRef;

/// An open promise as data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SlotData {
    pub(crate) number: u64,
    /// What is done with the value. `None` as long as that is not final: the promise was carried
    /// out of its turn.
    pub(crate) sink: Option<SinkData>,
}

#[cfg_attr(
    not(test),
    allow(dead_code, reason = "snapshots will read it; tests do")
)]
impl SlotData {
    /// Returns false if the promise was dropped.
    pub(crate) fn is_wanted(&self) -> bool {
        !matches!(&self.sink, Some(sink) if sink.kind == SinkKind::Discard)
    }
}

/// Returns the open promises of an actor, the newest first: none if it has ended. The caller holds
/// the actor, between two turns.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "snapshots will read it; tests do")
)]
pub(crate) fn open_slots(owner: &StateRef<'_>) -> Vec<SlotData> {
    let mut slots = Vec::new();
    if owner.has_ended() {
        return slots;
    }
    let each = |number, link| {
        // SAFETY: the walk comes to listed slots that are not abandoned. `owner` is the right of
        // the holder, and the actor has not ended (Q8).
        let sink = unsafe { final_sink(link) };
        let sink = sink.map(|sink| sink.link().data());
        slots.push(SlotData { number, sink });
    };
    // SAFETY: `owner` is the right of the holder (Q7), which closes no slot meanwhile.
    unsafe { owner.slots().each(each) };
    slots
}
