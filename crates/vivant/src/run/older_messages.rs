//! [`OlderMessages`]: the messages of an actor that a cut records (`phase/README.md`).

use crate::actor::{CellRef, CutRecorder, Envelope, WaitingPlace, WaitsAs, record_with, recorder};
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::message::MessageRole;
use crate::phase::Stamp;
use crate::sync::Arc;
use std::time::Duration;

/// Records the messages of one mailbox that were sent before the line, one after the other.
pub(super) struct OlderMessages<'a> {
    actor: &'a CellRef,
    /// Of the phase of the system.
    stamp: Stamp,
    /// From the first older message on.
    recording: Option<Recording>,
}

struct Recording {
    /// `None`: there is no cut, or it was given up.
    recorder: Option<Arc<CutRecorder>>,
    began_ns: u64,
    bytes: usize,
}

impl<'a> OlderMessages<'a> {
    pub(super) fn of(actor: &'a CellRef, stamp: Stamp) -> OlderMessages<'a> {
        OlderMessages {
            actor,
            stamp,
            recording: None,
        }
    }

    /// `waits_as` is called for an older message.
    pub(super) fn record(
        &mut self,
        place: WaitingPlace,
        message: &mut Envelope,
        waits_as: impl FnOnce(&Envelope) -> WaitsAs,
    ) {
        if message.stamp() == self.stamp {
            return;
        }
        let actor = self.actor;
        let recording = self.recording.get_or_insert_with(|| Recording {
            recorder: recorder(&actor.system),
            began_ns: actor.system.oracle.now_ns(),
            bytes: 0,
        });
        let recorder = recording.recorder.as_deref();
        let place = (place, waits_as(message));
        recording.bytes += record_older(recorder, actor, place, message);
        message.set_stamp(self.stamp);
    }

    /// All messages are recorded.
    pub(super) fn end(self) {
        if let Some(recording) = self.recording
            && let Some(recorder) = recording.recorder
        {
            let ended_ns = self.actor.system.oracle.now_ns();
            let took = Duration::from_nanos(ended_ns.saturating_sub(recording.began_ns));
            record_with(&recorder, &self.actor.system, |cut| {
                cut.took(self.actor, recording.bytes, took);
            });
        }
    }
}

/// L4: records a message that was sent before the line. It has another stamp from then on. Returns
/// the bytes of its content.
fn record_older(
    recorder: Option<&CutRecorder>,
    actor: &CellRef,
    (place, waits_as): (WaitingPlace, WaitsAs),
    message: &Envelope,
) -> usize {
    #[cfg(test)]
    if is_planted(match place {
        WaitingPlace::Deferred => InjectedFault::DeferredUnrecorded,
        WaitingPlace::Queue => InjectedFault::QueueUnrecorded,
        WaitingPlace::Inbox => InjectedFault::InboxUnrecorded,
    }) {
        return 0;
    }
    match recorder {
        // A ticket stands for a message that is recorded itself.
        Some(recorder) if message.kind().role != MessageRole::Ticket => {
            record_with(recorder, &actor.system, |cut| {
                cut.waits(actor, place, waits_as, message)
            })
        }
        _ => 0,
    }
}
