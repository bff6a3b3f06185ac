//! Spans and events, for the `tracing` crate.
//!
//! Every turn has a root span of its own, so that no trace grows without bound. The cause of a turn
//! is a link: the head of a message holds the span in which it was sent, and the turn follows from
//! that.
//!
//! The span is held and not its number, because a link to a closed span leads nowhere: in a
//! registry its data is gone. As a rule a sender's turn has ended before the receiver's begins, so
//! numbers alone would link to nothing. The price: a span closes only after the messages that were
//! sent in it have begun.

use super::observed_actor::ObservedActor;
use crate::failures::{Cause, Report, StopReason};
use crate::interned::Place;
use std::cell::Cell;
use std::fmt;
use tracing::dispatcher::{Dispatch, get_default};
use tracing::level_filters::LevelFilter;
use tracing::span::Id;
use tracing::{Level, Span, debug, debug_span, warn};

/// The span in which a message was sent. Boxed: without a subscriber it costs the message one word,
/// and nothing is allocated.
pub(crate) struct Origin(Option<Box<Option<SenderSpan>>>);

/// The span in which a message was sent, held open. Like a [`Span`], but made in place: copying a
/// span that was made just now costs more than making it.
struct SenderSpan {
    id: Id,
    subscriber: Dispatch,
}

impl SenderSpan {
    /// Puts the current span into `place`, if there is one.
    #[inline]
    fn record(place: &mut Option<SenderSpan>) {
        get_default(|subscriber| {
            *place = subscriber.current_span().id().map(|id| SenderSpan {
                id: subscriber.clone_span(id),
                subscriber: subscriber.clone(),
            });
        });
    }
}

impl Drop for SenderSpan {
    fn drop(&mut self) {
        let _closed = self.subscriber.try_close(self.id.clone());
    }
}

thread_local! {
    /// The box that a turn on this thread has emptied last: the next send fills it again.
    static SPARE_BOX: Cell<Option<Box<Option<SenderSpan>>>> = const { Cell::new(None) };
}

impl Origin {
    pub(crate) const fn none() -> Origin {
        Origin(None)
    }

    /// Records the current span as the sender's, unless the message already has one. `run` runs the
    /// code of the subscriber, and lets no panic of it through: a message that is dropped half sent
    /// may be the value of a promise, of which another thread reads what is wanted (Q8).
    #[inline]
    pub(crate) fn record_current_span(&mut self, run: impl FnOnce(&mut dyn FnMut())) {
        if is_enabled() && self.0.is_none() {
            self.record(run);
        }
    }

    #[cold]
    fn record(&mut self, run: impl FnOnce(&mut dyn FnMut())) {
        let emptied = SPARE_BOX.try_with(Cell::take).ok().flatten();
        let mut place = emptied.unwrap_or_default();
        run(&mut || SenderSpan::record(&mut place));
        if place.is_some() {
            self.0 = Some(place);
        } else {
            recycle(place);
        }
    }

    /// Links the span to the turn that the message has caused.
    fn link_to(self, turn: &Span) {
        let Some(mut place) = self.0 else {
            return;
        };
        if let Some(sent_in) = place.take() {
            turn.follows_from(&sent_in.id);
        }
        recycle(place);
    }
}

/// Keeps an empty box for the next message.
fn recycle(place: Box<Option<SenderSpan>>) {
    let _kept = SPARE_BOX.try_with(|emptied| emptied.set(Some(place)));
}

/// A path, made only when it is formatted.
struct Path<P>(P);

impl<P: Fn() -> String> fmt::Display for Path<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&(self.0)())
    }
}

/// Whether a subscriber may be interested in spans of turns: one load.
#[inline]
pub(super) fn is_enabled() -> bool {
    Level::DEBUG <= LevelFilter::current()
}

/// The span of the turn that begins, disabled if no subscriber is interested.
#[inline]
pub(super) fn turn(
    behaviour: &'static str,
    place: Place,
    origin: Origin,
    path: impl Fn() -> String,
) -> Span {
    let span = debug_span!(
        target: "vivant",
        parent: None,
        "turn",
        actor = %Path(path),
        behaviour,
        %place,
    );
    if !span.is_disabled() {
        origin.link_to(&span);
    }
    span
}

pub(super) fn spawned(actor: &ObservedActor<impl Fn() -> String>) {
    if is_enabled() {
        debug!(target: "vivant", actor = %actor, "spawned");
    }
}

pub(super) fn ended(actor: &ObservedActor<impl Fn() -> String>, reason: &StopReason) {
    if is_enabled() {
        debug!(target: "vivant", actor = %actor, %reason, "ended");
    }
}

pub(super) fn restarted(actor: &ObservedActor<impl Fn() -> String>) {
    if is_enabled() {
        debug!(target: "vivant", actor = %actor, "restarted");
    }
}

pub(super) fn dead_letter(
    actor: &ObservedActor<impl Fn() -> String>,
    behaviour: &'static str,
    place: Place,
    cause: Cause,
) {
    if is_enabled() {
        debug!(
            target: "vivant",
            actor = %actor,
            behaviour,
            %place,
            %cause,
            "dead letter",
        );
    }
}

pub(super) fn report(report: &Report) {
    match report {
        Report::SlowTurn {
            actor,
            behaviour,
            for_ms,
        } => warn!(target: "vivant", actor, behaviour = behaviour.as_str(), for_ms, "slow turn"),
        Report::LargeTurn {
            actor,
            behaviour,
            bytes,
        } => warn!(target: "vivant", actor, behaviour = behaviour.as_str(), bytes, "large turn"),
        Report::Panicked(panic) => warn!(
            target: "vivant",
            actor = panic.actor(),
            behaviour = panic.behaviour().as_str(),
            place = panic.place(),
            error = panic.message(),
            "panicked",
        ),
        Report::Failed { actor, why } => warn!(
            target: "vivant",
            actor,
            behaviour = why.behaviour.as_str(),
            error = why.message,
            "failed",
        ),
        Report::GaveUp { supervisor, why } => warn!(
            target: "vivant",
            actor = supervisor,
            child = why.child,
            failures = why.failures,
            reason = %why.reason,
            "gave up",
        ),
        Report::LargeContainer { actor, elements } => {
            warn!(target: "vivant", actor, elements, "large container");
        }
        Report::Leaked { objects } => warn!(target: "vivant", objects, "leaked objects"),
        Report::Overdue { actor } => warn!(target: "vivant", actor, "overdue"),
        Report::StateNotRestored { actor, why } => {
            warn!(target: "vivant", actor, why, "its last state was not restored");
        }
        Report::UnusedCollector {
            place,
            name,
            marking,
        } => warn!(target: "vivant", place = place.as_str(), name, %marking, "unused collector"),
        Report::ThreadFailed { error } => {
            warn!(target: "vivant", error, "a worker thread could not be started");
        }
    }
}
