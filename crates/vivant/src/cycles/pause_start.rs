//! [`PauseStart`]: measures for how long a group mark keeps an actor from running.

use crate::actor::Shared;
use crate::candidates::ActorKey;
use crate::observe;
use vivant_heap::PauseKind;

/// When a group mark began to keep an actor from running.
pub(super) struct PauseStart(u64);

impl PauseStart {
    pub(super) fn now(system: &Shared) -> PauseStart {
        let clock = system.config.pause_clock;
        PauseStart(clock.read(&system.oracle, system.oracle.now_ns()))
    }

    /// Publishes the pause. The caller holds the actor.
    pub(super) fn end(self, system: &Shared, key: ActorKey) {
        let PauseStart(now) = PauseStart::now(system);
        let (kind, ns) = (PauseKind::GroupMark, now - self.0);
        let Some(cell) = system.actor(key.id, key.place) else {
            return;
        };
        if let Some(counts) = cell.heap_counts() {
            counts.record_pause(kind, ns);
            system.pauses.add(kind, ns);
            observe::paused(|| cell.class.name, &system.meters, kind, ns);
        }
    }
}
