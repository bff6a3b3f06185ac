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
mod observed_actor;
#[cfg(feature = "tracing")]
mod spans;

#[cfg(feature = "metrics")]
pub(crate) use meters::{SystemMeters, WorkerMeters};
#[cfg(feature = "tracing")]
pub(crate) use spans::Origin;

pub(crate) use observed_actor::ObservedActor;

use crate::failures::{Cause, Report, StopReason};
use crate::interned::Place;
#[cfg(any(feature = "tracing", feature = "metrics"))]
use crate::oracle::Oracle;
use crate::statistics::PauseKind;

/// The handles of one system.
#[cfg(not(feature = "metrics"))]
pub(crate) struct SystemMeters;

#[cfg(not(feature = "metrics"))]
impl SystemMeters {
    pub(crate) fn new() -> SystemMeters {
        SystemMeters
    }
}

/// The counts of one worker.
#[cfg(not(feature = "metrics"))]
#[derive(Default)]
pub(crate) struct WorkerMeters {}

/// The sender's span. Part of a message's head.
#[cfg(not(feature = "tracing"))]
pub(crate) struct Origin;

#[cfg(not(feature = "tracing"))]
impl Origin {
    pub(crate) const fn none() -> Origin {
        Origin
    }

    #[inline(always)]
    #[allow(clippy::unused_self, reason = "the version with spans uses it")]
    pub(crate) fn record_current_span(&mut self, _: impl FnOnce(&mut dyn FnMut())) {}
}

/// The instruments of a turn: its span, its timing.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[must_use]
pub(crate) struct TurnMeasurement {
    #[cfg(feature = "metrics")]
    timed: Option<meters::TurnToTime>,
}

/// A turn of a `behaviour` is about to begin: counts it. `None`: it is not observed further.
#[cfg(any(feature = "tracing", feature = "metrics"))]
#[inline]
pub(crate) fn turn(
    type_name: impl FnOnce() -> &'static str,
    behaviour: &'static str,
    meters: (&WorkerMeters, &SystemMeters),
    oracle: &Oracle,
) -> Option<TurnMeasurement> {
    let mut is_observed = false;
    #[cfg(feature = "metrics")]
    let timed = meters::turn(type_name(), behaviour, meters, oracle);
    #[cfg(feature = "metrics")]
    {
        is_observed |= timed.is_some();
    }
    #[cfg(feature = "tracing")]
    {
        is_observed |= spans::is_enabled();
    }
    #[cfg(not(feature = "metrics"))]
    let _unused = (type_name, behaviour, meters, oracle);
    is_observed.then_some(TurnMeasurement {
        #[cfg(feature = "metrics")]
        timed,
    })
}

/// The data of a message's head that its turn is observed with.
#[cfg(any(feature = "tracing", feature = "metrics"))]
pub(crate) struct TurnCause {
    pub(crate) behaviour: &'static str,
    pub(crate) place: Place,
    pub(crate) sent_ms: u32,
    pub(crate) origin: Origin,
}

#[cfg(any(feature = "tracing", feature = "metrics"))]
impl TurnMeasurement {
    /// Runs the turn. Its instruments are made in place, because copying a span costs more than
    /// making one.
    #[inline]
    pub(crate) fn run<R>(
        self,
        cause: TurnCause,
        path: impl Fn() -> String,
        oracle: &Oracle,
        turn: impl FnOnce() -> R,
    ) -> R {
        let sent_ms = cause.sent_ms;
        #[cfg(feature = "tracing")]
        let span = spans::turn(cause.behaviour, cause.place, cause.origin, path);
        #[cfg(feature = "tracing")]
        let _entered = span.enter();
        // Within the span, so that its time is the turn's alone.
        #[cfg(feature = "metrics")]
        let _timing = self.timed.map(|timed| timed.start(sent_ms, oracle));
        #[cfg(not(feature = "tracing"))]
        let _unused = (cause.behaviour, cause.place, cause.origin, path);
        let _unused = (sent_ms, oracle);
        turn()
    }
}

/// Calls subscribers and recorders. They are user code: a panic of theirs has no effect here.
#[cfg(any(feature = "tracing", feature = "metrics"))]
fn call_recorder(what: impl FnOnce()) {
    if std::thread::panicking() {
        // While a panic unwinds, a catch would lose its place.
        return what();
    }
    let _panic = crate::failures::catch(what);
}

/// A worker has nothing more to run: passes its counts to the recorder.
#[inline]
pub(crate) fn flush(meters: &WorkerMeters) {
    #[cfg(feature = "metrics")]
    meters.flush();
    let _unused = meters;
}

/// An actor's heap has kept it from running.
#[inline]
pub(crate) fn paused(
    type_name: impl Fn() -> &'static str,
    meters: &SystemMeters,
    kind: PauseKind,
    ns: u64,
) {
    #[cfg(feature = "metrics")]
    call_recorder(|| meters.paused(type_name(), kind, ns));
    let _unused = (type_name, meters, kind, ns);
}

/// An actor was made.
#[inline]
pub(crate) fn spawned(actor: &ObservedActor<impl Fn() -> String>, meters: &SystemMeters) {
    #[cfg(feature = "tracing")]
    call_recorder(|| spans::spawned(actor));
    #[cfg(feature = "metrics")]
    call_recorder(|| meters.spawned(actor.type_name));
    let _unused = (actor.type_name, meters);
}

/// A supervised actor is restarted.
#[inline]
pub(crate) fn restarted(actor: &ObservedActor<impl Fn() -> String>) {
    #[cfg(feature = "tracing")]
    call_recorder(|| spans::restarted(actor));
    #[cfg(feature = "metrics")]
    call_recorder(|| meters::restarted(actor.type_name));
    let _unused = actor.type_name;
}

/// An actor has ended.
#[inline]
pub(crate) fn ended(
    actor: &ObservedActor<impl Fn() -> String>,
    reason: &StopReason,
    meters: &SystemMeters,
) {
    #[cfg(feature = "tracing")]
    call_recorder(|| spans::ended(actor, reason));
    #[cfg(feature = "metrics")]
    call_recorder(|| meters.ended(actor.type_name, reason.name()));
    let _unused = (actor, reason, meters);
}

/// A message was not processed.
#[inline]
pub(crate) fn dead_letter(
    actor: &ObservedActor<impl Fn() -> String>,
    behaviour: &'static str,
    place: Place,
    cause: Cause,
) {
    #[cfg(feature = "tracing")]
    call_recorder(|| spans::dead_letter(actor, behaviour, place, cause));
    #[cfg(feature = "metrics")]
    call_recorder(|| meters::dead_letter(actor.type_name, behaviour, cause));
    let _unused = (actor, behaviour, place, cause);
}

/// The runtime has made a report.
#[inline]
pub(crate) fn report(report: &Report) {
    #[cfg(feature = "tracing")]
    call_recorder(|| spans::report(report));
    #[cfg(feature = "metrics")]
    call_recorder(|| meters::report(report));
    let _unused = report;
}
