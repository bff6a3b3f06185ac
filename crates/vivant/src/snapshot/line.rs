//! Where the line of a cut begins: beside running turns, or in a pause of turns (L11).

use super::error::{SnapshotError, WaitedFor};
use super::pause::Pauses;
use crate::actor::{Recorder, Shared};
use crate::cut::Coordinator;
#[cfg(test)]
use crate::injected_fault::{InjectedFault, is_planted};
use crate::phase::TurnPause;
use crate::services::ns;
use crate::sync::Arc;
use std::time::Duration;

/// Limit of the void cuts of a snapshot (L8). The line of the next one begins in a pause.
const VOID_MAX: u32 = 3;

/// For so long turns wait for the first pause. Then they go on for as long, because one of them may
/// wait for another, and each further try is twice as long.
const FIRST_TRY: Duration = Duration::from_millis(100);

/// Where the line of a cut begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// While turns run. One of them may make the cut void.
    BesideTurns,
    /// While no turn runs.
    InPause,
}

impl Line {
    /// Of a cut after this number of void ones.
    pub(super) fn after(void: u32) -> Line {
        match void < VOID_MAX {
            true => Line::BesideTurns,
            false => Line::InPause,
        }
    }

    /// Begins a cut. Returns for how long no turn began.
    pub(super) fn begin(
        self,
        system: &Arc<Shared>,
        coordinator: &mut Coordinator,
        recorder: Arc<dyn Recorder>,
        pauses: &mut Pauses<'_>,
    ) -> Result<Duration, SnapshotError> {
        match self {
            Line::BesideTurns => {
                coordinator.begin(system, recorder);
                Ok(Duration::ZERO)
            }
            Line::InPause => {
                let (pause, mut paused) = pause_turns(system, pauses)?;
                let began_ns = system.oracle.now_ns();
                coordinator.begin(system, recorder);
                drop(pause);
                paused += since(system, began_ns);
                Ok(paused)
            }
        }
    }
}

/// Waits until no turn runs. Also returns for how long turns have waited, all tries together.
fn pause_turns<'s>(
    system: &'s Arc<Shared>,
    pauses: &mut Pauses<'_>,
) -> Result<(TurnPause<'s>, Duration), SnapshotError> {
    let (mut paused, mut limit) = (Duration::ZERO, FIRST_TRY);
    loop {
        let began_ns = system.oracle.now_ns();
        if let Some(pause) = try_pause(system, limit, pauses)? {
            return Ok((pause, paused + since(system, began_ns)));
        }
        paused += since(system, began_ns);
        let goes_on_ns = system.oracle.now_ns().saturating_add(ns(limit));
        while system.oracle.now_ns() < goes_on_ns {
            pauses.pause()?;
        }
        limit *= 2;
    }
}

/// Waits until no turn runs, for this time at most. An error ends the pause at once, too.
fn try_pause<'s>(
    system: &'s Arc<Shared>,
    limit: Duration,
    pauses: &mut Pauses<'_>,
) -> Result<Option<TurnPause<'s>>, SnapshotError> {
    let until_ns = system.oracle.now_ns().saturating_add(ns(limit));
    let mut pause = system.passes.pause();
    pauses.waits_for(WaitedFor::Pause);
    #[cfg(test)]
    if is_planted(InjectedFault::LineInTurn) {
        return Ok(Some(pause));
    }
    while !pause.is_reached() {
        if system.oracle.now_ns() >= until_ns {
            return Ok(None);
        }
        pauses.pause()?;
    }
    Ok(Some(pause))
}

fn since(system: &Shared, began_ns: u64) -> Duration {
    Duration::from_nanos(system.oracle.now_ns().saturating_sub(began_ns))
}
