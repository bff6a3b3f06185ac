//! Where the line of a cut begins: beside running turns, or in a pause of turns (L11).

use super::error::{SnapshotError, WaitedFor};
use super::pause::Pauses;
use crate::actor::Shared;
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

    /// Waits until the line may begin. It begins before the value that this returns is dropped.
    pub(super) fn wait<'s>(
        self,
        system: &'s Arc<Shared>,
        pauses: &mut Pauses<'_>,
    ) -> Result<LineBegins<'s>, SnapshotError> {
        match self {
            Line::BesideTurns => Ok(LineBegins::BesideTurns),
            Line::InPause => pause_turns(system, pauses),
        }
    }
}

/// The moment in which a line begins.
pub(super) enum LineBegins<'s> {
    BesideTurns,
    InPause {
        pause: TurnPause<'s>,
        system: &'s Arc<Shared>,
        since_ns: u64,
        /// For how long no turn began in the tries before.
        before: Duration,
    },
}

impl LineBegins<'_> {
    /// The line has begun: turns begin again. Returns for how long none did.
    pub(super) fn end(self) -> Duration {
        match self {
            LineBegins::BesideTurns => Duration::ZERO,
            LineBegins::InPause {
                pause,
                system,
                since_ns,
                before,
            } => {
                drop(pause);
                before + since(system, since_ns)
            }
        }
    }
}

/// Waits until no turn runs.
fn pause_turns<'s>(
    system: &'s Arc<Shared>,
    pauses: &mut Pauses<'_>,
) -> Result<LineBegins<'s>, SnapshotError> {
    let (mut before, mut limit) = (Duration::ZERO, FIRST_TRY);
    loop {
        let since_ns = system.oracle.now_ns();
        if let Some(pause) = try_pause(system, limit, pauses)? {
            return Ok(LineBegins::InPause {
                pause,
                system,
                since_ns,
                before,
            });
        }
        before += since(system, since_ns);
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
