//! Observability: spans and events (feature `tracing`), metrics (feature `metrics`).
//!
//! The runtime calls this module at a handful of places. With neither feature its types are empty
//! and its functions do nothing. Names, fields, labels and units are listed in `docs/observing.md`.
//!
//! - [`spans`]: one root span for each turn, linked to the span in which its message was sent;
//!   events.
//! - [`meters`]: counters and histograms, by types and behaviours.

#[cfg(feature = "metrics")]
mod meters;
#[cfg(feature = "tracing")]
mod spans;

#[cfg(feature = "metrics")]
pub(crate) use meters::{SystemMeters, WorkerMeters};
#[cfg(feature = "tracing")]
pub(crate) use spans::Origin;

use crate::actor::Cause;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::actor::Head;
use crate::actor::{Header, Kind, Report, StopReason, Worker};
use crate::statistics::PauseKind;
use std::panic::Location;

/// The sender's span. Part of a message's head.
#[cfg(not(feature = "tracing"))]
pub(crate) struct Origin;

#[cfg(not(feature = "tracing"))]
impl Origin {
    pub(crate) const fn none() -> Origin {
        Origin
    }

    #[inline(always)]
    #[allow(clippy::unused_self, reason = "the twin with spans has a use for it")]
    pub(crate) fn is_here(&mut self) {}
}

/// The instruments of a turn: its span, its timing.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[must_use]
pub(crate) struct Watch {
    #[cfg(feature = "metrics")]
    timed: Option<meters::Timed>,
}

/// A turn is about to begin: counts it. `None`: it is not observed further.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
pub(crate) fn turn(kind: &'static Kind, worker: &Worker) -> Option<Watch> {
    let mut is_seen = false;
    #[cfg(feature = "metrics")]
    let timed = meters::turn(kind, worker);
    #[cfg(feature = "metrics")]
    {
        is_seen |= timed.is_some();
    }
    #[cfg(feature = "tracing")]
    {
        is_seen |= spans::are_wanted();
    }
    let _unused = (kind, worker);
    is_seen.then_some(Watch {
        #[cfg(feature = "metrics")]
        timed,
    })
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl Watch {
    /// Runs the turn. Its instruments are made in place, because copying a span costs more than
    /// making one.
    #[inline]
    pub(crate) fn over<R>(self, head: Head, worker: &Worker, turn: impl FnOnce() -> R) -> R {
        #[cfg(feature = "metrics")]
        let sent_ms = head.sent_ms;
        #[cfg(feature = "tracing")]
        let span = spans::turn(head, worker);
        #[cfg(feature = "tracing")]
        let _entered = span.enter();
        // Within the span, so that its time is the turn's alone.
        #[cfg(feature = "metrics")]
        let _timing = self.timed.map(|timed| timed.begins(sent_ms, worker));
        let _unused = worker;
        turn()
    }
}

/// Calls subscribers and recorders. They are user code: a panic of theirs has no effect here.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn tell(what: impl FnOnce()) {
    if std::thread::panicking() {
        // While a panic unwinds, a catch would lose its place.
        return what();
    }
    let _told = crate::actor::catch(what);
}

/// A worker has nothing more to run: passes its counts to the recorder.
#[inline]
pub(crate) fn rests(worker: &Worker) {
    #[cfg(feature = "metrics")]
    worker.meters.tell();
    let _unused = worker;
}

/// An actor's heap has kept it from running.
#[inline]
pub(crate) fn paused(worker: &Worker, kind: PauseKind, ns: u64) {
    #[cfg(feature = "metrics")]
    tell(|| worker.with_me(|actor| meters::paused(actor, kind, ns)));
    let _unused = (worker, kind, ns);
}

/// An actor was made.
#[inline]
pub(crate) fn spawned(actor: &Header) {
    #[cfg(feature = "tracing")]
    tell(|| spans::spawned(actor));
    #[cfg(feature = "metrics")]
    tell(|| meters::spawned(actor));
    let _unused = actor;
}

/// A supervised actor is restarted.
#[inline]
pub(crate) fn restarted(actor: &Header) {
    #[cfg(feature = "tracing")]
    tell(|| spans::restarted(actor));
    #[cfg(feature = "metrics")]
    tell(|| meters::restarted(actor));
    let _unused = actor;
}

/// An actor has ended.
#[inline]
pub(crate) fn ended(actor: &Header, reason: &StopReason) {
    #[cfg(feature = "tracing")]
    tell(|| spans::ended(actor, reason));
    #[cfg(feature = "metrics")]
    tell(|| meters::ended(actor, reason));
    let _unused = (actor, reason);
}

/// A message was not processed.
#[inline]
pub(crate) fn dead_letter(
    actor: &Header,
    kind: &'static Kind,
    place: &'static Location<'static>,
    cause: Cause,
) {
    #[cfg(feature = "tracing")]
    tell(|| spans::dead_letter(actor, kind, place, cause));
    #[cfg(feature = "metrics")]
    tell(|| meters::dead_letter(actor, kind, cause));
    let _unused = (actor, kind, place, cause);
}

/// The runtime has made a report.
#[inline]
pub(crate) fn report(report: &Report) {
    #[cfg(feature = "tracing")]
    tell(|| spans::report(report));
    #[cfg(feature = "metrics")]
    tell(|| meters::report(report));
    let _unused = report;
}
